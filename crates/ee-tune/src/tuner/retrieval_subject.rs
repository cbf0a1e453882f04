//! The suite `retrieval` as a search measures it: candidates once, fusion at every trial.

use std::collections::BTreeMap;
use std::time::Instant;

use ee_pipeline::{FusionInput, KnowledgeBase, SearchRequest, SearchSystem};
use km_core::AccessScope;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::candidates::{Found, Names};
use super::{Case, Measure, TuningSubject};
use crate::space::TunableSettings;
use crate::{BeirDataset, TuneError, WorstQuestion, score_ranking};

/// How deep documents are ranked.
const DEPTH: usize = 100;

/// How many units are asked for: the most that `search.candidates` is searched up to.
const UNITS: usize = 400;

/// The metrics, the deciding one first. `offered_recall` is the share of the relevant documents
/// among the `turn.top_k` that a turn offers.
const METRICS: [&str; 5] = [
    "ndcg@10",
    "recall@10",
    "mrr@10",
    "recall@100",
    "offered_recall",
];

/// What is searched unless other settings are named.
const SEARCHED: [&str; 4] = [
    "search.fusion",
    "search.dense_weight",
    "search.rank_constant",
    "search.candidates",
];

/// Questions with their candidates.
pub struct RetrievalTuning {
    name: String,
    documents: Vec<String>,
    cases: Vec<Case>,
    questions: Vec<Prepared>,
    milliseconds_per_step: f64,
}

/// A question with everything that was found for it.
struct Prepared {
    text: String,
    grades: BTreeMap<String, u32>,
    candidates: Vec<Found>,
}

impl RetrievalTuning {
    /// Finds the candidates of every question that has a relevant document. The knowledge base
    /// holds the dataset, one source per document.
    ///
    /// # Errors
    /// [`TuneError`] when a search fails.
    pub fn prepare(
        knowledge: &KnowledgeBase,
        dataset: &BeirDataset,
        scope: &AccessScope,
    ) -> Result<Self, TuneError> {
        let mut names = Names::default();
        let (mut cases, mut questions) = (Vec::new(), Vec::new());
        let (start, mut found) = (Instant::now(), 0);
        for question in &dataset.questions {
            if dataset.relevant(&question.id).is_empty() {
                continue;
            }
            let hits = knowledge.unfused(&SearchRequest {
                query: question.text.clone(),
                k: UNITS,
                system: SearchSystem::Hybrid,
                scope: scope.clone(),
            })?;
            found += hits.len();
            questions.push(Prepared {
                text: question.text.clone(),
                grades: dataset
                    .judgements
                    .get(&question.id)
                    .cloned()
                    .unwrap_or_default(),
                candidates: names.found(knowledge, &hits)?,
            });
            cases.push(Case {
                id: question.id.clone(),
                group: question.id.clone(),
            });
        }
        Ok(Self {
            name: dataset.name.clone(),
            documents: names.documents,
            cases,
            questions,
            milliseconds_per_step: start.elapsed().as_secs_f64() * 1e3 / found.max(1) as f64,
        })
    }

    /// The same candidates with the judgements dealt out anew among the questions, by seed: what is
    /// relevant then has nothing to do with what is asked.
    #[must_use]
    pub fn with_shuffled_judgements(mut self, seed: u64) -> Self {
        self.shuffle_judgements(seed);
        self
    }

    /// Deals the judgements out anew among the questions, by seed.
    pub fn shuffle_judgements(&mut self, seed: u64) {
        let mut grades: Vec<BTreeMap<String, u32>> = self
            .questions
            .iter_mut()
            .map(|one| std::mem::take(&mut one.grades))
            .collect();
        grades.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        for (question, grades) in self.questions.iter_mut().zip(grades) {
            question.grades = grades;
        }
    }

    /// Documents by the fused score of their best unit, best first.
    fn rank<'a>(&'a self, question: &'a Prepared, settings: &TunableSettings) -> Ranking<'a> {
        let limit = settings.search.candidates;
        let within = |rank: usize| rank < limit;
        let admitted = question
            .candidates
            .iter()
            .filter(|found| within(found.dense_rank) || found.text_rank.is_some_and(within));
        let admitted: Vec<&Found> = admitted.collect();
        let inputs: Vec<FusionInput> = admitted
            .iter()
            .map(|found| FusionInput {
                bm25: found
                    .input
                    .bm25
                    .filter(|_| found.text_rank.is_some_and(within)),
                ..found.input
            })
            .collect();
        let scores = settings.search.fusion().scores(&inputs);
        let steps = inputs.len();
        let mut ranked: Vec<(f32, &Found)> = scores.into_iter().zip(admitted).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.input.key.cmp(&b.1.input.key)));
        let tokens = ranked
            .iter()
            .take(settings.turn.top_k)
            .map(|(_, found)| found.tokens);
        let tokens = tokens.sum();
        let mut seen = vec![false; self.documents.len()];
        let mut first = |found: &&Found| {
            seen.get_mut(found.document)
                .is_some_and(|seen| !std::mem::replace(seen, true))
        };
        let documents = ranked
            .into_iter()
            .map(|(_, found)| found)
            .filter(|found| first(found));
        let documents = documents.filter_map(|found| self.documents.get(found.document));
        Ranking {
            documents: documents.take(DEPTH).map(String::as_str).collect(),
            tokens,
            steps,
        }
    }
}

struct Ranking<'a> {
    documents: Vec<&'a str>,
    tokens: usize,
    steps: usize,
}

impl TuningSubject for RetrievalTuning {
    fn suite(&self) -> &'static str {
        "retrieval"
    }

    fn data(&self) -> &str {
        &self.name
    }

    fn metrics(&self) -> &[&'static str] {
        &METRICS
    }

    fn cases(&self) -> &[Case] {
        &self.cases
    }

    fn milliseconds_per_step(&self) -> f64 {
        self.milliseconds_per_step
    }

    fn searched(&self) -> &[&'static str] {
        &SEARCHED
    }

    fn reads(&self, key: &str) -> bool {
        let read = [
            "search.candidates",
            "search.fusion",
            "search.dense_weight",
            "search.rank_constant",
            "turn.top_k",
        ];
        read.contains(&key)
    }

    fn measure(
        &self,
        settings: &TunableSettings,
        places: &[usize],
    ) -> Result<Vec<Measure>, TuneError> {
        settings.search.validate()?;
        let questions = places.iter().filter_map(|place| self.questions.get(*place));
        let measure = |question: &Prepared| {
            let ranking = self.rank(question, settings);
            let scores = score_ranking(&ranking.documents, &question.grades).unwrap_or_default();
            let relevant = question.grades.values().filter(|grade| **grade > 0).count();
            let offered = ranking.documents.iter().take(settings.turn.top_k);
            let offered = offered.filter(|id| question.grades.get(**id).is_some_and(|g| *g > 0));
            Measure {
                metrics: vec![
                    scores.ndcg_at_10,
                    scores.recall_at_10,
                    scores.mrr_at_10,
                    scores.recall_at_100,
                    offered.count() as f64 / relevant.max(1) as f64,
                ],
                tokens: Some(ranking.tokens as f64),
                work: Some(ranking.steps as f64),
            }
        };
        Ok(questions.map(measure).collect())
    }

    fn show(&self, settings: &TunableSettings, place: usize) -> Result<WorstQuestion, TuneError> {
        let nothing = || TuneError::NothingSelected {
            what: format!("case {place}"),
            data: self.name.clone(),
        };
        let question = self.questions.get(place).ok_or_else(nothing)?;
        let case = self.cases.get(place).ok_or_else(nothing)?;
        let ranking = self.rank(question, settings);
        let relevant = question.grades.iter().filter(|(_, grade)| **grade > 0);
        Ok(WorstQuestion {
            id: case.id.clone(),
            question: question.text.clone(),
            score: 0.0,
            expected: relevant.map(|(id, _)| id.clone()).collect(),
            offered: ranking
                .documents
                .iter()
                .take(10)
                .map(|id| (*id).to_owned())
                .collect(),
            elected: Vec::new(),
            answer: String::new(),
        })
    }
}
