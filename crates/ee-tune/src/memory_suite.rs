//! The suite `memory`: turns of a conversation ranked for every question about it.

use std::collections::BTreeMap;
use std::time::Instant;

use ee_embed::{Embedder, Reranker};
use ee_index::IndexConfig;
use ee_pipeline::{IndexedTurn, MemoryConfig, ReadTurn, SearchSystem, TurnIndex, TurnReader};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::blend::{Fitted, Labelled, fit, fit_blend, fold_by};
use crate::memory_metrics::MEMORY_DEPTHS;
use crate::runner::run_cases;
use crate::stage_clock::StageClock;
use crate::{
    CaseCost, CaseRow, Comparison, MemoryDataset, MemoryQuestion, MemoryScores, MemoryTurn,
    SuiteReport, SuiteRun, TuneError, score_memory,
};

/// The stages that are timed: search alone, and search with the cross-encoder.
const SEARCHING: &str = "search";
const READING: &str = "search_and_rerank";

/// What progress shows.
const MAIN_METRIC: &str = "recall@10";

/// How many of the ranked turns a row names.
const SHOWN: usize = 10;

/// How deep turns are ranked.
const DEPTH: usize = 50;

/// How turns are searched.
#[derive(Clone, Copy)]
pub struct MemorySubject<'a> {
    /// Embeds turns and questions.
    pub embedder: &'a dyn Embedder,
    /// Reads questions with turns, for the precision pipeline.
    pub reranker: Option<&'a dyn Reranker>,
    /// The search among turns.
    pub memory: &'a MemoryConfig,
    /// The vector index.
    pub index: &'a IndexConfig,
    /// Which ranking.
    pub system: SearchSystem,
}

/// The turns ranked for a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    let indexes = subject.indexes(dataset, &questions, run)?;
    let rows = run_cases(
        &questions,
        |question| &question.id,
        MAIN_METRIC,
        run,
        |question| {
            let asking = Instant::now();
            let asked = subject.asked(&indexes, question)?;
            let ranked = asked.named(&asked.rank()?);
            row(question, &ranked, asking.elapsed().as_secs_f64() * 1e3)
        },
    )?;
    let mut stages = StageClock::default();
    for row in &rows {
        stages.record(subject.stage(), row.cost.milliseconds);
    }
    let mut report = SuiteReport::new("memory", &dataset.name, run.setup, rows.len());
    let rankings = rows
        .iter()
        .map(|row| serde_json::from_value(row.detail.clone()));
    let rankings = rankings.collect::<Result<Vec<RankedTurns>, _>>();
    let rankings = rankings.map_err(TuneError::Detail)?;
    let scores: Vec<Scored<'_>> = questions
        .iter()
        .zip(&rankings)
        .map(|(question, ranked)| (question.category.as_str(), scores_of(ranked, question)))
        .collect();
    add_metrics(&mut report, &scores);
    report.rows = rows;
    report.stage_milliseconds = stages.means();
    report.seconds = start.elapsed().as_secs_f64();
    Ok((report, rankings))
}

fn row(
    question: &MemoryQuestion,
    ranked: &RankedTurns,
    milliseconds: f64,
) -> Result<CaseRow, TuneError> {
    let scores = [scores_of(ranked, question)];
    let metrics = columns(&scores).into_iter();
    let value = |values: &[f64]| values.first().copied().unwrap_or_default();
    Ok(CaseRow {
        id: question.id.clone(),
        question: question.text.clone(),
        metrics: metrics
            .map(|(name, values)| (name, value(&values)))
            .collect(),
        expected: question.evidence.iter().cloned().collect(),
        offered: ranked.ranked.iter().take(SHOWN).cloned().collect(),
        cost: CaseCost {
            milliseconds,
            ..CaseCost::default()
        },
        detail: serde_json::to_value(ranked).map_err(TuneError::Detail)?,
        ..CaseRow::default()
    })
}

/// Runs the precision pipeline, the questions about each conversation under a blend and a
/// calibration that were fitted on the other conversations, beside plain hybrid search. Gives what
/// was fitted on all questions too.
///
/// # Errors
/// [`TuneError`] when nothing is selected, a search fails, or the run is cancelled.
pub fn cross_fit_memory(
    subject: MemorySubject<'_>,
    dataset: &MemoryDataset,
    run: SuiteRun<'_>,
) -> Result<(SuiteReport, Vec<RankedTurns>, Fitted), TuneError> {
    let start = Instant::now();
    let mut stages = StageClock::default();
    let mut seen = Vec::new();
    let hybrid = subject.each_question(dataset, run, |question, asked| {
        let asking = Instant::now();
        let turns = asked.read(subject.memory.candidates.max(DEPTH))?;
        let milliseconds = asking.elapsed().as_secs_f64() * 1e3;
        stages.record(READING, milliseconds);
        seen.push((question, Seen::new(asked, &turns, milliseconds)));
        let asking = Instant::now();
        let positions = asked.search(SearchSystem::Hybrid)?;
        stages.record(SEARCHING, asking.elapsed().as_secs_f64() * 1e3);
        Ok(scores_of(&asked.named(&positions), question))
    })?;
    let labelled: Vec<&Labelled> = seen.iter().map(|(_, seen)| &seen.labelled).collect();
    let groups: Vec<&str> = seen
        .iter()
        .map(|(asked, _)| asked.conversation.as_str())
        .collect();
    let orders = fold_by(&labelled, &groups, fit_blend, |blend, one| {
        one.ranked(blend)
    });
    let (mut rankings, mut scores, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for ((question, seen), order) in seen.iter().zip(orders) {
        let ranked = seen.ranking(question, &order);
        rows.push(row(question, &ranked, seen.milliseconds)?);
        let score = scores_of(&ranked, question);
        scores.push((question.category.as_str(), score));
        rankings.push(ranked);
    }
    let mut report = SuiteReport::new("memory", &dataset.name, run.setup, scores.len());
    add_metrics(&mut report, &scores);
    report.stage_milliseconds = stages.means();
    report.compared = compare(&scores, &hybrid, run.setup.seed);
    report.add_minimum(&labelled, &groups);
    report.rows = rows;
    run.cases.keep(&report.rows)?;
    report.seconds = start.elapsed().as_secs_f64();
    Ok((report, rankings, fit(&labelled)))
}

/// A question with what it is asked of.
struct Asked<'a> {
    subject: MemorySubject<'a>,
    question: &'a MemoryQuestion,
    turns: &'a [MemoryTurn],
    index: &'a TurnIndex,
    vector: Vec<f32>,
}

impl Asked<'_> {
    /// Positions of turns, best first.
    fn rank(&self) -> Result<Vec<u64>, TuneError> {
        if self.subject.system == SearchSystem::Precise {
            let turns = self.read(DEPTH)?;
            return Ok(turns.iter().map(|turn| turn.position).collect());
        }
        self.search(self.subject.system)
    }

    fn search(&self, system: SearchSystem) -> Result<Vec<u64>, TuneError> {
        let question = &self.question.text;
        let hits = self.index.search(question, &self.vector, system, DEPTH)?;
        Ok(hits.iter().map(|hit| hit.position).collect())
    }

    fn read(&self, depth: usize) -> Result<Vec<ReadTurn>, TuneError> {
        let text = |position: u64| {
            let turn = self.turns.get(position as usize);
            turn.map_or_else(String::new, |turn| {
                format!("{}: {}", turn.speaker, turn.text)
            })
        };
        let reader = TurnReader {
            reranker: self.subject.reranker,
            text: &text,
        };
        let question = &self.question.text;
        Ok(self.index.read(question, &self.vector, reader, depth)?)
    }

    fn id(&self, position: u64) -> Option<&String> {
        self.turns.get(position as usize).map(|turn| &turn.id)
    }

    fn named(&self, positions: &[u64]) -> RankedTurns {
        let ids = positions.iter().filter_map(|position| self.id(*position));
        RankedTurns {
            q_id: self.question.id.clone(),
            ranked: ids.cloned().collect(),
        }
    }
}

/// The turns that the precision pipeline saw for a question.
struct Seen {
    ids: Vec<String>,
    milliseconds: f64,
    labelled: Labelled,
}

impl Seen {
    fn new(asked: &Asked<'_>, turns: &[ReadTurn], milliseconds: f64) -> Self {
        let mut seen = Self {
            ids: Vec::new(),
            milliseconds,
            labelled: Labelled::default(),
        };
        for turn in turns {
            if let Some(id) = asked.id(turn.position) {
                let relevant = asked.question.evidence.contains(id);
                seen.labelled.add(turn.evidence, relevant);
                seen.ids.push(id.clone());
            }
        }
        seen
    }

    fn ranking(&self, question: &MemoryQuestion, order: &[(usize, f32)]) -> RankedTurns {
        let ids = order.iter().filter_map(|(place, _)| self.ids.get(*place));
        RankedTurns {
            q_id: question.id.clone(),
            ranked: ids.take(DEPTH).cloned().collect(),
        }
    }
}

fn chosen<'a>(
    dataset: &'a MemoryDataset,
    run: SuiteRun<'_>,
) -> Result<Vec<&'a MemoryQuestion>, TuneError> {
    let names: Vec<&String> = dataset.conversations.keys().collect();
    let ids = dataset.questions.iter().map(|one| one.id.as_str());
    run.part.check_ids(ids, &dataset.name)?;
    run.part
        .check_files(names.iter().map(|name| name.as_str()), &dataset.name)?;
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

/// The turns of a conversation, indexed.
pub(crate) fn indexed(
    subject: MemorySubject<'_>,
    turns: &[MemoryTurn],
) -> Result<TurnIndex, TuneError> {
    let dimension = subject.embedder.fingerprint().dimension;
    let mut index = TurnIndex::new(dimension, subject.memory.clone(), subject.index)?;
    let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
    for (turn, embedding) in turns.iter().zip(subject.embedder.embed_documents(&texts)?) {
        index.push(IndexedTurn {
            speaker: &turn.speaker,
            text: &turn.text,
            at: turn.at,
            vector: &embedding.vector,
        })?;
    }
    Ok(index)
}

impl MemorySubject<'_> {
    fn stage(self) -> &'static str {
        match self.system {
            SearchSystem::Precise => READING,
            _ => SEARCHING,
        }
    }

    /// The turns and their index for every conversation that a question is about.
    fn indexes<'a>(
        self,
        dataset: &'a MemoryDataset,
        questions: &[&MemoryQuestion],
        run: SuiteRun<'_>,
    ) -> Result<Indexes<'a>, TuneError> {
        let mut indexes = Indexes::new();
        for (conversation, turns) in &dataset.conversations {
            if run.cancellation.is_cancelled() {
                return Err(TuneError::Cancelled);
            }
            if questions
                .iter()
                .any(|one| &one.conversation == conversation)
            {
                indexes.insert(conversation, (turns, indexed(self, turns)?));
            }
        }
        Ok(indexes)
    }

    fn asked<'a>(
        self,
        indexes: &'a Indexes<'_>,
        question: &'a MemoryQuestion,
    ) -> Result<Asked<'a>, TuneError>
    where
        Self: 'a,
    {
        let conversation = indexes.get(question.conversation.as_str());
        let (turns, index) = conversation.ok_or_else(|| TuneError::Unknown {
            ids: vec![question.conversation.clone()],
            data: "the dataset".to_owned(),
        })?;
        Ok(Asked {
            subject: self,
            question,
            turns,
            index,
            vector: self.embedder.embed_query(&question.text)?.vector,
        })
    }

    /// Scores every selected question in turn, with its category.
    fn each_question<'a>(
        self,
        dataset: &'a MemoryDataset,
        run: SuiteRun<'_>,
        mut measure: impl FnMut(&'a MemoryQuestion, &Asked<'_>) -> Result<DepthScores, TuneError>,
    ) -> Result<Vec<Scored<'a>>, TuneError> {
        let questions = chosen(dataset, run)?;
        let indexes = self.indexes(dataset, &questions, run)?;
        let mut scores = Vec::with_capacity(questions.len());
        let mut gained = 0.0;
        for question in &questions {
            if run.cancellation.is_cancelled() {
                return Err(TuneError::Cancelled);
            }
            let score = measure(question, &self.asked(&indexes, question)?)?;
            gained += score[1].recall;
            scores.push((question.category.as_str(), score));
            let mean = gained / scores.len() as f64;
            run.progress.question(scores.len(), questions.len(), mean);
        }
        Ok(scores)
    }
}

/// Conversations by name: turns and their index.
type Indexes<'a> = BTreeMap<&'a str, (&'a [MemoryTurn], TurnIndex)>;

type DepthScores = [MemoryScores; MEMORY_DEPTHS.len()];

/// A question's category and scores.
type Scored<'a> = (&'a str, DepthScores);

/// Scores at every depth; questions without evidence were never chosen.
fn scores_of(ranked: &RankedTurns, question: &MemoryQuestion) -> DepthScores {
    let ids: Vec<&str> = ranked.ranked.iter().map(String::as_str).collect();
    MEMORY_DEPTHS.map(|k| score_memory(&ids, &question.evidence, k).unwrap_or_default())
}

/// Both systems at the depths that matter most.
fn compare(own: &[Scored<'_>], other: &[Scored<'_>], seed: u64) -> Vec<Comparison> {
    type Value = fn(&DepthScores) -> f64;
    let metrics: [(&'static str, Value); 4] = [
        ("recall@5", |scores| scores[0].recall),
        ("recall@10", |scores| scores[1].recall),
        ("any@5", |scores| scores[0].any),
        ("all@5", |scores| scores[0].all),
    ];
    let compared = metrics.map(|(name, value)| {
        let values = |scores: &[Scored<'_>]| scores.iter().map(|(_, one)| value(one)).collect();
        let (own, other): (Vec<f64>, Vec<f64>) = (values(own), values(other));
        Comparison::new("hybrid", name, &own, &other, seed)
    });
    compared.into()
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

fn add_metrics(report: &mut SuiteReport, scores: &[Scored<'_>]) {
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
