//! The vectors around one centre, as codes in blocks.

use super::code::Code;
use crate::kernels::{BLOCK, Block, Estimator, estimates};
use crate::vectors::Slot;

/// Codes of the vectors nearest to a centre. Positions are numbered without gaps.
#[derive(Clone)]
pub(super) struct Partition {
    /// Rotated.
    pub(super) centre: Vec<f32>,
    /// Blocks of 32 codes: row by row, one byte per code.
    pub(super) rows: Vec<u8>,
    pub(super) offsets: Vec<[f32; BLOCK]>,
    pub(super) scales: Vec<[f32; BLOCK]>,
    pub(super) slots: Vec<Slot>,
}

impl Partition {
    pub(super) fn new(centre: Vec<f32>) -> Self {
        Self {
            centre,
            rows: Vec::new(),
            offsets: Vec::new(),
            scales: Vec::new(),
            slots: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Appends a rotated vector and returns its position.
    pub(super) fn push(&mut self, slot: Slot, rotated: &[f32]) -> usize {
        let position = self.slots.len();
        let code = Code::new(rotated, &self.centre);
        if position.is_multiple_of(BLOCK) {
            self.rows.resize(self.rows.len() + self.block_bytes(), 0);
            self.offsets.push([f32::NEG_INFINITY; BLOCK]);
            self.scales.push([0.0; BLOCK]);
        }
        self.write(position, &code);
        self.slots.push(slot);
        position
    }

    pub(super) fn block_bytes(&self) -> usize {
        self.centre.len() / 8 * BLOCK
    }

    /// Where the code's bytes lie.
    fn places(&self, position: usize) -> impl Iterator<Item = usize> + use<> {
        let start = position / BLOCK * self.block_bytes() + position % BLOCK;
        (start..start + self.block_bytes()).step_by(BLOCK)
    }

    fn write(&mut self, position: usize, code: &Code) {
        for (place, byte) in self.places(position).zip(&code.bits) {
            if let Some(held) = self.rows.get_mut(place) {
                *held = *byte;
            }
        }
        for (numbers, number) in [
            (&mut self.offsets, code.offset),
            (&mut self.scales, code.scale),
        ] {
            let numbers = numbers.get_mut(position / BLOCK);
            if let Some(held) = numbers.and_then(|block| block.get_mut(position % BLOCK)) {
                *held = number;
            }
        }
    }

    fn read(&self, position: usize) -> Code {
        let bytes = self.places(position);
        let number = |numbers: &[[f32; BLOCK]], absent: f32| {
            let block = numbers.get(position / BLOCK);
            block
                .and_then(|block| block.get(position % BLOCK).copied())
                .unwrap_or(absent)
        };
        Code {
            bits: bytes
                .filter_map(|place| self.rows.get(place).copied())
                .collect(),
            offset: number(&self.offsets, f32::NEG_INFINITY),
            scale: number(&self.scales, 0.0),
        }
    }

    /// Takes a position out; the last one moves into it, and its slot is returned unless the
    /// position was the last itself.
    pub(super) fn swap_remove(&mut self, position: usize) -> Option<Slot> {
        let last = self.slots.len().checked_sub(1)?;
        let code = self.read(last);
        self.write(position, &code);
        self.write(last, &Code::absent());
        self.slots.swap_remove(position);
        let blocks = last.div_ceil(BLOCK);
        self.rows.truncate(blocks * self.block_bytes());
        self.offsets.truncate(blocks);
        self.scales.truncate(blocks);
        self.slots.get(position).copied()
    }

    /// A slot has another number now.
    pub(super) fn rename(&mut self, position: usize, slot: Slot) {
        if let Some(held) = self.slots.get_mut(position) {
            *held = slot;
        }
    }

    /// Calls `visit` with an estimate of the cosine and the slot of every vector whose estimate
    /// exceeds the bar, which is what `visit` returned last.
    pub(super) fn scan(
        &self,
        estimator: &Estimator<'_>,
        mut bar: f32,
        mut visit: impl FnMut(f32, Slot) -> f32,
    ) {
        let rows = self.rows.chunks_exact(self.block_bytes());
        let terms = self.offsets.iter().zip(&self.scales);
        let mut found = [0.0; BLOCK];
        for ((rows, (offsets, scales)), slots) in rows.zip(terms).zip(self.slots.chunks(BLOCK)) {
            let block = Block {
                rows,
                offsets,
                scales,
            };
            estimates(estimator, &block, &mut found);
            if found
                .iter()
                .fold(f32::NEG_INFINITY, |max, estimate| max.max(*estimate))
                > bar
            {
                for (estimate, slot) in found.iter().zip(slots) {
                    if *estimate > bar {
                        bar = visit(*estimate, *slot);
                    }
                }
            }
        }
    }
}
