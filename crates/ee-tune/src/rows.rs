//! Reading JSON Lines, with the row in every error.

use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::TuneError;

/// Reads JSON Lines, each with its row from 1; blank lines are passed over.
pub(crate) fn json_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<(usize, T)>, TuneError> {
    let mut rows = Vec::new();
    for (index, line) in lines(path)?.enumerate() {
        let line = line.map_err(|source| TuneError::Read {
            path: path.to_owned(),
            source,
        })?;
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() {
            continue;
        }
        let expected = "one JSON object with the fields of this file";
        let row = serde_json::from_str(line)
            .map_err(|error| row_error(path, index + 1, expected, &error.to_string()))?;
        rows.push((index + 1, row));
    }
    Ok(rows)
}

/// The lines of a file.
pub(crate) fn lines(path: &Path) -> Result<Lines<BufReader<File>>, TuneError> {
    let file = File::open(path).map_err(|source| TuneError::Read {
        path: path.into(),
        source,
    })?;
    Ok(BufReader::new(file).lines())
}

/// A row that is not what the file's format asks for.
pub(crate) fn row_error(path: &Path, row: usize, expected: &'static str, found: &str) -> TuneError {
    TuneError::Row {
        path: path.to_owned(),
        row,
        expected,
        found: found.to_owned(),
    }
}

/// What a dataset in this folder or file is called.
pub(crate) fn folder_name(path: &Path) -> String {
    let name = if path.is_dir() {
        path.file_name()
    } else {
        path.file_stem()
    };
    name.unwrap_or_default().to_string_lossy().into_owned()
}
