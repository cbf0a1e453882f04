//! Partitions as bytes; the layout is described in `docs/index-format.md`.

use super::calibration::Effort;
use super::finder::CodedPartitions;
use super::partition::Partition;
use crate::IndexConfig;
use crate::bytes::{take, take_bytes, take_f32, take_f32s, take_u32, take_u32s};
use crate::kernels::BLOCK;

/// Marks the finder's part of a file as partitions of sign codes.
const KIND: u32 = 1;

/// Changes are counted no further than this in a file.
const MOST_CHANGES: usize = u32::MAX as usize;

pub(super) fn to_bytes(finder: &CodedPartitions) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(&mut bytes, &[KIND, finder.recall.to_bits()]);
    bytes.extend_from_slice(&finder.seed.to_le_bytes());
    let changes = finder.changes.min(MOST_CHANGES) as u32;
    put(
        &mut bytes,
        &[
            changes,
            finder.efforts.len() as u32,
            finder.partitions.len() as u32,
        ],
    );
    for effort in &finder.efforts {
        put(
            &mut bytes,
            &[
                effort.rank as u32,
                effort.reach.to_bits(),
                effort.pool as u32,
            ],
        );
    }
    let centres = finder.centres.chunks_exact(finder.dimension.max(1));
    for (partition, centre) in finder.partitions.iter().zip(centres) {
        put(&mut bytes, &[partition.len() as u32]);
        for component in centre {
            bytes.extend_from_slice(&component.to_le_bytes());
        }
        partition.write_to(&mut bytes);
    }
    bytes
}

fn put(bytes: &mut Vec<u8>, numbers: &[u32]) {
    for number in numbers {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
}

impl CodedPartitions {
    /// Reads what was kept for a collection of `held` vectors; `None` if there is nothing, it was
    /// made with another seed, or it does not fit the collection.
    pub(crate) fn from_bytes(
        mut bytes: &[u8],
        dimension: usize,
        held: usize,
        config: &IndexConfig,
    ) -> Option<Self> {
        let rest = &mut bytes;
        let mut finder = Self::without_partitions(dimension, config);
        let kind = take_u32(rest)?;
        let recall = take_f32(rest)?;
        let seed = u64::from_le_bytes(take(rest)?);
        if kind != KIND || seed != config.hash_seed {
            return None;
        }
        finder.changes = take_u32(rest)? as usize;
        let (efforts, partitions) = (take_u32(rest)?, take_u32(rest)?);
        for _ in 0..efforts {
            finder.efforts.push(read_effort(rest)?);
        }
        for _ in 0..partitions {
            finder.read_partition(rest, held)?;
        }
        if recall.to_bits() != (config.recall as f32).to_bits() {
            finder.efforts.clear();
        }
        (rest.is_empty() && finder.place_all(held)).then_some(finder)
    }

    fn read_partition(&mut self, rest: &mut &[u8], held: usize) -> Option<()> {
        let count = take_u32(rest)? as usize;
        if count > held {
            return None;
        }
        let centre = take_f32s(rest, self.dimension)?;
        let number = self.open(&centre);
        let partition = self.partitions.get_mut(number)?;
        partition.read_from(rest, count)
    }

    /// Finds the place of every slot; false unless each of them lies in one partition.
    fn place_all(&mut self, held: usize) -> bool {
        const NOWHERE: (u32, u32) = (u32::MAX, u32::MAX);
        self.places = vec![NOWHERE; held];
        let mut placed = 0;
        for (partition, number) in self.partitions.iter().zip(0..) {
            for (slot, position) in partition.slots().iter().zip(0..) {
                match self.places.get_mut(*slot as usize) {
                    Some(place) if *place == NOWHERE => *place = (number, position),
                    _ => return false,
                }
                placed += 1;
            }
        }
        placed == held && !self.partitions.is_empty()
    }
}

fn read_effort(rest: &mut &[u8]) -> Option<Effort> {
    Some(Effort {
        rank: take_u32(rest)? as usize,
        reach: take_f32(rest)?,
        pool: take_u32(rest)? as usize,
    })
}

impl Partition {
    /// Slots, offsets, scales and rows; the last three in whole blocks.
    fn write_to(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.slots());
        for number in self.offsets.iter().chain(&self.scales).flatten() {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&self.rows);
    }

    fn read_from(&mut self, rest: &mut &[u8], count: usize) -> Option<()> {
        let blocks = count.div_ceil(BLOCK);
        self.slots = take_u32s(rest, count)?;
        self.offsets = read_blocks(rest, blocks)?;
        self.scales = read_blocks(rest, blocks)?;
        let rows = take_bytes(rest, blocks.checked_mul(self.block_bytes())?)?;
        self.rows = rows.to_vec();
        Some(())
    }
}

fn read_blocks(rest: &mut &[u8], blocks: usize) -> Option<Vec<[f32; BLOCK]>> {
    let numbers = take_f32s(rest, blocks.checked_mul(BLOCK)?)?;
    let (blocks, _) = numbers.as_chunks();
    Some(blocks.to_vec())
}
