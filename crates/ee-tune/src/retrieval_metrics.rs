//! nDCG, recall and reciprocal rank of one ranking, as `trec_eval` and BEIR define them.

use std::collections::BTreeMap;

/// The scores of one ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RetrievalScores {
    /// Discounted gain of the first ten over the best possible, gains linear in the grade.
    pub ndcg_at_10: f64,
    /// Share of the relevant documents among the first five.
    pub recall_at_5: f64,
    /// The same among the first ten.
    pub recall_at_10: f64,
    /// The same among the first hundred.
    pub recall_at_100: f64,
    /// One over the rank of the first relevant document among the first ten, else 0.
    pub mrr_at_10: f64,
}

impl RetrievalScores {
    /// The names of the scores, in the order in which they are printed.
    pub const NAMES: [&'static str; 5] =
        ["ndcg@10", "recall@5", "recall@10", "recall@100", "mrr@10"];

    /// The scores with their names, in the order in which they are printed.
    pub fn named(&self) -> [(&'static str, f64); 5] {
        [
            ("ndcg@10", self.ndcg_at_10),
            ("recall@5", self.recall_at_5),
            ("recall@10", self.recall_at_10),
            ("recall@100", self.recall_at_100),
            ("mrr@10", self.mrr_at_10),
        ]
    }
}

/// Scores a ranking (best first) against grades. `None` when nothing is relevant: such a question
/// does not count.
pub fn score_ranking(ranked: &[&str], grades: &BTreeMap<String, u32>) -> Option<RetrievalScores> {
    let relevant = grades.values().filter(|grade| **grade > 0).count();
    if relevant == 0 {
        return None;
    }
    let grade = |document: &&str| grades.get(*document).copied().unwrap_or_default();
    let gains: Vec<u32> = ranked.iter().map(grade).collect();
    let found = |k: usize| gains.iter().take(k).filter(|gain| **gain > 0).count();
    let recall = |k| found(k) as f64 / relevant as f64;
    let first = gains.iter().take(10).position(|gain| *gain > 0);
    Some(RetrievalScores {
        ndcg_at_10: discounted(&gains) / discounted(&best_gains(grades)),
        recall_at_5: recall(5),
        recall_at_10: recall(10),
        recall_at_100: recall(100),
        mrr_at_10: first.map_or(0.0, |place| 1.0 / (place + 1) as f64),
    })
}

/// Σ gain / log2(rank + 1) over the first ten ranks (Järvelin and Kekäläinen, 2002).
fn discounted(gains: &[u32]) -> f64 {
    let places = gains.iter().take(10).enumerate();
    places
        .map(|(place, gain)| f64::from(*gain) / ((place + 2) as f64).log2())
        .sum()
}

fn best_gains(grades: &BTreeMap<String, u32>) -> Vec<u32> {
    let mut gains: Vec<u32> = grades.values().copied().collect();
    gains.sort_unstable_by(|a, b| b.cmp(a));
    gains
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::score_ranking;

    fn grades(pairs: &[(&str, u32)]) -> BTreeMap<String, u32> {
        pairs
            .iter()
            .map(|(id, grade)| ((*id).to_owned(), *grade))
            .collect()
    }

    #[test]
    fn a_worked_example() {
        // Relevant: a (grade 1), b (grade 1). Ranking: x, a, y, b.
        // DCG = 1/log2(3) + 1/log2(5) = 0.63093 + 0.43068; ideal = 1 + 0.63093.
        let scores = score_ranking(&["x", "a", "y", "b"], &grades(&[("a", 1), ("b", 1)])).unwrap();
        assert!((scores.ndcg_at_10 - 1.061_606_2 / 1.630_929_8).abs() < 1e-6);
        assert!((scores.mrr_at_10 - 0.5).abs() < 1e-12);
        assert!((scores.recall_at_5 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_question_without_relevant_documents_does_not_count() {
        assert_eq!(score_ranking(&["a"], &grades(&[("a", 0)])), None);
    }

    proptest! {
        #[test]
        fn every_score_is_a_share(ranks in prop::collection::vec(0_usize..30, 0..30)) {
            let names: Vec<String> = (0..30).map(|i| format!("d{i}")).collect();
            let mut seen = std::collections::BTreeSet::new();
            let ranked: Vec<&str> =
                ranks.iter().filter(|r| seen.insert(**r)).map(|r| names[*r].as_str()).collect();
            let scores = score_ranking(&ranked, &grades(&[("d1", 2), ("d5", 1), ("d9", 1)])).unwrap();
            for (name, value) in scores.named() {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&value), "{name} = {value}");
            }
        }
    }
}
