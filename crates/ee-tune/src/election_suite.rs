//! The suite `election`: which entries a session asks for, what its answers hold, what they cost.
//!
//! Every question is a turn of its own, outside any conversation. A question with expected
//! documents is asked once more with those documents taken out of the store: a session that then
//! still elects something elects by habit, not by relevance.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};
use std::time::Instant;

use ee_pipeline::{
    Cancellation, ChatSession, Engine, IngestProgress, KnowledgeBase, SearchRequest, SearchSystem,
    TurnRequest, TurnResult,
};

use crate::beir::{document_id, document_source};
use crate::election_metrics::ElectionScores;
use crate::runner::run_cases;
use crate::{
    BeirDataset, CaseCost, CaseRow, ElectionCase, Question, SuiteReport, SuiteRun, TuneError,
    score_election,
};

/// What progress shows.
const MAIN_METRIC: &str = "f1";

/// How many full entries a naive system would inject.
const NAIVE_ENTRIES: usize = 5;

/// The engine under test and what it works with.
#[derive(Clone, Copy)]
pub struct ElectionSubject<'a> {
    /// Runs the turns.
    pub engine: &'a Engine,
    /// The engine's knowledge: holds the dataset, one source per document.
    pub knowledge: &'a KnowledgeBase,
    /// Elects and answers.
    pub session: &'a dyn ChatSession,
}

/// Runs the suite. Documents that are taken out are put back before the next question.
///
/// # Errors
/// [`TuneError`] when nothing is selected, a turn fails, or the run is cancelled.
pub fn run_election(
    subject: ElectionSubject<'_>,
    dataset: &BeirDataset,
    run: SuiteRun<'_>,
) -> Result<(SuiteReport, Vec<ElectionCase>), TuneError> {
    let start = Instant::now();
    let ids = dataset.questions.iter().map(|one| one.id.as_str());
    run.part.check_ids(ids, &dataset.name)?;
    let questions = run.part.select(&dataset.questions, |question| &question.id);
    if questions.is_empty() {
        let (what, data) = (run.part.to_string(), dataset.name.clone());
        return Err(TuneError::NothingSelected { what, data });
    }
    let store = RwLock::new(());
    let rows = run_cases(
        &questions,
        |question| &question.id,
        MAIN_METRIC,
        run,
        |question| row(measure(subject, dataset, question, &store, run)?),
    )?;
    let cases = rows
        .iter()
        .map(|row| serde_json::from_value(row.detail.clone()));
    let cases = cases.collect::<Result<Vec<ElectionCase>, _>>();
    let cases = cases.map_err(TuneError::Detail)?;
    let mut report = SuiteReport::new("election", &dataset.name, run.setup, cases.len());
    add_metrics(&mut report, &cases, &score_election(&cases));
    report.add_costs(&rows);
    report.rows = rows;
    report.seconds = start.elapsed().as_secs_f64();
    Ok((report, cases))
}

fn row((question, case, cost): Measured<'_>) -> Result<CaseRow, TuneError> {
    let metrics = case.scores().into_iter();
    Ok(CaseRow {
        id: case.id.clone(),
        question: question.text.clone(),
        metrics: metrics
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        expected: case.expected.iter().cloned().collect(),
        offered: case.offered.iter().cloned().collect(),
        elected: case.elected.iter().cloned().collect(),
        answer: case.answer.clone(),
        cost,
        detail: serde_json::to_value(&case).map_err(TuneError::Detail)?,
    })
}

type Measured<'a> = (&'a Question, ElectionCase, CaseCost);

/// Asks in the store as it is while others may ask too, then alone without the expected documents.
fn measure<'a>(
    subject: ElectionSubject<'_>,
    dataset: &BeirDataset,
    question: &'a Question,
    store: &RwLock<()>,
    run: SuiteRun<'_>,
) -> Result<Measured<'a>, TuneError> {
    let shared = store.read().unwrap_or_else(PoisonError::into_inner);
    let asking = Instant::now();
    let turn = ask(subject, question, run)?;
    let cost = CaseCost::of_turn(&turn, asking.elapsed().as_secs_f64() * 1e3);
    let naive_tokens = naive_tokens(subject.knowledge, question, run)?;
    drop(shared);
    let expected: BTreeSet<String> = dataset
        .relevant(&question.id)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let alone = store.write().unwrap_or_else(PoisonError::into_inner);
    let elects_without_expected = elects_without(subject, dataset, question, &expected, run)?;
    drop(alone);
    let offered = turn.offered.iter();
    let case = ElectionCase {
        id: question.id.clone(),
        expect_retrieval: question.expect_retrieval,
        offered: offered
            .map(|unit| document_id(&unit.source).to_owned())
            .collect(),
        elected: elected_documents(&turn),
        hint_found: question
            .hint
            .as_deref()
            .map(|hint| contains(&turn.answer, hint)),
        elects_without_expected,
        turn_tokens: turn.context_tokens,
        naive_tokens,
        answer: turn.answer,
        expected,
    };
    Ok((question, case, cost))
}

fn ask(
    subject: ElectionSubject<'_>,
    question: &Question,
    run: SuiteRun<'_>,
) -> Result<TurnResult, TuneError> {
    let request = TurnRequest {
        message: question.text.clone(),
        conversation: None,
        scope: run.scope.clone(),
    };
    Ok(subject
        .engine
        .run(&request, subject.session, &mut |_| {}, run.cancellation)?)
}

fn elected_documents(turn: &TurnResult) -> BTreeSet<String> {
    let elected: BTreeSet<usize> = turn.elected.iter().map(|unit| unit.rank).collect();
    let offered = turn
        .offered
        .iter()
        .filter(|unit| elected.contains(&unit.rank));
    offered
        .map(|unit| document_id(&unit.source).to_owned())
        .collect()
}

fn contains(answer: &str, hint: &str) -> bool {
    answer.to_lowercase().contains(&hint.to_lowercase())
}

/// Asks again without the expected documents, then puts them back.
fn elects_without(
    subject: ElectionSubject<'_>,
    dataset: &BeirDataset,
    question: &Question,
    expected: &BTreeSet<String>,
    run: SuiteRun<'_>,
) -> Result<Option<bool>, TuneError> {
    let can_be_put_back = dataset.holds(expected);
    if expected.is_empty() || !can_be_put_back {
        return Ok(None);
    }
    for document in expected {
        subject
            .knowledge
            .remove(run.scope, &document_source(document))?;
    }
    let turn = ask(subject, question, run);
    let taken_out = dataset
        .documents
        .iter()
        .filter(|document| expected.contains(&document.id));
    let mut sources = taken_out.map(crate::Document::source);
    subject
        .knowledge
        .ingest_sources(&mut sources, &Silent, &Cancellation::default())?;
    Ok(Some(!turn?.elected.is_empty()))
}

/// Tokens of the full text of the best entries, as a system without election would inject them.
fn naive_tokens(
    knowledge: &KnowledgeBase,
    question: &Question,
    run: SuiteRun<'_>,
) -> Result<u64, TuneError> {
    let request = SearchRequest {
        query: question.text.clone(),
        k: NAIVE_ENTRIES,
        system: SearchSystem::Hybrid,
        scope: run.scope.clone(),
    };
    let hits = knowledge.search(&request)?.hits;
    let counts = hits
        .iter()
        .map(|hit| knowledge.count_tokens(&hit.unit.unit.content));
    Ok(counts.sum::<Result<usize, _>>()? as u64)
}

fn add_metrics(report: &mut SuiteReport, cases: &[ElectionCase], scores: &ElectionScores) {
    let tokens = |pick: fn(&ElectionCase) -> u64| -> Vec<f64> {
        cases.iter().map(|case| pick(case) as f64).collect()
    };
    for (name, value) in scores.named() {
        match name {
            "tokens_per_turn" => report.add_mean(name, &tokens(|case| case.turn_tokens)),
            "tokens_naive" => report.add_mean(name, &tokens(|case| case.naive_tokens)),
            _ => report.add_value(name, value),
        }
    }
}

struct Silent;

impl IngestProgress for Silent {
    fn file(&self, _done: usize, _found: usize, _source: &str) {}
}
