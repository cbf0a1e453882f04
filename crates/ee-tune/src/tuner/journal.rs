//! The record of a search on disk: what was asked for, then a line per trial.
//!
//! A search that was killed goes on from here. A line that was cut off in the middle counts as not
//! written; its trial is measured again.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::TrialRecord;
use crate::TuneError;

/// The version of the format.
const VERSION: u32 = 1;

/// Everything that the trials depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalHeader {
    /// The version of the format.
    pub version: u32,
    /// The suite and its dataset.
    pub subject: String,
    /// The deciding metric.
    pub metric: String,
    /// The method of search.
    pub method: String,
    /// The seed.
    pub seed: u64,
    /// The keys of the space, in order.
    pub space: Vec<String>,
    /// The settings in force.
    pub current: Value,
    /// The costs that the search weighs beside quality.
    pub costs: Vec<String>,
    /// SHA-256 over the ids of the cases.
    pub cases: String,
    /// Milliseconds that a step of work takes. Measured when the search began; a resumed search
    /// goes on with the same.
    pub milliseconds_per_step: f64,
}

impl JournalHeader {
    pub(super) const VERSION: u32 = VERSION;

    /// The first thing in which two headers differ, in words.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        let differs = [
            ("the version of the format", self.version != other.version),
            (
                "the suite or its data",
                self.subject != other.subject || self.cases != other.cases,
            ),
            ("the deciding metric", self.metric != other.metric),
            ("the method", self.method != other.method),
            ("the seed", self.seed != other.seed),
            ("the parameters", self.space != other.space),
            ("the settings in force", self.current != other.current),
            ("the objectives", self.costs != other.costs),
        ];
        differs
            .into_iter()
            .find(|(_, differs)| *differs)
            .map(|(name, _)| name)
    }
}

/// A journal that is open for further trials.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    milliseconds_per_step: f64,
    known: Vec<TrialRecord>,
}

impl Journal {
    /// Begins a journal.
    ///
    /// # Errors
    /// [`TuneError::JournalThere`] when there is one already, [`TuneError::Write`] when the file
    /// cannot be made.
    pub fn begin(path: &Path, header: &JournalHeader) -> Result<Self, TuneError> {
        if path.exists() {
            return Err(TuneError::JournalThere {
                path: path.to_owned(),
            });
        }
        let failed = |source| TuneError::Write {
            path: path.to_owned(),
            source,
        };
        let mut journal = Self {
            file: File::create(path).map_err(failed)?,
            path: path.to_owned(),
            milliseconds_per_step: header.milliseconds_per_step,
            known: Vec::new(),
        };
        journal.write(header)?;
        Ok(journal)
    }

    /// Opens a journal to go on; one that is not there, or that was killed before its first line
    /// was whole, is begun.
    ///
    /// # Errors
    /// [`TuneError::JournalDiffers`] when it was made for another search, [`TuneError::Row`] for a
    /// line that is not a trial, [`TuneError::Write`] when it cannot be opened.
    pub fn resume(path: &Path, header: &JournalHeader) -> Result<Self, TuneError> {
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            outcome => outcome.map_err(|source| TuneError::Read {
                path: path.to_owned(),
                source,
            })?,
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let failed = |source| TuneError::Write {
            path: path.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        let file = options
            .create(true)
            .append(true)
            .open(path)
            .map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        let mut journal = Self {
            file,
            path: path.to_owned(),
            milliseconds_per_step: header.milliseconds_per_step,
            known: Vec::new(),
        };
        let mut lines = text.get(..whole).unwrap_or_default().lines().zip(1..);
        match lines.next() {
            None => journal.write(header)?,
            Some((line, row)) => {
                let found: JournalHeader = journal.read(line, row)?;
                if let Some(what) = header.difference(&found) {
                    return Err(TuneError::JournalDiffers {
                        path: path.to_owned(),
                        what,
                    });
                }
                journal.milliseconds_per_step = found.milliseconds_per_step;
            }
        }
        for (line, row) in lines {
            let record: TrialRecord = journal.read(line, row)?;
            journal.known.push(record);
        }
        Ok(journal)
    }

    /// The trials that were measured before, in order.
    pub fn known(&self) -> &[TrialRecord] {
        &self.known
    }

    /// Milliseconds that a step of work took when the search began.
    pub fn milliseconds_per_step(&self) -> f64 {
        self.milliseconds_per_step
    }

    /// Adds a trial.
    ///
    /// # Errors
    /// [`TuneError::Write`] when the disk refuses it.
    pub fn add(&mut self, record: &TrialRecord) -> Result<(), TuneError> {
        self.write(record)
    }

    fn read<T: for<'a> Deserialize<'a>>(&self, line: &str, row: usize) -> Result<T, TuneError> {
        serde_json::from_str(line).map_err(|error| {
            let expected = "a line that the tuner wrote (delete the file to begin anew)";
            crate::rows::row_error(&self.path, row, expected, &error.to_string())
        })
    }

    /// One line in one write, so that a kill leaves it whole or cut off, never mixed.
    fn write(&mut self, row: &impl Serialize) -> Result<(), TuneError> {
        let failed = |source| TuneError::Write {
            path: self.path.clone(),
            source,
        };
        let mut line = serde_json::to_string(row).map_err(|error| failed(error.into()))?;
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(failed)?;
        self.file.flush().map_err(failed)
    }
}
