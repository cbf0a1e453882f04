//! The components of vectors, the first of them perhaps in a file.

use crate::file::MappedFloats;

/// Components one after the other. A vector never lies across the border of its two parts.
#[derive(Default)]
pub(crate) struct Components {
    mapped: Option<MappedFloats>,
    owned: Vec<f32>,
}

impl From<Vec<f32>> for Components {
    fn from(owned: Vec<f32>) -> Self {
        Self {
            mapped: None,
            owned,
        }
    }
}

impl From<MappedFloats> for Components {
    fn from(mapped: MappedFloats) -> Self {
        Self {
            mapped: Some(mapped),
            owned: Vec::new(),
        }
    }
}

impl Components {
    /// Both parts, in order.
    pub(crate) fn parts(&self) -> [&[f32]; 2] {
        [self.mapped_part(), &self.owned]
    }

    fn mapped_part(&self) -> &[f32] {
        self.mapped.as_ref().map_or(&[], MappedFloats::as_slice)
    }

    pub(crate) fn len(&self) -> usize {
        self.parts().iter().map(|part| part.len()).sum()
    }

    /// `length` components from `start`.
    pub(crate) fn get(&self, start: usize, length: usize) -> Option<&[f32]> {
        let mapped = self.mapped_part();
        match start.checked_sub(mapped.len()) {
            Some(start) => self.owned.get(start..start + length),
            None => mapped.get(start..start + length),
        }
    }

    fn get_mut(&mut self, start: usize, length: usize) -> Option<&mut [f32]> {
        match start.checked_sub(self.mapped_part().len()) {
            Some(start) => self.owned.get_mut(start..start + length),
            None => self
                .mapped
                .as_mut()?
                .as_mut_slice()
                .get_mut(start..start + length),
        }
    }

    pub(crate) fn push(&mut self, vector: &[f32]) {
        self.owned.extend_from_slice(vector);
    }

    pub(crate) fn replace(&mut self, start: usize, vector: &[f32]) {
        if let Some(place) = self.get_mut(start, vector.len()) {
            place.copy_from_slice(vector);
        }
    }

    /// Moves the last `length` components to `start` and forgets where they were.
    pub(crate) fn swap_remove(&mut self, start: usize, length: usize) {
        let last = self.len().saturating_sub(length);
        if let Some(vector) = self.get(last, length).map(<[f32]>::to_vec) {
            self.replace(start, &vector);
        }
        let mapped = self.mapped_part().len();
        self.owned.truncate(last.saturating_sub(mapped));
        if let Some(mapped) = &mut self.mapped {
            mapped.truncate(last);
        }
    }
}
