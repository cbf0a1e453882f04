//! `eerag eval`: quality, cost and time on labelled data.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use ee_embed::{DiskCachedEmbedder, Embedder};
use ee_pipeline::{Engine, KnowledgeBase};
use ee_store::SqliteStore;
use ee_tune::{
    BeirDataset, ElectionSubject, Half, Part, QuestionFile, Setup, SuiteReport, SuiteRun,
    run_election, run_retrieval, write_trec_run,
};
use tempfile::TempDir;

use super::search::System;
use crate::arguments::SessionFlags;
use crate::identity::IdentityFlags;
use crate::output::{Ending, print_json, print_line};
use crate::progress::{FileBar, QuestionBar};
use crate::workbench::{Workbench, open_store, parts};

/// Options of `eerag eval`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(Debug, Subcommand)]
enum Suite {
    /// Documents ranked for every question: nDCG, recall, reciprocal rank
    Retrieval {
        #[command(flatten)]
        common: Common,
        /// Which ranking
        #[arg(long, value_enum, default_value_t = System::Hybrid)]
        system: System,
        /// Write the ranking in TREC's run format
        #[arg(long, value_name = "FILE")]
        run: Option<PathBuf>,
    },
    /// Which entries a session elects, what its answers hold, what they cost
    Election {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        session: SessionFlags,
        /// Write a row per question as JSON Lines
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// Options of every suite.
#[derive(Debug, Args)]
struct Common {
    /// The dataset: a path, or a name looked up under $`EERAG_DATA`
    #[arg(long, value_name = "PATH")]
    data: PathBuf,
    /// Seed of the bootstrap
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// At most this many questions
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// One half of the questions: even chooses, odd reports
    #[arg(long, value_enum)]
    part: Option<Side>,
    /// Only the questions whose ids this file lists, one a line
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    Even,
    Odd,
}

/// Runs a suite and prints its report.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let report = match &options.suite {
        Suite::Retrieval {
            common,
            system,
            run,
        } => retrieval(bench, common, *system, run.as_deref()),
        Suite::Election {
            common,
            session,
            out,
        } => election(bench, common, session, out.as_deref()),
    }?;
    if bench.json() {
        print_json(&report)?;
    } else {
        print_report(&report)?;
    }
    Ok(Ending::Done)
}

fn retrieval(
    bench: &Workbench,
    common: &Common,
    system: System,
    run_file: Option<&Path>,
) -> Result<SuiteReport> {
    let dataset = BeirDataset::load(&data_folder(&common.data)?, QuestionFile::Queries)?;
    let scratch = Scratch::over(bench, &dataset)?;
    let setup = common.setup(bench, format!("{system:?}").to_lowercase())?;
    let (report, run) = common.watched(bench, &setup, |run| {
        run_retrieval(&scratch.knowledge, &dataset, system.into(), run)
    })?;
    if let Some(path) = run_file {
        let mut out = create(path)?;
        write_trec_run(&run, &setup.system, &mut out).and_then(|()| out.flush())?;
    }
    Ok(report)
}

fn election(
    bench: &Workbench,
    common: &Common,
    flags: &SessionFlags,
    rows: Option<&Path>,
) -> Result<SuiteReport> {
    let dataset = BeirDataset::load(&data_folder(&common.data)?, QuestionFile::QueriesAll)?;
    let scratch = Scratch::over(bench, &dataset)?;
    let session = bench.session(flags)?;
    let engine = scratch.engine(bench, flags);
    let (knowledge, session) = (scratch.knowledge.as_ref(), session.as_ref());
    let subject = ElectionSubject {
        engine: &engine,
        knowledge,
        session,
    };
    let setup = common.setup(bench, session.name().to_owned())?;
    let (report, cases) =
        common.watched(bench, &setup, |run| run_election(subject, &dataset, run))?;
    if let Some(path) = rows {
        let mut out = create(path)?;
        for case in &cases {
            writeln!(out, "{}", serde_json::to_string(case)?)?;
        }
        out.flush()?;
    }
    Ok(report)
}

impl Common {
    fn part(&self) -> Result<Part> {
        let half = self.part.map(|side| match side {
            Side::Even => Half::Even,
            Side::Odd => Half::Odd,
        });
        let only = match &self.queries {
            None => None,
            Some(path) => Some(listed(path)?),
        };
        Ok(Part {
            half,
            only,
            limit: self.limit,
        })
    }

    fn setup(&self, bench: &Workbench, system: String) -> Result<Setup> {
        let settings = serde_json::to_value(bench.settings())?;
        let model = bench.settings().embed.model.clone();
        Ok(Setup {
            system,
            seed: self.seed,
            settings,
            model,
        })
    }

    /// Runs a suite under a progress bar.
    fn watched<T>(
        &self,
        bench: &Workbench,
        setup: &Setup,
        suite: impl FnOnce(SuiteRun<'_>) -> Result<T, ee_tune::TuneError>,
    ) -> Result<T> {
        let (part, scope) = (self.part()?, bench.scope(&IdentityFlags::default()));
        let bar = QuestionBar::new(bench.hides_progress());
        let (part, scope, progress) = (&part, &scope, &bar);
        let cancellation = bench.cancellation();
        let outcome = suite(SuiteRun {
            part,
            scope,
            setup,
            progress,
            cancellation,
        });
        bar.finish();
        Ok(outcome?)
    }
}

/// A knowledge base that holds a dataset, in a folder that goes when it goes. Embeddings are kept
/// on disk by model and content, so that a further run takes seconds.
struct Scratch {
    store: Arc<SqliteStore>,
    knowledge: Arc<KnowledgeBase>,
    _folder: TempDir,
}

impl Scratch {
    fn over(bench: &Workbench, dataset: &BeirDataset) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot create a folder for the evaluation")?;
        let settings = bench.settings();
        let store = Arc::new(open_store(&folder.path().join("eval.db"), settings)?);
        let embedder = bench.onnx_embedder(&settings.embed)?;
        let embedder: Arc<dyn Embedder> = Arc::new(DiskCachedEmbedder::open(
            embedder,
            &settings.evaluation_cache()?,
        )?);
        let knowledge = Arc::new(bench.knowledge_over(parts(Arc::clone(&store), embedder)?)?);
        let bar = FileBar::new(bench.hides_progress());
        let mut sources = dataset.documents.iter().map(ee_tune::Document::source);
        let outcome = knowledge.ingest_sources(&mut sources, &bar, bench.cancellation());
        bar.finish();
        let report = outcome?;
        if report.cancelled {
            bail!("interrupted; what was embedded is kept for the next run");
        }
        if let Some(skipped) = report.skipped.first() {
            let (path, reason) = (skipped.path.display(), &skipped.reason);
            bail!(
                "{} documents cannot be ingested; {path}: {reason}",
                report.skipped.len()
            );
        }
        Ok(Self {
            store,
            knowledge,
            _folder: folder,
        })
    }

    fn engine(&self, bench: &Workbench, flags: &SessionFlags) -> Engine {
        let (conversations, audit) = (self.store.clone(), self.store.clone());
        let config = bench.turn_config(flags);
        Engine::new(Arc::clone(&self.knowledge), conversations, audit, config)
    }
}

/// A path as given, or a name under `EERAG_DATA`.
fn data_folder(data: &Path) -> Result<PathBuf> {
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

fn create(path: &Path) -> Result<BufWriter<File>> {
    let file = File::create(path);
    Ok(BufWriter::new(file.with_context(|| {
        format!("cannot write {}", path.display())
    })?))
}

fn print_report(report: &SuiteReport) -> Result<()> {
    let (suite, data, system) = (report.suite, &report.data, &report.system);
    print_line(format!(
        "{suite} on {data}, {system}, {} questions, {:.1} s",
        report.n, report.seconds
    ))?;
    for (name, value) in &report.metrics {
        let interval = report.intervals.get(name.as_str());
        let interval = interval.map(|[low, high]| format!("  95% {low:.4} to {high:.4}"));
        let value = value.as_f64().unwrap_or_default();
        print_line(format!(
            "{name:<18} {value:>9.4}{}",
            interval.unwrap_or_default()
        ))?;
    }
    Ok(())
}
