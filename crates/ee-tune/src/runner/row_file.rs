//! Rows on disk: a header that says what was measured, then a line for each question.
//!
//! A row is written when its question is done, so that an interrupted run keeps what it has. The
//! format is described in `docs/evaluation.md`.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CaseRow, flat_settings, is_place};
use crate::rows::row_error;
use crate::{DataChecksum, Setup, TuneError};

/// The name of the format, in every header.
const FORMAT: &str = "eerag-rows";

/// The version of the format that is written.
const VERSION: u32 = 1;

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowHeader {
    /// The name of the format.
    pub format: String,
    /// Its version.
    pub version: u32,
    /// The suite.
    pub suite: String,
    /// The dataset.
    pub data: String,
    /// Its files.
    pub files: Vec<DataChecksum>,
    /// The system or session under test.
    pub system: String,
    /// The embedder.
    pub model: String,
    /// The settings in force.
    pub settings: Value,
    /// The program's version.
    pub program: String,
}

impl RowHeader {
    /// The header of a run of `suite` over `data`, which lies in `files`.
    pub fn new(suite: &str, data: &str, files: Vec<DataChecksum>, setup: &Setup) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            suite: suite.to_owned(),
            data: data.to_owned(),
            files,
            system: setup.system.clone(),
            model: setup.model.clone(),
            settings: setup.settings.clone(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// The first thing in which a run under `other` would differ: its name, here and there. Where
    /// files lie makes no difference.
    fn difference(&self, other: &Self) -> Option<(String, String, String)> {
        let contents = |header: &Self| {
            let sums = header
                .files
                .iter()
                .map(|file| file.sha256.get(..8).unwrap_or_default());
            sums.collect::<Vec<_>>().join(" ")
        };
        let (here, there) = (contents(self), contents(other));
        let fields = [
            ("content of the dataset", &here, &there),
            ("suite", &self.suite, &other.suite),
            ("dataset", &self.data, &other.data),
            ("system", &self.system, &other.system),
            ("embedder", &self.model, &other.model),
            ("version", &self.program, &other.program),
        ];
        let differing = fields.into_iter().find(|(_, here, there)| here != there);
        let named = differing.map(|(what, here, there)| (what.into(), here.into(), there.into()));
        named.or_else(|| self.differing_settings(other).into_iter().next())
    }

    /// The settings that differ: key, value here, value there.
    pub(crate) fn differing_settings(&self, other: &Self) -> Vec<(String, String, String)> {
        let (here, there) = (
            flat_settings(&self.settings),
            flat_settings(&other.settings),
        );
        let keys: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
        let shown = |value: Option<&Value>| value.map_or("absent".to_owned(), ToString::to_string);
        keys.into_iter()
            .filter(|key| !is_place(key) && here.get(*key) != there.get(*key))
            .map(|key| (key.clone(), shown(here.get(key)), shown(there.get(key))))
            .collect()
    }
}

/// The rows of a run, read back.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRows {
    /// What was measured.
    pub header: RowHeader,
    /// The rows, in the order in which they were written.
    pub rows: Vec<CaseRow>,
    /// Bytes up to the end of the last whole row.
    whole_bytes: u64,
}

impl RunRows {
    /// Rows that are in no file.
    pub fn new(header: RowHeader, rows: Vec<CaseRow>) -> Self {
        Self {
            header,
            rows,
            whole_bytes: 0,
        }
    }

    /// Reads a file of rows. A last line that was cut off by the end of the program is passed over.
    ///
    /// # Errors
    /// [`TuneError::Read`] for a missing file, [`TuneError::Row`] with the row for bad content.
    pub fn load(path: &Path) -> Result<Self, TuneError> {
        let text = std::fs::read_to_string(path).map_err(|source| TuneError::Read {
            path: path.to_owned(),
            source,
        })?;
        let end = text.rfind('\n').map_or(0, |end| end + 1);
        let whole = text.get(..end).unwrap_or_default();
        let mut lines = whole.lines();
        let header = parse_header(path, lines.next().unwrap_or_default())?;
        let rows = lines.enumerate().map(|(index, line)| {
            let parsed = serde_json::from_str(line);
            parsed.map_err(|error| row_error(path, index + 2, "a row of a run", &error.to_string()))
        });
        Ok(Self {
            header,
            rows: rows.collect::<Result<_, _>>()?,
            whole_bytes: whole.len() as u64,
        })
    }
}

fn parse_header(path: &Path, line: &str) -> Result<RowHeader, TuneError> {
    let expected = "the header of rows that `eerag eval SUITE --rows FILE` writes";
    let header: RowHeader = serde_json::from_str(line)
        .map_err(|error| row_error(path, 1, expected, &error.to_string()))?;
    if header.format != FORMAT || header.version != VERSION {
        let found = format!("{} version {}", header.format, header.version);
        return Err(row_error(path, 1, "eerag-rows version 1", &found));
    }
    Ok(header)
}

/// A file that rows are added to.
#[derive(Debug)]
pub struct RowFile {
    path: PathBuf,
    file: Mutex<File>,
    finished: Vec<CaseRow>,
}

impl RowFile {
    /// Starts a file.
    ///
    /// # Errors
    /// [`TuneError::RowsThere`] when the file holds something already, [`TuneError::Write`] when
    /// it cannot be written.
    pub fn create(path: &Path, header: &RowHeader) -> Result<Self, TuneError> {
        if path.metadata().is_ok_and(|file| file.len() > 0) {
            let path = path.to_owned();
            return Err(TuneError::RowsThere { path });
        }
        Self::create_anew(path, header)
    }

    fn create_anew(path: &Path, header: &RowHeader) -> Result<Self, TuneError> {
        let file = File::create(path).map_err(|source| cannot_write(path, source))?;
        let rows = Self {
            path: path.to_owned(),
            file: Mutex::new(file),
            finished: Vec::new(),
        };
        rows.add(header)?;
        Ok(rows)
    }

    /// Goes on with a file, or starts it where there is none or only the beginning of its first
    /// line. Its rows count as done.
    ///
    /// # Errors
    /// [`TuneError::OtherRun`] when the file was made with another suite, dataset, system,
    /// embedder, version or settings; [`TuneError::Row`] for a file that is not one of rows;
    /// [`TuneError::Write`] when it cannot be written.
    pub fn resume(path: &Path, header: &RowHeader) -> Result<Self, TuneError> {
        if holds_no_more_than(path, header)? {
            return Self::create_anew(path, header);
        }
        let kept = RunRows::load(path)?;
        if let Some((what, was, is)) = kept.header.difference(header) {
            let path = path.to_owned();
            return Err(TuneError::OtherRun {
                path,
                what,
                was,
                is,
            });
        }
        let failed = |source| cannot_write(path, source);
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        file.set_len(kept.whole_bytes).map_err(failed)?;
        Ok(Self {
            path: path.to_owned(),
            file: Mutex::new(file),
            finished: kept.rows,
        })
    }

    /// The rows that were there when the file was opened.
    pub fn finished(&self) -> &[CaseRow] {
        &self.finished
    }

    /// Adds a row and hands it to the operating system at once.
    pub(crate) fn add(&self, row: &impl Serialize) -> Result<(), TuneError> {
        let failed = |source| cannot_write(&self.path, source);
        let mut line = serde_json::to_vec(row).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line).map_err(failed)
    }
}

/// Whether there is no file, or one that was cut off before its first line ended.
fn holds_no_more_than(path: &Path, header: &RowHeader) -> Result<bool, TuneError> {
    match std::fs::read(path) {
        Ok(bytes) => {
            let line = serde_json::to_vec(header).map_err(TuneError::Detail)?;
            Ok(line.starts_with(&bytes))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(source) => Err(TuneError::Read {
            path: path.to_owned(),
            source,
        }),
    }
}

fn cannot_write(path: &Path, source: io::Error) -> TuneError {
    TuneError::Write {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use serde_json::json;

    use super::{RowFile, RowHeader, RunRows};
    use crate::{CaseRow, Setup, TuneError};

    fn header(dense_weight: f64, database: &str) -> RowHeader {
        let setup = Setup {
            system: "hybrid".to_owned(),
            seed: 1,
            settings: json!({
                "search": {"dense_weight": dense_weight}, "paths": {"database": database},
            }),
            model: "lexical".to_owned(),
        };
        RowHeader::new("retrieval", "faq", Vec::new(), &setup)
    }

    fn row(id: &str) -> CaseRow {
        CaseRow {
            id: id.to_owned(),
            ..CaseRow::default()
        }
    }

    #[test]
    fn a_cut_off_row_is_dropped_and_the_rest_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let rows = RowFile::create(&path, &header(0.5, "a.db")).unwrap();
        rows.add(&row("q1")).unwrap();
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all("{\"id\":\"q2\",\"quest".as_bytes()).unwrap();
        let resumed = RowFile::resume(&path, &header(0.5, "b.db")).unwrap();
        assert_eq!(resumed.finished().len(), 1);
        resumed.add(&row("q3")).unwrap();
        let kept = RunRows::load(&path).unwrap();
        let ids: Vec<&str> = kept.rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids, ["q1", "q3"]);
    }

    #[test]
    fn rows_are_never_written_over_and_a_torn_first_line_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let rows = RowFile::create(&path, &header(0.5, "a.db")).unwrap();
        rows.add(&row("q1")).unwrap();
        let whole = fs::read(&path).unwrap();
        let refused = RowFile::create(&path, &header(0.5, "a.db"));
        assert!(matches!(refused, Err(TuneError::RowsThere { .. })));
        assert_eq!(fs::read(&path).unwrap(), whole);
        for torn in [0, 20] {
            fs::write(&path, &whole[..torn]).unwrap();
            let resumed = RowFile::resume(&path, &header(0.5, "a.db")).unwrap();
            assert!(resumed.finished().is_empty());
            assert!(whole.starts_with(&fs::read(&path).unwrap()));
        }
        fs::write(&path, "my notes").unwrap();
        RowFile::resume(&path, &header(0.5, "a.db")).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"my notes");
    }

    #[test]
    fn rows_of_other_settings_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        RowFile::create(&path, &header(0.5, "a.db")).unwrap();
        let before = fs::read(&path).unwrap();
        let refused = RowFile::resume(&path, &header(0.6, "a.db"));
        assert!(
            matches!(&refused, Err(TuneError::OtherRun { what, .. }) if what == "search.dense_weight"),
            "{refused:?}"
        );
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_file_of_something_else_is_refused_with_its_row() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        fs::write(&path, "{\"id\":\"q1\"}\n").unwrap();
        let refused = RunRows::load(&path);
        assert!(matches!(refused, Err(TuneError::Row { row: 1, .. })));
    }
}
