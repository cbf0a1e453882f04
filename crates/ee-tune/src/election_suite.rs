//! The suite `election`: which entries a session asks for, what its answers hold, what they cost.
//!
//! Every question is a turn of its own, outside any conversation. A question with expected
//! documents is asked once more in a scope without those documents: a session that then still
//! elects something elects by habit, not by relevance.

use std::collections::BTreeSet;
use std::time::Instant;

use ee_pipeline::{
    ChatSession, Engine, KnowledgeBase, SearchRequest, SearchSystem, TurnRequest, TurnResult,
};
use km_core::{AccessScope, SourceId};

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

/// Runs the suite. The store stays as it is.
///
/// # Errors
/// [`TuneError`] when nothing is selected, a turn fails, or the run is cancelled.
pub fn run_election(
    subject: ElectionSubject<'_>,
    dataset: &BeirDataset,
    run: SuiteRun<'_>,
) -> Result<(SuiteReport, Vec<ElectionCase>), TuneError> {
    let start = Instant::now();
    let (all, name) = (&dataset.questions, &dataset.name);
    let questions = run.part.choose(all, |one| &one.id, |_| true, name)?;
    let rows = run_cases(
        &questions,
        |question| &question.id,
        MAIN_METRIC,
        run,
        |question| row(measure(subject, dataset, question, run)?),
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

/// Asks, then asks again without the expected documents.
fn measure<'a>(
    subject: ElectionSubject<'_>,
    dataset: &BeirDataset,
    question: &'a Question,
    run: SuiteRun<'_>,
) -> Result<Measured<'a>, TuneError> {
    let asking = Instant::now();
    let turn = ask(subject, question, run.scope, run)?;
    let cost = CaseCost::of_turn(&turn, asking.elapsed().as_secs_f64() * 1e3);
    let naive_tokens = naive_tokens(subject.knowledge, question, run)?;
    let expected: BTreeSet<String> = dataset
        .relevant(&question.id)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let elects_without_expected = elects_without(subject, question, &expected, run)?;
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
    scope: &AccessScope,
    run: SuiteRun<'_>,
) -> Result<TurnResult, TuneError> {
    let request = TurnRequest {
        message: question.text.clone(),
        conversation: None,
        scope: scope.clone(),
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

/// Asks again without the expected documents; absent where none are expected.
fn elects_without(
    subject: ElectionSubject<'_>,
    question: &Question,
    expected: &BTreeSet<String>,
    run: SuiteRun<'_>,
) -> Result<Option<bool>, TuneError> {
    if expected.is_empty() {
        return Ok(None);
    }
    // A set of one's own names sources as they are, others name documents.
    let named = |id: &String| [SourceId::new(id.as_str()), document_source(id)];
    let scope = run.scope.clone().without(expected.iter().flat_map(named));
    let turn = ask(subject, question, &scope, run)?;
    Ok(Some(!turn.elected.is_empty()))
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
