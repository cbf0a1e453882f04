//! A search that was killed ends as if it had not been.

use std::fs;
use std::path::Path;

use ee_pipeline::Cancellation;
use ee_tune::{
    Costs, Journal, Method, TuneError, Tuned, TuningPlan, TuningReport, TuningRun, TuningSubject,
    tune,
};

use crate::support::{Silent, faq, plan};

fn searched(subject: &dyn TuningSubject, plan: &TuningPlan, path: &Path) -> Tuned {
    let run = TuningRun {
        subject,
        plan,
        progress: &Silent,
        cancellation: &Cancellation::default(),
        explain: true,
    };
    let mut journal = Journal::resume(path, &plan.header(subject).unwrap()).unwrap();
    tune(run, Some(&mut journal)).unwrap()
}

/// Everything but how long it took.
fn timeless(mut report: TuningReport) -> TuningReport {
    for trial in &mut report.trials {
        trial.seconds = 0.0;
    }
    report
}

#[test]
fn a_journal_cut_off_anywhere_leads_to_the_same_end() {
    let subject = faq();
    for (method, costs) in [
        (Method::Tpe, Costs::default()),
        (
            Method::Tpe,
            Costs {
                tokens: true,
                milliseconds: true,
            },
        ),
        (Method::Halving, Costs::default()),
    ] {
        let plan = TuningPlan {
            method,
            costs,
            ..plan(30, 7)
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trials.jsonl");
        let whole = timeless(searched(&subject, &plan, &path).report);
        let text = fs::read(&path).unwrap();
        // In the first line, right after it, within lines and at their ends, and at the end.
        let line = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for cut in [
            10,
            line,
            line + 37,
            text.len() / 2,
            text.len() - 1,
            text.len(),
        ] {
            fs::write(&path, &text[..cut]).unwrap();
            let resumed = timeless(searched(&subject, &plan, &path).report);
            assert_eq!(resumed, whole, "{method:?} cut at {cut} of {}", text.len());
        }
    }
}

#[test]
fn a_journal_of_another_search_is_refused() {
    let subject = faq();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trials.jsonl");
    searched(&subject, &plan(12, 7), &path);
    let other = plan(12, 8).header(&subject).unwrap();
    match Journal::resume(&path, &other) {
        Err(TuneError::JournalDiffers { what, .. }) => assert_eq!(what, "the seed"),
        outcome => panic!("{outcome:?}"),
    }
    assert!(matches!(
        Journal::begin(&path, &other),
        Err(TuneError::JournalThere { .. })
    ));
    fs::write(&path, "{}\n").unwrap();
    assert!(matches!(
        Journal::resume(&path, &other),
        Err(TuneError::Row { row: 1, .. })
    ));
}
