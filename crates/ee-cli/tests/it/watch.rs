//! `eerag ingest --watch`: a folder is followed until an interrupt.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::run::Home;

#[test]
fn a_change_is_taken_up_and_an_interrupt_ends_the_watch() {
    let home = Home::new();
    let folder = home.path().join("notes");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(
        folder.join("first.md"),
        "# First\n\nThe canteen opens at eight.\n",
    )
    .unwrap();
    // The database lies in the watched folder: its own changes must not start another round.
    let mut child = home
        .eerag([
            "--json",
            "--db",
            "notes/.kept.db",
            "ingest",
            "--watch",
            "notes",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut report =
        || -> serde_json::Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(report()["added"], 1);
    std::fs::write(folder.join("second.md"), "# Second\n\nTokens expire.\n").unwrap();
    let second = report();
    assert_eq!(
        (&second["added"], &second["unchanged"]),
        (&1.into(), &1.into())
    );
    std::fs::remove_file(folder.join("first.md")).unwrap();
    assert_eq!(report()["removed"], 1);
    interrupt(child.id());
    assert!(child.wait().unwrap().success());
    assert!(lines.next().is_none(), "a round without a change");
}

fn interrupt(process: u32) {
    let kill = std::process::Command::new("kill")
        .args(["-INT", &process.to_string()])
        .status();
    assert!(kill.unwrap().success());
}
