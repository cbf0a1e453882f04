//! What a walk finds, and what it reports instead.

use std::fs;
use std::path::Path;

use ee_ingest::{Found, IngestConfig, SkipReason, walk};

fn names(root: &Path) -> Vec<String> {
    let found = walk(root, &IngestConfig::default());
    found
        .map(|found| match found {
            Found::File { source, .. } => source.as_str().to_owned(),
            Found::Skipped { path, reason } => {
                let name = path
                    .strip_prefix(root)
                    .unwrap_or(&path)
                    .display()
                    .to_string();
                format!("{name}: {reason}")
            }
        })
        .collect()
}

#[test]
fn files_come_in_a_fixed_order_with_slashes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for name in ["b.md", "a/ü.md", "a/c d.md", "手册.md"] {
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join(name), "text").unwrap();
    }
    assert_eq!(names(root), ["a/c d.md", "a/ü.md", "b.md", "手册.md"]);
    assert_eq!(names(&root.join("b.md")), ["b.md"]);
}

#[test]
fn hidden_and_ignored_files_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("target")).unwrap();
    for name in ["a.md", "b.log", "c.tmp", ".hidden.md", "target/d.md"] {
        fs::write(root.join(name), "text").unwrap();
    }
    fs::write(root.join(".gitignore"), "*.log\ntarget/\n").unwrap();
    fs::write(root.join(".eeragignore"), "*.tmp\n").unwrap();
    assert_eq!(names(root), ["a.md"]);
}

#[cfg(unix)]
#[test]
fn links_and_special_files_are_reported() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("sub")).unwrap();
    fs::write(root.join("sub/a.md"), "text").unwrap();
    symlink("nowhere", root.join("dangling.md")).unwrap();
    symlink("..", root.join("sub/up")).unwrap();
    symlink("circle-b", root.join("circle-a")).unwrap();
    symlink("circle-a", root.join("circle-b")).unwrap();
    symlink("sub/a.md", root.join("link.md")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(root.join("pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    let _socket = UnixListener::bind(root.join("socket")).unwrap();
    let mut found = names(root);
    found.sort();
    assert_eq!(
        found,
        [
            "circle-a: a link that leads back to a folder above it",
            "circle-b: a link that leads back to a folder above it",
            "dangling.md: a link that leads nowhere",
            "link.md",
            "pipe: not a regular file (named pipe)",
            "socket: not a regular file (socket)",
            "sub/a.md",
            "sub/up: a link that leads back to a folder above it",
        ]
    );
}

#[test]
fn large_files_are_reported_with_their_size() {
    let folder = tempfile::tempdir().unwrap();
    let file = fs::File::create(folder.path().join("big.md")).unwrap();
    file.set_len(50 * 1024 * 1024).unwrap();
    let found: Vec<Found> = walk(folder.path(), &IngestConfig::default()).collect();
    let [
        Found::Skipped {
            reason: SkipReason::TooLarge { bytes, limit },
            ..
        },
    ] = &found[..]
    else {
        panic!("{found:?}")
    };
    assert_eq!((*bytes, *limit), (50 * 1024 * 1024, 16 * 1024 * 1024));
}

#[test]
fn a_root_that_does_not_exist_is_the_one_thing_found() {
    let folder = tempfile::tempdir().unwrap();
    let found: Vec<Found> = walk(&folder.path().join("gone"), &IngestConfig::default()).collect();
    assert!(
        matches!(
            &found[..],
            [Found::Skipped {
                reason: SkipReason::Unreadable { .. },
                ..
            }]
        ),
        "{found:?}"
    );
}
