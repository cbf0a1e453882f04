//! What all suites have in common: the data, the part of it, the seed, the progress bar.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use clap::{Args, ValueEnum};
use ee_tune::{
    CaseRunner, DataChecksum, Half, Part, RowFile, RowHeader, Setup, SuiteRun, TuneError,
};
use serde::Serialize;

use crate::arguments::from_one_on;
use crate::identity::IdentityFlags;
use crate::progress::QuestionBar;
use crate::workbench::Workbench;

/// Options of every suite.
#[derive(Debug, Args)]
pub(super) struct Common {
    /// The dataset: a path, or a name looked up under $`EERAG_DATA`
    #[arg(long, value_name = "PATH")]
    data: PathBuf,
    /// Seed of the bootstrap
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// At most this many questions
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// One half of the files, conversations or questions: even chooses, odd reports
    #[arg(long, value_enum)]
    part: Option<Side>,
    /// Only the questions whose ids this file lists, one a line
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Only these files or conversations, where the data has several
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    files: Vec<String>,
    /// Write a row per question as JSON Lines: metrics, what was offered and elected, the cost
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
    /// With --rows: keep the rows that are there and ask only the other questions
    #[arg(long, requires = "rows")]
    resume: bool,
    /// Questions under way at a time; by default as many as there are cores. With 1 their times
    /// do not disturb each other
    #[arg(long, value_name = "N", value_parser = from_one_on)]
    workers: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    Even,
    Odd,
}

impl Common {
    /// The dataset: a path as given, or a name under `EERAG_DATA`.
    pub(super) fn data(&self) -> Result<PathBuf> {
        dataset(&self.data)
    }

    /// Refuses a choice of files for data that has none.
    pub(super) fn has_no_files(&self) -> Result<()> {
        ensure!(
            self.files.is_empty(),
            "this suite's data is one collection: choose questions with --queries FILE"
        );
        Ok(())
    }

    /// Refuses a choice of questions for data that has none.
    pub(super) fn has_no_questions(&self) -> Result<()> {
        ensure!(
            self.queries.is_none(),
            "this suite's data has no questions: choose files with --files A,B"
        );
        Ok(())
    }

    fn part(&self) -> Result<Part> {
        let half = self.part.map(|side| match side {
            Side::Even => Half::Even,
            Side::Odd => Half::Odd,
        });
        let only = self.queries.as_deref().map(listed).transpose()?;
        let files = self.files.iter().cloned().collect::<BTreeSet<String>>();
        Ok(Part {
            half,
            only,
            files: Some(files).filter(|files| !files.is_empty()),
            limit: self.limit,
        })
    }

    /// What the run is made with, for the report.
    pub(super) fn setup(&self, bench: &Workbench, system: String) -> Result<Setup> {
        let settings = serde_json::to_value(bench.settings())?;
        let model = bench.settings().embed.model.clone();
        Ok(Setup {
            system,
            seed: self.seed,
            settings,
            model,
        })
    }

    /// Runs a suite under a progress bar, its rows kept where the flags say.
    pub(super) fn watched<T>(
        &self,
        bench: &Workbench,
        (suite_name, data): (&str, &str),
        setup: &Setup,
        suite: impl FnOnce(SuiteRun<'_>) -> Result<T, TuneError>,
    ) -> Result<T> {
        let (part, scope) = (self.part()?, bench.scope(&IdentityFlags::default()));
        let rows = self.row_file(suite_name, data, setup)?;
        let bar = QuestionBar::new(bench.hides_progress());
        let outcome = suite(SuiteRun {
            part: &part,
            scope: &scope,
            setup,
            progress: &bar,
            cancellation: bench.cancellation(),
            cases: CaseRunner {
                workers: self.workers()?,
                rows: rows.as_ref(),
            },
        });
        bar.finish();
        outcome.map_err(|error| self.with_hint(error))
    }

    fn row_file(&self, suite: &str, data: &str, setup: &Setup) -> Result<Option<RowFile>> {
        let Some(path) = &self.rows else {
            return Ok(None);
        };
        let files = DataChecksum::of(&self.data()?)?;
        let header = RowHeader::new(suite, data, files, setup);
        Ok(Some(if self.resume {
            RowFile::resume(path, &header)?
        } else {
            RowFile::create(path, &header)?
        }))
    }

    fn workers(&self) -> Result<NonZeroUsize> {
        let named = self.workers.and_then(NonZeroUsize::new);
        Ok(match named {
            Some(workers) => workers,
            None => std::thread::available_parallelism().context("cannot count the cores")?,
        })
    }

    /// Says how an interrupted run is taken up again.
    fn with_hint(&self, error: TuneError) -> anyhow::Error {
        match (&error, &self.rows) {
            (TuneError::Cancelled, Some(rows)) => anyhow!(
                "interrupted; the finished rows are in {}: the same command with --resume goes on",
                rows.display()
            ),
            _ => error.into(),
        }
    }
}

/// A dataset: a path as given, or a name under `EERAG_DATA`.
pub(in crate::commands) fn dataset(data: &Path) -> Result<PathBuf> {
    if data.exists() {
        return Ok(data.to_owned());
    }
    let root = std::env::var_os("EERAG_DATA").map(PathBuf::from);
    let named = root
        .as_ref()
        .map(|root| root.join(data))
        .filter(|path| path.exists());
    named.with_context(|| match root {
        Some(root) => format!(
            "there is no {} here or in {}",
            data.display(),
            root.display()
        ),
        None => format!(
            "there is no {}, and EERAG_DATA names no folder",
            data.display()
        ),
    })
}

fn listed(path: &Path) -> Result<BTreeSet<String>> {
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Ok(lines.map(str::to_owned).collect())
}

/// A file to write rows to.
pub(in crate::commands) fn create(path: &Path) -> Result<BufWriter<File>> {
    let file = File::create(path);
    Ok(BufWriter::new(file.with_context(|| {
        format!("cannot write {}", path.display())
    })?))
}

/// Writes rows as JSON Lines where a file was named.
pub(super) fn write_rows(path: Option<&Path>, rows: &[impl Serialize]) -> Result<()> {
    let Some(path) = path else {
        return Ok(());
    };
    let mut out = create(path)?;
    for row in rows {
        writeln!(out, "{}", serde_json::to_string(row)?)?;
    }
    Ok(out.flush()?)
}
