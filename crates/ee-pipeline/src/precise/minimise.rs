//! The sixth stage: as few units as are likely enough to hold the answer.

use super::{PreciseConfig, Retrieval, Stage};
use crate::PipelineError;

/// Decides how many of the ranked candidates make the context.
#[derive(Debug)]
pub struct Minimise {
    config: PreciseConfig,
}

impl Minimise {
    /// The stage under these settings.
    pub fn new(config: PreciseConfig) -> Self {
        Self { config }
    }
}

impl Stage for Minimise {
    fn name(&self) -> &'static str {
        "minimise"
    }

    fn run(&self, retrieval: &mut Retrieval<'_>) -> Result<Vec<String>, PipelineError> {
        let all = retrieval.candidates.len();
        let kept = ((1.0 - self.config.dropped_share) * all as f64).ceil() as usize;
        let candidates = retrieval.candidates.iter().take(kept);
        let probabilities: Vec<f32> = candidates.map(|one| one.probability).collect();
        let context = self.config.minimum.decide(&probabilities);
        retrieval.context = Some(context);
        let (epsilon, miss) = (context.epsilon, context.estimated_miss);
        Ok(vec![match (context.feasible, context.tau) {
            (true, Some(tau)) => {
                format!("epsilon {epsilon}: estimated miss {miss:.3} is at most tau {tau:.3}")
            }
            (_, Some(tau)) => format!(
                "epsilon {epsilon} is infeasible: estimated miss {miss:.3} stays above tau {tau:.3}"
            ),
            (_, None) => format!("epsilon {epsilon} is infeasible: below every calibrated one"),
        }])
    }
}
