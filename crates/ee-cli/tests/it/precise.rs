//! The precision pipeline from the command line, with the real models.

use serde_json::Value;

use crate::run::{Home, workspace};

const QUESTION: &str = "What is my per diem on a business trip?";

/// A home whose store holds the travel policies.
fn with_policies() -> Home {
    let home = Home::new();
    let travel = workspace().join("fixtures/travel");
    home.run(["ingest", "--quiet", travel.to_str().unwrap()])
        .ended(0);
    home
}

/// The arguments of a traveller of this region, at a fixed time.
fn traveller(region: &str) -> [String; 6] {
    let region = format!("region={region}");
    let time = "2026-11-30T12:00:00Z";
    [
        "--as-attribute",
        &region,
        "--as-attribute",
        "tier=L5",
        "--at",
        time,
    ]
    .map(str::to_owned)
}

fn run(home: &Home, command: &str, region: &str) -> Value {
    let traveller = traveller(region);
    let mut arguments = vec!["--json", command, QUESTION, "--system", "precise"];
    arguments.extend(traveller.iter().map(String::as_str));
    home.run(arguments).ended(0).json()
}

#[test]
fn the_callers_region_and_tier_decide_which_fact_is_found() {
    let home = with_policies();
    for (region, source) in [
        ("APAC", "apac-rates-2026.md"),
        ("EMEA", "emea-rates-2026.md"),
    ] {
        let found = run(&home, "search", region);
        assert_eq!(found["hits"][0]["source"], source, "{found}");
        assert_eq!(found["hits"][0]["section_path"][1], "Level 5", "{found}");
        let stages = found["stages"].as_array().unwrap();
        assert_eq!(stages.len(), 7);
        let context = &found["context"];
        assert!(context["units"].as_u64() >= Some(1), "{context}");
    }
}

#[test]
fn an_answer_rests_on_the_context_and_cites_it() {
    let home = with_policies();
    let turn = run(&home, "ask", "APAC");
    let answer = turn["answer"].as_str().unwrap();
    assert!(answer.contains("USD 120"), "{turn}");
    assert_eq!(turn["offered"][0]["source"], "apac-rates-2026.md");
    assert_eq!(turn["stages"][5]["stage"], "minimise");
    let cited = turn["citations"][0]["unit"].as_str().unwrap();
    assert!(answer.contains(&format!("[{cited}]")), "{answer}");
}

#[test]
fn without_the_cross_encoder_it_says_so_and_goes_on() {
    let home = with_policies();
    let found = home.run([
        "--json",
        "--set",
        "embed.reranker=",
        "search",
        QUESTION,
        "--system",
        "precise",
    ]);
    let found = found.ended(0).json();
    let note = found["stages"][4]["notes"][0].as_str().unwrap();
    assert!(note.contains("no cross-encoder"), "{note}");
}
