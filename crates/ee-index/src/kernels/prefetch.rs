//! Asking for memory before it is needed.

#![allow(unsafe_code, reason = "a hint about an address, which is never read")]

/// Bytes per cache line.
const LINE: usize = 64;

/// Asks the processor to bring numbers near, if it can be asked.
#[inline]
pub(crate) fn prefetch<T>(numbers: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for offset in (0..size_of_val(numbers)).step_by(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let line = numbers.as_ptr().cast::<i8>().wrapping_add(offset);
        // SAFETY: the instruction is part of every x86-64 processor and only a hint.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (numbers, LINE);
}
