//! One ranking from two: cosine and BM25 brought to one scale from 0 to 1.
//!
//! Both methods are functions of the scores within one query. Min-max normalisation maps the best
//! candidate of a side to 1 and the worst to 0 and sums with weights (Lee 1995, "`CombSUM`" after
//! normalisation). Reciprocal rank sums `1 / (k + rank)` (Cormack, Clarke and Büttcher 2009),
//! divided by its maximum. A candidate that a side did not score gets that side's 0.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// How cosine and BM25 become one score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FusionMethod {
    /// The weighted sum of the scores, each side normalised to 0–1 over the candidates.
    #[default]
    MinMax,
    /// The weighted sum of reciprocal ranks, divided by its maximum.
    ReciprocalRank,
}

/// A candidate with what each side says of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FusionInput {
    /// The unit's key.
    pub key: u64,
    /// Cosine to the query, where dense search scored it.
    pub cosine: Option<f32>,
    /// BM25, where full text matched.
    pub bm25: Option<f32>,
}

/// Method, weight and constant of a fusion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fusion {
    /// The method.
    pub method: FusionMethod,
    /// Weight of the dense side, 0–1; full text has the rest.
    pub dense_weight: f32,
    /// The `k` of reciprocal rank: larger flattens the difference between ranks.
    pub rank_constant: f32,
}

impl Fusion {
    /// Fused scores in 0–1, one for each input, in the order given.
    pub fn scores(&self, inputs: &[FusionInput]) -> Vec<f32> {
        let cosines: Vec<Option<f32>> = inputs.iter().map(|input| input.cosine).collect();
        let bm25: Vec<Option<f32>> = inputs.iter().map(|input| input.bm25).collect();
        let (dense, text) = match self.method {
            FusionMethod::MinMax => (min_max(&cosines, None), min_max(&bm25, Some(0.0))),
            FusionMethod::ReciprocalRank => (
                self.reciprocal(inputs, &cosines),
                self.reciprocal(inputs, &bm25),
            ),
        };
        let weight = self.dense_weight.clamp(0.0, 1.0);
        dense
            .iter()
            .zip(&text)
            .map(|(dense, text)| weight * dense + (1.0 - weight) * text)
            .collect()
    }

    /// `(k + 1) / (k + rank)`, ranks from 1, equal scores in the order of their keys.
    fn reciprocal(&self, inputs: &[FusionInput], scores: &[Option<f32>]) -> Vec<f32> {
        let mut order: Vec<(usize, f32, u64)> = inputs
            .iter()
            .zip(scores)
            .enumerate()
            .filter_map(|(place, (input, score))| score.map(|score| (place, score, input.key)))
            .collect();
        order.sort_by(|a, b| best_first((a.1, a.2), (b.1, b.2)));
        let constant = self.rank_constant.max(0.0);
        let mut fused = vec![0.0; inputs.len()];
        for (rank, (place, ..)) in order.into_iter().enumerate() {
            if let Some(score) = fused.get_mut(place) {
                *score = (constant + 1.0) / (constant + 1.0 + rank as f32);
            }
        }
        fused
    }
}

/// Orders by score, best first, then by key: the order of every ranking here.
pub(crate) fn best_first(a: (f32, u64), b: (f32, u64)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

/// Maps the least score to 0 and the greatest to 1; missing ones to 0. `floor` is a value that
/// counts as present (BM25 of a text that does not match is 0). Equal scores all map to 1.
fn min_max(scores: &[Option<f32>], floor: Option<f32>) -> Vec<f32> {
    let missing = scores.iter().any(Option::is_none);
    let present = scores.iter().flatten().copied();
    let least = present.clone().fold(f32::INFINITY, f32::min);
    let least = floor
        .filter(|_| missing)
        .map_or(least, |floor| least.min(floor));
    let range = present.fold(f32::NEG_INFINITY, f32::max) - least;
    let scaled = |score: f32| {
        if range > 0.0 {
            ((score - least) / range).clamp(0.0, 1.0)
        } else {
            1.0
        }
    };
    scores
        .iter()
        .map(|score| score.map_or(0.0, scaled))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn inputs() -> impl Strategy<Value = Vec<FusionInput>> {
        let score = || prop::option::of(-1.0_f32..1.0);
        let bm25 = || prop::option::of(0.01_f32..50.0);
        prop::collection::vec((score(), bm25()), 0..40).prop_map(|pairs| {
            let keyed = pairs.into_iter().zip(1..);
            keyed
                .map(|((cosine, bm25), key)| FusionInput { key, cosine, bm25 })
                .collect()
        })
    }

    fn fusion() -> impl Strategy<Value = Fusion> {
        let method = prop_oneof![
            Just(FusionMethod::MinMax),
            Just(FusionMethod::ReciprocalRank)
        ];
        (method, 0.0_f32..=1.0, 1.0_f32..100.0).prop_map(|(method, dense_weight, rank_constant)| {
            Fusion {
                method,
                dense_weight,
                rank_constant,
            }
        })
    }

    proptest! {
        #[test]
        fn scores_lie_between_0_and_1(fusion in fusion(), inputs in inputs()) {
            let scores = fusion.scores(&inputs);
            prop_assert_eq!(scores.len(), inputs.len());
            prop_assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{:?}", scores);
        }

        #[test]
        fn better_on_both_sides_is_never_ranked_lower(fusion in fusion(), inputs in inputs()) {
            let scores = fusion.scores(&inputs);
            for (a, score_a) in inputs.iter().zip(&scores) {
                for (b, score_b) in inputs.iter().zip(&scores) {
                    // A missing BM25 is a score of 0; a missing cosine is unknown, so compare only
                    // candidates that both have one.
                    let dominated = a.cosine.is_some() && b.cosine.is_some()
                        && a.cosine > b.cosine && a.bm25.unwrap_or(0.0) > b.bm25.unwrap_or(0.0);
                    prop_assert!(!dominated || score_a >= score_b);
                }
            }
        }

        #[test]
        fn the_order_of_the_input_does_not_matter(fusion in fusion(), inputs in inputs()) {
            let reversed: Vec<FusionInput> = inputs.iter().rev().copied().collect();
            let mut scores = fusion.scores(&reversed);
            scores.reverse();
            prop_assert_eq!(scores, fusion.scores(&inputs));
        }

        #[test]
        fn a_weight_of_1_is_the_dense_ranking(inputs in inputs()) {
            let fusion = Fusion { method: FusionMethod::MinMax, dense_weight: 1.0, rank_constant: 60.0 };
            let scores = fusion.scores(&inputs);
            for (a, score_a) in inputs.iter().zip(&scores) {
                for (b, score_b) in inputs.iter().zip(&scores) {
                    if let (Some(cosine_a), Some(cosine_b)) = (a.cosine, b.cosine) {
                        prop_assert!(cosine_a < cosine_b || score_a >= score_b);
                    }
                }
            }
        }
    }

    #[test]
    fn min_max_agrees_with_hand_calculation() {
        let fusion = Fusion {
            method: FusionMethod::MinMax,
            dense_weight: 0.5,
            rank_constant: 60.0,
        };
        let input = |key, cosine, bm25| FusionInput {
            key,
            cosine: Some(cosine),
            bm25,
        };
        let scores = fusion.scores(&[
            input(1, 0.8, Some(10.0)),
            input(2, 0.5, None),
            input(3, 0.2, Some(5.0)),
        ]);
        let expected = [1.0, 0.25, 0.25];
        assert!(
            scores
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-6),
            "{scores:?}"
        );
    }

    #[test]
    fn reciprocal_rank_agrees_with_hand_calculation() {
        let fusion = Fusion {
            method: FusionMethod::ReciprocalRank,
            dense_weight: 0.5,
            rank_constant: 60.0,
        };
        let first_and_second = [
            FusionInput {
                key: 7,
                cosine: Some(0.9),
                bm25: Some(1.0),
            },
            FusionInput {
                key: 8,
                cosine: Some(0.1),
                bm25: Some(2.0),
            },
        ];
        let scores = fusion.scores(&first_and_second);
        let expected = 0.5 + 0.5 * 61.0 / 62.0;
        assert!(
            scores.iter().all(|score| (score - expected).abs() < 1e-6),
            "{scores:?}"
        );
    }
}
