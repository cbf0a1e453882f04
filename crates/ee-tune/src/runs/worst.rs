//! The questions that went worst.

use crate::{CaseRow, Direction, WorstQuestion};

/// How many of them a report shows.
const WORST: usize = 20;

/// The rows that are farthest from what is good, with what was offered and elected.
pub fn worst_questions(
    rows: &[CaseRow],
    value: impl Fn(&CaseRow) -> Option<f64>,
    direction: Direction,
) -> Vec<WorstQuestion> {
    let scored = rows.iter().filter_map(|row| Some((value(row)?, row)));
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
