//! Whether the turns that hold the answer are among the first ones ranked.

use std::collections::BTreeSet;

/// The depths at which memory is scored.
pub const MEMORY_DEPTHS: [usize; 4] = [5, 10, 20, 50];

/// The scores of one ranking at one depth.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MemoryScores {
    /// Share of the evidence among the first k.
    pub recall: f64,
    /// 1 when any evidence is among the first k.
    pub any: f64,
    /// 1 when all evidence is among the first k.
    pub all: f64,
}

/// Scores a ranking (best first) at depth `k`; `None` without evidence: such a question does not
/// count.
pub fn score_memory(
    ranked: &[&str],
    evidence: &BTreeSet<String>,
    k: usize,
) -> Option<MemoryScores> {
    if evidence.is_empty() {
        return None;
    }
    let first: BTreeSet<&str> = ranked.iter().take(k).copied().collect();
    let hits = evidence
        .iter()
        .filter(|turn| first.contains(turn.as_str()))
        .count();
    Some(MemoryScores {
        recall: hits as f64 / evidence.len() as f64,
        any: f64::from(u8::from(hits > 0)),
        all: f64::from(u8::from(hits == evidence.len())),
    })
}

#[cfg(test)]
mod tests {
    use super::{MemoryScores, score_memory};

    #[test]
    fn a_worked_example() {
        let evidence = ["t1", "t9"].map(str::to_owned).into();
        let ranked = ["t3", "t1", "t4", "t9"];
        let at_two = score_memory(&ranked, &evidence, 2).unwrap();
        assert_eq!(
            at_two,
            MemoryScores {
                recall: 0.5,
                any: 1.0,
                all: 0.0
            }
        );
        let at_five = score_memory(&ranked, &evidence, 5).unwrap();
        assert_eq!(
            at_five,
            MemoryScores {
                recall: 1.0,
                any: 1.0,
                all: 1.0
            }
        );
        assert_eq!(
            score_memory(&ranked, &std::collections::BTreeSet::new(), 5),
            None
        );
    }
}
