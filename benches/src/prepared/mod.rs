//! The store that is searched: written once, kept for later runs.

mod stored;
mod vectors;
mod written;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use ee_embed::{Embedder, Reranker};
use ee_ingest::IngestConfig;
use ee_pipeline::{Cancellation, IngestProgress, KnowledgeBase, KnowledgeParts, SearchConfig};
use ee_store::{SourceWrite, SqliteStore, StoreConfig, TantivyIndex, UnitWrite};
use km_core::{
    CanonicalText, Governance, Link, LinkKind, SourceId, Unit, UnitId, UnitKind, UnitMetadata,
    canonical,
};
use sha2::{Digest, Sha256};

use crate::corpus::{Corpus, MadeUnit};
use crate::{SEED, prepared_folder};
pub use stored::stored_vectors;
use vectors::{EMBEDDED, Vectors};
pub use written::Written;

/// Changes with how units are made, so that a store of an earlier way is not used.
const VERSION: u32 = 2;
const UNITS_PER_SOURCE: usize = 100;
/// Sources after which progress is shown.
const SOURCES_PER_NEWS: usize = 500;
/// Every so many sources one belongs to a tenant that the searcher is not, so that the scope has
/// something to hide.
const SOURCES_PER_HIDDEN: usize = 10;

/// The folder of the prepared store.
pub struct Prepared {
    folder: PathBuf,
}

impl Prepared {
    /// The store of this many units, written now if it was not before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn of(units: usize, corpus: &Corpus, embedder: &Arc<dyn Embedder>) -> Result<Self> {
        let folder = prepared_folder("bench-data").join(format!("search-{units}-{SEED}-{VERSION}"));
        let prepared = Self { folder };
        let complete = prepared.folder.join("complete");
        if !complete.is_file() {
            if prepared.folder.exists() {
                std::fs::remove_dir_all(&prepared.folder)?;
            }
            let written = prepared.write(units, corpus, embedder)?;
            eprintln!("stored and indexed in {written}");
            std::fs::write(complete, written.to_text())?;
        }
        Ok(prepared)
    }

    /// How long it took to store and index the units, their vectors given.
    ///
    /// # Errors
    /// When the note of it cannot be read.
    pub fn written(&self) -> Result<Written> {
        Written::parse(&std::fs::read_to_string(self.folder.join("complete"))?)
    }

    fn write(
        &self,
        units: usize,
        corpus: &Corpus,
        embedder: &Arc<dyn Embedder>,
    ) -> Result<Written> {
        let vectors = Vectors::of(units.min(EMBEDDED), corpus, &**embedder)?;
        let made: Vec<MadeUnit> = corpus.units(units, SEED).collect();
        let start = Written::start();
        let store = Arc::new(self.open()?);
        let config = SearchConfig::default();
        let knowledge = self.knowledge(&store, Arc::clone(embedder), None, config)?;
        let mut sources = made
            .chunks(UNITS_PER_SOURCE)
            .zip((0..).step_by(UNITS_PER_SOURCE))
            .map(|(units, first)| source_write(first, units, &vectors));
        let report = knowledge.ingest_prepared(&mut sources, &Shown, &Cancellation::default())?;
        ensure!(report.units_added == units, "{} units", report.units_added);
        Ok(Written::since(start))
    }

    /// Opens the store.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(&self) -> Result<SqliteStore> {
        let file = self.folder.join("store.db");
        SqliteStore::open(&file, StoreConfig::default()).context("the prepared store")
    }

    /// The knowledge base over a store that was opened.
    ///
    /// # Errors
    /// When an index cannot be opened or a setting is wrong.
    pub fn knowledge(
        &self,
        store: &Arc<SqliteStore>,
        embedder: Arc<dyn Embedder>,
        reranker: Option<Arc<dyn Reranker>>,
        config: SearchConfig,
    ) -> Result<KnowledgeBase> {
        eprintln!("opening the store and its indexes");
        let text = TantivyIndex::open(&store.text_index_folder(), &store.store_id()?)?;
        let parts = KnowledgeParts {
            store: Arc::clone(store) as _,
            text: Arc::new(text),
            embedder,
            reranker,
            vector_index_file: Some(self.folder.join("store.vectors")),
        };
        Ok(KnowledgeBase::open(parts, IngestConfig::default(), config)?)
    }
}

/// Shows how writing goes on.
struct Shown;

impl IngestProgress for Shown {
    fn file(&self, done: usize, found: usize, _source: &str) {
        if done.is_multiple_of(SOURCES_PER_NEWS) {
            eprintln!("wrote {done} of {found} sources");
        }
    }
}

/// The source whose first unit has this number.
fn source_write(first: usize, units: &[MadeUnit], vectors: &Vectors) -> SourceWrite {
    let number = first / UNITS_PER_SOURCE;
    let source = SourceId::new(format!("notes/{number:05}.txt"));
    let hidden = number.is_multiple_of(SOURCES_PER_HIDDEN);
    let governance = Governance {
        tenant: hidden.then(|| "another".to_owned()),
        ..Governance::default()
    };
    let title = format!("Notes {number}");
    let mut made: Vec<Unit> = units
        .iter()
        .map(|unit| unit_of(unit, &source, &title, &governance))
        .collect();
    link_neighbours(&mut made);
    let writes = made
        .into_iter()
        .zip(units)
        .zip(first..)
        .map(|((unit, made), number)| UnitWrite {
            unit,
            embedded_sha256: Sha256::digest(&made.content).into(),
            embedding: Some(vectors.get(number)),
        });
    SourceWrite {
        content_sha256: hex::encode(Sha256::digest(source.as_str())),
        recipe_sha256: String::new(),
        root: None,
        title: Some(title),
        units: writes.collect(),
        governance,
        source,
    }
}

fn unit_of(made: &MadeUnit, source: &SourceId, title: &str, governance: &Governance) -> Unit {
    let content: CanonicalText = canonical(&made.content);
    let tenant = governance.tenant.as_deref();
    Unit {
        id: UnitId::compute(tenant, source, "", &content, 0),
        source: source.clone(),
        kind: UnitKind::Section,
        content: content.into_string(),
        summary: made.opening.clone(),
        metadata: UnitMetadata {
            title: Some(title.to_owned()),
            ..UnitMetadata::default()
        },
        governance: governance.clone(),
        links: Vec::new(),
    }
}

/// Links each unit to the one before and the one after, as ingestion does.
fn link_neighbours(units: &mut [Unit]) {
    let ids: Vec<UnitId> = units.iter().map(|unit| unit.id).collect();
    let link = |kind, place: Option<usize>| {
        let target = ids.get(place?).copied()?;
        Some(Link { kind, target })
    };
    for (place, unit) in units.iter_mut().enumerate() {
        unit.links
            .extend(link(LinkKind::Previous, place.checked_sub(1)));
        unit.links
            .extend(link(LinkKind::Next, place.checked_add(1)));
    }
}
