//! Quality of search and of the relevance estimate with the default model, on labelled questions.
//! `cargo xtask fetch-model` brings the model.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
#[cfg(feature = "test-data")]
use std::path::PathBuf;
use std::sync::Arc;

use ee_embed::{CachedEmbedder, EmbedConfig, Embedder, Models, OnnxEmbedder, runtime_library};
use ee_ingest::{Relations, SourceInput};
use ee_pipeline::{
    Cancellation, KnowledgeBase, SearchConfig, SearchHit, SearchRequest, SearchSystem,
};
use km_core::{Governance, SourceId};
use serde_json::{Value, json};

use crate::support::{Place, Silent, anybody, open_with};

/// Probability from which a unit is taken to answer.
const ANSWERS: f32 = 0.5;
/// How many units are offered.
const OFFERED: usize = 5;

pub(crate) fn embedder() -> Arc<dyn Embedder> {
    let models = Models::in_folder(Models::default_folder().expect("a home folder"));
    let config = EmbedConfig::default();
    let files = models
        .embedder(&config.model)
        .unwrap_or_else(|error| panic!("{error}"));
    let library = runtime_library(None, models.folder());
    let embedder =
        OnnxEmbedder::open(&files, &library, &config).unwrap_or_else(|error| panic!("{error}"));
    Arc::new(CachedEmbedder::new(embedder, &config))
}

/// A dataset in BEIR layout.
struct Dataset {
    documents: BTreeMap<String, SourceInput>,
    questions: Vec<(String, String)>,
    relevant: BTreeMap<String, BTreeSet<String>>,
}

impl Dataset {
    fn read(folder: &Path) -> Self {
        let rows = |name: &str| -> Vec<Value> {
            let text = fs::read_to_string(folder.join(name)).expect("a file of the data set");
            text.lines()
                .map(|line| serde_json::from_str(line).expect("JSON"))
                .collect()
        };
        let text = |row: &Value, field: &str| row[field].as_str().expect("text").to_owned();
        let documents = rows("corpus.jsonl").into_iter().map(|row| {
            let id = text(&row, "_id");
            let record = json!({ "title": row["title"], "text": row["text"] });
            let input = SourceInput {
                source: SourceId::new(format!("{id}.json")),
                bytes: record.to_string().into_bytes(),
                governance: Governance::default(),
                relations: Relations::default(),
            };
            (id, input)
        });
        let questions = rows("queries.jsonl").into_iter();
        let mut relevant: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let judgements = fs::read_to_string(folder.join("qrels.tsv")).expect("judgements");
        for line in judgements.lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            relevant
                .entry(fields[0].to_owned())
                .or_default()
                .insert(fields[1].to_owned());
        }
        Self {
            documents: documents.collect(),
            questions: questions
                .map(|row| (text(&row, "_id"), text(&row, "text")))
                .collect(),
            relevant,
        }
    }

    fn ingest<'a>(&self, base: &KnowledgeBase, ids: impl Iterator<Item = &'a String>) {
        let mut sources = ids.map(|id| self.documents[id].clone());
        base.ingest_sources(&mut sources, &Silent, &Cancellation::default())
            .expect("a report");
    }
}

fn document(hit: &SearchHit) -> String {
    hit.unit
        .unit
        .source
        .as_str()
        .trim_end_matches(".json")
        .to_owned()
}

fn offered(base: &KnowledgeBase, question: &str, k: usize) -> Vec<SearchHit> {
    let request = SearchRequest {
        query: question.to_owned(),
        k,
        system: SearchSystem::Hybrid,
        scope: anybody(),
    };
    base.search(&request).expect("an answer").hits
}

fn answering(base: &KnowledgeBase, question: &str) -> BTreeSet<String> {
    let hits = offered(base, question, OFFERED);
    hits.iter()
        .filter(|hit| hit.relevance >= ANSWERS)
        .map(document)
        .collect()
}

/// The questions on the odd lines, which the estimate was not fitted on, with their entries in the
/// store and without. Measured: F1 0.906, false election 0.081.
#[test]
fn the_estimate_tells_answers_from_near_misses() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/faq");
    let data = Dataset::read(&folder);
    let place = Place::new();
    let base = open_with(place.path(), embedder(), SearchConfig::default()).expect("opened");
    data.ingest(&base, data.documents.keys());
    let (mut right, mut elected, mut expected, mut fooled, mut asked) = (0, 0, 0, 0, 0);
    for (id, question) in data.questions.iter().skip(1).step_by(2) {
        let relevant = &data.relevant[id];
        let found = answering(&base, question);
        right += found.intersection(relevant).count();
        elected += found.len();
        expected += relevant.len();
        for entry in relevant {
            base.remove(&anybody(), &data.documents[entry].source)
                .expect("removed");
        }
        fooled += usize::from(!answering(&base, question).is_empty());
        asked += 1;
        data.ingest(&base, relevant.iter());
    }
    let f1 = 2.0 * right as f64 / (elected + expected) as f64;
    let false_election = f64::from(fooled as u32) / f64::from(asked);
    assert!(f1 >= 0.85, "F1 {f1:.3}");
    assert!(false_election <= 0.15, "false election {false_election:.3}");
}

#[cfg(feature = "test-data")]
#[test]
fn hybrid_search_ranks_the_how_to_entries() {
    let data = Dataset::read(&evaluation_data().join("eedag"));
    let place = Place::new();
    let base = open_with(place.path(), embedder(), SearchConfig::default()).expect("opened");
    data.ingest(&base, data.documents.keys());
    let (mut gain, mut recalled) = (0.0, 0.0);
    for (id, question) in &data.questions {
        let relevant = &data.relevant[id];
        let ranked: Vec<String> = offered(&base, question, 10).iter().map(document).collect();
        let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let found = ranked
            .iter()
            .enumerate()
            .filter(|(_, id)| relevant.contains(*id));
        let ideal: f64 = (0..relevant.len().min(10)).map(discount).sum();
        gain += found.clone().map(|(rank, _)| discount(rank)).sum::<f64>() / ideal;
        recalled += found.filter(|(rank, _)| *rank < 5).count() as f64 / relevant.len() as f64;
    }
    let all = data.questions.len() as f64;
    assert!(gain / all >= 0.97, "nDCG@10 {:.4}", gain / all);
    assert!(recalled / all >= 1.0, "recall@5 {:.4}", recalled / all);
}

#[cfg(feature = "test-data")]
fn evaluation_data() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("EERAG_DATA").map_or(beside, PathBuf::from)
}
