//! `eerag eval init`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use ee_store::{Change, KnowledgeStore, Sequence, SqliteStore};
use ee_tune::{draft_questions, write_questions};
use km_core::{AccessScope, Administrator, Unit};
use serde_json::json;

use crate::arguments::from_one_on;
use crate::database::Need;
use crate::identity::IdentityFlags;
use crate::output::{Ending, print_json, print_line};
use crate::workbench::Workbench;

/// Changes that are read from the store at a time.
const BATCH: usize = 1_000;

/// Options of `eerag eval init`.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// The folder to write `questions.jsonl` to; it is made where there is none
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// At most this many questions
    #[arg(long, value_name = "N", default_value = "50", value_parser = from_one_on)]
    limit: usize,
    #[command(flatten)]
    identity: IdentityFlags,
}

/// Drafts questions about what the store holds, as far as the identity may see it.
pub(super) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    Need::Existing.check(&bench.settings().database()?)?;
    let scope = bench.scope(&options.identity);
    let units = visible_units(&*bench.store()?, &scope)?;
    let questions = draft_questions(&units, options.limit);
    if questions.is_empty() {
        print_line("nothing to ask about: the store holds no heading, definition or table")?;
        return Ok(Ending::Nothing);
    }
    let folder = &options.folder;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let path = folder.join("questions.jsonl");
    let file = File::create_new(&path).with_context(|| {
        format!(
            "cannot create {}: name another folder, or remove the file",
            path.display()
        )
    })?;
    let mut out = BufWriter::new(file);
    write_questions(&questions, &mut out)?;
    out.flush()?;
    if bench.json() {
        print_json(&json!({ "file": path, "questions": questions.len(), "units": units.len() }))?;
        return Ok(Ending::Done);
    }
    print_line(format!(
        "drafted {} questions on {} units into {}",
        questions.len(),
        units.len(),
        path.display()
    ))?;
    print_line(
        "They repeat the words of their sources: reword them, correct the answers, and take \
         `synthetic` out of those that you have looked at.",
    )?;
    let shown = folder.display();
    print_line(format!(
        "Then: eerag eval retrieval --data {shown}; eerag eval qa --data {shown}"
    ))?;
    Ok(Ending::Done)
}

/// Every unit that the scope sees, in the order in which they were stored.
fn visible_units(store: &SqliteStore, scope: &AccessScope) -> Result<Vec<Unit>> {
    let (mut units, mut since) = (Vec::new(), Sequence::default());
    loop {
        let batch = store.changes_since(Administrator::assume(), since, BATCH)?;
        let added = batch.changes.iter().filter_map(|change| match change {
            Change::Added { key, .. } => Some(*key),
            Change::Removed { .. } => None,
        });
        let found = store.units(scope, &added.collect::<Vec<_>>())?;
        units.extend(found.into_iter().map(|stored| stored.unit));
        if !batch.more {
            return Ok(units);
        }
        since = batch.reached;
    }
}
