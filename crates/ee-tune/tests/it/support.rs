//! A subject over the project's own questions, without a model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ee_embed::LexicalEmbedder;
use ee_ingest::IngestConfig;
use ee_pipeline::{Cancellation, IngestProgress, KnowledgeBase, KnowledgeParts, SearchConfig};
use ee_store::{SqliteStore, StoreConfig, TantivyIndex};
use ee_tune::{
    BeirDataset, Costs, Document, Method, QuestionFile, RetrievalTuning, SearchSpace,
    TunableSettings, TuningPlan, TuningProgress,
};
use km_core::{AccessScope, Identity, Timestamp};

pub(crate) struct Silent;

impl TuningProgress for Silent {
    fn trial(&self, _: usize, _: usize, _: f64) {}
}

impl IngestProgress for Silent {
    fn file(&self, _: usize, _: usize, _: &str) {}
    fn embedded(&self, _: usize, _: usize) {}
}

/// The inputs that the project keeps.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The questions of `fixtures/faq` with their candidates.
pub(crate) fn faq() -> RetrievalTuning {
    let dataset = BeirDataset::load(&fixtures().join("faq"), QuestionFile::Queries).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("faq.db");
    let store = Arc::new(SqliteStore::open(&path, StoreConfig::default()).unwrap());
    let text = TantivyIndex::open(&store.text_index_folder(), &store.store_id().unwrap()).unwrap();
    let parts = KnowledgeParts {
        vector_index_file: None,
        text: Arc::new(text),
        store,
        embedder: Arc::new(LexicalEmbedder::new(256)),
        reranker: None,
    };
    let knowledge =
        KnowledgeBase::open(parts, IngestConfig::default(), SearchConfig::default()).unwrap();
    let mut sources = dataset.documents.iter().map(Document::source);
    knowledge
        .ingest_sources(&mut sources, &Silent, &Cancellation::default())
        .unwrap();
    let scope = AccessScope::new(Identity::default(), Timestamp::UNIX_EPOCH);
    RetrievalTuning::prepare(&knowledge, &dataset, &scope).unwrap()
}

/// A search over fusion from the settings shipped.
pub(crate) fn plan(trials: usize, seed: u64) -> TuningPlan {
    let keys = [
        "search.fusion",
        "search.dense_weight",
        "search.rank_constant",
    ];
    TuningPlan {
        space: SearchSpace::declared().unwrap().select(&keys).unwrap(),
        method: Method::Tpe,
        trials,
        seed,
        current: TunableSettings::default(),
        metric: 0,
        costs: Costs::default(),
    }
}
