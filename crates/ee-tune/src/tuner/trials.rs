//! The search itself: one trial after another, recorded as it goes.

use std::time::Instant;

use ee_pipeline::Cancellation;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{Journal, Split, TrialRecord, TuningPlan, TuningSubject};
use crate::TuneError;
use crate::search::{Ladder, Method, Observation, Proposal, Searcher};
use crate::space::{SearchSpace, TunableSettings};

/// The fewest questions on the lowest rung of successive halving.
const LEAST_SAMPLE: usize = 30;

/// Is told how a search goes on.
pub trait TuningProgress: Sync {
    /// `done` of `all` trials are measured; `best` is the best mean on all searched cases so far.
    fn trial(&self, done: usize, all: usize, best: f64);
}

/// A search under way.
pub(super) struct Trials<'a> {
    pub(super) subject: &'a dyn TuningSubject,
    pub(super) plan: &'a TuningPlan,
    pub(super) split: &'a Split,
    pub(super) progress: &'a dyn TuningProgress,
    pub(super) cancellation: &'a Cancellation,
}

impl Trials<'_> {
    /// Measures as many trials as the plan asks for, after those that the journal knows.
    pub(super) fn run(
        &self,
        mut journal: Option<&mut Journal>,
    ) -> Result<Vec<TrialRecord>, TuneError> {
        let searcher = self.searcher()?;
        let ladder = searcher.ladder();
        let order = self.order();
        let known = journal
            .as_ref()
            .map(|journal| journal.known().to_vec())
            .unwrap_or_default();
        let step = journal
            .as_ref()
            .map(|journal| journal.milliseconds_per_step());
        let step = step.unwrap_or_else(|| self.subject.milliseconds_per_step());
        let mut records: Vec<TrialRecord> = Vec::with_capacity(self.plan.trials);
        let mut seen: Vec<Observation> = Vec::with_capacity(self.plan.trials);
        while records.len() < self.plan.trials {
            if self.cancellation.is_cancelled() {
                return Err(TuneError::Cancelled);
            }
            let proposal = searcher.next(&seen)?;
            let known = known.get(records.len());
            let known = known.filter(|known| known.place == proposal.place);
            let record = if let Some(known) = known {
                known.clone()
            } else {
                let size = ladder.sample(proposal.rung, order.len());
                let sample = order.get(..size).unwrap_or_default();
                self.measure(records.len(), proposal, sample, step)?
            };
            if let Some(journal) = journal.as_deref_mut().filter(|_| known.is_none()) {
                journal.add(&record)?;
            }
            seen.push(record.observation(self.plan.costs));
            records.push(record);
            let best = best_of(&records, ladder.top()).map_or(0.0, |best| best.quality);
            self.progress.trial(records.len(), self.plan.trials, best);
        }
        Ok(records)
    }

    fn searcher(&self) -> Result<Searcher, TuneError> {
        let plan = self.plan;
        let ladder = match plan.method {
            Method::Halving => Ladder::over(self.split.searched.len(), LEAST_SAMPLE),
            Method::Random | Method::Tpe => Ladder::FLAT,
        };
        let current = plan.space.point_of(&plan.current)?;
        Ok(Searcher::new(
            plan.space.clone(),
            plan.method,
            ladder,
            current,
            plan.seed,
        ))
    }

    /// The searched cases with their folds, in an order in which the first ones are a fair sample.
    fn order(&self) -> Vec<(usize, usize)> {
        let folded = self
            .split
            .searched
            .iter()
            .copied()
            .zip(self.split.folds.iter().copied());
        let mut order: Vec<(usize, usize)> = folded.collect();
        if self.plan.method == Method::Halving {
            order.shuffle(&mut ChaCha8Rng::seed_from_u64(self.plan.seed));
        }
        order
    }

    fn measure(
        &self,
        number: usize,
        proposal: Proposal,
        sample: &[(usize, usize)],
        milliseconds_per_step: f64,
    ) -> Result<TrialRecord, TuneError> {
        let start = Instant::now();
        let settings = self.settings(number, &proposal.place)?;
        let (places, folds): (Vec<usize>, Vec<usize>) = sample.iter().copied().unzip();
        let measures = self.subject.measure(&settings, &places)?;
        let mut record = TrialRecord {
            number,
            origin: proposal.origin.name().to_owned(),
            place: proposal.place,
            rung: proposal.rung,
            cases: 0,
            quality: 0.0,
            interval: [0.0, 0.0],
            folds: Vec::new(),
            tokens: None,
            milliseconds: None,
            seconds: 0.0,
        };
        record.summarise(&measures, self.plan.metric, &folds, milliseconds_per_step);
        record.seconds = start.elapsed().as_secs_f64();
        Ok(record)
    }

    /// The first trial is the settings in force as they are, even where one lies outside its range.
    fn settings(&self, number: usize, place: &[f64]) -> Result<TunableSettings, TuneError> {
        if number == 0 {
            return Ok(self.plan.current.clone());
        }
        let values = self.plan.space.values_at(place);
        Ok(SearchSpace::assign(&self.plan.current, &values)?)
    }
}

/// The best trial on all searched cases; of equal ones the earliest.
pub(super) fn best_of(records: &[TrialRecord], top: usize) -> Option<&TrialRecord> {
    let whole = records.iter().filter(|record| record.rung == top);
    whole.min_by(|a, b| {
        b.quality
            .total_cmp(&a.quality)
            .then(a.number.cmp(&b.number))
    })
}
