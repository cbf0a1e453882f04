//! The questions that went worst.

use crate::{CaseRow, Direction, WorstQuestion};

/// How many of them a report shows.
const WORST: usize = 20;

/// The rows that are farthest from what is good, with what was offered and elected. Those that
/// cannot be better (1 of a share, 0 of what should not be) are left out.
pub fn worst_questions(
    rows: &[CaseRow],
    value: impl Fn(&CaseRow) -> Option<f64>,
    direction: Direction,
) -> Vec<WorstQuestion> {
    let scored = rows.iter().filter_map(|row| Some((value(row)?, row)));
    let can_be_better = |score: f64| match direction {
        Direction::Maximise => score < 1.0,
        Direction::Minimise => score > 0.0,
    };
    let scored = scored.filter(|(score, _)| can_be_better(*score));
    let mut scored: Vec<(f64, &CaseRow)> = scored.collect();
    scored.sort_by(|(a, _), (b, _)| match direction {
        Direction::Maximise => a.total_cmp(b),
        Direction::Minimise => b.total_cmp(a),
    });
    let worst = scored.into_iter().take(WORST);
    worst
        .map(|(score, row)| WorstQuestion {
            id: row.id.clone(),
            question: row.question.clone(),
            score,
            expected: row.expected.clone(),
            offered: row.offered.clone(),
            elected: row.elected.clone(),
            answer: row.answer.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::worst_questions;
    use crate::{CaseRow, Direction};

    #[test]
    fn perfect_questions_are_not_among_the_worst() {
        let row = |(id, value): (&str, f64)| CaseRow {
            id: id.to_owned(),
            metrics: [("m".to_owned(), value)].into(),
            ..CaseRow::default()
        };
        let rows = [("a", 1.0), ("b", 0.5), ("c", 0.0)].map(row);
        let value = |row: &CaseRow| row.metrics.get("m").copied();
        let ids = |direction| -> Vec<String> {
            let worst = worst_questions(&rows, value, direction);
            worst.into_iter().map(|one| one.id).collect()
        };
        assert_eq!(ids(Direction::Maximise), ["c", "b"]);
        assert_eq!(ids(Direction::Minimise), ["a", "b"]);
    }
}
