//! Pair scores kept on disk, for work that is repeated over the same pairs.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::records::{RecordKey, Records, plain_name};
use crate::{EmbedError, Embedding, PairScore, Reranker, TokenUse};

/// How many pairs are scored before what was scored is written.
const WRITTEN_AT_ONCE: usize = 64;

/// A cross-encoder that looks every pair up in a file first. There is one file per model, named
/// after it, with vectors of one value: the logit.
pub struct DiskCachedReranker<R> {
    inner: R,
    records: Records,
}

impl<R: Reranker> DiskCachedReranker<R> {
    /// Opens the cache of `inner`'s model in `folder`, which is created if need be.
    ///
    /// # Errors
    /// [`EmbedError::Io`] when the folder or the file cannot be used.
    pub fn open(inner: R, folder: &Path) -> Result<Self, EmbedError> {
        let name = format!("{}.scores", plain_name(inner.model()));
        let records = Records::open(folder, &name, 1)?;
        Ok(Self { inner, records })
    }

    fn find(&self, key: &RecordKey) -> Option<PairScore> {
        let found = self.records.find(key)?;
        let logit = found.vector.first()?;
        Some(PairScore::of(*logit, found.tokens.truncated()))
    }
}

impl<R: Reranker> Reranker for DiskCachedReranker<R> {
    fn model(&self) -> &str {
        self.inner.model()
    }

    fn score(&self, query: &str, documents: &[&str]) -> Result<Vec<PairScore>, EmbedError> {
        let keys: Vec<RecordKey> = documents.iter().map(|text| key(query, text)).collect();
        let pairs = keys.iter().zip(documents);
        let missing: Vec<(&RecordKey, &str)> = pairs
            .filter(|(key, _)| self.find(key).is_none())
            .map(|(key, text)| (key, *text))
            .collect();
        for some in missing.chunks(WRITTEN_AT_ONCE) {
            let (keys, texts): (Vec<&RecordKey>, Vec<&str>) = some.iter().copied().unzip();
            let scores = self.inner.score(query, &texts)?;
            let made = keys.into_iter().zip(scores);
            self.records
                .keep(made.map(|(key, score)| (*key, record(score))).collect())?;
        }
        Ok(keys.iter().filter_map(|key| self.find(key)).collect())
    }
}

/// A score as a record: what was cut had more tokens than were seen.
fn record(score: PairScore) -> Embedding {
    Embedding {
        vector: vec![score.logit],
        tokens: TokenUse {
            total: 1 + usize::from(score.truncated),
            seen: 1,
        },
    }
}

/// The length keeps a query and its document apart.
fn key(query: &str, document: &str) -> RecordKey {
    Sha256::new()
        .chain_update((query.len() as u64).to_le_bytes())
        .chain_update(query)
        .chain_update(document)
        .finalize()
        .into()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::DiskCachedReranker;
    use crate::{EmbedError, PairScore, Reranker};

    /// Scores by length and counts the pairs that it was asked for.
    #[derive(Default)]
    struct Lengths(AtomicUsize);

    impl Reranker for Lengths {
        fn model(&self) -> &'static str {
            "lengths/test"
        }

        fn score(&self, query: &str, documents: &[&str]) -> Result<Vec<PairScore>, EmbedError> {
            self.0.fetch_add(documents.len(), Ordering::Relaxed);
            let score =
                |text: &&str| PairScore::of(text.len() as f32 - query.len() as f32, text.len() > 9);
            Ok(documents.iter().map(score).collect())
        }
    }

    #[test]
    fn a_pair_is_scored_once_and_keeps_its_score() {
        let folder = tempfile::tempdir().unwrap();
        let open = || DiskCachedReranker::open(Lengths::default(), folder.path()).unwrap();
        let first = open();
        let scores = first
            .score("ab", &["c", "a long document", "c", "知识"])
            .unwrap();
        assert!(scores[1].truncated && !scores[0].truncated);
        assert_eq!(scores[0], scores[2]);
        let again = open();
        assert_eq!(
            again
                .score("ab", &["c", "a long document", "c", "知识"])
                .unwrap(),
            scores
        );
        assert_eq!(again.inner.0.load(Ordering::Relaxed), 0);
        // The same characters, divided otherwise, are another pair.
        again.score("abc", &[""]).unwrap();
        assert_eq!(again.inner.0.load(Ordering::Relaxed), 1);
    }
}
