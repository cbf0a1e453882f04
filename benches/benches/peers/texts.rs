//! Real sentences that a machine with this workspace has: prose of the documentation comments and
//! documents of the crates that cargo downloaded, of Python's library and of `/usr/share/doc`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use benches::SEED;

/// Words of a sentence.
const WORDS: std::ops::RangeInclusive<usize> = 5..=18;

/// Sentences, and where they come from.
pub(crate) struct Texts {
    /// Distinct, in random order.
    pub(crate) sentences: Vec<String>,
    /// Folder and number of distinct sentences that it added.
    pub(crate) sources: Vec<(&'static str, usize)>,
}

/// `count` distinct sentences.
///
/// # Errors
/// When the machine has fewer.
pub(crate) fn collect(count: usize) -> Result<Texts> {
    let mut found = BTreeSet::new();
    let mut sources = Vec::new();
    for (name, folder) in folders()? {
        let before = found.len();
        walk(&folder, &mut found);
        sources.push((name, found.len() - before));
    }
    let mut sentences: Vec<String> = found.into_iter().collect();
    ensure!(
        sentences.len() >= count,
        "{count} sentences are needed and {} were found: run `cargo fetch` for more",
        sentences.len()
    );
    fastrand::Rng::with_seed(SEED).shuffle(&mut sentences);
    sentences.truncate(count);
    Ok(Texts { sentences, sources })
}

fn folders() -> Result<[(&'static str, PathBuf); 3]> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let home = home.context("no home folder: set CARGO_HOME")?;
    Ok([
        (
            "the sources of downloaded crates",
            home.join("registry/src"),
        ),
        ("Python's library", PathBuf::from("/usr/lib/python3")),
        ("/usr/share/doc", PathBuf::from("/usr/share/doc")),
    ])
}

/// Takes in the sentences of all files below a folder; what cannot be read is passed over.
fn walk(folder: &Path, found: &mut BTreeSet<String>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            walk(&path, found);
        } else if let (Some(markers), Ok(text)) = (markers(&path), std::fs::read_to_string(&path)) {
            for paragraph in paragraphs(&text, markers) {
                found.extend(sentences(&paragraph));
            }
        }
    }
}

/// How lines of prose begin in a file; `None` for files that are not read.
fn markers(path: &Path) -> Option<&'static [&'static str]> {
    match path.extension()?.to_str()? {
        "rs" => Some(&["///", "//!"]),
        "py" => Some(&["# "]),
        "md" | "txt" | "rst" => Some(&[""]),
        _ => None,
    }
}

/// Runs of lines of prose, without code, headings, lists and tables.
fn paragraphs(text: &str, markers: &[&str]) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut in_code = false;
    for line in text.lines() {
        let line = line.trim();
        let prose = markers.iter().find_map(|marker| line.strip_prefix(marker));
        let prose = prose.map(str::trim).unwrap_or_default();
        let fence = prose.starts_with("```");
        in_code ^= fence;
        let skipped =
            prose.is_empty() || prose.starts_with(['#', '|', '<', '[', '-', '*', '>', '=', '+']);
        match paragraphs.last_mut() {
            Some(open) if !(fence || in_code || skipped) => {
                open.push_str(prose);
                open.push(' ');
            }
            Some(open) if open.is_empty() => {}
            _ => paragraphs.push(String::new()),
        }
    }
    paragraphs
}

fn sentences(paragraph: &str) -> impl Iterator<Item = String> + '_ {
    let ends = paragraph.split_inclusive(". ").map(str::trim);
    let fitting = ends.filter(|sentence| WORDS.contains(&sentence.split(' ').count()));
    fitting.map(str::to_owned)
}
