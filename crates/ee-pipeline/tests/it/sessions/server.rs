//! A server that plays a script byte by byte, so that a test decides where packets end, where
//! they stall and where the connection breaks.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One thing the server does with a connection after it has read the request.
#[derive(Clone)]
pub(super) enum Step {
    /// Sends these bytes at once.
    Send(Vec<u8>),
    /// Waits.
    Pause(Duration),
}

/// A request as the server read it.
#[derive(Debug, Clone)]
pub(super) struct Received {
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: serde_json::Value,
}

impl Received {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Answers the first connection with the first script, the second with the second, and so on.
pub(super) struct ScriptedServer {
    pub(super) base_url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl ScriptedServer {
    pub(super) fn start(scripts: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&received);
        std::thread::spawn(move || {
            for script in scripts {
                let (stream, _) = listener.accept().unwrap();
                serve(stream, &script, &record);
            }
        });
        Self { base_url, received }
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, script: &[Step], record: &Mutex<Vec<Received>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let path = lines[0].split(' ').nth(1).unwrap().to_owned();
    let headers: Vec<(String, String)> = lines[1..]
        .iter()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    let body = serde_json::from_slice(&body).unwrap();
    record.lock().unwrap().push(Received {
        path,
        headers,
        body,
    });
    for step in script {
        match step {
            // The client may have hung up, which is the point of some tests.
            Step::Send(bytes) => {
                if stream
                    .write_all(bytes)
                    .and_then(|()| stream.flush())
                    .is_err()
                {
                    return;
                }
            }
            Step::Pause(time) => std::thread::sleep(*time),
        }
    }
}

/// An answer with a status, headers and a body; the connection's end is the body's end.
pub(super) fn answer(status: u16, headers: &str, body: &str) -> Vec<Step> {
    let head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}\r\n");
    vec![
        Step::Send(head.into_bytes()),
        Step::Send(body.as_bytes().to_vec()),
    ]
}

/// A JSON document.
pub(super) fn document(body: &str) -> Vec<Step> {
    answer(200, "content-type: application/json\r\n", body)
}

/// A stream sent in pieces of `size` bytes.
pub(super) fn stream(body: &str, size: usize) -> Vec<Step> {
    let mut steps = answer(200, "content-type: text/event-stream\r\n", "");
    steps.extend(
        body.as_bytes()
            .chunks(size)
            .map(|piece| Step::Send(piece.to_vec())),
    );
    steps
}
