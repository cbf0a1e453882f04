//! How well predicted lines of work match the labelled threads of a set of conversations.
//!
//! A point is a counted message; points of all files are pooled for the variation of information
//! and the exact match, the other two are computed file by file. The definitions are those of
//! Kummerfeld et al., "A Large-Scale Corpus for Conversation Disentanglement", ACL 2019.

use std::collections::{BTreeMap, BTreeSet};

use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

/// A counted message with its labelled and its predicted thread. Labels are local to the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadPoint {
    /// The file.
    pub file: String,
    /// The labelled thread.
    pub gold: String,
    /// The predicted line of work.
    pub predicted: String,
    /// Whether the message is a system line; those do not count for `ari`.
    pub system: bool,
}

/// Agreement of predicted and labelled threads.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ThreadScores {
    /// 100 − 100 · (H(gold | predicted) + H(predicted | gold)) / log2 n.
    pub vi: f64,
    /// 100 · best one-to-one overlap, summed over files / n.
    pub one_to_one: f64,
    /// 100 · F1 of the clusters of two or more points that match exactly.
    pub exact_f1: f64,
    /// Adjusted Rand index over the points whose labelled thread has two or more points, system
    /// lines apart; per file, then the mean.
    pub ari: f64,
}

impl ThreadScores {
    /// The scores with their names, in the order in which they are printed.
    pub fn named(&self) -> [(&'static str, f64); 4] {
        [
            ("vi", self.vi),
            ("one_to_one", self.one_to_one),
            ("exact_f1", self.exact_f1),
            ("ari", self.ari),
        ]
    }
}

/// Scores all points of a run.
pub fn score_threads(points: &[ThreadPoint]) -> ThreadScores {
    if points.is_empty() {
        return ThreadScores::default();
    }
    let tables = tables(points);
    let overlap: u64 = tables.values().map(best_overlap).sum();
    ThreadScores {
        vi: variation_of_information(&tables, points.len()),
        one_to_one: 100.0 * overlap as f64 / points.len() as f64,
        exact_f1: exact_f1(&tables),
        ari: mean_adjusted_rand(points),
    }
}

/// How often each pair of labels meets in one file.
#[derive(Debug, Default)]
struct Contingency<'a> {
    joint: BTreeMap<(&'a str, &'a str), u64>,
    gold: BTreeMap<&'a str, u64>,
    predicted: BTreeMap<&'a str, u64>,
}

impl<'a> Contingency<'a> {
    fn add(&mut self, gold: &'a str, predicted: &'a str) {
        *self.joint.entry((gold, predicted)).or_default() += 1;
        *self.gold.entry(gold).or_default() += 1;
        *self.predicted.entry(predicted).or_default() += 1;
    }
}

fn tables(points: &[ThreadPoint]) -> BTreeMap<&str, Contingency<'_>> {
    let mut tables: BTreeMap<&str, Contingency<'_>> = BTreeMap::new();
    for point in points {
        tables
            .entry(&point.file)
            .or_default()
            .add(&point.gold, &point.predicted);
    }
    tables
}

/// Both conditional entropies from the joint one: H(a|b) + H(b|a) = 2 H(a,b) − H(a) − H(b).
fn variation_of_information(tables: &BTreeMap<&str, Contingency<'_>>, points: usize) -> f64 {
    if points < 2 {
        return 100.0;
    }
    let n = points as f64;
    let entropy = |counts: &mut dyn Iterator<Item = u64>| -> f64 {
        counts
            .map(|count| count as f64 / n)
            .map(|share| -share * share.log2())
            .sum()
    };
    let joint = entropy(&mut tables.values().flat_map(|t| t.joint.values().copied()));
    let gold = entropy(&mut tables.values().flat_map(|t| t.gold.values().copied()));
    let predicted = entropy(&mut tables.values().flat_map(|t| t.predicted.values().copied()));
    100.0 - 100.0 * (2.0 * joint - gold - predicted) / n.log2()
}

/// The largest overlap of a one-to-one pairing of threads, by the Hungarian algorithm.
fn best_overlap(table: &Contingency<'_>) -> u64 {
    let (gold, predicted): (Vec<&str>, Vec<&str>) = (
        table.gold.keys().copied().collect(),
        table.predicted.keys().copied().collect(),
    );
    let cell = |g: &str, p: &str| table.joint.get(&(g, p)).copied().unwrap_or_default() as i64;
    let rows: Vec<Vec<i64>> = if gold.len() <= predicted.len() {
        gold.iter()
            .map(|g| predicted.iter().map(|p| cell(g, p)).collect())
            .collect()
    } else {
        predicted
            .iter()
            .map(|p| gold.iter().map(|g| cell(g, p)).collect())
            .collect()
    };
    Matrix::from_rows(rows).map_or(0, |weights| kuhn_munkres(&weights).0 as u64)
}

fn exact_f1(tables: &BTreeMap<&str, Contingency<'_>>) -> f64 {
    let large = |counts: &BTreeMap<&str, u64>| counts.values().filter(|n| **n > 1).count();
    let gold: usize = tables.values().map(|t| large(&t.gold)).sum();
    let predicted: usize = tables.values().map(|t| large(&t.predicted)).sum();
    let same: usize = tables.values().map(exact_matches).sum();
    // 2PR / (P + R) with P = same / predicted and R = same / gold.
    if same == 0 {
        0.0
    } else {
        100.0 * 2.0 * same as f64 / (gold + predicted) as f64
    }
}

fn exact_matches(table: &Contingency<'_>) -> usize {
    let whole = |((gold, predicted), joint): &(&(&str, &str), &u64)| {
        **joint > 1
            && table.gold.get(gold) == Some(*joint)
            && table.predicted.get(predicted) == Some(*joint)
    };
    table.joint.iter().filter(whole).count()
}

fn mean_adjusted_rand(points: &[ThreadPoint]) -> f64 {
    let counted: Vec<&ThreadPoint> = points.iter().filter(|point| !point.system).collect();
    let mut sizes: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for point in &counted {
        *sizes.entry((&point.file, &point.gold)).or_default() += 1;
    }
    let large: BTreeSet<(&str, &str)> = sizes
        .into_iter()
        .filter(|(_, size)| *size > 1)
        .map(|(label, _)| label)
        .collect();
    let mut tables: BTreeMap<&str, Contingency<'_>> = BTreeMap::new();
    for point in counted
        .iter()
        .filter(|p| large.contains(&(p.file.as_str(), p.gold.as_str())))
    {
        tables
            .entry(&point.file)
            .or_default()
            .add(&point.gold, &point.predicted);
    }
    let total: f64 = tables.values().map(adjusted_rand).sum();
    total / tables.len().max(1) as f64
}

/// Hubert and Arabie, "Comparing partitions", 1985.
fn adjusted_rand(table: &Contingency<'_>) -> f64 {
    let pairs = |n: u64| n as f64 * (n as f64 - 1.0) / 2.0;
    let both: f64 = table.joint.values().copied().map(pairs).sum();
    let left: f64 = table.gold.values().copied().map(pairs).sum();
    let right: f64 = table.predicted.values().copied().map(pairs).sum();
    let all = pairs(table.gold.values().sum());
    let chance = if all > 0.0 { left * right / all } else { 0.0 };
    let most = f64::midpoint(left, right);
    if (most - chance).abs() < f64::EPSILON {
        1.0
    } else {
        (both - chance) / (most - chance)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{ThreadPoint, score_threads};

    fn points(labels: &[(&str, &str)]) -> Vec<ThreadPoint> {
        let point = |(gold, predicted): &(&str, &str)| ThreadPoint {
            file: "f".into(),
            gold: (*gold).into(),
            predicted: (*predicted).into(),
            system: false,
        };
        labels.iter().map(point).collect()
    }

    #[test]
    fn a_worked_example() {
        // Gold {1,2} {3,4}; predicted {1,2,3} {4}.
        let scores = score_threads(&points(&[("a", "x"), ("a", "x"), ("b", "x"), ("b", "y")]));
        // H(gold)=1, H(pred)=0.811278, H(joint)=1.5; VI = 2·1.5−1−0.811278 = 1.188722 of log2 4 = 2.
        assert!(
            (scores.vi - (100.0 - 59.436_1)).abs() < 1e-3,
            "{}",
            scores.vi
        );
        assert!((scores.one_to_one - 75.0).abs() < 1e-9);
        assert!(scores.exact_f1.abs() < 1e-9);
        // both = 1, left = 2, right = 3, all = 6: chance 1, most 2.5, ARI = 0.
        assert!(scores.ari.abs() < 1e-9);
    }

    #[test]
    fn threads_of_one_do_not_count_for_the_rand_index() {
        let scores = score_threads(&points(&[("a", "x"), ("a", "x"), ("lone", "x")]));
        assert!((scores.ari - 1.0).abs() < 1e-9);
        assert!(scores.vi < 100.0);
    }

    proptest! {
        #[test]
        fn a_perfect_prediction_is_perfect(labels in prop::collection::vec(0_u8..5, 2..40)) {
            let all: Vec<ThreadPoint> = labels.iter().map(|label| ThreadPoint {
                file: "f".into(), gold: label.to_string(), predicted: format!("p{label}"), system: false,
            }).collect();
            let scores = score_threads(&all);
            prop_assert!((scores.vi - 100.0).abs() < 1e-9);
            prop_assert!((scores.one_to_one - 100.0).abs() < 1e-9);
            let large = labels.iter().any(|label| labels.iter().filter(|l| *l == label).nth(1).is_some());
            prop_assert!(!large || (scores.ari - 1.0).abs() < 1e-9);
            prop_assert!(!large || (scores.exact_f1 - 100.0).abs() < 1e-9);
        }
    }
}
