//! The centres of the partitions, rotated, and how near they are to a vector.

use super::bytes::ByteVector;
use crate::kernels::{dot, products};

/// Centres that are compared with one vector after the other.
const PART: usize = 64;

/// Numbered centres, exact and as bytes: products of bytes are enough to choose partitions by.
#[derive(Clone)]
pub(super) struct Centres {
    width: usize,
    /// One after the other.
    exact: Vec<f32>,
    /// Moved up, as products take them.
    steps: Vec<u8>,
    /// Size of a step of each.
    step: Vec<f32>,
    /// Half the square of each one's length.
    half_squares: Vec<f32>,
}

impl Centres {
    /// None; `width` is that of the rotation.
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            exact: Vec::new(),
            steps: Vec::new(),
            step: Vec::new(),
            half_squares: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.step.len()
    }

    /// A centre; empty outside the numbers.
    pub(super) fn get(&self, number: usize) -> &[f32] {
        let start = number * self.width;
        let found = self.exact.get(start..start + self.width);
        found.unwrap_or_default()
    }

    /// Adds a rotated centre; its number is the first that is free.
    pub(super) fn push(&mut self, centre: &[f32]) {
        let bytes = ByteVector::new(centre);
        self.exact.extend_from_slice(centre);
        self.steps.extend(bytes.moved_up());
        self.step.push(bytes.step);
        self.half_squares.push(half_square(centre));
    }

    /// Puts a centre in the place of another one.
    pub(super) fn set(&mut self, number: usize, centre: &[f32]) {
        let bytes = ByteVector::new(centre);
        let range = number * self.width..(number + 1) * self.width;
        if let Some(place) = self.exact.get_mut(range.clone()) {
            place.copy_from_slice(centre);
        }
        if let Some(place) = self.steps.get_mut(range) {
            for (place, step) in place.iter_mut().zip(bytes.moved_up()) {
                *place = step;
            }
        }
        for (numbers, value) in [
            (&mut self.step, bytes.step),
            (&mut self.half_squares, half_square(centre)),
        ] {
            if let Some(place) = numbers.get_mut(number) {
                *place = value;
            }
        }
    }

    /// Drops a centre that is held; the last one takes its number.
    pub(super) fn swap_remove(&mut self, number: usize) {
        let last = self.len().saturating_sub(1) * self.width;
        self.exact.copy_within(last.., number * self.width);
        self.exact.truncate(last);
        self.steps.copy_within(last.., number * self.width);
        self.steps.truncate(last);
        self.step.swap_remove(number);
        self.half_squares.swap_remove(number);
    }

    /// The products of a rotated vector with all centres, within about 0.01 for unit length.
    pub(super) fn products(&self, rotated: &[f32]) -> Vec<f32> {
        let bytes = ByteVector::new(rotated);
        let mut whole = vec![0; self.len()];
        products(&bytes.steps, &self.steps, &mut whole);
        let scaled = whole.iter().zip(&self.step);
        scaled
            .map(|(product, step)| *product as f32 * step * bytes.step)
            .collect()
    }

    /// The nearness of every centre, given the products with them: the product less half the
    /// square of the centre's length, which falls with the distance.
    pub(super) fn nearness<'a>(&'a self, products: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        let pairs = products.iter().zip(&self.half_squares);
        pairs.map(|(product, half_square)| product - half_square)
    }

    /// The number of the centre nearest to each rotated vector, 0 if there is none. Centres are
    /// compared in parts that stay in the processor's nearest memory for all vectors.
    pub(super) fn nearest(&self, rotated: &[Vec<f32>]) -> Vec<usize> {
        let bytes: Vec<ByteVector> = rotated.iter().map(|one| ByteVector::new(one)).collect();
        let mut best = vec![(f32::NEG_INFINITY, 0); rotated.len()];
        let mut whole = [0; PART];
        let parts = self.steps.chunks(PART * self.width);
        let numbers = self.step.chunks(PART).zip(self.half_squares.chunks(PART));
        for ((steps, (sizes, half_squares)), first) in parts.zip(numbers).zip((0..).step_by(PART)) {
            for (bytes, best) in bytes.iter().zip(&mut best) {
                let whole = whole.get_mut(..sizes.len()).unwrap_or_default();
                products(&bytes.steps, steps, whole);
                let centres = whole.iter().zip(sizes).zip(half_squares).zip(first..);
                for (((product, size), half_square), number) in centres {
                    let nearness = *product as f32 * size * bytes.step - half_square;
                    if nearness > best.0 {
                        *best = (nearness, number);
                    }
                }
            }
        }
        best.into_iter().map(|(_, number)| number).collect()
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        let floats = self.exact.capacity() + self.step.capacity() + self.half_squares.capacity();
        floats * size_of::<f32>() + self.steps.capacity()
    }
}

/// Half the square of a centre's length: what a product with it must exceed to be nearer.
pub(super) fn half_square(centre: &[f32]) -> f32 {
    dot(centre, centre) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::clustered;

    #[test]
    fn products_by_bytes_are_near_the_exact_ones() {
        let vectors = clustered(50, 128, 50, 3);
        let mut centres = Centres::new(128);
        for vector in &vectors {
            centres.push(vector);
        }
        for vector in &vectors {
            let products = centres.products(vector);
            for (product, other) in products.iter().zip(&vectors) {
                assert!((product - dot(vector, other)).abs() < 0.01);
            }
        }
        let own: Vec<usize> = (0..vectors.len()).collect();
        assert_eq!(centres.nearest(&vectors), own);
    }

    #[test]
    fn the_last_centre_takes_the_place_of_one_that_goes() {
        let vectors = clustered(3, 64, 3, 4);
        let mut centres = Centres::new(64);
        for vector in &vectors {
            centres.push(vector);
        }
        centres.swap_remove(0);
        assert_eq!((centres.len(), centres.get(0)), (2, vectors[2].as_slice()));
        centres.set(1, &vectors[0]);
        assert_eq!(centres.nearest(&vectors[..1]), [1]);
        assert_eq!(centres.get(2), [0.0; 0]);
    }
}
