//! Texts and pairs to token ids, cut to the model's window in the open.

use std::path::Path;

use tokenizers::{Encoding, Tokenizer};

use super::word_counts::WordCounts;
use crate::{EmbedError, TokenUse};

/// Texts whose full encodings, which are many times as large as their ids, are held at once.
const TEXTS_AT_ONCE: usize = 256;

/// One text or pair as the model reads it.
#[derive(Debug, Clone)]
pub(crate) struct Encoded {
    pub(crate) ids: Vec<i32>,
    pub(crate) segments: Vec<i32>,
    pub(crate) mask: Vec<i32>,
    pub(crate) used: TokenUse,
}

/// A model's tokenizer, its own padding and truncation switched off.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    words: Option<WordCounts>,
    model: String,
    window: usize,
}

impl Tokens {
    /// Reads `tokenizer.json`.
    pub(crate) fn open(file: &Path, model: &str, window: usize) -> Result<Self, EmbedError> {
        let wrong = |error: tokenizers::Error| EmbedError::BadModelFile {
            path: file.to_owned(),
            needed: "a tokenizer".to_owned(),
            found: error.to_string(),
        };
        let mut tokenizer = Tokenizer::from_file(file).map_err(wrong)?;
        tokenizer
            .with_padding(None)
            .with_truncation(None)
            .map_err(wrong)?;
        Ok(Self {
            words: WordCounts::for_tokenizer(&tokenizer).map_err(wrong)?,
            tokenizer,
            model: model.to_owned(),
            window,
        })
    }

    /// Tokens of the whole text, special ones included.
    pub(crate) fn count(&self, text: &str) -> Result<usize, EmbedError> {
        match &self.words {
            Some(words) => words
                .count(&self.tokenizer, text)
                .map_err(|error| self.refused(&error)),
            None => Ok(self.encoding(text)?.len()),
        }
    }

    /// A text, cut behind its last token that fits; the closing special token stays.
    pub(crate) fn text(&self, text: &str) -> Result<Encoded, EmbedError> {
        let encoding = self.encoding(text)?;
        Ok(encoded(&encoding, self.window))
    }

    /// Texts, each cut like [`Self::text`], on all cores.
    pub(crate) fn texts(&self, texts: &[&str]) -> Result<Vec<Encoded>, EmbedError> {
        let mut all = Vec::with_capacity(texts.len());
        for slice in texts.chunks(TEXTS_AT_ONCE) {
            let encodings = self.tokenizer.encode_batch_fast(slice.to_vec(), true);
            let encodings = encodings.map_err(|error| self.refused(&error))?;
            all.extend(encodings.iter().map(|each| encoded(each, self.window)));
        }
        Ok(all)
    }

    /// A query and a document, of which only the document is cut.
    pub(crate) fn pair(&self, query: &str, document: &str) -> Result<Encoded, EmbedError> {
        let encoding = self.tokenizer.encode_fast((query, document), true);
        let encoding = encoding.map_err(|error| self.refused(&error))?;
        let query_tokens = encoding
            .get_type_ids()
            .iter()
            .filter(|id| **id == 0)
            .count();
        // The document needs a token of its own beside the closing one.
        let limit = self.window.saturating_sub(2);
        if query_tokens > limit {
            let model = self.model.clone();
            return Err(EmbedError::QueryTooLong {
                model,
                found: query_tokens,
                limit,
            });
        }
        Ok(encoded(&encoding, self.window))
    }

    fn encoding(&self, text: &str) -> Result<Encoding, EmbedError> {
        self.tokenizer
            .encode_fast(text, true)
            .map_err(|error| self.refused(&error))
    }

    fn refused(&self, error: &tokenizers::Error) -> EmbedError {
        EmbedError::Tokenize {
            model: self.model.clone(),
            reason: error.to_string(),
        }
    }
}

/// The tokens that fit: all but the last place go to the front of the encoding, the last place to
/// its closing special token.
fn encoded(encoding: &Encoding, window: usize) -> Encoded {
    let total = encoding.len();
    let cut = |column: &[u32]| -> Vec<i32> {
        let front = if total <= window {
            total
        } else {
            window.saturating_sub(1)
        };
        let mut kept: Vec<i32> = column.iter().take(front).map(|id| *id as i32).collect();
        if front < total {
            kept.extend(column.last().map(|id| *id as i32));
        }
        kept
    };
    let ids = cut(encoding.get_ids());
    let used = TokenUse {
        total,
        seen: ids.len(),
    };
    let (segments, mask) = (cut(encoding.get_type_ids()), vec![1; ids.len()]);
    Encoded {
        ids,
        segments,
        mask,
        used,
    }
}
