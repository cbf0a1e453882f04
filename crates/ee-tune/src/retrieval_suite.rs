//! The suite `retrieval`: documents ranked for every question, scored against judgements.

use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

use ee_pipeline::{KnowledgeBase, SearchHit, SearchRequest, SearchSystem};
use km_core::AccessScope;

use crate::beir::document_id;
use crate::{
    BeirDataset, Part, Question, RetrievalScores, SuiteReport, SuiteRun, TuneError, score_ranking,
};

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
#[derive(Debug, Clone, PartialEq)]
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
    let mut rankings = BTreeMap::new();
    let mut scores = Vec::with_capacity(questions.len());
    let mut gained = 0.0;
    for question in &questions {
        if run.cancellation.is_cancelled() {
            return Err(TuneError::Cancelled);
        }
        let ranked = rank(knowledge, &question.text, system, run.scope)?;
        let score = score(dataset, &question.id, &ranked);
        gained += score.map_or(0.0, |score| score.ndcg_at_10);
        scores.extend(score);
        rankings.insert(question.id.clone(), ranked);
        run.progress.question(
            scores.len(),
            questions.len(),
            gained / scores.len().max(1) as f64,
        );
    }
    let mut report = SuiteReport::new("retrieval", &dataset.name, run.setup, scores.len());
    add_metrics(&mut report, &scores);
    report.seconds = start.elapsed().as_secs_f64();
    Ok((report, RetrievalRun { rankings }))
}

/// The selected questions that have a relevant document.
fn counting_questions<'a>(
    dataset: &'a BeirDataset,
    part: &Part,
) -> Result<Vec<&'a Question>, TuneError> {
    let mut questions = part.select(&dataset.questions, |question| &question.id);
    questions.retain(|question| !dataset.relevant(&question.id).is_empty());
    if questions.is_empty() {
        let (what, data) = (part.to_string(), dataset.name.clone());
        return Err(TuneError::NothingSelected { what, data });
    }
    Ok(questions)
}

fn rank(
    knowledge: &KnowledgeBase,
    query: &str,
    system: SearchSystem,
    scope: &AccessScope,
) -> Result<Vec<RankedDocument>, TuneError> {
    let query = query.to_owned();
    let request = SearchRequest {
        query,
        k: UNITS,
        system,
        scope: scope.clone(),
    };
    Ok(by_document(&knowledge.search(&request)?.hits))
}

/// Each document at the place of its best unit.
fn by_document(hits: &[SearchHit]) -> Vec<RankedDocument> {
    let mut seen = HashSet::new();
    let mut ranked = Vec::new();
    for hit in hits {
        let id = document_id(&hit.unit.unit.source);
        if seen.insert(id) {
            ranked.push(RankedDocument {
                id: id.to_owned(),
                score: hit.score,
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

fn add_metrics(report: &mut SuiteReport, scores: &[RetrievalScores]) {
    let mut columns: Vec<(&'static str, Vec<f64>)> = Vec::new();
    for named in scores.iter().map(RetrievalScores::named) {
        for (place, (name, value)) in named.into_iter().enumerate() {
            match columns.get_mut(place) {
                Some((_, column)) => column.push(value),
                None => columns.push((name, vec![value])),
            }
        }
    }
    for (name, column) in &columns {
        report.add_mean(name, column);
    }
}
