//! Reading little-endian numbers from bytes that may be cut short.

/// The next `N` bytes.
pub(crate) fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*first)
}

pub(crate) fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    take(rest).map(u32::from_le_bytes)
}

pub(crate) fn take_f32(rest: &mut &[u8]) -> Option<f32> {
    take(rest).map(f32::from_le_bytes)
}

/// The next `count` numbers.
pub(crate) fn take_u32s(rest: &mut &[u8], count: usize) -> Option<Vec<u32>> {
    let (numbers, _) = take_bytes(rest, count.checked_mul(4)?)?.as_chunks();
    Some(
        numbers
            .iter()
            .map(|bytes| u32::from_le_bytes(*bytes))
            .collect(),
    )
}

/// The next `count` numbers.
pub(crate) fn take_f32s(rest: &mut &[u8], count: usize) -> Option<Vec<f32>> {
    let numbers = take_u32s(rest, count)?;
    Some(numbers.into_iter().map(f32::from_bits).collect())
}

/// The next `count` bytes.
pub(crate) fn take_bytes<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (first, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(first)
}
