//! The vectors around one centre, as codes in blocks.

use super::code::Code;
use crate::kernels::{BLOCK, Block, Estimator, estimates, prefetch};
use crate::vectors::Slot;

/// The numbers of a block of codes.
#[derive(Clone)]
pub(super) struct BlockNumbers {
    pub(super) offsets: [f32; BLOCK],
    pub(super) scales: [f32; BLOCK],
    pub(super) slots: [Slot; BLOCK],
}

impl BlockNumbers {
    /// Of a block without codes: the estimates exceed no bar.
    pub(super) fn absent() -> Self {
        Self {
            offsets: [f32::NEG_INFINITY; BLOCK],
            scales: [0.0; BLOCK],
            slots: [Slot::MAX; BLOCK],
        }
    }
}

/// Codes of the vectors nearest to a centre. Positions are numbered without gaps.
pub(super) struct Partition {
    /// Bytes of one code: a multiple of four.
    code_bytes: usize,
    pub(super) len: usize,
    /// Blocks of 32 codes: row by row, one byte per code.
    pub(super) rows: Vec<u8>,
    pub(super) numbers: Vec<BlockNumbers>,
}

impl Partition {
    /// Without codes, for those of so many coordinates.
    pub(super) fn new(width: usize) -> Self {
        Self {
            code_bytes: width / 8,
            len: 0,
            rows: Vec::new(),
            numbers: Vec::new(),
        }
    }

    /// From whole blocks of codes of which `len` are there.
    pub(super) fn from_blocks(
        width: usize,
        len: usize,
        rows: Vec<u8>,
        numbers: Vec<BlockNumbers>,
    ) -> Self {
        Self {
            code_bytes: width / 8,
            len,
            rows,
            numbers,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let all = self.numbers.iter().flat_map(|block| block.slots);
        all.take(self.len)
    }

    /// Appends a code and returns its position.
    pub(super) fn push(&mut self, slot: Slot, code: &Code) -> usize {
        let position = self.len;
        if position.is_multiple_of(BLOCK) {
            self.rows.resize(self.rows.len() + self.block_bytes(), 0);
            self.numbers.push(BlockNumbers::absent());
        }
        self.write(position, slot, code);
        self.len += 1;
        position
    }

    pub(super) fn block_bytes(&self) -> usize {
        self.code_bytes * BLOCK
    }

    /// Where the code's bytes lie.
    fn places(&self, position: usize) -> impl Iterator<Item = usize> + use<> {
        let start = position / BLOCK * self.block_bytes() + position % BLOCK;
        (start..start + self.block_bytes()).step_by(BLOCK)
    }

    /// Puts a code in the place of another one or of none.
    fn write(&mut self, position: usize, slot: Slot, code: &Code) {
        for (place, byte) in self.places(position).zip(&code.bits) {
            if let Some(held) = self.rows.get_mut(place) {
                *held = *byte;
            }
        }
        let Some(block) = self.numbers.get_mut(position / BLOCK) else {
            return;
        };
        let lane = position % BLOCK;
        if let (Some(offset), Some(scale), Some(held)) = (
            block.offsets.get_mut(lane),
            block.scales.get_mut(lane),
            block.slots.get_mut(lane),
        ) {
            (*offset, *scale, *held) = (code.offset, code.scale, slot);
        }
    }

    fn read(&self, position: usize) -> Option<(Slot, Code)> {
        let block = self.numbers.get(position / BLOCK)?;
        let lane = position % BLOCK;
        let bytes = self.places(position);
        let code = Code {
            bits: bytes
                .filter_map(|place| self.rows.get(place).copied())
                .collect(),
            offset: block.offsets.get(lane).copied()?,
            scale: block.scales.get(lane).copied()?,
        };
        Some((block.slots.get(lane).copied()?, code))
    }

    /// Takes a position out; the last one moves into it, and its slot is returned unless the
    /// position was the last itself.
    pub(super) fn swap_remove(&mut self, position: usize) -> Option<Slot> {
        let last = self.len.checked_sub(1)?;
        let (slot, code) = self.read(last)?;
        self.write(position, slot, &code);
        self.write(last, Slot::MAX, &Code::absent());
        self.len = last;
        let blocks = last.div_ceil(BLOCK);
        self.rows.truncate(blocks * self.block_bytes());
        self.numbers.truncate(blocks);
        (position < last).then_some(slot)
    }

    /// A slot has another number now.
    pub(super) fn rename(&mut self, position: usize, slot: Slot) {
        let block = self.numbers.get_mut(position / BLOCK);
        if let Some(held) = block.and_then(|block| block.slots.get_mut(position % BLOCK)) {
            *held = slot;
        }
    }

    /// Brings the first codes near.
    pub(super) fn prefetch(&self) {
        prefetch(self.rows.get(..self.block_bytes()).unwrap_or_default());
        prefetch(self.numbers.get(..1).unwrap_or_default());
    }

    /// Calls `visit` with an estimate of the cosine and the slot of every vector whose estimate
    /// exceeds the bar, which is what `visit` returned last.
    pub(super) fn scan(
        &self,
        estimator: &Estimator<'_>,
        mut bar: f32,
        mut visit: impl FnMut(f32, Slot) -> f32,
    ) {
        let mut found = [0.0; BLOCK];
        for (rows, numbers) in self
            .rows
            .chunks_exact(self.block_bytes())
            .zip(&self.numbers)
        {
            let block = Block {
                rows,
                offsets: &numbers.offsets,
                scales: &numbers.scales,
            };
            let mut above = estimates(estimator, &block, bar, &mut found);
            while above != 0 {
                let lane = above.trailing_zeros() as usize;
                above &= above - 1;
                if let (Some(estimate), Some(slot)) = (found.get(lane), numbers.slots.get(lane))
                    && *estimate > bar
                {
                    bar = visit(*estimate, *slot);
                }
            }
        }
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.rows.capacity()
            + self.numbers.capacity() * size_of::<BlockNumbers>()
    }
}
