//! How well a session elects: the units it asked for against those it should have.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// One question of the suite `election` and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ElectionCase {
    /// The question's id.
    pub id: String,
    /// Whether an answer needs anything from the corpus.
    pub expect_retrieval: bool,
    /// The documents that should be elected.
    pub expected: BTreeSet<String>,
    /// The documents that were offered.
    pub offered: BTreeSet<String>,
    /// The documents that were elected.
    pub elected: BTreeSet<String>,
    /// Whether the answer contains the question's hint; absent without one.
    pub hint_found: Option<bool>,
    /// Whether something is elected once the expected documents are taken out of the store;
    /// absent when nothing is expected.
    pub elects_without_expected: Option<bool>,
    /// Tokens of header and injected text over all calls of the turn.
    pub turn_tokens: u64,
    /// Tokens of the five best full entries.
    pub naive_tokens: u64,
    /// The answer.
    pub answer: String,
}

impl ElectionCase {
    /// The scores of this question alone; those that do not apply to it are absent. F1 is 1 when
    /// nothing was expected and nothing elected.
    pub fn scores(&self) -> Vec<(&'static str, f64)> {
        let alone = score_election(std::slice::from_ref(self));
        let named = alone.named().into_iter();
        named.filter(|(name, _)| self.has(name)).collect()
    }

    fn has(&self, metric: &str) -> bool {
        match metric {
            "hint_rate" => self.hint_found.is_some(),
            "false_election" => self.elects_without_expected.is_some(),
            "needless_election" => !self.expect_retrieval,
            "candidate_recall" | "recall" => !self.expected.is_empty(),
            _ => true,
        }
    }
}

/// Means over cases. Precision, recall and F1 are pooled over all elected and expected documents.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ElectionScores {
    /// Share of the expected documents that were offered.
    pub candidate_recall: f64,
    /// Share of the elected documents that were expected; 1 when nothing was elected.
    pub precision: f64,
    /// Share of the expected documents that were elected; 1 when nothing was expected.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
    /// Share of the questions in which something was elected.
    pub retrieval_rate: f64,
    /// Share of the questions with a hint whose answer contains it.
    pub hint_rate: f64,
    /// Share of the questions with expected documents that elect something without them.
    pub false_election: f64,
    /// Share of the questions that need no retrieval in which something was elected.
    pub needless_election: f64,
    /// Mean tokens of header and injected text of all calls.
    pub tokens_per_turn: f64,
    /// Mean tokens of the five best full entries.
    pub tokens_naive: f64,
}

impl ElectionScores {
    /// The scores with their names, in the order in which they are printed.
    pub fn named(&self) -> [(&'static str, f64); 10] {
        [
            ("candidate_recall", self.candidate_recall),
            ("precision", self.precision),
            ("recall", self.recall),
            ("f1", self.f1),
            ("retrieval_rate", self.retrieval_rate),
            ("hint_rate", self.hint_rate),
            ("false_election", self.false_election),
            ("needless_election", self.needless_election),
            ("tokens_per_turn", self.tokens_per_turn),
            ("tokens_naive", self.tokens_naive),
        ]
    }
}

/// Scores all cases of a run.
pub fn score_election(cases: &[ElectionCase]) -> ElectionScores {
    let expected = total(cases, |case| case.expected.len());
    let elected = total(cases, |case| case.elected.len());
    let right = total(cases, |case| {
        case.elected.intersection(&case.expected).count()
    });
    let offered = total(cases, |case| {
        case.offered.intersection(&case.expected).count()
    });
    let (precision, recall) = (share(right, elected, 1.0), share(right, expected, 1.0));
    let harmonic = 2.0 * precision * recall / (precision + recall);
    ElectionScores {
        candidate_recall: share(offered, expected, 1.0),
        precision,
        recall,
        f1: if harmonic.is_finite() { harmonic } else { 0.0 },
        retrieval_rate: rate(cases.iter().map(|case| Some(!case.elected.is_empty()))),
        hint_rate: rate(cases.iter().map(|case| case.hint_found)),
        false_election: rate(cases.iter().map(|case| case.elects_without_expected)),
        needless_election: rate(cases.iter().map(needless)),
        tokens_per_turn: share(sum(cases, |case| case.turn_tokens), cases.len(), 0.0),
        tokens_naive: share(sum(cases, |case| case.naive_tokens), cases.len(), 0.0),
    }
}

fn needless(case: &ElectionCase) -> Option<bool> {
    (!case.expect_retrieval).then_some(!case.elected.is_empty())
}

fn total(cases: &[ElectionCase], count: impl Fn(&ElectionCase) -> usize) -> usize {
    cases.iter().map(count).sum()
}

fn sum(cases: &[ElectionCase], tokens: impl Fn(&ElectionCase) -> u64) -> usize {
    cases.iter().map(tokens).sum::<u64>() as usize
}

fn share(part: usize, whole: usize, of_nothing: f64) -> f64 {
    if whole == 0 {
        of_nothing
    } else {
        part as f64 / whole as f64
    }
}

/// Share of `true` among those that have a value; 0 of none.
fn rate(values: impl Iterator<Item = Option<bool>>) -> f64 {
    let known: Vec<bool> = values.flatten().collect();
    share(
        known.iter().filter(|value| **value).count(),
        known.len(),
        0.0,
    )
}

#[cfg(test)]
mod tests {
    use super::{ElectionCase, score_election};

    fn case(expected: &[&str], offered: &[&str], elected: &[&str]) -> ElectionCase {
        let set = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        ElectionCase {
            id: "q".into(),
            expect_retrieval: !expected.is_empty(),
            expected: set(expected),
            offered: set(offered),
            elected: set(elected),
            hint_found: None,
            elects_without_expected: None,
            turn_tokens: 40,
            naive_tokens: 100,
            answer: String::new(),
        }
    }

    #[test]
    fn a_worked_example() {
        // Three expected, two of them offered; four elected, two of them right.
        let mut cases = [
            case(&["a"], &["a", "b"], &["a", "b"]),
            case(&["c", "d"], &["c"], &["c"]),
            case(&[], &["e"], &["e"]),
        ];
        cases[0].hint_found = Some(true);
        cases[1].hint_found = Some(false);
        cases[0].elects_without_expected = Some(true);
        cases[1].elects_without_expected = Some(false);
        let scores = score_election(&cases);
        assert!((scores.candidate_recall - 2.0 / 3.0).abs() < 1e-12);
        assert!((scores.precision - 0.5).abs() < 1e-12);
        assert!((scores.recall - 2.0 / 3.0).abs() < 1e-12);
        assert!((scores.f1 - 4.0 / 7.0).abs() < 1e-12);
        assert!((scores.hint_rate - 0.5).abs() < 1e-12);
        assert!((scores.false_election - 0.5).abs() < 1e-12);
        assert!((scores.needless_election - 1.0).abs() < 1e-12);
        assert!((scores.tokens_per_turn - 40.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_at_all_is_not_a_number_anywhere() {
        assert!(
            score_election(&[])
                .named()
                .iter()
                .all(|(_, value)| value.is_finite())
        );
        let scores = score_election(&[case(&["a"], &[], &[])]);
        assert!(scores.f1.abs() < 1e-12 && scores.recall.abs() < 1e-12);
    }
}
