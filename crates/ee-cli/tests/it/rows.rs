//! Runs that keep a row for every question: interrupted, killed, taken up again, compared.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::run::{Home, workspace};

/// How long the model thinks.
const PAUSE: Duration = Duration::from_millis(60);

/// How long a row may take to come.
const PATIENCE: Duration = Duration::from_mins(2);

/// A model that elects the first note it is offered, and otherwise answers; gives its address.
fn slow_model() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(|| answer(stream.unwrap()));
        }
    });
    address
}

fn answer(mut stream: TcpStream) {
    let body = body(&mut stream);
    thread::sleep(PAUSE);
    let text = if body.contains("[ID:1]") {
        "RETRIEVE 1"
    } else {
        "It stands in the note."
    };
    let reply = json!({
        "choices": [{ "message": { "role": "assistant", "content": text } }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 5 },
    })
    .to_string();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
    // The program may be gone: it was killed.
    let _ = write!(
        stream,
        "{head}\r\nContent-Length: {}\r\n\r\n{reply}",
        reply.len()
    );
}

fn body(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut chunk = [0; 8192];
    loop {
        let read = stream.read(&mut chunk).unwrap_or_default();
        request.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&request).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            assert!(read > 0, "a request without a body");
            continue;
        };
        let head = head.to_lowercase();
        let length = head.split("content-length:").nth(1);
        let length = length.and_then(|rest| rest.lines().next()?.trim().parse::<usize>().ok());
        if read == 0 || body.len() >= length.unwrap_or_default() {
            return body.to_owned();
        }
    }
}

/// `eerag eval election` over ten questions with this model.
fn election<'a>(rows: &'a str, data: &'a str) -> Vec<&'a str> {
    let mut arguments = vec![
        "--json", "eval", "election", "--data", data, "--limit", "10",
    ];
    arguments.extend(["--session", "openai", "--set", "openai.stream=false"]);
    arguments.extend(["--workers", "1", "--rows", rows]);
    arguments
}

fn start(home: &Home, model: &str, arguments: &[&str]) -> Child {
    let mut command = home.eerag(arguments.iter().copied());
    command
        .env("OPENAI_BASE_URL", model)
        .env("OPENAI_API_KEY", "none");
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the file has this many rows besides its header.
fn await_rows(path: &Path, count: usize) {
    let begin = Instant::now();
    while lines(path).len() < count + 1 {
        assert!(
            begin.elapsed() < PATIENCE,
            "no {count} rows in {}",
            path.display()
        );
        thread::sleep(Duration::from_millis(10));
    }
}

fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn signal(child: &Child, name: &str) {
    let status = std::process::Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}

/// The rows without what no two runs share: the time that each took.
fn timeless(path: &Path) -> Vec<Value> {
    let rows = lines(path).into_iter().skip(1);
    let mut rows: Vec<Value> = rows
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    for row in &mut rows {
        row["cost"]["milliseconds"] = Value::Null;
    }
    rows
}

#[test]
fn an_interrupted_and_a_killed_run_end_as_an_uninterrupted_one() {
    let (home, model) = (Home::new(), slow_model());
    let data = workspace().join("fixtures/faq");
    let data = data.to_str().unwrap();
    let path = home.path().join("rows.jsonl");

    let child = start(&home, &model, &election("rows.jsonl", data));
    await_rows(&path, 2);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("rows.jsonl") && said.contains("--resume"),
        "{said}"
    );
    let kept = timeless(&path);
    assert!((2..10).contains(&kept.len()), "{}", kept.len());

    let resume = [election("rows.jsonl", data), vec!["--resume"]].concat();
    let mut child = start(&home, &model, &resume);
    await_rows(&path, kept.len() + 2);
    child.kill().unwrap();
    child.wait().unwrap();

    let output = start(&home, &model, &resume).wait_with_output().unwrap();
    let resumed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let output = start(&home, &model, &election("whole.jsonl", data))
        .wait_with_output()
        .unwrap();
    let whole: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(resumed["metrics"], whole["metrics"]);
    assert_eq!(resumed["n"], json!(10));
    let rows = timeless(&path);
    assert_eq!(rows[..kept.len()], kept[..]);
    assert_eq!(rows, timeless(&home.path().join("whole.jsonl")));
    assert!(
        rows.iter().all(|row| row["cost"]["calls"] == json!(2)),
        "{rows:?}"
    );
    assert!(
        rows.iter()
            .all(|row| row["cost"]["sent_tokens"] == json!(200)),
        "{rows:?}"
    );
}

#[test]
fn rows_of_two_systems_are_compared_and_reported() {
    let home = Home::new();
    let data = workspace().join("fixtures/faq");
    let data = data.to_str().unwrap();
    for system in ["bm25", "hybrid"] {
        let rows = format!("{system}.jsonl");
        home.run([
            "eval",
            "retrieval",
            "--data",
            data,
            "--limit",
            "60",
            "--system",
            system,
            "--rows",
            &rows,
        ])
        .ended(0);
    }
    let compare = ["--json", "eval", "compare", "bm25.jsonl", "hybrid.jsonl"];
    let report = ["--report", "report.html", "--report", "report.json"];
    let rows = home.run(compare.into_iter().chain(report)).ended(0).json();
    assert_eq!(rows[0]["metric"], "ndcg@10");
    assert_eq!(
        (&rows[0]["system"], &rows[0]["baseline"]),
        (&json!("hybrid"), &json!("bm25"))
    );
    let [low, high] = [0, 1].map(|end| rows[0]["interval"][end].as_f64().unwrap());
    let difference = rows[0]["difference"].as_f64().unwrap();
    assert!(
        low <= difference && difference <= high && low < high,
        "{}",
        rows[0]
    );
    let page = std::fs::read_to_string(home.path().join("report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("hybrid against bm25"));
    let report = std::fs::read(home.path().join("report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["comparisons"], rows);
    assert_eq!(
        report["reproducibility"]["data"][0]["sha256"]
            .as_str()
            .unwrap()
            .len(),
        64
    );

    let refused = home
        .run([
            "eval",
            "retrieval",
            "--data",
            data,
            "--system",
            "bm25",
            "--rows",
            "hybrid.jsonl",
            "--resume",
        ])
        .ended(1);
    assert!(refused.err().contains("system hybrid"), "{}", refused.err());
}
