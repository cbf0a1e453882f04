//! Where nothing is to be found, nothing is proposed.

use ee_pipeline::Cancellation;
use ee_tune::{Decision, TuningRun, tune};

use crate::support::{Silent, faq, plan};

/// Seeds, each with judgements of its own.
const SEEDS: u64 = 200;

/// The most proposals: 5% are expected at most, and two standard errors of a rate over 200.
const MOST: usize = 16;

#[test]
fn shuffled_judgements_are_seldom_taken_for_evidence() {
    let mut subject = faq();
    let mut proposed = 0;
    for seed in 0..SEEDS {
        subject.shuffle_judgements(seed);
        let plan = plan(40, seed);
        let run = TuningRun {
            subject: &subject,
            plan: &plan,
            progress: &Silent,
            cancellation: &Cancellation::default(),
            explain: false,
        };
        let tuned = tune(run, None).unwrap();
        proposed += usize::from(tuned.report.verdict.decision == Decision::Proposed);
    }
    println!("{proposed} proposals for {SEEDS} seeds of shuffled judgements");
    assert!(proposed <= MOST, "{proposed} of {SEEDS}");
}
