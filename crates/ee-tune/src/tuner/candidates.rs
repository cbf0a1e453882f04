//! What was found for a question, kept for as long as settings are tried on it.

use std::collections::HashMap;

use ee_pipeline::{FusionInput, KnowledgeBase, SearchHit};

use crate::TuneError;
use crate::beir::document_id;

/// A unit that was found.
pub(super) struct Found {
    pub(super) input: FusionInput,
    /// Rank among what dense search found, from 0.
    pub(super) dense_rank: usize,
    /// Rank among what full text found, from 0.
    pub(super) text_rank: Option<usize>,
    pub(super) document: usize,
    pub(super) tokens: usize,
}

/// Documents by number.
#[derive(Default)]
pub(super) struct Names {
    numbers: HashMap<String, usize>,
    pub(super) documents: Vec<String>,
    tokens: HashMap<u64, usize>,
}

impl Names {
    fn number(&mut self, document: &str) -> usize {
        if let Some(number) = self.numbers.get(document) {
            return *number;
        }
        let number = self.documents.len();
        self.numbers.insert(document.to_owned(), number);
        self.documents.push(document.to_owned());
        number
    }

    /// What was found for one question, with its ranks.
    pub(super) fn found(
        &mut self,
        knowledge: &KnowledgeBase,
        hits: &[SearchHit],
    ) -> Result<Vec<Found>, TuneError> {
        let dense = ranks(hits, |hit| hit.cosine);
        let text = ranks(hits, |hit| hit.bm25);
        let mut found = Vec::with_capacity(hits.len());
        for hit in hits {
            let key = hit.unit.key;
            let tokens = match self.tokens.get(&key) {
                Some(tokens) => *tokens,
                None => knowledge.count_tokens(&hit.unit.unit.content)?,
            };
            self.tokens.insert(key, tokens);
            found.push(Found {
                input: FusionInput {
                    key,
                    cosine: hit.cosine,
                    bm25: hit.bm25,
                },
                dense_rank: dense.get(&key).copied().unwrap_or(usize::MAX),
                text_rank: text.get(&key).copied(),
                document: self.number(document_id(&hit.unit.unit.source)),
                tokens,
            });
        }
        Ok(found)
    }
}

/// The rank of every unit that has a score, from 0; equal scores in the order of their keys.
fn ranks(hits: &[SearchHit], score: impl Fn(&SearchHit) -> Option<f32>) -> HashMap<u64, usize> {
    let scored = hits
        .iter()
        .filter_map(|hit| Some((score(hit)?, hit.unit.key)));
    let mut scored: Vec<(f32, u64)> = scored.collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored
        .into_iter()
        .zip(0..)
        .map(|((_, key), rank)| (key, rank))
        .collect()
}
