//! A knowledge base in a temporary folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ee_embed::{Embedder, LexicalEmbedder};
use ee_ingest::{IngestConfig, Relations, SourceInput};
use ee_pipeline::{
    Cancellation, IngestProgress, IngestReport, IngestRequest, KnowledgeBase, KnowledgeParts,
    PipelineError, SearchConfig, SearchRequest, SearchResponse, SearchSystem, Vanished,
};
use ee_store::{EmbeddingStore, SqliteStore, StoreConfig, TantivyIndex};
use km_core::{
    AccessScope, Administrator, Governance, Identity, LinkKind, SourceId, Timestamp, UnitId,
};
use tempfile::TempDir;

/// Vectors long enough that few words collide.
pub(crate) const DIMENSION: usize = 256;

/// What a store holds of one unit, apart from row numbers.
pub(crate) type Content = BTreeMap<UnitId, (SourceId, String, Vec<(LinkKind, UnitId)>)>;

/// A folder with a store in it and documents beside it.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("documents")).expect("a folder");
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn documents(&self) -> PathBuf {
        self.path().join("documents")
    }

    pub(crate) fn vector_file(&self) -> PathBuf {
        self.path().join("knowledge.vectors")
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.documents().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn delete(&self, name: &str) {
        fs::remove_file(self.documents().join(name)).expect("the file");
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        let to = self.documents().join(to);
        fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
        fs::rename(self.documents().join(from), to).expect("the file");
    }

    pub(crate) fn store(&self) -> SqliteStore {
        open_store(self.path())
    }

    pub(crate) fn base(&self) -> KnowledgeBase {
        open_base(self.path())
    }

    pub(crate) fn ingest(&self, base: &KnowledgeBase) -> IngestReport {
        base.ingest(
            &request(&self.documents()),
            &Silent,
            &Cancellation::default(),
        )
        .expect("an ingestion")
    }

    /// Everything that the store holds.
    pub(crate) fn content(&self) -> Content {
        let units = self
            .store()
            .all_units(Administrator::assume(), 0, usize::MAX);
        let units = units.expect("units").into_iter().map(|(stored, _)| {
            let unit = stored.unit;
            let mut links: Vec<(LinkKind, UnitId)> = unit
                .links
                .iter()
                .map(|link| (link.kind, link.target))
                .collect();
            links.sort();
            (unit.id, (unit.source, unit.content, links))
        });
        units.collect()
    }
}

pub(crate) fn open_store(folder: &Path) -> SqliteStore {
    SqliteStore::open(&folder.join("knowledge.db"), StoreConfig::default()).expect("a store")
}

pub(crate) fn parts(folder: &Path, embedder: Arc<dyn Embedder>) -> KnowledgeParts {
    let store = open_store(folder);
    let id = EmbeddingStore::store_id(&store).expect("an id");
    let text = TantivyIndex::open(&store.text_index_folder(), &id).expect("a text index");
    KnowledgeParts {
        store: Arc::new(store),
        text: Arc::new(text),
        embedder,
        reranker: None,
        vector_index_file: Some(folder.join("knowledge.vectors")),
    }
}

pub(crate) fn open_with(
    folder: &Path,
    embedder: Arc<dyn Embedder>,
    search: SearchConfig,
) -> Result<KnowledgeBase, PipelineError> {
    KnowledgeBase::open(parts(folder, embedder), IngestConfig::default(), search)
}

pub(crate) fn open_base(folder: &Path) -> KnowledgeBase {
    open_with(
        folder,
        Arc::new(LexicalEmbedder::new(DIMENSION)),
        SearchConfig::default(),
    )
    .expect("a knowledge base")
}

pub(crate) fn request(path: &Path) -> IngestRequest {
    IngestRequest {
        paths: vec![path.to_owned()],
        governance: Governance::default(),
        vanished: Vanished::Remove,
    }
}

pub(crate) fn source(name: &str, text: &str) -> SourceInput {
    SourceInput {
        source: SourceId::new(name),
        bytes: text.as_bytes().to_vec(),
        governance: Governance::default(),
        relations: Relations::default(),
    }
}

pub(crate) fn anybody() -> AccessScope {
    AccessScope::new(Identity::default(), Timestamp::UNIX_EPOCH)
}

pub(crate) fn search(base: &KnowledgeBase, query: &str, system: SearchSystem) -> SearchResponse {
    base.search(&SearchRequest {
        query: query.to_owned(),
        k: 10,
        system,
        scope: anybody(),
    })
    .expect("an answer")
}

/// Names of the sources found, best first.
pub(crate) fn found(base: &KnowledgeBase, query: &str, system: SearchSystem) -> Vec<String> {
    let hits = search(base, query, system).hits;
    hits.into_iter()
        .map(|hit| hit.unit.unit.source.as_str().to_owned())
        .collect()
}

/// Fails unless store, text index and vector index hold the same units.
pub(crate) fn assert_in_step(place: &Place, base: &KnowledgeBase) {
    let units = place.content();
    let indexed = base.indexed().expect("counts");
    assert_eq!(
        (indexed.text, indexed.vectors),
        (units.len() as u64, units.len() as u64)
    );
    // Nothing that is gone is in the way, and nothing that is there is missing.
    let all = SearchRequest {
        query: "anything".to_owned(),
        k: units.len() + 1,
        system: SearchSystem::Dense,
        scope: anybody(),
    };
    assert_eq!(base.search(&all).expect("hits").hits.len(), units.len());
}

/// Hears nothing.
pub(crate) struct Silent;

impl IngestProgress for Silent {
    fn file(&self, _done: usize, _found: usize, _source: &str) {}
}

/// Cancels after so many sources.
pub(crate) struct CancelAfter {
    pub(crate) sources: usize,
    pub(crate) cancellation: Cancellation,
    pub(crate) heard: AtomicUsize,
}

impl IngestProgress for CancelAfter {
    fn file(&self, done: usize, _found: usize, _source: &str) {
        self.heard.store(done, Ordering::Relaxed);
        if done >= self.sources {
            self.cancellation.cancel();
        }
    }
}
