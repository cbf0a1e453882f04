//! The suite `memory`: turns of a conversation ranked for every question about it.

use std::collections::BTreeMap;
use std::time::Instant;

use ee_embed::Embedder;
use ee_index::IndexConfig;
use ee_pipeline::{IndexedTurn, MemoryConfig, SearchSystem, TurnIndex};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::memory_metrics::MEMORY_DEPTHS;
use crate::{
    MemoryDataset, MemoryQuestion, MemoryScores, MemoryTurn, SuiteReport, SuiteRun, TuneError,
    score_memory,
};

/// How deep turns are ranked.
const DEPTH: usize = 50;

/// How turns are searched.
#[derive(Clone, Copy)]
pub struct MemorySubject<'a> {
    /// Embeds turns and questions.
    pub embedder: &'a dyn Embedder,
    /// The search among turns.
    pub memory: &'a MemoryConfig,
    /// The vector index.
    pub index: &'a IndexConfig,
    /// Which ranking.
    pub system: SearchSystem,
}

/// The turns ranked for a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RankedTurns {
    /// The question.
    pub q_id: String,
    /// Ids of turns, best first, at most 50.
    pub ranked: Vec<String>,
}

/// Runs the suite. `run.part` chooses conversations by half and by file name, and questions by id.
///
/// # Errors
/// [`TuneError`] when nothing is selected, a search fails, or the run is cancelled.
pub fn run_memory(
    subject: MemorySubject<'_>,
    dataset: &MemoryDataset,
    run: SuiteRun<'_>,
) -> Result<(SuiteReport, Vec<RankedTurns>), TuneError> {
    let start = Instant::now();
    let questions = chosen(dataset, run)?;
    let mut indexes = BTreeMap::new();
    let (mut rankings, mut scores) = (Vec::new(), Vec::new());
    let mut gained = 0.0;
    for question in &questions {
        if run.cancellation.is_cancelled() {
            return Err(TuneError::Cancelled);
        }
        let turns = dataset.conversations.get(&question.conversation);
        let turns = turns.map(Vec::as_slice).unwrap_or_default();
        let index = match indexes.entry(&question.conversation) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => new.insert(subject.index(turns)?),
        };
        let ranked = subject.rank(index, turns, question)?;
        if let Some(score) = scores_of(&ranked, question) {
            gained += score[1].recall;
            scores.push((question.category.as_str(), score));
        }
        rankings.push(ranked);
        let (done, all) = (rankings.len(), questions.len());
        run.progress
            .question(done, all, gained / scores.len().max(1) as f64);
    }
    let mut report = SuiteReport::new("memory", &dataset.name, run.setup, scores.len());
    add_metrics(&mut report, &scores);
    report.seconds = start.elapsed().as_secs_f64();
    Ok((report, rankings))
}

fn chosen<'a>(
    dataset: &'a MemoryDataset,
    run: SuiteRun<'_>,
) -> Result<Vec<&'a MemoryQuestion>, TuneError> {
    let names: Vec<&String> = dataset.conversations.keys().collect();
    let conversations = run.part.select_files(&names, |name| name);
    let mut questions: Vec<&MemoryQuestion> = dataset
        .questions
        .iter()
        .filter(|question| conversations.iter().any(|c| **c == &question.conversation))
        .filter(|question| run.part.admits_id(&question.id) && !question.evidence.is_empty())
        .collect();
    questions.truncate(run.part.limit.unwrap_or(usize::MAX));
    if questions.is_empty() {
        let (what, data) = (run.part.to_string(), dataset.name.clone());
        return Err(TuneError::NothingSelected { what, data });
    }
    Ok(questions)
}

impl MemorySubject<'_> {
    fn index(self, turns: &[MemoryTurn]) -> Result<TurnIndex, TuneError> {
        let dimension = self.embedder.fingerprint().dimension;
        let mut index = TurnIndex::new(dimension, self.memory.clone(), self.index)?;
        let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
        for (turn, embedding) in turns.iter().zip(self.embedder.embed_documents(&texts)?) {
            index.push(IndexedTurn {
                speaker: &turn.speaker,
                text: &turn.text,
                at: turn.at,
                vector: &embedding.vector,
            })?;
        }
        Ok(index)
    }

    fn rank(
        self,
        index: &TurnIndex,
        turns: &[MemoryTurn],
        question: &MemoryQuestion,
    ) -> Result<RankedTurns, TuneError> {
        let vector = self.embedder.embed_query(&question.text)?.vector;
        let hits = index.search(&question.text, &vector, self.system, DEPTH)?;
        let id = |position: u64| turns.get(position as usize).map(|turn| turn.id.clone());
        Ok(RankedTurns {
            q_id: question.id.clone(),
            ranked: hits.iter().filter_map(|hit| id(hit.position)).collect(),
        })
    }
}

type DepthScores = [MemoryScores; MEMORY_DEPTHS.len()];

fn scores_of(ranked: &RankedTurns, question: &MemoryQuestion) -> Option<DepthScores> {
    let ids: Vec<&str> = ranked.ranked.iter().map(String::as_str).collect();
    let [a, b, c, d] = MEMORY_DEPTHS.map(|k| score_memory(&ids, &question.evidence, k));
    Some([a?, b?, c?, d?])
}

/// Values of one metric, one for each question.
type Column = (String, Vec<f64>);

fn columns(scores: &[DepthScores]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for name in ["recall", "any", "all"] {
        for (depth, k) in MEMORY_DEPTHS.iter().enumerate() {
            let at_depth = scores.iter().filter_map(|score| score.get(depth));
            let values = at_depth.map(|score| match name {
                "recall" => score.recall,
                "any" => score.any,
                _ => score.all,
            });
            columns.push((format!("{name}@{k}"), values.collect()));
        }
    }
    columns
}

fn add_metrics(report: &mut SuiteReport, scores: &[(&str, DepthScores)]) {
    let mut groups: BTreeMap<&str, Vec<DepthScores>> = BTreeMap::new();
    for (category, score) in scores {
        groups.entry(category).or_default().push(*score);
    }
    let all: Vec<DepthScores> = scores.iter().map(|(_, score)| *score).collect();
    for (name, column) in columns(&all) {
        report.add_mean(&name, &column);
    }
    for (category, scores) in groups {
        let mut group = Map::new();
        for (name, column) in columns(&scores) {
            group.insert(name, Value::from(crate::report::rounded_mean(&column)));
        }
        group.insert("n".to_owned(), Value::from(scores.len()));
        report
            .groups
            .insert(category.to_owned(), Value::Object(group));
    }
}
