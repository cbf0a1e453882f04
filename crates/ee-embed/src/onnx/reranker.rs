//! A cross-encoder over ONNX Runtime.

use std::path::Path;

use super::runtime::environment;
use super::sessions::{Sessions, from_file};
use super::tokens::{Encoded, Tokens};
use crate::models::RerankerFiles;
use crate::{EmbedConfig, EmbedError, PairScore, Reranker};

/// A cross-encoder that gives one logit per pair. Each pair runs alone, so that its score does not
/// depend on its neighbours; pairs spread over the sessions.
pub struct OnnxReranker {
    model: &'static str,
    tokens: Tokens,
    sessions: Sessions,
}

impl OnnxReranker {
    /// Loads the runtime library and the model.
    ///
    /// # Errors
    /// [`EmbedError`] for a missing or unusable library or model file; the message names the
    /// command that brings it.
    pub fn open(
        files: &RerankerFiles,
        runtime_library: &Path,
        config: &EmbedConfig,
    ) -> Result<Self, EmbedError> {
        config.validate()?;
        let environment = environment(runtime_library)?;
        let opening = from_file(files.model.clone());
        let sessions = Sessions::open(environment, config.sessions(), opening)?;
        let tokens = Tokens::open(&files.tokenizer, files.spec.name, files.spec.window_tokens)?;
        Ok(Self {
            model: files.spec.name,
            tokens,
            sessions,
        })
    }
}

impl Reranker for OnnxReranker {
    fn model(&self) -> &str {
        self.model
    }

    fn score(&self, query: &str, documents: &[&str]) -> Result<Vec<PairScore>, EmbedError> {
        let pairs = documents
            .iter()
            .map(|document| self.tokens.pair(query, document));
        let pairs = pairs.collect::<Result<Vec<Encoded>, _>>()?;
        let batches: Vec<Vec<&Encoded>> = pairs.iter().map(|pair| vec![pair]).collect();
        let logit = |_: usize, shape: &[i64], values: &[f32]| match values {
            [logit] => Ok(*logit),
            _ => Err(EmbedError::Output {
                model: self.model.to_owned(),
                expected: "one logit per pair".to_owned(),
                found: format!("an output of shape {shape:?}"),
            }),
        };
        let mut logits = self.sessions.run_all(&batches, &logit)?;
        logits.sort_by_key(|(place, _)| *place);
        let scored = logits.into_iter().zip(&pairs);
        Ok(scored
            .map(|((_, logit), pair)| PairScore::of(logit, pair.used.truncated()))
            .collect())
    }
}
