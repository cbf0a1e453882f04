//! Partitions as bytes; the layout is described in `docs/index-format.md`.

use super::calibration::Effort;
use super::finder::CodedPartitions;
use super::measure::SMALLEST_CALIBRATED;
use super::partition::{BlockNumbers, Partition};
use crate::IndexConfig;
use crate::bytes::{take, take_bytes, take_f32, take_f32s, take_u32};
use crate::kernels::BLOCK;
use crate::vectors::{Slot, Vectors};

/// Marks the finder's part of a file as partitions of sign codes; 1 had wider codes.
const KIND: u32 = 3;
/// The same with effort of another meaning, which is measured anew.
const KIND_WITH_REACH: u32 = 2;

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
                effort.gap.to_bits(),
                effort.margin.to_bits(),
            ],
        );
    }
    for (partition, number) in finder.partitions.iter().zip(0..) {
        put(&mut bytes, &[partition.len() as u32]);
        put_floats(&mut bytes, finder.centres.get(number));
        partition.write_to(&mut bytes);
    }
    bytes
}

fn put(bytes: &mut Vec<u8>, numbers: &[u32]) {
    for number in numbers {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
}

fn put_floats(bytes: &mut Vec<u8>, numbers: &[f32]) {
    for number in numbers {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
}

/// Partitions from a file.
pub(crate) struct KeptPartitions {
    pub(crate) finder: CodedPartitions,
    /// Whether the file told how far a search must look under these settings.
    pub(crate) is_measured: bool,
}

impl KeptPartitions {
    /// Reads what was kept for these vectors; `None` if there is nothing, it was
    /// made with another seed, or it does not fit the collection.
    pub(crate) fn read(mut bytes: &[u8], vectors: &Vectors, config: &IndexConfig) -> Option<Self> {
        let rest = &mut bytes;
        let held = vectors.len();
        let mut finder = CodedPartitions::without_partitions(vectors.dimension(), config);
        let kind = take_u32(rest)?;
        let recall = take_f32(rest)?;
        let seed = u64::from_le_bytes(take(rest)?);
        if !(KIND_WITH_REACH..=KIND).contains(&kind) || seed != config.hash_seed {
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
        if !rest.is_empty() || !finder.place_all(held) {
            return None;
        }
        let same = kind == KIND && recall.to_bits() == finder.recall.to_bits();
        let is_measured = same || held < SMALLEST_CALIBRATED;
        if !is_measured {
            finder.calibrate(vectors);
        }
        Some(Self {
            finder,
            is_measured,
        })
    }
}

impl CodedPartitions {
    fn read_partition(&mut self, rest: &mut &[u8], held: usize) -> Option<()> {
        let count = take_u32(rest)? as usize;
        if count > held {
            return None;
        }
        let width = self.rotation.width();
        let centre = take_f32s(rest, width)?;
        self.centres.push(&centre);
        self.partitions
            .push(Partition::read_from(rest, width, count)?);
        Some(())
    }

    /// Finds the place of every slot; false unless each of them lies in one partition.
    fn place_all(&mut self, held: usize) -> bool {
        const NOWHERE: (u32, u32) = (u32::MAX, u32::MAX);
        self.places = vec![NOWHERE; held];
        let mut placed = 0;
        for (partition, number) in self.partitions.iter().zip(0..) {
            for (slot, position) in partition.slots().zip(0..) {
                match self.places.get_mut(slot as usize) {
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
        gap: take_f32(rest)?,
        margin: take_f32(rest)?,
    })
}

impl Partition {
    /// Offsets, scales and slots of every block, then all rows.
    fn write_to(&self, bytes: &mut Vec<u8>) {
        for block in &self.numbers {
            put_floats(bytes, &block.offsets);
            put_floats(bytes, &block.scales);
            put(bytes, &block.slots);
        }
        bytes.extend_from_slice(&self.rows);
    }

    fn read_from(rest: &mut &[u8], width: usize, count: usize) -> Option<Self> {
        let blocks = count.div_ceil(BLOCK);
        let numbers: Option<Vec<BlockNumbers>> = (0..blocks).map(|_| read_numbers(rest)).collect();
        let rows = take_bytes(rest, blocks.checked_mul(width / 8 * BLOCK)?)?;
        Some(Self::from_blocks(width, count, rows.to_vec(), numbers?))
    }
}

fn read_numbers(rest: &mut &[u8]) -> Option<BlockNumbers> {
    let mut numbers = BlockNumbers::absent();
    for place in numbers.offsets.iter_mut().chain(&mut numbers.scales) {
        *place = take_f32(rest)?;
    }
    for place in &mut numbers.slots {
        *place = take_u32(rest)? as Slot;
    }
    Some(numbers)
}
