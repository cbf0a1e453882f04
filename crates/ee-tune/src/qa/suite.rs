//! The suite `qa`: questions asked one by one, the answers judged by known ones.
//!
//! Every question is a turn of its own, outside any conversation.

use std::time::Instant;

use ee_pipeline::{ChatSession, Engine, TurnRequest, TurnResult};

use super::{QaDataset, QaQuestion, QaVerdict, judge};
use crate::runner::{column, run_cases};
use crate::{CaseCost, CaseRow, SuiteReport, SuiteRun, TuneError};

/// What progress shows.
const MAIN_METRIC: &str = "correct";

/// Metrics beside the verdicts.
const DECLINED: &str = "declined";

/// The engine under test and who answers.
#[derive(Clone, Copy)]
pub struct QaSubject<'a> {
    /// Runs the turns.
    pub engine: &'a Engine,
    /// Elects and answers.
    pub session: &'a dyn ChatSession,
}

/// Runs the suite.
///
/// # Errors
/// [`TuneError`] when nothing is selected, a turn fails, or the run is cancelled.
pub fn run_qa(
    subject: QaSubject<'_>,
    dataset: &QaDataset,
    run: SuiteRun<'_>,
) -> Result<SuiteReport, TuneError> {
    let start = Instant::now();
    let (all, name) = (&dataset.questions, &dataset.name);
    let questions = run.part.choose(all, |one| &one.id, |_| true, name)?;
    let rows = run_cases(
        &questions,
        |question| &question.id,
        MAIN_METRIC,
        run,
        |question| ask(subject, question, run),
    )?;
    let mut report = SuiteReport::new("qa", &dataset.name, run.setup, rows.len());
    for (name, _) in QaVerdict::NAMED {
        report.add_mean(name, &column(&rows, name));
    }
    report.add_mean(DECLINED, &column(&rows, DECLINED));
    let tokens = rows
        .iter()
        .map(|row| row.cost.sent_tokens + row.cost.received_tokens);
    report.add_mean(
        "tokens",
        &tokens.map(|tokens| tokens as f64).collect::<Vec<_>>(),
    );
    report.add_costs(&rows);
    report.rows = rows;
    report.seconds = start.elapsed().as_secs_f64();
    Ok(report)
}

fn ask(
    subject: QaSubject<'_>,
    question: &QaQuestion,
    run: SuiteRun<'_>,
) -> Result<CaseRow, TuneError> {
    let request = TurnRequest {
        message: question.text.clone(),
        conversation: None,
        scope: run.scope.clone(),
    };
    let asking = Instant::now();
    let turn = subject
        .engine
        .run(&request, subject.session, &mut |_| {}, run.cancellation)?;
    Ok(row(question, turn, asking.elapsed().as_secs_f64() * 1e3))
}

fn row(question: &QaQuestion, turn: TurnResult, milliseconds: f64) -> CaseRow {
    let verdict = judge(question, &turn.answer);
    let is = |yes: bool| f64::from(u8::from(yes));
    let verdicts = QaVerdict::NAMED.map(|(name, one)| (name.to_owned(), is(one == verdict)));
    let declined = (DECLINED.to_owned(), is(turn.declined));
    let is_elected = |rank| turn.elected.iter().any(|unit| unit.rank == rank);
    let elected = turn.offered.iter().filter(|unit| is_elected(unit.rank));
    CaseRow {
        id: question.id.clone(),
        question: question.text.clone(),
        metrics: verdicts.into_iter().chain([declined]).collect(),
        expected: question.accepted.clone(),
        elected: elected.map(|unit| unit.source.to_string()).collect(),
        offered: turn
            .offered
            .iter()
            .map(|unit| unit.source.to_string())
            .collect(),
        cost: CaseCost::of_turn(&turn, milliseconds),
        answer: turn.answer,
        ..CaseRow::default()
    }
}
