//! Which data a run was made on.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::TuneError;

/// How much of a file is read at a time, in bytes.
const CHUNK: usize = 1 << 16;

/// A file of the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataChecksum {
    /// Dataset and file, for example `eedag/corpus.jsonl`.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

impl DataChecksum {
    /// The file at `path`, or every file in and below the folder, by name. Hidden files are left
    /// out.
    ///
    /// # Errors
    /// [`TuneError::Read`] for a file that cannot be read.
    pub fn of(path: &Path) -> Result<Vec<Self>, TuneError> {
        let base = path.parent().unwrap_or(path);
        let files = files(path).map_err(|source| cannot_read(path, source))?;
        files.iter().map(|file| Self::of_file(file, base)).collect()
    }

    fn of_file(file: &Path, base: &Path) -> Result<Self, TuneError> {
        let (bytes, sha256) = digest(file).map_err(|source| cannot_read(file, source))?;
        let name = file.strip_prefix(base).unwrap_or(file);
        let parts = name
            .components()
            .map(|part| part.as_os_str().to_string_lossy());
        Ok(Self {
            file: parts.collect::<Vec<_>>().join("/"),
            bytes,
            sha256,
        })
    }
}

fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            found.extend(files(&entry.path())?);
        }
    }
    found.sort();
    Ok(found)
}

fn digest(file: &Path) -> io::Result<(u64, String)> {
    let (mut file, mut hash, mut bytes) = (File::open(file)?, Sha256::new(), 0);
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = file.read(&mut chunk)?;
        let Some(part) = chunk.get(..read).filter(|part| !part.is_empty()) else {
            break;
        };
        hash.update(part);
        bytes += read as u64;
    }
    Ok((bytes, hex::encode(hash.finalize())))
}

fn cannot_read(path: &Path, source: io::Error) -> TuneError {
    TuneError::Read {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::DataChecksum;

    #[test]
    fn every_file_of_a_folder_is_summed_under_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("faq");
        fs::create_dir_all(data.join("documents")).unwrap();
        fs::write(data.join("documents/a.md"), "abc").unwrap();
        fs::write(data.join("questions.jsonl"), "").unwrap();
        fs::write(data.join(".hidden"), "x").unwrap();
        let found = DataChecksum::of(&data).unwrap();
        let names: Vec<&str> = found.iter().map(|one| one.file.as_str()).collect();
        assert_eq!(names, ["faq/documents/a.md", "faq/questions.jsonl"]);
        // FIPS 180-2, appendix B.1.
        assert_eq!(
            (found[0].bytes, found[0].sha256.as_str()),
            (
                3,
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            )
        );
    }
}
