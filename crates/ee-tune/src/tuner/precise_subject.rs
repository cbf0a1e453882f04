//! The precision pipeline as it is calibrated: candidates, links and the cross-encoder once; blend
//! and minimum context at every trial.

use std::collections::{BTreeMap, HashSet};

use ee_pipeline::{KnowledgeBase, SearchRequest, SearchSystem};
use km_core::AccessScope;

use super::{Case, Measure, TuningSubject};
use crate::beir::document_id;
use crate::space::TunableSettings;
use crate::{
    BeirDataset, Labelled, RetrievalScores, SuiteProgress, TuneError, WorstQuestion, score_ranking,
};

/// How many units are asked for.
const UNITS: usize = 400;

/// The metrics, the deciding one first. `context_hit` is 1 when the minimum context holds a
/// relevant unit.
const METRICS: [&str; 4] = ["ndcg@10", "recall@10", "mrr@10", CONTEXT_HIT];

/// The share of questions whose context holds a relevant unit.
pub(super) const CONTEXT_HIT: &str = "context_hit";

/// What is searched unless other settings are named.
const SEARCHED: [&str; 1] = ["precise.minimum.epsilon"];

/// Questions with what the precision pipeline knows of their candidates.
pub struct PreciseTuning {
    name: String,
    cases: Vec<Case>,
    questions: Vec<Read>,
}

/// A question whose candidates were read.
struct Read {
    text: String,
    grades: BTreeMap<String, u32>,
    documents: Vec<String>,
    tokens: Vec<usize>,
    labelled: Labelled,
}

/// What the pipeline makes of a question.
struct Decided<'a> {
    documents: Vec<&'a str>,
    /// The units of the context, as places among the candidates.
    context: Vec<usize>,
}

impl PreciseTuning {
    /// Lets the pipeline find and read the candidates of every question that has a relevant
    /// document. The knowledge base holds the dataset, one source per document.
    ///
    /// # Errors
    /// [`TuneError`] when a search fails.
    pub fn prepare(
        knowledge: &KnowledgeBase,
        dataset: &BeirDataset,
        scope: &AccessScope,
        progress: &dyn SuiteProgress,
    ) -> Result<Self, TuneError> {
        let (mut cases, mut questions) = (Vec::new(), Vec::new());
        let counting = dataset.questions.iter();
        let counting = counting.filter(|question| !dataset.relevant(&question.id).is_empty());
        for question in counting {
            let response = knowledge.search(&SearchRequest {
                query: question.text.clone(),
                k: UNITS,
                system: SearchSystem::Precise,
                scope: scope.clone(),
            })?;
            let relevant = dataset.relevant(&question.id);
            let mut read = Read {
                text: question.text.clone(),
                grades: dataset
                    .judgements
                    .get(&question.id)
                    .cloned()
                    .unwrap_or_default(),
                documents: Vec::with_capacity(response.hits.len()),
                tokens: Vec::with_capacity(response.hits.len()),
                labelled: Labelled::default(),
            };
            for hit in &response.hits {
                let document = document_id(&hit.unit.unit.source);
                let evidence = hit.evidence.unwrap_or_default();
                read.labelled.add(evidence, relevant.contains(document));
                read.documents.push(document.to_owned());
                read.tokens
                    .push(knowledge.count_tokens(&hit.unit.unit.content)?);
            }
            cases.push(Case {
                id: question.id.clone(),
                group: question.id.clone(),
            });
            questions.push(read);
            progress.question(questions.len(), dataset.questions.len(), 0.0);
        }
        Ok(Self {
            name: dataset.name.clone(),
            cases,
            questions,
        })
    }

    /// What is known of the candidates of the questions at these places.
    pub(super) fn labelled(&self, places: &[usize]) -> Vec<&Labelled> {
        let questions = places.iter().filter_map(|place| self.questions.get(*place));
        questions.map(|question| &question.labelled).collect()
    }
}

impl Read {
    fn decide(&self, settings: &TunableSettings) -> Decided<'_> {
        let order = self.labelled.ranked(&settings.precise.blend);
        let probabilities: Vec<f32> = order.iter().map(|(_, probability)| *probability).collect();
        let units = settings.precise.minimum.decide(&probabilities).units;
        let mut seen = HashSet::new();
        let ranked = order
            .iter()
            .filter_map(|(place, _)| self.documents.get(*place));
        let documents = ranked
            .map(String::as_str)
            .filter(|document| seen.insert(*document));
        Decided {
            documents: documents.collect(),
            context: order.iter().take(units).map(|(place, _)| *place).collect(),
        }
    }

    fn scores(&self, decided: &Decided<'_>) -> RetrievalScores {
        score_ranking(&decided.documents, &self.grades).unwrap_or_default()
    }

    fn measure(&self, settings: &TunableSettings) -> Measure {
        let decided = self.decide(settings);
        let scores = self.scores(&decided);
        let relevant = &self.labelled.relevant;
        let mut context = decided.context.iter();
        let hit = context.any(|place| relevant.get(*place).copied().unwrap_or_default());
        let tokens = decided
            .context
            .iter()
            .filter_map(|place| self.tokens.get(*place));
        Measure {
            metrics: vec![
                scores.ndcg_at_10,
                scores.recall_at_10,
                scores.mrr_at_10,
                f64::from(u8::from(hit)),
            ],
            tokens: Some(tokens.sum::<usize>() as f64),
            work: None,
        }
    }
}

impl TuningSubject for PreciseTuning {
    fn suite(&self) -> &'static str {
        "precise"
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

    fn searched(&self) -> &[&'static str] {
        &SEARCHED
    }

    fn reads(&self, key: &str) -> bool {
        SEARCHED.contains(&key)
    }

    fn measure(
        &self,
        settings: &TunableSettings,
        places: &[usize],
    ) -> Result<Vec<Measure>, TuneError> {
        settings.precise.validate()?;
        let questions = places.iter().filter_map(|place| self.questions.get(*place));
        Ok(questions
            .map(|question| question.measure(settings))
            .collect())
    }

    fn show(&self, settings: &TunableSettings, place: usize) -> Result<WorstQuestion, TuneError> {
        let nothing = || TuneError::NothingSelected {
            what: format!("case {place}"),
            data: self.name.clone(),
        };
        let question = self.questions.get(place).ok_or_else(nothing)?;
        let case = self.cases.get(place).ok_or_else(nothing)?;
        let decided = question.decide(settings);
        let relevant = question.grades.iter().filter(|(_, grade)| **grade > 0);
        Ok(WorstQuestion {
            id: case.id.clone(),
            question: question.text.clone(),
            score: question.scores(&decided).ndcg_at_10,
            expected: relevant.map(|(id, _)| id.clone()).collect(),
            offered: decided
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
