//! How far a search must look, from what it took to find the neighbours of sampled vectors.

/// How far to look for the true neighbours up to some rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Effort {
    /// Up to this rank.
    pub(super) rank: usize,
    /// Partitions are looked at whose nearness is at most this much below the estimate of the rank.
    pub(super) gap: f32,
    /// Vectors are compared exactly whose estimate is less than this below that of the rank, for a
    /// query at distance 1 from the centre of their partition: estimates err in proportion to that.
    pub(super) margin: f32,
}

impl Effort {
    /// Looks at everything and compares with everything.
    pub(super) fn everything(rank: usize) -> Self {
        Self {
            rank,
            gap: f32::INFINITY,
            margin: f32::INFINITY,
        }
    }
}

/// What it takes to find one true neighbour of a query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finding {
    /// How much the nearness of its partition is below the estimate of the rank.
    pub(super) gap: f32,
    /// How much its estimate is below that of the rank, at distance 1; less than 0 if it is above.
    pub(super) margin: f32,
}

/// Of the permitted misses, this part is given to estimates that mislead.
const MISLED: f32 = 0.3;
/// The recall that is asked for is met with a probability of 95 % if the mean of the sampled
/// queries lies this many of its standard errors above.
const CONFIDENCE: f32 = 1.645;
/// Steps towards that.
const ROUNDS: usize = 4;
/// The least margin: below lies the error of rounding the query.
const LEAST_MARGIN: f32 = 0.01;

/// The least effort that finds `recall` of the neighbours of further queries with a probability of
/// 95 %. `queries` holds the findings for one sampled query each.
pub(super) fn effort(rank: usize, queries: &[Vec<Finding>], recall: f32) -> Effort {
    let mut aim = recall;
    let mut found = least_effort(rank, queries, aim);
    for _ in 0..ROUNDS {
        let (mean, error) = recall_of(&found, queries);
        let lacking = recall + CONFIDENCE * error - mean;
        if lacking <= 0.0 {
            break;
        }
        aim = (aim + lacking).min(1.0);
        found = least_effort(rank, queries, aim);
    }
    found
}

/// The least effort that finds `recall` of the findings.
fn least_effort(rank: usize, queries: &[Vec<Finding>], recall: f32) -> Effort {
    let misses = 1.0 - recall;
    let all = || queries.iter().flatten();
    let mut margins: Vec<f32> = all().map(|finding| finding.margin).collect();
    let margin = quantile(&mut margins, 1.0 - misses * MISLED);
    let seen = all().filter(|finding| finding.margin <= margin);
    let mut gaps: Vec<f32> = seen.map(|finding| finding.gap).collect();
    let wanted = recall * margins.len() as f32 / gaps.len().max(1) as f32;
    Effort {
        rank,
        gap: quantile(&mut gaps, wanted),
        margin: margin.max(LEAST_MARGIN),
    }
}

/// The mean recall over the queries and its standard error.
fn recall_of(effort: &Effort, queries: &[Vec<Finding>]) -> (f32, f32) {
    let recall = |findings: &Vec<Finding>| {
        let found = findings
            .iter()
            .filter(|finding| finding.gap <= effort.gap && finding.margin <= effort.margin);
        found.count() as f32 / findings.len().max(1) as f32
    };
    let recalls: Vec<f32> = queries.iter().map(recall).collect();
    let count = recalls.len().max(1) as f32;
    let mean = recalls.iter().sum::<f32>() / count;
    let squares = recalls.iter().map(|recall| (recall - mean).powi(2));
    let variance = squares.sum::<f32>() / (count - 1.0).max(1.0);
    (mean, (variance / count).sqrt())
}

/// The smallest value that at least `part` of the values do not exceed; infinite if there are none.
fn quantile(values: &mut [f32], part: f32) -> f32 {
    values.sort_unstable_by(f32::total_cmp);
    let position = (part * values.len() as f32).ceil() as usize;
    let found = values.get(position.saturating_sub(1)).or(values.last());
    found.copied().unwrap_or(f32::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings() -> Vec<Vec<Finding>> {
        let finding = |n: usize| Finding {
            gap: n as f32 / 1_000.0,
            margin: (n * 7 % 100) as f32 / 100.0,
        };
        let query = |first: usize| {
            (0..10)
                .map(|n| finding((first + n * 137) % 1_000))
                .collect()
        };
        (0..100).map(query).collect()
    }

    #[test]
    fn a_higher_recall_takes_more_effort() {
        let queries = findings();
        let (low, high) = (effort(10, &queries, 0.8), effort(10, &queries, 0.95));
        assert!(
            low.gap < high.gap && low.margin < high.margin,
            "{low:?} {high:?}"
        );
    }

    #[test]
    fn the_mean_exceeds_what_is_asked_by_the_error() {
        let queries = findings();
        for recall in [0.8, 0.95] {
            let (mean, error) = recall_of(&effort(10, &queries, recall), &queries);
            assert!(mean >= recall + 1.6 * error, "{recall}: {mean} ± {error}");
        }
    }

    #[test]
    fn without_findings_everything_is_looked_at() {
        assert!(effort(3, &[], 0.9).margin.is_infinite());
    }
}
