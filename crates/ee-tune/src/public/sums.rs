//! Checksums of downloads: those that are known, and those that the first download had.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::PublicFile;
use crate::TuneError;

/// The file beside the data that keeps what the first download had.
const SUMS: &str = "SHA256SUMS";

/// The sums of a folder.
#[derive(Debug)]
pub(super) struct Sums {
    path: PathBuf,
    kept: String,
}

impl Sums {
    /// What an earlier download left in this folder.
    pub(super) fn of(folder: &Path) -> Self {
        let path = folder.join(SUMS);
        let kept = fs::read_to_string(&path).unwrap_or_default();
        Self { path, kept }
    }

    /// Checks a file against the known sum, or against that of an earlier download; gives its sum.
    pub(super) fn check(&self, file: &PublicFile, bytes: &[u8]) -> Result<String, TuneError> {
        let found = sum(bytes);
        let kept = self.kept.lines().filter_map(|line| line.split_once("  "));
        let earlier = kept
            .filter(|(_, name)| *name == file_name(file))
            .map(|(sum, _)| sum)
            .next();
        match file.sha256.or(earlier) {
            Some(expected) if expected != found => Err(TuneError::Checksum {
                url: file.url.to_owned(),
                expected: expected.to_owned(),
                found,
                sums: self.path.clone(),
            }),
            _ => Ok(found),
        }
    }

    /// Keeps the sums of all files, in the form that `sha256sum` reads.
    pub(super) fn keep(&self, files: &[(&PublicFile, String)]) -> Result<(), TuneError> {
        let lines = files
            .iter()
            .map(|(file, sum)| format!("{sum}  {}\n", file_name(file)));
        let written = fs::write(&self.path, lines.collect::<String>());
        written.map_err(|source| TuneError::Write {
            path: self.path.clone(),
            source,
        })
    }
}

/// The last part of a file's address.
pub(super) fn file_name(file: &PublicFile) -> &'static str {
    file.url.rsplit('/').next().unwrap_or(file.url)
}

fn sum(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::{Sums, sum};
    use crate::TuneError;
    use crate::public::PublicFile;

    #[test]
    fn a_known_sum_and_an_earlier_one_are_held() {
        let folder = tempfile::tempdir().unwrap();
        let unknown = PublicFile {
            url: "https://example.org/a/data.json",
            sha256: None,
        };
        let sums = Sums::of(folder.path());
        let first = sums.check(&unknown, b"one").unwrap();
        sums.keep(&[(&unknown, first)]).unwrap();
        let sums = Sums::of(folder.path());
        assert_eq!(sums.check(&unknown, b"one").unwrap(), sum(b"one"));
        let refused = sums.check(&unknown, b"two");
        assert!(
            matches!(refused, Err(TuneError::Checksum { .. })),
            "{refused:?}"
        );
    }
}
