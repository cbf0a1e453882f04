//! The metrics against the reference implementation, to the decimals that it prints.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::evaluation::data;
use crate::run::{Home, workspace};

/// The reference implementation, which lies beside the data.
fn reference() -> PathBuf {
    let tools = data().join("../tools/reference_metrics.py");
    assert!(tools.is_file(), "{} is missing", tools.display());
    tools
}

/// What the reference implementation says. `scipy` is not needed: an assignment of our own stands
/// in where it is missing.
fn expected(suite: &str, gold: &Path, found: &Path) -> Value {
    let output = Command::new("python3")
        .arg(workspace().join("crates/ee-cli/tests/python/reference.py"))
        .args([reference().as_path(), Path::new(suite), gold, found])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs a suite; gives its report.
fn evaluate(home: &Home, arguments: &[&str]) -> Value {
    let mut command = home.eerag(["--json", "eval"]);
    let output = command.args(arguments).env("EERAG_DATA", data()).output();
    let output = output.unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Fails unless every value of the reference is ours, to its last decimal.
#[track_caller]
fn equal(ours: &Value, reference: &Value, decimals: i32) {
    let reference = reference.as_object().unwrap();
    assert!(!reference.is_empty());
    for (name, expected) in reference {
        let expected = expected.as_f64().unwrap();
        let found = ours[name]
            .as_f64()
            .unwrap_or_else(|| panic!("no {name} in {ours}"));
        let scale = 10_f64.powi(decimals);
        let rounded = (found * scale).round() / scale;
        assert!(
            (rounded - expected).abs() < 1e-9,
            "{name}: {found}, reference {expected}"
        );
    }
}

fn without_count(mut metrics: Value) -> Value {
    metrics.as_object_mut().unwrap().remove("n");
    metrics
}

#[test]
fn retrieval_is_measured_as_the_reference_does() {
    let faq = workspace().join("fixtures/faq");
    for (folder, system) in [
        (data().join("eedag"), "hybrid"),
        (data().join("eedag"), "bm25"),
        (faq, "dense"),
    ] {
        let home = Home::new();
        let path = folder.to_str().unwrap();
        let arguments = [
            "retrieval",
            "--data",
            path,
            "--system",
            system,
            "--run",
            "run.trec",
        ];
        let report = evaluate(&home, &arguments);
        let run = home.path().join("run.trec");
        let reference = expected("retrieval", &folder.join("qrels.tsv"), &run);
        assert_eq!(report["n"], reference["n"]);
        equal(&report["metrics"], &without_count(reference), 4);
    }
}

/// Two conversations, since every turn of them is embedded.
#[test]
fn memory_is_measured_as_the_reference_does() {
    let (home, files) = (Home::new(), "conv-26,conv-30");
    let arguments = [
        "memory",
        "--data",
        "locomo_dev",
        "--files",
        files,
        "--run",
        "run.jsonl",
    ];
    let report = evaluate(&home, &arguments);
    let gold = home.path().join("gold.jsonl");
    let questions = std::fs::read_to_string(data().join("locomo_dev/questions.jsonl")).unwrap();
    let asked = questions.lines().filter(|line| {
        let row: Value = serde_json::from_str(line).unwrap();
        files.split(',').any(|file| row["conv_id"] == file)
    });
    std::fs::write(&gold, asked.collect::<Vec<_>>().join("\n")).unwrap();
    let mut reference = expected("memory", &gold, &home.path().join("run.jsonl"));
    let all = reference.as_object_mut().unwrap().remove("all").unwrap();
    assert_eq!(report["n"], all["n"]);
    equal(&report["metrics"], &without_count(all), 4);
    let groups = reference.as_object().unwrap();
    assert!(groups.len() >= 4);
    for (category, expected) in groups {
        equal(&report["groups"][category], expected, 4);
    }
}

#[test]
fn threads_are_measured_as_the_reference_does() {
    for (name, file) in [
        ("dcs_threads", "dcs_threads/messages.jsonl"),
        ("assistant_threads", "assistant_threads/dev.jsonl"),
    ] {
        let home = Home::new();
        let arguments = [
            "threads",
            "--data",
            name,
            "--system",
            "words",
            "--out",
            "threads.jsonl",
        ];
        let report = evaluate(&home, &arguments);
        let reference = expected(
            "threads",
            &data().join(file),
            &home.path().join("threads.jsonl"),
        );
        assert_eq!(report["n"], reference["n"]);
        let one = |metric: &str| -> Value { serde_json::json!({ metric: reference[metric] }) };
        equal(&report["metrics"], &one("ari"), 4);
        for metric in ["vi", "one_to_one", "exact_f1"] {
            equal(&report["metrics"], &one(metric), 2);
        }
    }
}
