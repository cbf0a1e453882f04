//! Embedding the texts that are new, in bulk, and writing sources in batches.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ee_store::{SourceChange, SourceWrite, StoreError, UnitWrite};

use super::prepare::PreparedSource;
use super::run::Run;
use crate::PipelineError;
use crate::knowledge::composition::ComposedText;

/// Texts per call to the embedder: how long a cancellation waits.
const TEXTS_PER_CALL: usize = 128;

/// Units that are written in one transaction, unless one source alone has more.
const UNITS_PER_WRITE: usize = 1_024;

type Vectors = HashMap<[u8; 32], Arc<[f32]>>;

impl Run<'_> {
    /// Embeds and writes what waits.
    pub(super) fn write_waiting(&mut self) -> Result<(), PipelineError> {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() || self.is_cancelled() {
            return Ok(());
        }
        self.embed_and_write(waiting)
    }

    /// Embeds and writes. A cancellation between two calls of the embedder drops what waits.
    fn embed_and_write(&mut self, waiting: Vec<PreparedSource>) -> Result<(), PipelineError> {
        let texts: Vec<&ComposedText> = waiting.iter().flat_map(|source| &source.texts).collect();
        let hashes: Vec<[u8; 32]> = texts.iter().map(|text| text.sha256).collect();
        let known = self.base.parts.store.known_embeddings(&hashes)?;
        let Some(vectors) = self.embed_unknown(texts, &known)? else {
            return Ok(());
        };
        let mut batch = Vec::new();
        let mut units = 0;
        for source in waiting {
            if !batch.is_empty() && units + source.texts.len() > UNITS_PER_WRITE {
                self.write(std::mem::take(&mut batch), &known, &vectors)?;
                units = 0;
            }
            units += source.texts.len();
            batch.push(source);
        }
        self.write(batch, &known, &vectors)
    }

    /// The vectors of distinct texts that are not known; `None` when cancelled.
    fn embed_unknown(
        &mut self,
        mut texts: Vec<&ComposedText>,
        known: &HashSet<[u8; 32]>,
    ) -> Result<Option<Vectors>, PipelineError> {
        let mut distinct = HashSet::new();
        texts.retain(|text| !known.contains(&text.sha256) && distinct.insert(text.sha256));
        // Texts of like length together: padding costs time.
        texts.sort_by_key(|text| text.tokens);
        let mut vectors = Vectors::with_capacity(texts.len());
        for slice in texts.chunks(TEXTS_PER_CALL) {
            if self.is_cancelled() {
                return Ok(None);
            }
            let plain: Vec<&str> = slice.iter().map(|text| text.text.as_str()).collect();
            let made = self.base.parts.embedder.embed_documents(&plain)?;
            let hashes = slice.iter().map(|text| text.sha256);
            vectors.extend(hashes.zip(made.into_iter().map(|made| Arc::from(made.vector))));
            self.count_embedded(vectors.len(), texts.len());
        }
        Ok(Some(vectors))
    }

    fn write(
        &mut self,
        sources: Vec<PreparedSource>,
        known: &HashSet<[u8; 32]>,
        vectors: &Vectors,
    ) -> Result<(), PipelineError> {
        let mut reused = Vec::with_capacity(sources.len());
        let mut writes = Vec::with_capacity(sources.len());
        let mut texts = Vec::with_capacity(sources.len());
        for source in sources {
            self.note(&source);
            let stored = source.texts.iter();
            reused.push(stored.filter(|text| known.contains(&text.sha256)).count());
            let (write, own) = as_write(source, vectors);
            writes.push(write);
            texts.push(own);
        }
        let changes = self.replace_all(&mut writes, &texts)?;
        let mut changed = 0;
        for ((change, reused), write) in changes.into_iter().zip(reused).zip(writes) {
            self.tally(change, reused);
            self.touched.insert(write.source);
            changed += change.added + change.removed;
        }
        self.changed(changed)
    }

    /// Writes in one transaction. When that is refused, source after source, so that what can be
    /// written is, and the one that cannot is named.
    fn replace_all(
        &self,
        writes: &mut [SourceWrite],
        texts: &[Vec<String>],
    ) -> Result<Vec<SourceChange>, PipelineError> {
        match self.base.parts.store.replace_sources(writes) {
            Ok(changes) => Ok(changes),
            Err(busy @ (StoreError::Busy { .. } | StoreError::WriteQueue { .. })) => {
                Err(busy.into())
            }
            Err(_) => {
                let alone = writes.iter_mut().zip(texts);
                alone
                    .map(|(write, texts)| self.replace(write, texts))
                    .collect()
            }
        }
    }

    /// Writes one source. When an embedding that was known has gone meanwhile, with the last unit
    /// that used it, the source is written again with embeddings of its own.
    fn replace(
        &self,
        write: &mut SourceWrite,
        texts: &[String],
    ) -> Result<SourceChange, PipelineError> {
        let store = &self.base.parts.store;
        match store.replace_source(write) {
            Err(StoreError::EmbeddingMissing { .. }) => {
                for (unit, text) in write.units.iter_mut().zip(texts) {
                    let made = self.base.parts.embedder.embed_documents(&[text])?;
                    unit.embedding = made.into_iter().next().map(|made| Arc::from(made.vector));
                }
                Ok(store.replace_source(write)?)
            }
            other => Ok(other?),
        }
    }

    fn note(&mut self, source: &PreparedSource) {
        let name = &source.parsed.source;
        self.count(name);
        let notes = source
            .parsed
            .notes
            .iter()
            .map(|note| (name.clone(), note.clone()));
        self.report.notes.extend(notes);
        let window = self.base.parts.embedder.max_tokens();
        for (unit, text) in source.parsed.units.iter().zip(&source.texts) {
            if text.tokens > window {
                let note = format!(
                    "unit {} has {} tokens, more than the window of {window}: the rest is not embedded",
                    unit.id, text.tokens
                );
                self.report.notes.push((name.clone(), note));
            }
        }
    }

    fn tally(&mut self, change: SourceChange, reused: usize) {
        let report = &mut self.report;
        match (change.existed, change.added + change.removed) {
            (false, _) => report.added += 1,
            (true, 0) => report.unchanged += 1,
            (true, _) => report.replaced += 1,
        }
        report.units_added += change.added;
        report.units_removed += change.removed;
        report.embeddings_reused += reused;
    }
}

/// The record for the store, and the text of each unit.
fn as_write(source: PreparedSource, vectors: &Vectors) -> (SourceWrite, Vec<String>) {
    let PreparedSource {
        parsed,
        recipe,
        root,
        texts,
    } = source;
    let units = parsed
        .units
        .into_iter()
        .zip(&texts)
        .map(|(unit, text)| UnitWrite {
            unit,
            embedded_sha256: text.sha256,
            embedding: vectors.get(&text.sha256).map(Arc::clone),
        });
    let write = SourceWrite {
        source: parsed.source,
        title: parsed.title,
        governance: parsed.governance,
        content_sha256: parsed.content_sha256,
        recipe_sha256: recipe,
        root,
        units: units.collect(),
    };
    (write, texts.into_iter().map(|text| text.text).collect())
}
