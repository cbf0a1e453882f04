//! The suite `memory` as a search measures it: what is known of every turn for every question,
//! once; weights and windows at every trial.

use std::collections::BTreeMap;

use ee_pipeline::TurnSignals;

use super::{Case, Measure, TuningSubject};
use crate::memory_suite::indexed;
use crate::space::TunableSettings;
use crate::{MemoryDataset, MemorySubject, TuneError, WorstQuestion, score_memory};
use ee_pipeline::TurnIndex;

/// How deep turns are ranked.
const DEPTH: usize = 50;

/// The metrics, the deciding one first.
const METRICS: [&str; 5] = ["recall@10", "recall@5", "any@5", "all@5", "recall@20"];

/// What is searched unless other settings are named.
const SEARCHED: [&str; 8] = [
    "memory.dense_weight",
    "memory.text_weight",
    "memory.window_weight",
    "memory.neighbour_weight",
    "memory.second_neighbour_weight",
    "memory.session_weight",
    "memory.speaker_weight",
    "memory.session_gap_hours",
];

/// Questions with what is known of the turns of their conversations.
pub struct MemoryTuning {
    dataset: MemoryDataset,
    indexes: BTreeMap<String, TurnIndex>,
    cases: Vec<Case>,
    /// Places of the cases among the questions, and what is known of the turns.
    prepared: Vec<(usize, TurnSignals)>,
    /// Tokens of every turn, by conversation.
    tokens: BTreeMap<String, Vec<usize>>,
}

impl MemoryTuning {
    /// Embeds turns and questions, and finds out what is known of every turn.
    ///
    /// # Errors
    /// [`TuneError`] when the embedder fails.
    pub fn prepare(subject: MemorySubject<'_>, dataset: MemoryDataset) -> Result<Self, TuneError> {
        let (mut indexes, mut tokens) = (BTreeMap::new(), BTreeMap::new());
        for (name, turns) in &dataset.conversations {
            indexes.insert(name.clone(), indexed(subject, turns)?);
            let counts = turns
                .iter()
                .map(|turn| subject.embedder.count_tokens(&turn.text));
            tokens.insert(name.clone(), counts.collect::<Result<Vec<usize>, _>>()?);
        }
        let (mut cases, mut prepared) = (Vec::new(), Vec::new());
        for (place, question) in dataset.questions.iter().enumerate() {
            let index = indexes.get(&question.conversation);
            let Some(index) = index.filter(|_| !question.evidence.is_empty()) else {
                continue;
            };
            let vector = subject.embedder.embed_query(&question.text)?.vector;
            prepared.push((place, index.signals(&question.text, &vector)?));
            cases.push(Case {
                id: question.id.clone(),
                group: question.conversation.clone(),
            });
        }
        Ok(Self {
            dataset,
            indexes,
            cases,
            prepared,
            tokens,
        })
    }

    /// The positions of the best turns for the case at a place.
    fn ranked(&self, settings: &TunableSettings, place: usize) -> Option<Ranked<'_>> {
        let (at, signals) = self.prepared.get(place)?;
        let question = self.dataset.questions.get(*at)?;
        let index = self.indexes.get(&question.conversation)?;
        let turns = self.dataset.conversations.get(&question.conversation)?;
        let hits = index.rank(signals, &settings.memory, DEPTH);
        let positions: Vec<usize> = hits.iter().map(|hit| hit.position as usize).collect();
        let ids = positions
            .iter()
            .filter_map(|at| turns.get(*at))
            .map(|turn| turn.id.as_str());
        Some(Ranked {
            ids: ids.collect(),
            positions,
            question,
        })
    }
}

struct Ranked<'a> {
    ids: Vec<&'a str>,
    positions: Vec<usize>,
    question: &'a crate::MemoryQuestion,
}

impl TuningSubject for MemoryTuning {
    fn suite(&self) -> &'static str {
        "memory"
    }

    fn data(&self) -> &str {
        &self.dataset.name
    }

    fn metrics(&self) -> &[&'static str] {
        &METRICS
    }

    fn cases(&self) -> &[Case] {
        &self.cases
    }

    fn searched(&self) -> &[&'static str] {
        &SEARCHED
    }

    fn reads(&self, key: &str) -> bool {
        let read_by_others = ["memory.candidates", "memory.reranked"];
        key.starts_with("memory.") && !read_by_others.contains(&key)
    }

    fn measure(
        &self,
        settings: &TunableSettings,
        places: &[usize],
    ) -> Result<Vec<Measure>, TuneError> {
        settings.memory.validate()?;
        let measure = |place: &usize| {
            let ranked = self.ranked(settings, *place)?;
            let evidence = &ranked.question.evidence;
            let [at_5, at_10, at_20] =
                [5, 10, 20].map(|k| score_memory(&ranked.ids, evidence, k).unwrap_or_default());
            let tokens = self.tokens.get(&ranked.question.conversation)?;
            let offered = ranked.positions.iter().take(settings.turn.top_k);
            let offered: usize = offered.filter_map(|at| tokens.get(*at)).sum();
            Some(Measure {
                metrics: vec![at_10.recall, at_5.recall, at_5.any, at_5.all, at_20.recall],
                tokens: Some(offered as f64),
                work: None,
            })
        };
        Ok(places.iter().filter_map(measure).collect())
    }

    fn show(&self, settings: &TunableSettings, place: usize) -> Result<WorstQuestion, TuneError> {
        let ranked = self
            .ranked(settings, place)
            .ok_or_else(|| TuneError::NothingSelected {
                what: format!("case {place}"),
                data: self.dataset.name.clone(),
            })?;
        Ok(WorstQuestion {
            id: ranked.question.id.clone(),
            question: ranked.question.text.clone(),
            score: 0.0,
            expected: ranked.question.evidence.iter().cloned().collect(),
            offered: ranked
                .ids
                .iter()
                .take(10)
                .map(|id| (*id).to_owned())
                .collect(),
            elected: Vec::new(),
            answer: String::new(),
        })
    }
}
