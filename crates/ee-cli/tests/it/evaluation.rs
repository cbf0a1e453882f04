//! The suites on the evaluation data, held to what the project promises.

use std::path::PathBuf;

use serde_json::Value;

use crate::run::{Home, workspace};

/// The folder of the evaluation data.
pub(crate) fn data() -> PathBuf {
    let named = std::env::var_os("EERAG_DATA").map(PathBuf::from);
    named.unwrap_or_else(|| workspace().join("../shared/data"))
}

fn metrics(arguments: &[&str]) -> Value {
    let home = Home::new();
    let mut command = home.eerag(["--json", "eval"]);
    let output = command
        .args(arguments)
        .env("EERAG_DATA", data())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["metrics"].clone()
}

/// Fails unless every metric reaches its value.
#[track_caller]
fn reach(metrics: &Value, least: &[(&str, f64)]) {
    for (name, least) in least {
        assert!(
            metrics[name].as_f64() >= Some(*least),
            "{name} in {metrics}"
        );
    }
}

#[test]
fn hybrid_retrieval_finds_the_expected_entries() {
    let metrics = metrics(&["retrieval", "--data", "eedag", "--system", "hybrid"]);
    assert!(metrics["ndcg@10"].as_f64() >= Some(0.97), "{metrics}");
    assert!(metrics["recall@5"].as_f64() >= Some(1.0), "{metrics}");
}

#[test]
fn the_extractive_session_elects_what_fits_and_abstains_otherwise() {
    let metrics = metrics(&["election", "--data", "eedag", "--session", "extractive"]);
    let value = |name: &str| metrics[name].as_f64().unwrap();
    assert!(value("candidate_recall") >= 1.0, "{metrics}");
    assert!(value("f1") >= 0.9, "{metrics}");
    assert!(value("needless_election") <= 0.0, "{metrics}");
    assert!(value("false_election") <= 0.2, "{metrics}");
    assert!(
        value("tokens_per_turn") <= 0.5 * value("tokens_naive"),
        "{metrics}"
    );
}

#[test]
fn memory_finds_the_turns_that_hold_the_answer() {
    let metrics = metrics(&["memory", "--data", "locomo_dev", "--system", "hybrid"]);
    let least = [
        ("recall@5", 0.68),
        ("recall@10", 0.79),
        ("any@5", 0.73),
        ("all@5", 0.63),
    ];
    reach(&metrics, &least);
}

#[test]
fn intents_are_learned_from_labelled_utterances() {
    let metrics = metrics(&["intents", "--data", "clinc150"]);
    assert!(metrics["accuracy"].as_f64() >= Some(0.93), "{metrics}");
    assert!(
        metrics["domain_accuracy"].as_f64() >= Some(0.96),
        "{metrics}"
    );
}

#[test]
fn lines_of_work_with_an_assistant_are_kept_apart() {
    let metrics = metrics(&["threads", "--data", "assistant_threads", "--part", "odd"]);
    let least = [("ari", 0.80), ("precision@10", 0.49), ("recall@10", 0.91)];
    reach(&metrics, &least);
}

#[test]
fn earlier_messages_of_the_same_thread_are_selected() {
    let metrics = metrics(&["threads", "--data", "dcs_threads"]);
    reach(&metrics, &[("precision@10", 0.50), ("recall@10", 0.90)]);
}
