//! The store that is searched: written once, kept for later runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use ee_embed::{Embedder, Reranker};
use ee_ingest::IngestConfig;
use ee_pipeline::{KnowledgeBase, KnowledgeParts, SearchConfig};
use ee_store::{KnowledgeStore, SourceWrite, SqliteStore, StoreConfig, TantivyIndex, UnitWrite};
use fastrand::Rng;
use km_core::{
    CanonicalText, Governance, Link, LinkKind, SourceId, Unit, UnitId, UnitKind, UnitMetadata,
    canonical,
};
use sha2::{Digest, Sha256};

use crate::corpus::{Corpus, MadeUnit};
use crate::{SEED, prepared_folder};

/// Changes with how units are made, so that a store of an earlier way is not used.
const VERSION: u32 = 2;
const UNITS_PER_SOURCE: usize = 100;
/// Units written in one transaction.
const UNITS_PER_WRITE: usize = 5_000;
/// Units whose opening is embedded. The vector of a further unit is drawn around one of theirs.
const EMBEDDED: usize = 100_000;
/// The mean cosine of a drawn vector to its origin.
const COSINE: f32 = 0.9;
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
            let seconds = prepared.write(units, corpus, embedder)?;
            std::fs::write(complete, seconds.to_string())?;
        }
        Ok(prepared)
    }

    /// How long it took to store and index the units, their vectors given, in seconds.
    ///
    /// # Errors
    /// When the note of it cannot be read.
    pub fn seconds_written(&self) -> Result<f64> {
        Ok(std::fs::read_to_string(self.folder.join("complete"))?.parse()?)
    }

    fn write(&self, units: usize, corpus: &Corpus, embedder: &Arc<dyn Embedder>) -> Result<f64> {
        let vectors = Vectors::of(units.min(EMBEDDED), corpus, &**embedder)?;
        let made: Vec<MadeUnit> = corpus.units(units, SEED).collect();
        let start = Instant::now();
        let store = Arc::new(self.open()?);
        let config = SearchConfig::default();
        let knowledge = self.knowledge(&store, Arc::clone(embedder), None, config)?;
        for (number, batch) in made.chunks(UNITS_PER_WRITE).enumerate() {
            let first = number * UNITS_PER_WRITE;
            let sources: Vec<SourceWrite> = batch
                .chunks(UNITS_PER_SOURCE)
                .zip((first..).step_by(UNITS_PER_SOURCE))
                .map(|(units, first)| source_write(first, units, &vectors))
                .collect();
            store.replace_sources(&sources)?;
            knowledge.indexed()?;
            eprintln!("wrote {} of {units} units", first + batch.len());
        }
        drop(knowledge);
        // What is indexed is saved with the next opening.
        self.knowledge(&store, Arc::clone(embedder), None, SearchConfig::default())?;
        Ok(start.elapsed().as_secs_f64())
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

/// The vectors of made-up units.
struct Vectors(Vec<Arc<[f32]>>);

impl Vectors {
    fn of(embedded: usize, corpus: &Corpus, embedder: &dyn Embedder) -> Result<Self> {
        eprintln!("embedding the openings of {embedded} units");
        let openings: Vec<String> = corpus
            .units(embedded, SEED)
            .map(|unit| unit.opening)
            .collect();
        let openings: Vec<&str> = openings.iter().map(String::as_str).collect();
        let made = embedder.embed_documents(&openings)?;
        let vectors = made.into_iter().map(|made| Arc::from(made.vector));
        Ok(Self(vectors.collect()))
    }

    /// The vector of the unit of this number: the one of its opening, or one that lies around it
    /// in a random direction.
    fn get(&self, number: usize) -> Arc<[f32]> {
        let origin = self.0.get(number % self.0.len().max(1));
        match origin {
            Some(origin) if number >= self.0.len() => around(origin, SEED ^ number as u64),
            Some(origin) => Arc::clone(origin),
            None => Arc::default(),
        }
    }
}

/// A unit vector at the cosine [`COSINE`] to `origin`, in a random direction.
fn around(origin: &[f32], seed: u64) -> Arc<[f32]> {
    let mut random = Rng::with_seed(seed);
    // A sum of uniform numbers is near enough to a normal one.
    let mut normal = || (0..4).map(|_| random.f32() - 0.5).sum::<f32>();
    let noise: Vec<f32> = origin.iter().map(|_| normal()).collect();
    let along: f32 = noise.iter().zip(origin).map(|(n, o)| n * o).sum();
    let across: Vec<f32> = noise
        .iter()
        .zip(origin)
        .map(|(n, o)| n - along * o)
        .collect();
    let length = across.iter().map(|value| value * value).sum::<f32>().sqrt();
    let share = (1.0 - COSINE * COSINE).sqrt() / length;
    let pairs = origin.iter().zip(&across);
    pairs.map(|(o, a)| COSINE * o + share * a).collect()
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
