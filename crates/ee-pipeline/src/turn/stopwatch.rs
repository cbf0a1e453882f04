//! How long the stages of a turn take.

use std::time::Instant;

/// Times stages that follow one another.
pub(crate) struct Stopwatch {
    since: Instant,
    laps: Vec<(&'static str, f64)>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self {
            since: Instant::now(),
            laps: Vec::new(),
        }
    }

    /// Ends a stage; the next one begins. A stage that recurs adds up.
    pub(crate) fn lap(&mut self, stage: &'static str) {
        let milliseconds = self.since.elapsed().as_secs_f64() * 1000.0;
        self.since = Instant::now();
        match self.laps.iter_mut().find(|(name, _)| *name == stage) {
            Some((_, sum)) => *sum += milliseconds,
            None => self.laps.push((stage, milliseconds)),
        }
    }

    pub(crate) fn laps(self) -> Vec<(&'static str, f64)> {
        self.laps
    }
}
