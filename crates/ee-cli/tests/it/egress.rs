//! Nothing connects anywhere, and nothing is written outside the program's own folders.

use std::collections::BTreeSet;
use std::path::Path;

use crate::run::{Home, workspace};

/// Runs a command under strace and gives the lines of its network and file-creating calls.
fn traced(home: &Home, arguments: &[&str]) -> Vec<String> {
    let log = home.path().join("trace.log");
    let inner = home.eerag(arguments.iter().copied());
    let mut command = std::process::Command::new("strace");
    command.args([
        "-f",
        "-qq",
        "-e",
        "trace=network,openat,creat,mkdir,mkdirat,rename,renameat2",
    ]);
    command
        .arg("-o")
        .arg(&log)
        .arg(inner.get_program())
        .args(inner.get_args());
    command.current_dir(home.path()).env_clear();
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let output = command
        .output()
        .expect("strace is needed: install it with `apt-get install strace`");
    assert!(
        matches!(output.status.code(), Some(0 | 3)),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    std::fs::read_to_string(log)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn ingest_search_ask_and_eval_stay_on_this_machine_and_in_their_folders() {
    let home = Home::new();
    let root = workspace().canonicalize().unwrap();
    let handbook = root.join("fixtures/handbook/policies");
    let faq = root.join("fixtures/faq");
    let commands: [&[&str]; 4] = [
        &["ingest", handbook.to_str().unwrap()],
        &["search", "travel approval"],
        &["ask", "Which flights need approval?"],
        &[
            "eval",
            "election",
            "--data",
            faq.to_str().unwrap(),
            "--limit",
            "2",
        ],
    ];
    for arguments in commands {
        let lines = traced(&home, arguments);
        let connects: Vec<&String> = lines
            .iter()
            .filter(|l| l.contains("connect(") || l.contains("sendto("))
            .collect();
        assert!(connects.is_empty(), "{arguments:?}: {connects:?}");
        let written: BTreeSet<&str> = lines.iter().filter_map(|line| created(line)).collect();
        let outside: Vec<&&str> = written
            .iter()
            .filter(|path| !is_own(home.path(), path))
            .collect();
        assert!(outside.is_empty(), "{arguments:?} wrote {outside:?}");
    }
}

/// The path of a call that creates or opens for writing.
fn created(line: &str) -> Option<&str> {
    let creates = line.contains("O_CREAT") || line.contains("O_WRONLY") || line.contains("mkdir");
    if !creates || line.contains("= -1") {
        return None;
    }
    line.split('"').nth(1)
}

fn is_own(home: &Path, path: &str) -> bool {
    let path = Path::new(path);
    let temporary = std::env::temp_dir();
    !path.is_absolute()
        || path.starts_with(home)
        || path.starts_with(temporary)
        || path.starts_with("/dev")
}
