//! Whether an answer is right, going by the answers that people have judged.

use serde::{Deserialize, Serialize};

use super::QaQuestion;
use super::words::words;

/// What an answer is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QaVerdict {
    /// It says an accepted answer and no rejected one.
    Correct,
    /// It says a possible answer, and neither an accepted nor a rejected one.
    PossiblyCorrect,
    /// It says a rejected answer, and neither an accepted nor a possible one.
    Wrong,
    /// It says none of the known answers, or contradicts itself: a person must look.
    Indeterminate,
}

impl QaVerdict {
    /// Verdicts with their names as metrics, in the order in which they are printed.
    pub const NAMED: [(&'static str, Self); 4] = [
        ("correct", Self::Correct),
        ("possibly_correct", Self::PossiblyCorrect),
        ("wrong", Self::Wrong),
        ("indeterminate", Self::Indeterminate),
    ];
}

/// Judges a text by the known answers that it says.
///
/// An answer is said when its words stand in the text one after the other. Where it is part of a
/// longer known answer of another kind, only the longer one is said: with `Paris` accepted and
/// `Paris, Texas` rejected, "It is Paris, Texas." is wrong.
pub fn judge(question: &QaQuestion, answer: &str) -> QaVerdict {
    let said = said(question, &words(&without_citations(answer)));
    let has = |kind| said.contains(&kind);
    match (
        has(Kind::Accepted),
        has(Kind::Possible),
        has(Kind::Rejected),
    ) {
        (true, _, false) => QaVerdict::Correct,
        (false, true, false) => QaVerdict::PossiblyCorrect,
        (false, false, true) => QaVerdict::Wrong,
        _ => QaVerdict::Indeterminate,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Accepted,
    Possible,
    Rejected,
}

/// Where a known answer stands in a text, in words.
#[derive(Debug, Clone, Copy)]
struct Mention {
    start: usize,
    end: usize,
    kind: Kind,
}

impl Mention {
    fn lies_within(&self, other: &Self) -> bool {
        let shorter = self.end - self.start < other.end - other.start;
        shorter && self.kind != other.kind && other.start <= self.start && self.end <= other.end
    }
}

/// The kinds of the answers said.
fn said(question: &QaQuestion, text: &[String]) -> Vec<Kind> {
    let lists = [
        (Kind::Accepted, &question.accepted),
        (Kind::Possible, &question.possible),
        (Kind::Rejected, &question.rejected),
    ];
    let known = lists
        .iter()
        .flat_map(|(kind, answers)| answers.iter().map(|answer| (*kind, words(answer))));
    let mentions: Vec<Mention> = known
        .flat_map(|(kind, answer)| mentions(kind, &answer, text))
        .collect();
    let free = |one: &&Mention| !mentions.iter().any(|other| one.lies_within(other));
    mentions.iter().filter(free).map(|one| one.kind).collect()
}

fn mentions(kind: Kind, answer: &[String], text: &[String]) -> Vec<Mention> {
    if answer.is_empty() {
        return Vec::new();
    }
    let windows = text.windows(answer.len()).enumerate();
    let found = windows.filter(|(_, window)| *window == answer);
    found
        .map(|(start, window)| Mention {
            start,
            end: start + window.len(),
            kind,
        })
        .collect()
}

/// The answer without `[f25d0fd3]` and `[RAG:9da673cc]`, whose digits are no words of it.
fn without_citations(answer: &str) -> String {
    let mut kept = String::with_capacity(answer.len());
    for (place, part) in answer.split('[').enumerate() {
        match part.split_once(']') {
            Some((inside, after)) if place > 0 && is_citation(inside) => kept.push_str(after),
            _ => {
                kept.push(' ');
                kept.push_str(part);
            }
        }
    }
    kept
}

fn is_citation(inside: &str) -> bool {
    let digits = inside.strip_prefix("RAG:").unwrap_or(inside);
    digits.len() >= 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::{QaVerdict, judge};
    use crate::QaQuestion;

    fn question() -> QaQuestion {
        let list = |answers: &[&str]| answers.iter().map(|one| (*one).to_owned()).collect();
        QaQuestion {
            accepted: list(&["Paris", "苏州"]),
            possible: list(&["Île-de-France"]),
            rejected: list(&["Paris, Texas", "Lyon"]),
            ..QaQuestion::default()
        }
    }

    #[test]
    fn worked_examples() {
        use QaVerdict::{Correct, Indeterminate, PossiblyCorrect, Wrong};
        for (answer, verdict) in [
            ("It is PARIS. [f25d0fd3]\n[RAG:9da673cc]", Correct),
            ("在苏州。", Correct),
            ("Somewhere in ÎLE-DE-FRANCE", PossiblyCorrect),
            ("Paris, in the Île-de-France", Correct),
            ("That would be Paris, Texas.", Wrong),
            ("Lyon", Wrong),
            ("Paris, not Lyon", Indeterminate),
            ("Lyon, or the Île-de-France", Indeterminate),
            ("Parisian cafés", Indeterminate),
            ("INSUFFICIENT DATA", Indeterminate),
            ("", Indeterminate),
        ] {
            assert_eq!(judge(&question(), answer), verdict, "{answer}");
        }
    }

    #[test]
    fn a_longer_answer_hides_the_shorter_only_where_it_stands() {
        // The accepted answer also stands alone: both are said.
        let verdict = judge(&question(), "Paris, Texas? No: Paris.");
        assert_eq!(verdict, QaVerdict::Indeterminate);
    }
}
