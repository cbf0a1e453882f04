//! The suite `retrieval`: documents ranked for every question, scored against judgements.

use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

use ee_pipeline::{
    KnowledgeBase, SearchHit, SearchRequest, SearchResponse, SearchSystem, StageTrace,
};
use km_core::AccessScope;
use serde::{Deserialize, Serialize};

use crate::beir::document_id;
use crate::blend::{Fitted, Labelled, fit, fit_blend, fold_by};
use crate::runner::{column, run_cases};
use crate::stage_clock::StageClock;
use crate::{
    BeirDataset, CaseCost, CaseRow, Comparison, Part, Question, RetrievalScores, SuiteReport,
    SuiteRun, TuneError, score_ranking,
};

/// What progress shows.
const MAIN_METRIC: &str = "ndcg@10";

/// How many of the ranked documents a row names.
const SHOWN: usize = 10;

/// How deep documents are ranked.
const DEPTH: usize = 100;

/// How many units are asked for, so that enough documents remain when each gives its best unit.
const UNITS: usize = 400;

/// Rankings by question id.
#[derive(Debug, Clone, Default)]
pub struct RetrievalRun {
    /// Documents, best first, at most 100 for each question.
    pub rankings: BTreeMap<String, Vec<RankedDocument>>,
}

/// A ranked document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedDocument {
    /// Its id.
    pub id: String,
    /// The score of its best unit, on the scale of the system.
    pub score: f32,
}

/// Runs the suite over a knowledge base that holds the dataset, one source per document.
///
/// # Errors
/// [`TuneError`] when nothing is selected, a search fails, or the run is cancelled.
pub fn run_retrieval(
    knowledge: &KnowledgeBase,
    dataset: &BeirDataset,
    system: SearchSystem,
    run: SuiteRun<'_>,
) -> Result<(SuiteReport, RetrievalRun), TuneError> {
    let start = Instant::now();
    let questions = counting_questions(dataset, run.part)?;
    let rows = run_cases(
        &questions,
        |question| &question.id,
        MAIN_METRIC,
        run,
        |question| {
            let asking = Instant::now();
            let response = search(knowledge, &question.text, system, run.scope)?;
            let ranked = by_document(response.hits.iter().map(scored));
            let milliseconds = asking.elapsed().as_secs_f64() * 1e3;
            row(dataset, question, ranked, &response.stages, milliseconds)
        },
    )?;
    let mut report = SuiteReport::new("retrieval", &dataset.name, run.setup, rows.len());
    let details: Vec<Ranking> = rows.iter().filter_map(Ranking::of).collect();
    add_metrics(&mut report, rows);
    report.stage_milliseconds = stage_means(&details);
    report.seconds = start.elapsed().as_secs_f64();
    let rankings = details.into_iter().map(|one| (one.question, one.ranked));
    Ok((
        report,
        RetrievalRun {
            rankings: rankings.collect(),
        },
    ))
}

/// What a row keeps besides what all suites keep.
#[derive(Serialize, Deserialize)]
struct Ranking {
    question: String,
    ranked: Vec<RankedDocument>,
    stages: Vec<(String, f64)>,
}

impl Ranking {
    fn of(row: &CaseRow) -> Option<Self> {
        serde_json::from_value(row.detail.clone()).ok()
    }
}

fn row(
    dataset: &BeirDataset,
    question: &Question,
    ranked: Vec<RankedDocument>,
    stages: &[StageTrace],
    milliseconds: f64,
) -> Result<CaseRow, TuneError> {
    let scores = score(dataset, &question.id, &ranked).map(|scores| scores.named());
    let scores = scores.into_iter().flatten();
    let relevant = dataset.relevant(&question.id).into_iter();
    let stages = stages
        .iter()
        .map(|one| (one.stage.to_owned(), one.milliseconds));
    let offered = ranked
        .iter()
        .take(SHOWN)
        .map(|one| one.id.clone())
        .collect();
    let detail = Ranking {
        question: question.id.clone(),
        stages: stages.collect(),
        ranked,
    };
    Ok(CaseRow {
        id: question.id.clone(),
        question: question.text.clone(),
        metrics: scores
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        expected: relevant.map(str::to_owned).collect(),
        offered,
        cost: CaseCost {
            milliseconds,
            ..CaseCost::default()
        },
        detail: serde_json::to_value(detail).map_err(TuneError::Detail)?,
        ..CaseRow::default()
    })
}

fn stage_means(details: &[Ranking]) -> serde_json::Map<String, serde_json::Value> {
    let mut clock = StageClock::default();
    for (stage, milliseconds) in details.iter().flat_map(|one| &one.stages) {
        clock.record(stage, *milliseconds);
    }
    clock.means()
}

/// Runs the precision pipeline, each half of the questions under a blend and a calibration that
/// were fitted on the other half, beside plain hybrid search. Gives what was fitted on all
/// questions too.
///
/// # Errors
/// [`TuneError`] when nothing is selected, a search fails, or the run is cancelled.
pub fn cross_fit_retrieval(
    knowledge: &KnowledgeBase,
    dataset: &BeirDataset,
    run: SuiteRun<'_>,
) -> Result<(SuiteReport, RetrievalRun, Fitted), TuneError> {
    let start = Instant::now();
    let mut stages = StageClock::default();
    let mut seen = Vec::new();
    let hybrid = each_question(dataset, run, |question| {
        let asking = Instant::now();
        let precise = search(knowledge, &question.text, SearchSystem::Precise, run.scope)?;
        stages.add(&precise.stages);
        seen.push(Seen::new(dataset, question, &precise.hits, asking));
        let hybrid = search(knowledge, &question.text, SearchSystem::Hybrid, run.scope)?;
        let ranked = by_document(hybrid.hits.iter().map(scored));
        Ok(score(dataset, &question.id, &ranked))
    })?;
    let labelled: Vec<&Labelled> = seen.iter().map(|seen| &seen.labelled).collect();
    let halves: Vec<usize> = (0..seen.len()).map(|place| place % 2).collect();
    let orders = fold_by(&labelled, &halves, fit_blend, |blend, one| {
        one.ranked(blend)
    });
    let (mut rankings, mut scores, mut rows) = (BTreeMap::new(), Vec::new(), Vec::new());
    for (seen, order) in seen.iter().zip(orders) {
        let ranked = seen.ranking(&order);
        scores.extend(score(dataset, &seen.question.id, &ranked));
        rows.push(row(
            dataset,
            &seen.question,
            ranked.clone(),
            &[],
            seen.milliseconds,
        )?);
        rankings.insert(seen.question.id.clone(), ranked);
    }
    let mut report = SuiteReport::new("retrieval", &dataset.name, run.setup, rows.len());
    add_metrics(&mut report, rows);
    report.stage_milliseconds = stages.means();
    report.compared = compare(&scores, &hybrid, run.setup.seed);
    report.add_minimum(&labelled, &halves);
    run.cases.keep(&report.rows)?;
    report.seconds = start.elapsed().as_secs_f64();
    Ok((report, RetrievalRun { rankings }, fit(&labelled)))
}

/// The candidates of a question as the precision pipeline saw them.
struct Seen {
    question: Question,
    milliseconds: f64,
    documents: Vec<String>,
    labelled: Labelled,
}

impl Seen {
    fn new(
        dataset: &BeirDataset,
        question: &Question,
        hits: &[SearchHit],
        asking: Instant,
    ) -> Self {
        let relevant = dataset.relevant(&question.id);
        let mut seen = Self {
            question: question.clone(),
            milliseconds: asking.elapsed().as_secs_f64() * 1e3,
            documents: Vec::new(),
            labelled: Labelled::default(),
        };
        for hit in hits {
            let document = document_id(&hit.unit.unit.source);
            seen.labelled.add(
                hit.evidence.unwrap_or_default(),
                relevant.contains(document),
            );
            seen.documents.push(document.to_owned());
        }
        seen
    }

    fn ranking(&self, order: &[(usize, f32)]) -> Vec<RankedDocument> {
        let named = order.iter().filter_map(|(place, probability)| {
            Some((self.documents.get(*place)?.as_str(), *probability))
        });
        by_document(named)
    }
}

fn compare(own: &[RetrievalScores], other: &[RetrievalScores], seed: u64) -> Vec<Comparison> {
    let values = |scores: &[RetrievalScores], place: usize| -> Vec<f64> {
        let value = |score: &RetrievalScores| score.named().get(place).map(|(_, value)| *value);
        scores.iter().filter_map(value).collect()
    };
    let names = own.first().map(RetrievalScores::named);
    let names = names.into_iter().flatten().enumerate();
    names
        .map(|(place, (name, _))| {
            Comparison::new(
                "hybrid",
                name,
                &values(own, place),
                &values(other, place),
                seed,
            )
        })
        .collect()
}

/// Scores every selected question in turn.
fn each_question(
    dataset: &BeirDataset,
    run: SuiteRun<'_>,
    mut measure: impl FnMut(&Question) -> Result<Option<RetrievalScores>, TuneError>,
) -> Result<Vec<RetrievalScores>, TuneError> {
    let questions = counting_questions(dataset, run.part)?;
    let mut scores = Vec::with_capacity(questions.len());
    let mut gained = 0.0;
    for question in &questions {
        if run.cancellation.is_cancelled() {
            return Err(TuneError::Cancelled);
        }
        let score = measure(question)?;
        gained += score.map_or(0.0, |score| score.ndcg_at_10);
        scores.extend(score);
        let mean = gained / scores.len().max(1) as f64;
        run.progress.question(scores.len(), questions.len(), mean);
    }
    Ok(scores)
}

/// The selected questions that have a relevant document.
fn counting_questions<'a>(
    dataset: &'a BeirDataset,
    part: &Part,
) -> Result<Vec<&'a Question>, TuneError> {
    let judged = |one: &Question| !dataset.relevant(&one.id).is_empty();
    part.choose(&dataset.questions, |one| &one.id, judged, &dataset.name)
}

fn search(
    knowledge: &KnowledgeBase,
    query: &str,
    system: SearchSystem,
    scope: &AccessScope,
) -> Result<SearchResponse, TuneError> {
    let query = query.to_owned();
    let request = SearchRequest {
        query,
        k: UNITS,
        system,
        scope: scope.clone(),
    };
    Ok(knowledge.search(&request)?)
}

fn scored(hit: &SearchHit) -> (&str, f32) {
    (document_id(&hit.unit.unit.source), hit.score)
}

/// Each document at the place of its best unit.
fn by_document<'a>(units: impl Iterator<Item = (&'a str, f32)>) -> Vec<RankedDocument> {
    let mut seen = HashSet::new();
    let mut ranked = Vec::new();
    for (id, score) in units {
        if seen.insert(id) {
            ranked.push(RankedDocument {
                id: id.to_owned(),
                score,
            });
        }
    }
    ranked.truncate(DEPTH);
    ranked
}

fn score(
    dataset: &BeirDataset,
    question: &str,
    ranked: &[RankedDocument],
) -> Option<RetrievalScores> {
    let ids: Vec<&str> = ranked.iter().map(|document| document.id.as_str()).collect();
    dataset
        .judgements
        .get(question)
        .and_then(|grades| score_ranking(&ids, grades))
}

fn add_metrics(report: &mut SuiteReport, rows: Vec<CaseRow>) {
    for name in RetrievalScores::NAMES {
        report.add_mean(name, &column(&rows, name));
    }
    report.rows = rows;
}
