//! An embedder without a model: hashed words and letter triples.

use sha2::{Digest, Sha256};

use crate::{EmbedError, Embedder, Embedding, Fingerprint, Pooling, TokenUse};

/// The most words of a text that are taken in.
const WINDOW: usize = 256;

/// Texts that share words or parts of words come near each other; meaning plays no part.
///
/// Deterministic and without files, it stands in for a model in tests and where none can be had.
/// The feature hashing is that of Weinberger et al., "Feature Hashing for Large Scale Multitask
/// Learning", ICML 2009, over words and the letter triples inside them.
#[derive(Debug, Clone)]
pub struct LexicalEmbedder {
    fingerprint: Fingerprint,
}

impl LexicalEmbedder {
    /// An embedder of this dimension (at least 1).
    pub fn new(dimension: usize) -> Self {
        let fingerprint = Fingerprint {
            model: "lexical".to_owned(),
            weights_sha256: format!("hashed words and triples, version 1, {dimension}"),
            dimension: dimension.max(1),
            pooling: Pooling::Mean,
        };
        Self { fingerprint }
    }

    fn embed(&self, text: &str) -> Embedding {
        let words: Vec<String> = words(text).collect();
        let mut vector = vec![0.0; self.fingerprint.dimension];
        for word in words.iter().take(WINDOW) {
            add(&mut vector, word, 1.0);
            let letters: Vec<char> = format!("<{word}>").chars().collect();
            for triple in letters.windows(3) {
                add(&mut vector, &triple.iter().collect::<String>(), 0.3);
            }
        }
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 {
            for value in &mut vector {
                *value /= length;
            }
        }
        let tokens = TokenUse {
            total: words.len(),
            seen: words.len().min(WINDOW),
        };
        Embedding { vector, tokens }
    }
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}

fn add(vector: &mut [f32], feature: &str, weight: f32) {
    let digest: [u8; 32] = Sha256::digest(feature).into();
    let place = digest
        .iter()
        .take(8)
        .fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    let sign = if digest.last().is_some_and(|byte| byte & 1 == 1) {
        1.0
    } else {
        -1.0
    };
    let place = (place % vector.len().max(1) as u64) as usize;
    if let Some(value) = vector.get_mut(place) {
        *value += sign * weight;
    }
}

impl Embedder for LexicalEmbedder {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn max_tokens(&self) -> usize {
        WINDOW
    }

    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        Ok(words(text).count())
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        Ok(texts.iter().map(|text| self.embed(text)).collect())
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, EmbedError> {
        Ok(self.embed(text))
    }
}
