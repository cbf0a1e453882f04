//! Mean time of every stage.

use ee_pipeline::StageTrace;
use serde_json::{Map, Value};

use crate::report::rounded_mean;

/// Milliseconds by stage, in the order of the stages.
#[derive(Default)]
pub(crate) struct StageClock {
    stages: Vec<(String, Vec<f64>)>,
}

impl StageClock {
    pub(crate) fn add(&mut self, traces: &[StageTrace]) {
        for trace in traces {
            self.record(trace.stage, trace.milliseconds);
        }
    }

    pub(crate) fn record(&mut self, stage: &str, milliseconds: f64) {
        let known = self.stages.iter_mut().find(|(name, _)| *name == stage);
        match known {
            Some((_, spent)) => spent.push(milliseconds),
            None => self.stages.push((stage.to_owned(), vec![milliseconds])),
        }
    }

    pub(crate) fn means(self) -> Map<String, Value> {
        let mean = |spent: &[f64]| Value::from(rounded_mean(spent));
        let stages = self.stages.into_iter();
        stages.map(|(name, spent)| (name, mean(&spent))).collect()
    }
}
