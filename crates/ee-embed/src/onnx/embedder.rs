//! A BERT embedder over ONNX Runtime.

use std::path::{Path, PathBuf};

use super::bert::{BertShape, encoder};
use super::runtime::environment;
use super::sessions::{Opening, Sessions, from_file};
use super::tokens::{Encoded, Tokens};
use super::weights::Weights;
use crate::models::{EmbedderFiles, WeightsFile};
use crate::registry::Batching;
use crate::{EmbedConfig, EmbedError, Embedder, Embedding, Fingerprint, Pooling, TokenUse};

/// An embedder that runs a BERT encoder, in fp32 or quantised.
///
/// A text without content (empty, or white space alone) has the all-zero vector: cosine 0 with
/// everything.
pub struct OnnxEmbedder {
    fingerprint: Fingerprint,
    window: usize,
    query_prefix: &'static str,
    batch_texts: usize,
    tokens: Tokens,
    sessions: Sessions,
}

impl OnnxEmbedder {
    /// Loads the runtime library and the model.
    ///
    /// # Errors
    /// [`EmbedError`] for a missing or unusable library or model file; the message names the
    /// command that brings it.
    pub fn open(
        files: &EmbedderFiles,
        runtime_library: &Path,
        config: &EmbedConfig,
    ) -> Result<Self, EmbedError> {
        config.validate()?;
        let environment = environment(runtime_library)?;
        let spec = files.spec;
        let opening = match &files.weights {
            WeightsFile::Onnx(file) => from_file(file.clone()),
            WeightsFile::Safetensors(file) => {
                let shape = BertShape {
                    heads: spec.heads,
                    epsilon: spec.epsilon,
                };
                from_weights(file.clone(), shape)
            }
        };
        let sessions = Sessions::open(environment, config.sessions(), opening)?;
        Ok(Self {
            fingerprint: files.fingerprint(),
            window: files.window_tokens,
            query_prefix: spec.query_prefix,
            batch_texts: match spec.batching {
                Batching::Free => config.batch_texts,
                Batching::OneByOne => 1,
            },
            tokens: Tokens::open(&files.tokenizer, spec.name, files.window_tokens)?,
            sessions,
        })
    }

    /// How long the runtime's call takes for a query, without tokenising and pooling.
    ///
    /// # Errors
    /// [`EmbedError`] when the tokenizer or the model fails.
    #[cfg(feature = "measure")]
    pub fn time_query_run(&self, text: &str) -> Result<std::time::Duration, EmbedError> {
        let encoded = self.tokens.text(&format!("{}{text}", self.query_prefix))?;
        self.sessions.time_run(&encoded)
    }

    /// Vectors of encoded texts, in the order given.
    fn vectors(&self, texts: &[Encoded]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        // Longest first: the last batches are short, so no session waits long for another.
        order.sort_by_key(|place| std::cmp::Reverse(texts.get(*place).map(|text| text.ids.len())));
        let places = self.batches(&order, texts);
        let batches: Vec<Vec<&Encoded>> = places
            .iter()
            .map(|chunk| chunk.iter().filter_map(|p| texts.get(*p)).collect())
            .collect();
        let pool = |batch: usize, shape: &[i64], states: &[f32]| {
            let texts = batches.get(batch).map(Vec::as_slice).unwrap_or_default();
            self.pool(texts, shape, states)
        };
        let mut vectors = vec![Vec::new(); texts.len()];
        for (batch, pooled) in self.sessions.run_all(&batches, &pool)? {
            let chunk = places.get(batch).copied().unwrap_or_default();
            for (place, vector) in chunk.iter().zip(pooled) {
                if let Some(slot) = vectors.get_mut(*place) {
                    *slot = vector;
                }
            }
        }
        Ok(vectors)
    }

    /// Places in order, cut into batches; of equal lengths where the model does not mask padding.
    fn batches<'a>(&self, order: &'a [usize], texts: &[Encoded]) -> Vec<&'a [usize]> {
        let length = |place: &usize| texts.get(*place).map(|text| text.ids.len());
        let together = |a: &usize, b: &usize| self.sessions.masks() || length(a) == length(b);
        let runs = order.chunk_by(together);
        runs.flat_map(|run| {
            // As many batches as needed, of about the same size.
            let batches = run.len().div_ceil(self.batch_texts.max(1));
            run.chunks(run.len().div_ceil(batches.max(1)).max(1))
        })
        .collect()
    }

    /// Token states [batch, tokens, hidden] to one unit-length vector per text.
    fn pool(
        &self,
        texts: &[&Encoded],
        shape: &[i64],
        states: &[f32],
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let hidden = self.fingerprint.dimension;
        let &[batch, length, width] = shape else {
            return Err(self.unexpected(shape));
        };
        if batch as usize != texts.len() || width as usize != hidden {
            return Err(self.unexpected(shape));
        }
        let rows = states.chunks_exact((length as usize * hidden).max(1));
        let pooled = rows
            .zip(texts)
            .map(|(row, text)| match self.fingerprint.pooling {
                Pooling::Mean => mean(row, text.ids.len(), hidden),
                Pooling::Cls => row.iter().take(hidden).copied().collect(),
            });
        Ok(pooled.map(unit_length).collect())
    }

    fn unexpected(&self, shape: &[i64]) -> EmbedError {
        EmbedError::Output {
            model: self.fingerprint.model.clone(),
            expected: format!("token states of {} dimensions", self.fingerprint.dimension),
            found: format!("an output of shape {shape:?}"),
        }
    }
}

impl Embedder for OnnxEmbedder {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn max_tokens(&self) -> usize {
        self.window
    }

    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        self.tokens.count(text)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let encoded = self.tokens.texts(texts)?;
        let vectors = self.vectors(&encoded)?;
        let each = texts.iter().zip(&encoded).zip(vectors);
        Ok(each
            .map(|((text, encoded), vector)| embedding(text, encoded.used, vector))
            .collect())
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, EmbedError> {
        let encoded = self.tokens.text(&format!("{}{text}", self.query_prefix))?;
        let used = encoded.used;
        let vector = self.vectors(&[encoded])?.pop().unwrap_or_default();
        Ok(embedding(text, used, vector))
    }
}

fn embedding(text: &str, tokens: TokenUse, mut vector: Vec<f32>) -> Embedding {
    if text.trim().is_empty() {
        vector.fill(0.0);
    }
    Embedding { vector, tokens }
}

/// Opens sessions over the graph that we build around published weights.
fn from_weights(file: PathBuf, shape: BertShape) -> Opening {
    Box::new(move |builder| {
        let bytes = std::fs::read(&file).map_err(EmbedError::io(&file))?;
        Ok(encoder(&Weights::read(&bytes)?, shape)?.into_session(&builder)?)
    })
}

/// The mean over the first `tokens` states.
fn mean(states: &[f32], tokens: usize, hidden: usize) -> Vec<f32> {
    let mut sum = vec![0.0; hidden];
    for state in states.chunks_exact(hidden.max(1)).take(tokens) {
        for (total, value) in sum.iter_mut().zip(state) {
            *total += value;
        }
    }
    // Scaling to unit length follows, so the division by the count can be left out.
    sum
}

fn unit_length(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        for value in &mut vector {
            *value /= length;
        }
    }
    vector
}
