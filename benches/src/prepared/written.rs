//! How long it took to write the store.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::machine::process_time;

/// How long storing and indexing took.
pub struct Written {
    /// By the clock.
    pub seconds: f64,
    /// Of all cores together, where the system told it.
    pub processor_seconds: Option<f64>,
}

/// A moment by the clock and in this process's processor time.
pub(super) type Moment = (Instant, Option<Duration>);

impl Written {
    /// Now.
    pub(super) fn start() -> Moment {
        (Instant::now(), process_time())
    }

    pub(super) fn since((clock, processor): Moment) -> Self {
        let used = process_time().zip(processor);
        Self {
            seconds: clock.elapsed().as_secs_f64(),
            processor_seconds: used.map(|(now, then)| now.saturating_sub(then).as_secs_f64()),
        }
    }

    pub(super) fn to_text(&self) -> String {
        let figures = [Some(self.seconds), self.processor_seconds];
        let figures = figures.iter().flatten().map(f64::to_string);
        figures.collect::<Vec<_>>().join("\n")
    }

    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut figures = text.lines().map(str::parse::<f64>);
        Ok(Self {
            seconds: figures.next().context("no seconds")??,
            processor_seconds: figures.next().transpose()?,
        })
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} s", self.seconds)?;
        match self.processor_seconds {
            Some(seconds) => write!(f, ", {seconds:.1} s of the processor"),
            None => Ok(()),
        }
    }
}
