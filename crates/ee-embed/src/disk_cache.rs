//! Embeddings kept on disk, for work that is repeated over the same texts.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::cache::{complete, fill_gaps};
use crate::records::{RecordKey, Records, plain_name};
use crate::{EmbedError, Embedder, Embedding, Fingerprint};

/// An embedder that looks every text up in a file first. There is one file per model, named after
/// its fingerprint.
pub struct DiskCachedEmbedder<E> {
    inner: E,
    records: Records,
}

impl<E: Embedder> DiskCachedEmbedder<E> {
    /// Opens the cache of `inner`'s model in `folder`, which is created if need be.
    ///
    /// # Errors
    /// [`EmbedError::Io`] when the folder or the file cannot be used.
    pub fn open(inner: E, folder: &Path) -> Result<Self, EmbedError> {
        let fingerprint = inner.fingerprint();
        let records = Records::open(folder, &file_name(fingerprint), fingerprint.dimension)?;
        Ok(Self { inner, records })
    }
}

impl<E: Embedder> Embedder for DiskCachedEmbedder<E> {
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
        let known = |text: &str| self.records.find(&key(text, "document"));
        let (found, made) = fill_gaps(texts, known, |missing| self.inner.embed_documents(missing))?;
        let keyed = made.iter().filter_map(|(place, embedding)| {
            let text = texts.get(*place)?;
            Some((key(text, "document"), embedding.clone()))
        });
        self.records.keep(keyed.collect())?;
        Ok(complete(found, made))
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, EmbedError> {
        let key = key(text, "query");
        if let Some(known) = self.records.find(&key) {
            return Ok(known);
        }
        let embedding = self.inner.embed_query(text)?;
        self.records.keep(vec![(key, embedding.clone())])?;
        Ok(embedding)
    }
}

fn key(text: &str, kind: &str) -> RecordKey {
    Sha256::new()
        .chain_update(kind)
        .chain_update([0])
        .chain_update(text)
        .finalize()
        .into()
}

/// The model's name, for people, and a digest of its whole fingerprint.
fn file_name(fingerprint: &Fingerprint) -> String {
    let digest = hex::encode(Sha256::digest(format!("{fingerprint:?}")));
    let digest = digest.get(..12).unwrap_or(&digest);
    format!("{}-{digest}.embeddings", plain_name(&fingerprint.model))
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write;

    use super::DiskCachedEmbedder;
    use crate::{Embedder, LexicalEmbedder};

    fn open(folder: &std::path::Path) -> DiskCachedEmbedder<LexicalEmbedder> {
        DiskCachedEmbedder::open(LexicalEmbedder::new(16), folder).unwrap()
    }

    #[test]
    fn embeddings_survive_a_restart_bit_by_bit() {
        let folder = tempfile::tempdir().unwrap();
        let texts = ["eins", "zwei 二", ""];
        let first = open(folder.path()).embed_documents(&texts).unwrap();
        let again = open(folder.path());
        assert_eq!(again.records.len(), 3);
        assert_eq!(again.embed_documents(&texts).unwrap(), first);
    }

    #[test]
    fn a_torn_tail_is_cut_off_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let embedder = open(folder.path());
        embedder.embed_documents(&["one", "two"]).unwrap();
        OpenOptions::new()
            .append(true)
            .open(&embedder.records.path)
            .unwrap()
            .write_all(b"torn")
            .unwrap();
        let again = open(folder.path());
        assert_eq!(again.records.len(), 2);
        again.embed_documents(&["three"]).unwrap();
        assert_eq!(open(folder.path()).records.len(), 3);
    }

    #[test]
    fn a_foreign_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = open(folder.path()).records.path;
        std::fs::write(&path, b"something else entirely").unwrap();
        let embedder = open(folder.path());
        embedder.embed_query("one").unwrap();
        assert_eq!(open(folder.path()).records.len(), 1);
    }
}
