//! The suite `intents`: a classifier learned from one file of utterances, measured on another.

use std::time::Instant;

use ee_embed::Embedder;
use ee_pipeline::PipelineError;
use serde::Serialize;

use crate::{CaseRow, SuiteReport, SuiteRun, TuneError};

use super::{IntentClassifier, IntentDataset, Utterance};

/// How many utterances are embedded between two looks at the cancellation.
const BATCH: usize = 256;

/// An utterance that was measured and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IntentCase {
    /// Its id: the number of its row.
    pub id: String,
    /// What is said.
    pub text: String,
    /// Its intent.
    pub intent: String,
    /// What the classifier took it for.
    pub guessed: String,
    /// Its domain.
    pub domain: String,
    /// What the classifier took its domain for.
    pub guessed_domain: String,
    /// Probability of the guessed intent as the classifier sees it; not calibrated.
    pub probability: f64,
}

/// Learns from the training utterances, settings included, and measures on the selected part of
/// the others. The report's settings name what was chosen under `intents`.
///
/// # Errors
/// [`TuneError`] when nothing is selected, an utterance cannot be embedded, or the run is
/// cancelled.
pub fn run_intents(
    embedder: &dyn Embedder,
    dataset: &IntentDataset,
    run: SuiteRun<'_>,
) -> Result<(SuiteReport, Vec<IntentCase>), TuneError> {
    let start = Instant::now();
    let can_learn = |_: &Utterance| !dataset.train.is_empty();
    let (all, name) = (&dataset.val, &dataset.name);
    let selected = run.part.choose(all, |row| &row.id, can_learn, name)?;
    let train: Vec<&Utterance> = dataset.train.iter().collect();
    let vectors = embed(embedder, &train, run)?;
    let (classifier, settings) = IntentClassifier::choose_and_train(&dataset.train, &vectors);
    let vectors = embed(embedder, &selected, run)?;
    let cases: Vec<IntentCase> = selected
        .iter()
        .zip(&vectors)
        .map(|(row, vector)| case(&classifier, row, vector))
        .collect();
    let mut report = SuiteReport::new("intents", &dataset.name, run.setup, cases.len());
    add_metrics(&mut report, &cases);
    if let Some(all) = report.settings.as_object_mut() {
        let chosen = serde_json::to_value(settings).unwrap_or_default();
        all.insert("intents".to_owned(), chosen);
    }
    report.rows = cases.iter().map(row).collect();
    run.cases.keep(&report.rows)?;
    report.seconds = start.elapsed().as_secs_f64();
    Ok((report, cases))
}

fn embed(
    embedder: &dyn Embedder,
    utterances: &[&Utterance],
    run: SuiteRun<'_>,
) -> Result<Vec<Vec<f32>>, TuneError> {
    let mut vectors = Vec::with_capacity(utterances.len());
    for batch in utterances.chunks(BATCH) {
        if run.cancellation.is_cancelled() {
            return Err(TuneError::Cancelled);
        }
        let texts: Vec<&str> = batch.iter().map(|row| row.text.as_str()).collect();
        let embeddings = embedder.embed_documents(&texts);
        let embeddings = embeddings.map_err(PipelineError::from)?;
        vectors.extend(embeddings.into_iter().map(|embedding| embedding.vector));
        run.progress.question(vectors.len(), utterances.len(), 0.0);
    }
    Ok(vectors)
}

fn case(classifier: &IntentClassifier, row: &Utterance, vector: &[f32]) -> IntentCase {
    let guess = classifier.classify(&row.text, vector);
    IntentCase {
        id: row.id.clone(),
        text: row.text.clone(),
        intent: row.intent.clone(),
        guessed: guess.intent,
        domain: row.domain.clone(),
        guessed_domain: guess.domain,
        probability: guess.probability,
    }
}

fn row(case: &IntentCase) -> CaseRow {
    let is = |right: bool| f64::from(u8::from(right));
    let metrics = [
        ("accuracy", is(case.guessed == case.intent)),
        ("domain_accuracy", is(case.guessed_domain == case.domain)),
    ];
    CaseRow {
        id: case.id.clone(),
        question: case.text.clone(),
        metrics: metrics.map(|(name, value)| (name.to_owned(), value)).into(),
        expected: vec![case.intent.clone()],
        offered: vec![case.guessed.clone()],
        ..CaseRow::default()
    }
}

fn add_metrics(report: &mut SuiteReport, cases: &[IntentCase]) {
    let share = |is_right: fn(&IntentCase) -> bool| -> Vec<f64> {
        let right = cases.iter().map(is_right);
        right.map(|right| f64::from(u8::from(right))).collect()
    };
    report.add_mean("accuracy", &share(|case| case.guessed == case.intent));
    report.add_mean(
        "domain_accuracy",
        &share(|case| case.guessed_domain == case.domain),
    );
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "shares of few cases are exact")]
mod tests {
    use ee_embed::LexicalEmbedder;
    use ee_pipeline::Cancellation;
    use km_core::{AccessScope, Identity, Timestamp};
    use serde_json::json;

    use super::{IntentCase, run_intents};
    use crate::{
        CaseRunner, IntentDataset, Part, Setup, SuiteProgress, SuiteReport, SuiteRun, TuneError,
        Utterance,
    };

    struct Silent;

    impl SuiteProgress for Silent {
        fn question(&self, _done: usize, _all: usize, _score: f64) {}
    }

    /// Orders for lamps and heating, and questions about the weather, in many wordings.
    fn dataset() -> IntentDataset {
        let things = ["kitchen", "bedroom", "cellar", "hall", "office", "garage"];
        let places = ["Oslo", "Bern", "Rome", "Lima", "Cairo", "Delhi"];
        let rows = things.iter().zip(places).flat_map(|(room, city)| {
            [
                (format!("turn on the lamp in the {room}"), "lamp", "home"),
                (format!("make it warmer in the {room}"), "heating", "home"),
                (
                    format!("will it rain in {city} tomorrow"),
                    "weather",
                    "news",
                ),
            ]
        });
        let rows = rows
            .enumerate()
            .map(|(index, (text, intent, domain))| Utterance {
                id: format!("{index:05}"),
                text,
                intent: intent.to_owned(),
                domain: domain.to_owned(),
            });
        let mut train: Vec<Utterance> = rows.collect();
        let mut val = train.split_off(15);
        val.push(Utterance {
            id: "00018".to_owned(),
            text: "lamp on please".to_owned(),
            intent: "unheard of".to_owned(),
            domain: "home".to_owned(),
        });
        let name = "rooms".to_owned();
        IntentDataset { name, train, val }
    }

    fn run(part: &Part) -> Result<(SuiteReport, Vec<IntentCase>), TuneError> {
        let setup = Setup {
            system: "learned".to_owned(),
            seed: 1,
            settings: json!({}),
            model: "lexical".to_owned(),
        };
        let suite = SuiteRun {
            part,
            scope: &AccessScope::new(Identity::default(), Timestamp::UNIX_EPOCH),
            setup: &setup,
            progress: &Silent,
            cancellation: &Cancellation::default(),
            cases: CaseRunner::default(),
        };
        run_intents(&LexicalEmbedder::new(64), &dataset(), suite)
    }

    #[test]
    fn right_and_wrong_guesses_are_counted() {
        let (report, cases) = run(&Part::default()).unwrap();
        assert_eq!(report.n, 4);
        assert_eq!(report.metric("accuracy"), Some(0.75), "{cases:?}");
        assert_eq!(report.metric("domain_accuracy"), Some(1.0), "{cases:?}");
        assert_eq!(cases[3].guessed, "lamp");
        assert!(report.settings["intents"]["shrinkage"].is_number());
    }

    #[test]
    fn the_same_data_give_the_same_classifier() {
        assert_eq!(
            run(&Part::default()).unwrap().1,
            run(&Part::default()).unwrap().1
        );
    }

    #[test]
    fn an_empty_part_is_an_error() {
        let part = Part {
            limit: Some(0),
            ..Part::default()
        };
        assert!(matches!(run(&part), Err(TuneError::NothingSelected { .. })));
    }
}
