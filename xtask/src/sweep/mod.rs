//! The matrix of data sets, session kinds, models and temperatures: every cell is a run of
//! `eerag eval`, every data set ends in one report.

mod cell;
mod server;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

use self::cell::{Cell, cells};
use self::server::TestServer;
use crate::fetch_model;
use crate::quickstart::target_folder;
use crate::run::{announce, cargo, run as run_command, workspace_root};

/// Options of `cargo xtask sweep`.
#[derive(Args)]
pub(crate) struct Options {
    /// A data set: a path, or a name looked up under `EERAG_DATA`. May be repeated
    #[arg(long, required = true)]
    data: Vec<String>,
    /// What is asked of the sessions
    #[arg(long, value_enum, default_value_t = Suite::Election)]
    suite: Suite,
    /// Who answers: openai, anthropic, extractive. May be repeated
    #[arg(long, default_value = "openai")]
    session: Vec<String>,
    /// A model. May be repeated; the configured one without any
    #[arg(long)]
    model: Vec<String>,
    /// A temperature. May be repeated; the server's own without any
    #[arg(long)]
    temperature: Vec<f32>,
    /// For `qa`: correct, correct-or-possible or composite
    #[arg(long)]
    score: Option<String>,
    /// For `qa` with `--score composite`: what a wrong answer costs
    #[arg(long)]
    wrong_penalty: Option<f64>,
    /// At most this many questions of each data set
    #[arg(long)]
    limit: Option<usize>,
    /// The server; by default what `OPENAI_BASE_URL` or the settings name
    #[arg(long, conflicts_with = "test_server")]
    base_url: Option<String>,
    /// Start the small chat model of the tests and ask it
    #[arg(long)]
    test_server: bool,
    /// Override a setting, as `eerag --set` does. May be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Questions under way at a time
    #[arg(long, default_value_t = 1)]
    workers: usize,
    /// The folder of rows and reports; by default `sweep` in the target folder. Cells whose rows
    /// lie there are not asked again
    #[arg(long)]
    to: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Suite {
    /// What the session elects
    Election,
    /// What it answers
    Qa,
}

impl Suite {
    fn name(self) -> &'static str {
        match self {
            Self::Election => "election",
            Self::Qa => "qa",
        }
    }
}

/// Runs every cell and writes a report for every data set.
pub(crate) fn run(options: &Options) -> Result<()> {
    check_sessions(&options.session)?;
    announce("Building eerag");
    run_command(&mut cargo(["build", "--package", "ee-cli"]))?;
    let target = target_folder()?;
    let server = options.test_server.then(start_server).transpose()?;
    let sweep = Sweep {
        program: target
            .join("debug")
            .join(format!("eerag{}", std::env::consts::EXE_SUFFIX)),
        base_url: server.as_ref().map(|server| server.base_url.clone()),
        options,
    };
    let folder = options.to.clone().unwrap_or_else(|| target.join("sweep"));
    for data in &options.data {
        let name = Path::new(data).file_stem().unwrap_or_default();
        sweep.over(data, &folder.join(name))?;
    }
    Ok(())
}

fn start_server() -> Result<TestServer> {
    announce("Starting the chat model of the tests");
    fetch_model::fetch_chat()?;
    TestServer::start()
}

struct Sweep<'a> {
    program: PathBuf,
    base_url: Option<String>,
    options: &'a Options,
}

impl Sweep<'_> {
    fn over(&self, data: &str, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let options = self.options;
        let cells = cells(&options.session, &options.model, &options.temperature);
        let mut rows = Vec::new();
        for (place, cell) in cells.iter().enumerate() {
            let title = format!("{data}, {} of {}: {}", place + 1, cells.len(), cell.name());
            announce(&title);
            let path = folder.join(format!("{}.jsonl", cell.name()));
            self.evaluate(data, cell, &path)?;
            rows.push(path);
        }
        announce(&format!("Report on {data}"));
        self.report(data, &rows, folder)
    }

    fn evaluate(&self, data: &str, cell: &Cell, rows: &Path) -> Result<()> {
        let options = self.options;
        let mut command = self.eerag();
        command.args(["eval", options.suite.name(), "--data", data]);
        command
            .args(["--session", &cell.session, "--resume", "--rows"])
            .arg(rows);
        command.args(["--workers", &options.workers.to_string()]);
        if let Some(limit) = options.limit {
            command.args(["--limit", &limit.to_string()]);
        }
        for assignment in cell.assignments().iter().chain(&options.set) {
            command.args(["--set", assignment]);
        }
        run_command(&mut command)
    }

    fn report(&self, data: &str, rows: &[PathBuf], folder: &Path) -> Result<()> {
        let options = self.options;
        let mut command = self.eerag();
        command.args(["eval", "compare"]).args(rows);
        let title = format!("Sweep of {} on {data}", options.suite.name());
        command.args(["--title", &title]);
        if let Some(score) = &options.score {
            command.args(["--score", score]);
        }
        if let Some(penalty) = options.wrong_penalty {
            command.args(["--wrong-penalty", &penalty.to_string()]);
        }
        for name in ["report.html", "report.json"] {
            command.arg("--report").arg(folder.join(name));
        }
        run_command(&mut command)?;
        println!("\nreport: {}", folder.join("report.html").display());
        Ok(())
    }

    fn eerag(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(workspace_root());
        let base_url = self.base_url.as_ref().or(self.options.base_url.as_ref());
        if let Some(base_url) = base_url {
            command.env("OPENAI_BASE_URL", base_url);
        }
        command
    }
}

/// Refuses sessions that there are not, before anything is built.
fn check_sessions(sessions: &[String]) -> Result<()> {
    let known = ["openai", "anthropic", "extractive"];
    let mut named = sessions.iter();
    if let Some(other) = named.find(|one| !known.contains(&one.as_str())) {
        bail!(
            "there is no session {other}: name one of {}",
            known.join(", ")
        );
    }
    Ok(())
}
