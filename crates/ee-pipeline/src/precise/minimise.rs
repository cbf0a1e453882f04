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
        Ok(vec![match context.tau {
            Some(tau) => format!(
                "epsilon {epsilon}: each gains at least tau {tau:.4}; estimated miss before \
                 calibration {miss:.3}"
            ),
            None => format!("epsilon {epsilon} is infeasible: no unit is dropped for its gain"),
        }])
    }
}
