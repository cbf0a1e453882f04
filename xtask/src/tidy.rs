//! The tidiness check: head comments of modules, and paths that documents name.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::run::workspace_root;

/// Folders with our own Rust code.
const CODE: &[&str] = &["crates", "xtask", "benches"];

/// First parts of a path that mark a word in a document as a path of this workspace.
const PATH_ROOTS: &[&str] = &[
    "crates/",
    "fixtures/",
    "docs/",
    "benches/",
    "xtask/",
    ".ci/",
];

/// Fails when a module lacks its head comment or a document names a path that does not exist.
pub(crate) fn run() -> Result<()> {
    let root = workspace_root();
    let mut wrong = Vec::new();
    let code = files_below(&root, CODE, "rs")?;
    for file in &code {
        if !has_head_comment(&read(file)?) {
            wrong.push(format!(
                "{}: begins without a `//!` head comment",
                shown(&root, file)
            ));
        }
    }
    let documents = documents(&root)?;
    for file in &documents {
        let text = read(file)?;
        let missing = missing_paths(&root, &text);
        wrong.extend(missing.map(|path| format!("{}: names {path}", shown(&root, file))));
    }
    if !wrong.is_empty() {
        bail!("untidy:\n  {}", wrong.join("\n  "));
    }
    println!(
        "tidy: {} modules, {} documents",
        code.len(),
        documents.len()
    );
    Ok(())
}

fn documents(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = files_below(root, &["docs", "crates"], "md")?;
    for entry in fs::read_dir(root).context("cannot list the workspace root")? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    Ok(found)
}

fn files_below(root: &Path, folders: &[&str], ending: &str) -> Result<Vec<PathBuf>> {
    let mut pending: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut found = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in
            fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
        {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                pending.push(entry.path());
            } else if entry
                .path()
                .extension()
                .is_some_and(|found| found == ending)
            {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

fn shown(root: &Path, file: &Path) -> String {
    file.strip_prefix(root)
        .unwrap_or(file)
        .display()
        .to_string()
}

fn has_head_comment(code: &str) -> bool {
    let first = code
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("#!["));
    first.is_some_and(|line| line.starts_with("//!"))
}

/// Paths of this workspace that a document names between backticks or as a link, and that do not
/// exist. Patterns with a star or a placeholder are not paths.
fn missing_paths<'a>(root: &'a Path, text: &'a str) -> impl Iterator<Item = String> + 'a {
    let words = text.split(|c: char| c.is_whitespace() || "`()[]<>,;\"'".contains(c));
    words
        .map(|word| {
            word.trim_start_matches("../")
                .trim_end_matches(['.', ':', '/'])
        })
        .map(|word| word.split(['#', ':']).next().unwrap_or(word))
        .filter(|word| PATH_ROOTS.iter().any(|start| word.starts_with(start)))
        .filter(|word| !word.contains(['*', '{', '$', '…']))
        .filter(|word| !root.join(word).exists())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{has_head_comment, missing_paths};
    use crate::run::workspace_root;

    #[test]
    fn head_comments_are_recognised() {
        assert!(has_head_comment(
            "#![allow(missing_docs)]\n\n//! What this is for.\n"
        ));
        assert!(!has_head_comment("use std::fs;\n//! Too late.\n"));
    }

    #[test]
    fn only_paths_that_do_not_exist_are_named() {
        let text = "See `xtask/src/tidy.rs`, [here](xtask/src/nowhere.rs#part) and crates/*/src.";
        let missing: Vec<String> = missing_paths(&workspace_root(), text).collect();
        assert_eq!(missing, ["xtask/src/nowhere.rs"]);
    }
}
