//! A report with everything in it, and with texts that would break a careless page.

use crate::{
    ComparisonRow, DataChecksum, Decision, Direction, Machine, Objective, ObjectiveRole,
    ParameterValue, Reproducibility, Sensitivity, SensitivityPoint, SettingChange, Trial,
    TrialOutcome, TuningReport, Verdict, WorstQuestion, pareto_front,
};

/// What somebody may have written into a document or a question.
pub(super) const HOSTILE: &str = "</style><script>alert(1)</script><img onerror=x>\"'&";

/// A report with this many trials besides the default.
pub(super) fn report(trials: usize) -> TuningReport {
    let objectives = vec![
        objective("ndcg@10", ObjectiveRole::Quality, Direction::Maximise, ""),
        objective(
            "tokens",
            ObjectiveRole::Tokens,
            Direction::Minimise,
            "tokens a turn",
        ),
        objective(
            "milliseconds",
            ObjectiveRole::Time,
            Direction::Minimise,
            "ms",
        ),
    ];
    let trials: Vec<Trial> = (0..=trials).map(trial).collect();
    TuningReport {
        title: format!("Tuning of search on faq {HOSTILE}"),
        verdict: verdict(),
        comparisons: vec![
            comparison("ndcg@10", Direction::Maximise, 0.021, [0.004, 0.038]),
            comparison("wrong", Direction::Minimise, 0.02, [0.01, 0.03]),
            comparison("tokens", Direction::Minimise, -12.0, [-40.0, 18.0]),
        ],
        pareto_front: pareto_front(&trials, &objectives),
        objectives,
        trials,
        sensitivity: vec![
            sensitivity(
                "search.dense_weight",
                [0.0, 0.25, 0.5, 0.75, 1.0].map(ParameterValue::Number),
            ),
            sensitivity(
                "openai.model",
                [HOSTILE, "b", "a-name-that-goes-on-and-on-and-on", "d", "e"]
                    .map(|one| ParameterValue::Text(one.to_owned())),
            ),
        ],
        worst_questions: vec![WorstQuestion {
            id: "q1".to_owned(),
            question: format!("Why {HOSTILE}? 为什么？ {}", "unbroken".repeat(40)),
            score: 0.0,
            expected: vec!["d1".to_owned()],
            offered: vec!["d2".to_owned(), "d1".to_owned(), HOSTILE.to_owned()],
            elected: Vec::new(),
            answer: HOSTILE.to_owned(),
        }],
        reproducibility: reproducibility(),
    }
}

fn objective(name: &str, role: ObjectiveRole, direction: Direction, unit: &str) -> Objective {
    Objective {
        name: name.to_owned(),
        role,
        direction,
        unit: unit.to_owned(),
    }
}

fn verdict() -> Verdict {
    Verdict {
        decision: Decision::Proposed,
        reason: format!(
            "The best setting beats the default by 0.021 (95% 0.004 to 0.038) {HOSTILE}."
        ),
        changes: vec![SettingChange {
            key: "search.dense_weight".to_owned(),
            from: ParameterValue::Number(0.7),
            to: ParameterValue::Number(0.55),
            evidence: "nDCG@10 0.739 to 0.760 on 404 questions that the search never saw"
                .to_owned(),
        }],
    }
}

fn trial(number: usize) -> Trial {
    let share = (number * 37 % 100) as f64 / 100.0;
    let quality = 0.7 + 0.08 * share - 0.05 * share * share;
    let failed = number % 17 == 16;
    Trial {
        number,
        origin: if number == 0 { "default" } else { "tpe" }.to_owned(),
        parameters: [(
            "search.dense_weight".to_owned(),
            ParameterValue::Number(share),
        )]
        .into(),
        outcome: if failed {
            TrialOutcome::Failed(HOSTILE.to_owned())
        } else {
            TrialOutcome::Finished
        },
        questions: 400,
        objectives: [
            ("ndcg@10".to_owned(), quality),
            ("tokens".to_owned(), 150.0 + 200.0 * share),
            ("milliseconds".to_owned(), 5.0 + share),
        ]
        .into(),
        intervals: [("ndcg@10".to_owned(), [quality - 0.02, quality + 0.02])].into(),
        seconds: 0.2,
    }
}

fn comparison(
    metric: &str,
    direction: Direction,
    difference: f64,
    interval: [f64; 2],
) -> ComparisonRow {
    ComparisonRow {
        data: "retrieval, faq, odd".to_owned(),
        system: "tuned".to_owned(),
        baseline: "default".to_owned(),
        metric: metric.to_owned(),
        direction,
        questions: 404,
        value: 0.76,
        baseline_value: 0.76 - difference,
        difference,
        interval,
        p: 0.012,
    }
}

fn sensitivity(key: &str, values: [ParameterValue; 5]) -> Sensitivity {
    let points = values.iter().zip([0.70, 0.72, 0.74, 0.73, 0.69]);
    let points = points.map(|(value, objective)| SensitivityPoint {
        value: value.clone(),
        objective,
        interval: Some([objective - 0.01, objective + 0.01]),
    });
    let points: Vec<SensitivityPoint> = points.collect();
    let [default, _, best, ..] = values;
    Sensitivity {
        parameter: key.to_owned(),
        description: "how much meaning counts beside words".to_owned(),
        default,
        best,
        importance: 0.62,
        points,
    }
}

fn reproducibility() -> Reproducibility {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Reproducibility {
        command: "eerag tune --suite retrieval --data faq --seed 7".to_owned(),
        started: "2026-11-30T17:00:00Z".to_owned(),
        seconds: 212.4,
        versions: [pair("eerag", "0.1.0")].into(),
        models: [pair("embedder", "all-MiniLM-L6-v2")].into(),
        seeds: [("search".to_owned(), 7), ("bootstrap".to_owned(), 42)].into(),
        data: vec![DataChecksum {
            file: "faq/corpus.jsonl".to_owned(),
            bytes: 21_700,
            sha256: "ab".repeat(32),
        }],
        machine: Machine::here(),
    }
}
