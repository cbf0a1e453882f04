//! Checking files and putting them in place.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::EmbedError;

/// Whether the file is there with the right checksum. A wrong one is taken away.
pub(super) fn is_sound(path: &Path, sha256: Option<&str>) -> Result<bool, EmbedError> {
    if !path.is_file() {
        return Ok(false);
    }
    let Some(expected) = sha256 else {
        return Ok(true);
    };
    let sound = digest(path).map_err(EmbedError::io(path))? == expected;
    if !sound {
        std::fs::remove_file(path).map_err(EmbedError::io(path))?;
    }
    Ok(sound)
}

/// Moves a checked file to its place, whole.
pub(super) fn settle(from: &Path, sha256: Option<&str>, place: &Path) -> Result<(), String> {
    check(from, sha256)?;
    std::fs::rename(from, place).map_err(|error| error.to_string())
}

/// Compares a file with its checksum where there is one; a wrong file is taken away, so that it
/// is never resumed.
pub(super) fn check(file: &Path, sha256: Option<&str>) -> Result<(), String> {
    let Some(expected) = sha256 else {
        return Ok(());
    };
    let found = digest(file).map_err(|error| error.to_string())?;
    if found == expected {
        return Ok(());
    }
    let _ = std::fs::remove_file(file);
    Err(format!("checksum is {found}, expected {expected}"))
}

/// Where a file lies until it is whole.
pub(super) fn part_of(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// SHA-256 in lower-case hexadecimal.
pub(super) fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hash.update(buffer.get(..read).unwrap_or_default());
    }
    Ok(hex::encode(hash.finalize()))
}
