//! The built-in patterns against labelled messages in three languages.
//!
//! Each pair of a message and a label is a decision of its own. F1 of a label is
//! 2·TP / (2·TP + FP + FN) over all messages of a part; macro F1 is the plain mean over the labels,
//! the eight intents and the four domains each by themselves.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use dcs_core::{Classifier, DomainId, Intent, PatternClassifier};
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    text: String,
    intents: BTreeSet<String>,
    domains: BTreeSet<String>,
    part: String,
}

/// The names of a message's labels: as the fixture says, and as the classifier does.
struct Judged {
    expected: BTreeSet<String>,
    found: BTreeSet<String>,
}

fn judged(part: &str) -> Vec<Judged> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/intents/messages.jsonl");
    let classifier = PatternClassifier::built_in().unwrap();
    let content = fs::read_to_string(path).unwrap();
    let rows = content
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    rows.filter(|row: &Row| row.part == part)
        .map(|row| {
            let labels = classifier.classify(&row.text);
            let intents = labels.intents.iter().map(ToString::to_string);
            let domains = labels.domains.iter().map(ToString::to_string);
            Judged {
                expected: &row.intents | &row.domains,
                found: intents.chain(domains).collect(),
            }
        })
        .collect()
}

fn f1(judged: &[Judged], label: &str) -> f64 {
    let (mut right, mut wrong) = (0, 0);
    for message in judged {
        let expected = message.expected.contains(label);
        let found = message.found.contains(label);
        right += i32::from(expected && found);
        wrong += i32::from(expected != found);
    }
    f64::from(2 * right) / f64::from(2 * right + wrong)
}

/// Prints F1 by label and returns the mean.
fn macro_f1(part: &str, judged: &[Judged], labels: &[String]) -> f64 {
    let scores: Vec<f64> = labels.iter().map(|label| f1(judged, label)).collect();
    for (label, score) in labels.iter().zip(&scores) {
        println!("{part:6} {label:14} {score:.3}");
    }
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    println!("{part:6} macro {mean:.4}");
    mean
}

#[test]
fn the_patterns_reach_their_targets_on_both_parts() {
    let intents = Intent::ALL.map(|intent| intent.to_string());
    let domains = DomainId::BUILT_IN.map(|(domain, _)| domain.to_string());
    for (part, least) in [("seen", 0.95), ("held-out", 0.85), ("unseen", 0.8)] {
        let judged = judged(part);
        assert!(judged.len() > 120, "{part}: {} messages", judged.len());
        let score = macro_f1(part, &judged, &intents);
        assert!(score >= least, "{part}: intents {score}");
        let score = macro_f1(part, &judged, &domains);
        assert!(score >= least, "{part}: domains {score}");
    }
}
