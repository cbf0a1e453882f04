//! How far a search must look, measured on the collection itself.

/// How far to look for the true neighbours up to some rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Effort {
    /// Up to this rank.
    pub(super) rank: usize,
    /// Partitions are looked at whose nearness is this much below the nearest one's, or less.
    pub(super) reach: f32,
    /// How many of the best estimates are compared exactly.
    pub(super) pool: usize,
}

/// What it took to find one true neighbour of a sampled vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finding {
    /// How much the nearness of its partition is below the nearest one's.
    pub(super) reach: f32,
    /// Its place among the estimates, from 1.
    pub(super) place: usize,
}

/// Of the permitted misses, this part is given to estimates that mislead.
const MISLED: f32 = 0.3;
/// Sampled vectors helped to shape the partitions and are found a little too easily: aim at
/// fewer misses than permitted.
const CAUTION: f32 = 0.9;

/// The least effort that finds `recall` of the findings.
pub(super) fn effort(rank: usize, findings: &[Finding], recall: f32) -> Effort {
    let misses = (1.0 - recall) * CAUTION;
    let mut places: Vec<usize> = findings.iter().map(|finding| finding.place).collect();
    places.sort_unstable();
    let pool = quantile(&places, 1.0 - misses * MISLED).unwrap_or(rank);
    let seen = findings.iter().filter(|finding| finding.place <= pool);
    let mut reaches: Vec<f32> = seen.map(|finding| finding.reach).collect();
    reaches.sort_by(f32::total_cmp);
    let wanted = (1.0 - misses) * findings.len() as f32 / reaches.len().max(1) as f32;
    Effort {
        rank,
        reach: quantile(&reaches, wanted).unwrap_or(f32::INFINITY),
        pool: pool.max(rank),
    }
}

/// The smallest value that at least `part` of the sorted values do not exceed.
fn quantile<T: Copy>(sorted: &[T], part: f32) -> Option<T> {
    let position = (part * sorted.len() as f32).ceil() as usize;
    sorted
        .get(position.saturating_sub(1))
        .or(sorted.last())
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_recall_takes_more_effort() {
        let findings: Vec<Finding> = (1..=1_000)
            .map(|n| Finding {
                reach: n as f32 / 1_000.0,
                place: 1 + n * 7 % 100,
            })
            .collect();
        let (low, high) = (effort(10, &findings, 0.8), effort(10, &findings, 0.99));
        assert!(
            low.reach < high.reach && low.pool < high.pool,
            "{low:?} {high:?}"
        );
        let found = |effort: Effort| {
            let good = findings
                .iter()
                .filter(|f| f.reach <= effort.reach && f.place <= effort.pool);
            good.count() as f32 / 1_000.0
        };
        assert!(found(low) >= 0.8 && found(high) >= 0.99);
    }
}
