//! Embeddings kept in memory for a while.

use std::time::Duration;

use moka::sync::Cache;
use sha2::{Digest, Sha256};

use crate::{EmbedConfig, EmbedError, Embedder, Embedding, Fingerprint};

/// An embedder that remembers what it embedded, within limits of number, size and time.
pub struct CachedEmbedder<E> {
    inner: E,
    cache: Cache<Key, Embedding>,
    item_max_bytes: usize,
}

/// SHA-256 of the text, and whether it was embedded as a query.
type Key = ([u8; 32], bool);

impl<E: Embedder> CachedEmbedder<E> {
    /// Wraps `inner` in a cache of the configured limits.
    pub fn new(inner: E, config: &EmbedConfig) -> Self {
        let cache = Cache::builder()
            .max_capacity(config.cache_items)
            .time_to_live(Duration::from_secs(config.cache_minutes.saturating_mul(60)))
            .build();
        Self {
            inner,
            cache,
            item_max_bytes: config.cache_item_max_bytes,
        }
    }

    /// How many embeddings are kept now.
    pub fn kept(&self) -> u64 {
        self.cache.run_pending_tasks();
        self.cache.entry_count()
    }

    fn keep(&self, key: Key, text: &str, embedding: &Embedding) {
        let bytes = text.len() + size_of_val(embedding.vector.as_slice());
        if bytes <= self.item_max_bytes {
            self.cache.insert(key, embedding.clone());
        }
    }
}

impl<E: Embedder> Embedder for CachedEmbedder<E> {
    fn fingerprint(&self) -> &Fingerprint {
        self.inner.fingerprint()
    }

    fn max_tokens(&self) -> usize {
        self.inner.max_tokens()
    }

    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        self.inner.count_tokens(text)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let known = |text: &str| self.cache.get(&key(text, false));
        let (found, made) = fill_gaps(texts, known, |missing| self.inner.embed_documents(missing))?;
        for (place, embedding) in &made {
            if let Some(text) = texts.get(*place) {
                self.keep(key(text, false), text, embedding);
            }
        }
        Ok(complete(found, made))
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, EmbedError> {
        if let Some(known) = self.cache.get(&key(text, true)) {
            return Ok(known);
        }
        let embedding = self.inner.embed_query(text)?;
        self.keep(key(text, true), text, &embedding);
        Ok(embedding)
    }
}

fn key(text: &str, query: bool) -> Key {
    (Sha256::digest(text).into(), query)
}

/// Looks every text up and embeds those that are not known, in one call.
pub(crate) fn fill_gaps(
    texts: &[&str],
    known: impl Fn(&str) -> Option<Embedding>,
    embed: impl FnOnce(&[&str]) -> Result<Vec<Embedding>, EmbedError>,
) -> Result<Filled, EmbedError> {
    let found: Vec<Option<Embedding>> = texts.iter().map(|text| known(text)).collect();
    let gaps = found
        .iter()
        .zip(texts)
        .enumerate()
        .filter(|(_, (found, _))| found.is_none());
    let (places, missing): (Vec<usize>, Vec<&str>) =
        gaps.map(|(place, (_, text))| (place, *text)).unzip();
    let made = if missing.is_empty() {
        Vec::new()
    } else {
        embed(&missing)?
    };
    Ok((found, places.into_iter().zip(made).collect()))
}

/// What was known by place, and what was made for which places.
type Filled = (Vec<Option<Embedding>>, Vec<(usize, Embedding)>);

/// Both together, in the order of the texts.
pub(crate) fn complete(
    mut found: Vec<Option<Embedding>>,
    made: Vec<(usize, Embedding)>,
) -> Vec<Embedding> {
    for (place, embedding) in made {
        if let Some(slot) = found.get_mut(place) {
            *slot = Some(embedding);
        }
    }
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::CachedEmbedder;
    use crate::{EmbedConfig, Embedder, LexicalEmbedder};

    fn cached(config: &EmbedConfig) -> CachedEmbedder<LexicalEmbedder> {
        CachedEmbedder::new(LexicalEmbedder::new(32), config)
    }

    #[test]
    fn repeated_texts_come_from_the_cache_and_are_the_same() {
        let embedder = cached(&EmbedConfig::default());
        let first = embedder
            .embed_documents(&["知识 地图", "b", "知识 地图"])
            .unwrap();
        assert_eq!(embedder.kept(), 2);
        let again = embedder.embed_documents(&["b", "c", "知识 地图"]).unwrap();
        assert_eq!((&again[0], &again[2]), (&first[1], &first[0]));
        assert_eq!(embedder.kept(), 3);
    }

    #[test]
    fn the_limits_hold() {
        let small = EmbedConfig {
            cache_item_max_bytes: 200,
            ..EmbedConfig::default()
        };
        let embedder = cached(&small);
        embedder.embed_query(&"word ".repeat(100)).unwrap();
        embedder.embed_query("word").unwrap();
        assert_eq!(embedder.kept(), 1);
        let none = cached(&EmbedConfig {
            cache_items: 0,
            ..EmbedConfig::default()
        });
        none.embed_query("word").unwrap();
        assert_eq!(none.kept(), 0);
        let few = cached(&EmbedConfig {
            cache_items: 3,
            ..EmbedConfig::default()
        });
        for word in ["a", "b", "c", "d", "e", "f"] {
            few.embed_query(word).unwrap();
        }
        assert!(few.kept() <= 3);
    }
}
