//! The second stage: the texts that are new are embedded, in bulk.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

use super::run::STEPS_AHEAD;
use super::step::{EmbeddedSteps, Step, Vectors};
use crate::knowledge::composition::ComposedText;
use crate::knowledge::{IngestProgress, KnowledgeBase};
use crate::{Cancellation, PipelineError};

/// Texts that gather before they are embedded.
const WAITING_TEXTS: usize = 128;
/// Sources that gather before they are handed on, so that a run of tiny ones shows progress.
const WAITING_SOURCES: usize = 64;
/// Texts per call to the embedder: how long a cancellation waits.
const TEXTS_PER_CALL: usize = 128;
/// Lots that the next stage may not have stored yet: those ahead of it, and the one it works on.
const UNSTORED_LOTS: usize = STEPS_AHEAD + 1;

/// Embeds what comes and hands it on.
pub(super) struct Embedding<'a> {
    pub(super) base: &'a KnowledgeBase,
    pub(super) progress: &'a dyn IngestProgress,
    pub(super) cancellation: &'a Cancellation,
    pub(super) next: SyncSender<EmbeddedSteps>,
}

impl Embedding<'_> {
    /// Works until nothing more comes. A cancellation drops what waits between two calls of the
    /// embedder.
    pub(super) fn run(self, chunks: Receiver<Vec<Step>>) -> Result<(), PipelineError> {
        let mut waiting = Vec::new();
        let mut unstored = VecDeque::new();
        for step in chunks.into_iter().flatten() {
            waiting.push(step);
            if is_enough(&waiting) && !self.hand_on(std::mem::take(&mut waiting), &mut unstored)? {
                return Ok(());
            }
        }
        self.hand_on(waiting, &mut unstored)?;
        Ok(())
    }

    /// Embeds and hands on; `false` when there is no use in going on.
    fn hand_on(
        &self,
        steps: Vec<Step>,
        unstored: &mut VecDeque<Arc<Vectors>>,
    ) -> Result<bool, PipelineError> {
        let Some(embedded) = self.embed(steps, unstored)? else {
            return Ok(false);
        };
        unstored.push_back(Arc::clone(&embedded.vectors));
        if unstored.len() > UNSTORED_LOTS {
            unstored.pop_front();
        }
        Ok(self.next.send(embedded).is_ok())
    }

    /// `None` when cancelled.
    fn embed(
        &self,
        steps: Vec<Step>,
        unstored: &VecDeque<Arc<Vectors>>,
    ) -> Result<Option<EmbeddedSteps>, PipelineError> {
        let texts: Vec<&ComposedText> = steps.iter().flat_map(Step::texts).collect();
        let hashes: Vec<[u8; 32]> = texts.iter().map(|text| text.sha256).collect();
        let mut known = self.base.parts.store.known_embeddings(&hashes)?;
        let mut vectors = Vectors::new();
        for hash in hashes {
            if let Some(vector) = unstored.iter().find_map(|vectors| vectors.get(&hash)) {
                known.insert(hash);
                vectors.insert(hash, Arc::clone(vector));
            }
        }
        if !self.embed_unknown(texts, &known, &mut vectors)? {
            return Ok(None);
        }
        Ok(Some(EmbeddedSteps {
            steps,
            known,
            vectors: Arc::new(vectors),
        }))
    }

    /// Adds the vectors of distinct texts that are not known; `false` when cancelled.
    fn embed_unknown(
        &self,
        mut texts: Vec<&ComposedText>,
        known: &HashSet<[u8; 32]>,
        vectors: &mut Vectors,
    ) -> Result<bool, PipelineError> {
        let mut distinct = HashSet::new();
        texts.retain(|text| !known.contains(&text.sha256) && distinct.insert(text.sha256));
        // Texts of like length together: padding costs time.
        texts.sort_by_key(|text| text.tokens);
        let mut done = 0;
        for slice in texts.chunks(TEXTS_PER_CALL) {
            if self.cancellation.is_cancelled() {
                return Ok(false);
            }
            let plain: Vec<&str> = slice.iter().map(|text| text.text.as_str()).collect();
            let made = self.base.parts.embedder.embed_documents(&plain)?;
            let hashes = slice.iter().map(|text| text.sha256);
            vectors.extend(hashes.zip(made.into_iter().map(|made| Arc::from(made.vector))));
            done += slice.len();
            self.progress.embedded(done, texts.len());
        }
        Ok(true)
    }
}

fn is_enough(steps: &[Step]) -> bool {
    let texts: usize = steps.iter().map(|step| step.texts().len()).sum();
    texts >= WAITING_TEXTS || steps.len() >= WAITING_SOURCES
}
