//! Tuning from the command line: killed and resumed, written, applied, checked elsewhere.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::run::{Home, workspace};

/// The search that all of these make: full text alone on questions that paraphrase is easily beaten.
fn arguments<'a>(data: &'a str, out: &'a str, tuned: &'a str) -> Vec<&'a str> {
    let mut arguments = vec![
        "--quiet",
        "--set",
        "search.dense_weight=0",
        "tune",
        "retrieval",
    ];
    arguments.extend([
        "--data",
        data,
        "--parameter",
        "search.dense_weight",
        "--trials",
        "25",
    ]);
    arguments.extend(["--out", out, "--tuned", tuned]);
    arguments
}

fn data() -> String {
    let path = workspace().join("fixtures/faq");
    path.to_str().unwrap().to_owned()
}

/// The report without what no two runs share.
fn report(path: &Path) -> Value {
    let mut report: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    for field in ["command", "started", "seconds"] {
        report["reproducibility"][field] = Value::Null;
    }
    for trial in report["trials"].as_array_mut().unwrap() {
        trial["seconds"] = Value::Null;
        // What a step takes is measured anew by every search that begins.
        trial["objectives"]["milliseconds"] = Value::Null;
    }
    report
}

/// Starts a search and kills it once it has recorded so many trials.
fn killed_after(home: &Home, arguments: &[&str], journal: &Path, trials: usize) {
    let mut command = home.eerag(arguments.iter().copied());
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let recorded = || fs::read_to_string(journal).map_or(0, |text| text.lines().count());
    while recorded() <= trials && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_killed_search_resumes_to_the_same_end_and_its_settings_come_into_force() {
    let (home, data) = (Home::new(), data());
    let whole = arguments(&data, "whole", "whole.toml");
    home.run(whole).ended(0);

    let mut parts = arguments(&data, "parts", "parts.toml");
    let journal = home.path().join("parts/trials.jsonl");
    killed_after(&home, &parts, &journal, 3);
    let refused = home.run(parts.iter().copied()).ended(1);
    assert!(refused.err().contains("--resume"), "{}", refused.err());
    parts.push("--resume");
    killed_after(&home, &parts, &journal, 17);
    home.run(parts).ended(0);

    let [one, other] =
        ["whole", "parts"].map(|out| report(&home.path().join(out).join("report.json")));
    assert_eq!(one, other);
    assert_eq!(
        one["verdict"]["decision"], "proposed",
        "{}",
        one["verdict"]["reason"]
    );
    let [one, other] = ["whole.toml", "parts.toml"]
        .map(|file| fs::read_to_string(home.path().join(file)).unwrap());
    assert_eq!(one, other);
    assert!(one.contains("# was ") && one.contains("never saw"), "{one}");
    let page = fs::read_to_string(home.path().join("whole/report.html")).unwrap();
    assert!(page.contains("retrieval") && !page.contains("src=\"http"));

    let weights = |arguments: &[&str]| {
        let shown = home.run(arguments.iter().copied()).ended(0).json();
        shown["search"].clone()
    };
    let shipped = weights(&["--json", "config", "show"]);
    let named = weights(&["--json", "--config", "whole.toml", "config", "show"]);
    assert_ne!(shipped, named);
    fs::rename(
        home.path().join("whole.toml"),
        home.path().join("eerag.tuned.toml"),
    )
    .unwrap();
    assert_eq!(weights(&["--json", "config", "show"]), named);

    // What is checked is compared with the settings as they would be without it.
    let own = home.path().join("eerag.toml");
    fs::write(&own, "[search]\ndense_weight = 0.0\n").unwrap();
    let on = format!("retrieval={data}");
    let check = ["--json", "tune", "check", "eerag.tuned.toml", &on];
    let checked = home.run(check).ended(0).json();
    assert!(
        checked[0]["difference"].as_f64().unwrap() > 0.0,
        "{checked}"
    );
    fs::remove_file(own).unwrap();
    let shown = home
        .run(["--json", "tune", "check", "parts.toml", &on])
        .ended(0)
        .json();
    assert_eq!(shown[0]["difference"], 0.0, "{shown}");
}

#[test]
fn an_applied_proposal_leaves_the_rest_of_the_file_alone() {
    let (home, data) = (Home::new(), data());
    let own = "# mine\n[search]\ndense_weight = 0.0 # by hand\n\n[turn]\ntop_k = 3\n";
    fs::write(home.path().join("eerag.toml"), own).unwrap();
    let mut arguments = vec![
        "--quiet",
        "tune",
        "retrieval",
        "--data",
        &data,
        "--trials",
        "25",
    ];
    arguments.extend(["--parameter", "search.dense_weight", "--apply"]);
    home.run(arguments).ended(0);
    let merged = fs::read_to_string(home.path().join("eerag.toml")).unwrap();
    let kept = merged.starts_with("# mine\n[search]\ndense_weight = 0.");
    assert!(
        kept && merged.ends_with(" # by hand\n\n[turn]\ntop_k = 3\n"),
        "{merged}"
    );
    assert_ne!(merged, own);
    assert!(!home.path().join("eerag.tuned.toml").exists());
    home.run(["config", "show"]).ended(0);
}

#[test]
fn mistakes_are_told_before_anything_is_searched() {
    let (home, data) = (Home::new(), data());
    for (wrong, said) in [
        (["--parameter", "search.dense_wait"], "tune parameters"),
        (
            ["--parameter", "memory.dense_weight"],
            "no part of the suite retrieval reads",
        ),
        (["--metric", "any@5"], "ndcg@10"),
    ] {
        let mut arguments = vec!["--quiet", "tune", "retrieval", "--data", &data];
        arguments.extend(wrong);
        let refused = home.run(arguments).ended(1);
        assert!(refused.err().contains(said), "{}", refused.err());
    }
    let listed = home.run(["tune", "parameters"]).ended(0).out();
    assert!(listed.contains("turn.context.key.dcns") && listed.contains("0 to 1 part, linear"));
}
