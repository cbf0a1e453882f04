//! Nothing connects anywhere, and nothing is written outside the program's own folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ee_embed::Models;
use ee_embed::registry::TEST_ASSETS;

use crate::run::{Home, workspace};

/// Runs a command under strace and gives the lines of its network and file-creating calls.
fn traced(home: &Home, arguments: &[&str], library: Option<&Path>) -> Vec<String> {
    let temporary = home.path().join("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
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
    command.env("TMPDIR", &temporary);
    if let Some(library) = library {
        command.env("ORT_DYLIB_PATH", library);
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
fn commands_stay_on_this_machine_and_in_their_folders() {
    stays_here(None);
}

/// From 1.30 on the library writes a device id and a queue of events unless it is told not to
/// before it is loaded.
#[test]
fn so_they_do_with_a_library_that_carries_telemetry() {
    let models = Models::in_folder(Models::default_folder().unwrap());
    let spec = TEST_ASSETS
        .iter()
        .find(|spec| spec.name == "onnxruntime-with-telemetry");
    let folder = models.asset(spec.unwrap());
    let folder = folder.expect("`cargo xtask fetch-model --chat` brings it");
    stays_here(Some(&folder.join("libonnxruntime.so")));
}

/// Ingests, searches, asks and evaluates in an empty home under strace.
fn stays_here(library: Option<&Path>) {
    let home = Home::new();
    let root = workspace().canonicalize().unwrap();
    let handbook = root.join("fixtures/handbook/policies");
    let faq = root.join("fixtures/faq");
    let (handbook, faq) = (handbook.to_str().unwrap(), faq.to_str().unwrap());
    let commands: [&[&str]; 4] = [
        &["ingest", handbook],
        &["search", "travel approval"],
        &["ask", "Which flights need approval?"],
        &["eval", "election", "--data", faq, "--limit", "2"],
    ];
    for arguments in commands {
        let lines = traced(&home, arguments, library);
        if let Some(library) = library {
            let library = library.to_str().unwrap();
            assert!(lines.iter().any(|line| line.contains(library)), "not used");
        }
        let is_network = |line: &&String| line.contains("connect(") || line.contains("sendto(");
        let connects: Vec<&String> = lines.iter().filter(is_network).collect();
        assert!(connects.is_empty(), "{arguments:?}: {connects:?}");
        let written: BTreeSet<&str> = lines.iter().filter_map(|line| created(line)).collect();
        let is_outside = |path: &&&str| !is_own(home.path(), path);
        let outside: Vec<&&str> = written.iter().filter(is_outside).collect();
        assert!(outside.is_empty(), "{arguments:?} wrote {outside:?}");
    }
    let foreign = strangers(home.path());
    assert!(foreign.is_empty(), "left behind: {foreign:?}");
}

/// What stands in the home beside the program's own folders.
fn strangers(home: &Path) -> Vec<PathBuf> {
    let own = ["eerag", "trace.log", "temporary"];
    let mut found = Vec::new();
    for folder in [".", ".cache", ".local/share", ".config"] {
        let Ok(entries) = home.join(folder).read_dir() else {
            continue;
        };
        let paths = entries.map(|entry| entry.unwrap().path());
        found.extend(paths.filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            !own.contains(&name) && ![".cache", ".local", ".config"].contains(&name)
        }));
    }
    found
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
    !path.is_absolute() || path.starts_with(home) || path.starts_with("/dev")
}
