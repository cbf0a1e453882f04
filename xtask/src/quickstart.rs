//! The first minutes with the program: fetch, ingest, three questions, the audit.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::fetch_model;
use crate::run::{announce, cargo, run as run_command, workspace_root};

/// Options of `cargo xtask quickstart`.
#[derive(Args)]
pub(crate) struct Options {
    /// Ingest this folder instead of the handbook, and answer the given questions over it.
    #[arg(long, requires = "questions")]
    folder: Option<PathBuf>,
    /// The questions to ask.
    questions: Vec<String>,
}

/// The handbook's questions: one answered, one answered by a table row, one to decline.
const QUESTIONS: &[&str] = &[
    "When does the travel policy require approval for flights in business class?",
    "What does error code E21 mean?",
    "Who won the football world cup in 1974?",
];

/// Fetches what is missing, ingests and asks; every command is shown before it runs.
pub(crate) fn run(options: &Options) -> Result<()> {
    announce("Building eerag (some minutes the first time)");
    run_command(&mut cargo(["build", "--package", "ee-cli"]))?;
    announce("Fetching the embedding model and the ONNX Runtime library");
    fetch_model::fetch_for_quickstart()?;
    let tour = Tour::start()?;
    let handbook = workspace_root().join("fixtures/handbook");
    let questions: Vec<&str> = match &options.folder {
        Some(_) => options.questions.iter().map(String::as_str).collect(),
        None => QUESTIONS.to_vec(),
    };
    tour.over(options.folder.as_deref().unwrap_or(&handbook), &questions)
}

/// A fresh database and the program that fills it.
struct Tour {
    program: PathBuf,
    database: PathBuf,
}

impl Tour {
    fn start() -> Result<Self> {
        let target = target_folder()?;
        let folder = target.join("quickstart");
        if folder.exists() {
            std::fs::remove_dir_all(&folder).context("cannot clear the last quickstart")?;
        }
        std::fs::create_dir_all(&folder).context("cannot create the quickstart folder")?;
        let program = target
            .join("debug")
            .join(format!("eerag{}", std::env::consts::EXE_SUFFIX));
        Ok(Self {
            program,
            database: folder.join("eerag.db"),
        })
    }

    fn over(&self, folder: &Path, questions: &[&str]) -> Result<()> {
        self.eerag(&["ingest", &shown(folder)], &[0])?;
        for question in questions {
            // 3: the answer was declined, which for a question beyond the folder is right.
            self.eerag(&["ask", question], &[0, 3])?;
        }
        self.eerag(&["audit", "--last"], &[0])?;
        println!(
            "\nAsk your own: {} --db {} ask \"…\"",
            shown(&self.program),
            shown(&self.database)
        );
        Ok(())
    }

    fn eerag(&self, arguments: &[&str], accepted: &[i32]) -> Result<()> {
        let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
        println!("\n$ eerag {}", words.join(" "));
        let mut command = Command::new(&self.program);
        command
            .arg("--db")
            .arg(&self.database)
            .args(arguments)
            .current_dir(workspace_root());
        let status = command.status().context("cannot start eerag")?;
        if !status.code().is_some_and(|code| accepted.contains(&code)) {
            bail!("`eerag {}` ended with {status}", words.join(" "));
        }
        Ok(())
    }
}

/// Where cargo puts what it builds, as cargo itself says.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(workspace_root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("`cargo metadata` failed")?;
    Ok(metadata.target_directory.into_std_path_buf())
}

/// A path as a reader would type it from the workspace root.
fn shown(path: &Path) -> String {
    path.strip_prefix(workspace_root())
        .unwrap_or(path)
        .display()
        .to_string()
}

fn quoted(word: &str) -> String {
    if word.contains(char::is_whitespace) {
        format!("\"{word}\"")
    } else {
        word.to_owned()
    }
}
