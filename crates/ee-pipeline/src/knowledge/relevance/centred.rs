//! How far a unit stands out from the question's neighbourhood.

use ee_index::AdaptiveIndex;
use ee_store::UnitKey;

/// A question's vector and its nearest units.
pub(in crate::knowledge) struct Neighbourhood<'a> {
    query: &'a [f32],
    nearest: Vec<(UnitKey, Vec<f32>)>,
}

impl<'a> Neighbourhood<'a> {
    /// The neighbourhood that these units make, nearest first; one that left the index meanwhile
    /// does not count.
    pub(in crate::knowledge) fn new(
        query: &'a [f32],
        nearest: &[UnitKey],
        index: &AdaptiveIndex,
    ) -> Self {
        let vectors = index.vectors(nearest);
        let pairs = nearest.iter().zip(vectors);
        let nearest = pairs
            .filter_map(|(key, vector)| Some((*key, vector?)))
            .collect();
        Self { query, nearest }
    }

    /// `cos(q − μ, d − μ)` where `μ` is the mean of the `neighbours` nearest units other than the
    /// candidate; 0 where there is no other unit or nothing remains of a vector.
    pub(in crate::knowledge) fn centred_cosine(
        &self,
        key: UnitKey,
        candidate: &[f32],
        neighbours: usize,
    ) -> f32 {
        let others = self
            .nearest
            .iter()
            .filter(|(other, _)| *other != key)
            .take(neighbours);
        let others: Vec<&[f32]> = others.map(|(_, vector)| vector.as_slice()).collect();
        if others.is_empty() {
            return 0.0;
        }
        let mean = mean(&others, self.query.len());
        cosine(
            &difference(self.query, &mean),
            &difference(candidate, &mean),
        )
    }
}

fn mean(vectors: &[&[f32]], dimension: usize) -> Vec<f32> {
    let mut mean = vec![0.0; dimension];
    for vector in vectors {
        for (sum, value) in mean.iter_mut().zip(*vector) {
            *sum += value / vectors.len() as f32;
        }
    }
    mean
}

fn difference(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let inner = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let lengths = (inner(a, a) * inner(b, b)).sqrt();
    if lengths > 0.0 {
        (inner(a, b) / lengths).clamp(-1.0, 1.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn neighbourhood(query: &[f32], nearest: Vec<(UnitKey, Vec<f32>)>) -> Neighbourhood<'_> {
        Neighbourhood { query, nearest }
    }

    #[test]
    fn it_agrees_with_hand_calculation() {
        let around = neighbourhood(&[1.0, 0.0], vec![(1, vec![0.8, 0.6]), (2, vec![0.0, 1.0])]);
        // Without unit 1 the mean is (0, 1): cos((1, −1), (0.8, −0.4)).
        let expected = 1.2 / (2.0_f32.sqrt() * 0.8_f32.sqrt());
        assert!((around.centred_cosine(1, &[0.8, 0.6], 5) - expected).abs() < 1e-6);
    }

    #[test]
    fn a_lone_candidate_and_a_vanishing_difference_give_0() {
        let alone = neighbourhood(&[1.0, 0.0], vec![(1, vec![0.8, 0.6])]);
        assert!(alone.centred_cosine(1, &[0.8, 0.6], 5).abs() < f32::EPSILON);
        assert!(alone.centred_cosine(2, &[0.8, 0.6], 5).abs() < f32::EPSILON);
    }
}
