//! Fetching, against a server and a package client of our own.

use std::cell::RefCell;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ee_embed::registry::{AssetSpec, FileSpec, WheelMember};
use ee_embed::{EmbedError, FetchProgress, Fetcher, HubAccess, Models};
use tempfile::TempDir;
use tiny_http::{Response, Server};

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

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
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

/// A program that stands in for `python3`.
#[cfg(unix)]
fn python(folder: &TempDir, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.path().join("python");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Fails as `pip` does without a network.
const NO_INDEX: &str = "echo 'ERROR: no route to the index' >&2; exit 1";

/// A package with one member, and a script that brings it as `pip download` does.
#[cfg(unix)]
fn package_and_script(folder: &TempDir) -> String {
    let package = folder.path().join("sample-1.0-py3-none-any.whl");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&package).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("sample/data/model.bin", options).unwrap();
    zip.write_all(CONTENT.as_bytes()).unwrap();
    zip.finish().unwrap();
    format!(
        r#"while [ "$1" != --dest ]; do shift; done; cp '{}' "$2""#,
        package.display()
    )
}

const CONTENT: &str = "0123456789abcdefghij";
const CONTENT_SHA256: &str = "6bc14bdc4517a7a682c6910de2e2946eb8e1ecd04090728fef6d092a7ceb62c5";

/// One file that the hub and a package have.
const SAMPLE: AssetSpec = AssetSpec {
    name: "sample",
    files: &[FileSpec {
        name: "model.bin",
        sha256: Some(CONTENT_SHA256),
        hub: Some(("owner/sample", "data/model.bin")),
        wheel: Some(WheelMember {
            requirement: "sample==1.0",
            member: "data/model.bin",
            build: None,
        }),
    }],
    licence: "MIT",
};

/// A folder for models, and what stands in the place of the network.
struct Workplace {
    folder: TempDir,
    models: Models,
}

impl Workplace {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let models = Models::in_folder(folder.path().join("models"));
        Self { folder, models }
    }

    fn place(&self) -> PathBuf {
        self.models.folder().join("sample/model.bin")
    }

    fn part(&self) -> PathBuf {
        self.models.folder().join("sample/model.bin.part")
    }

    #[cfg(unix)]
    fn fetch(&self, access: HubAccess, script: &str, told: &Told) -> Result<(), EmbedError> {
        Fetcher::new(&self.models, access, told)
            .with_python(python(&self.folder, script))
            .asset(&SAMPLE)
    }
}

#[cfg(unix)]
#[test]
fn every_attempt_is_listed_with_its_reason() {
    for (status, said) in [(404, "404"), (500, "500")] {
        let work = Workplace::new();
        let hub = FakeHub::new(move |_, _| body("gone").with_status_code(status));
        let told = Told::default();
        let error = work.fetch(hub.access(), NO_INDEX, &told).unwrap_err();
        assert!(matches!(&error, EmbedError::Fetch { attempts, .. } if attempts.len() == 2));
        let text = error.to_string();
        for part in [
            "owner/sample",
            said,
            "sample==1.0",
            "no route to the index",
            "proxy",
        ] {
            assert!(text.contains(part), "{part} is missing in:\n{text}");
        }
        let told = told.0.borrow();
        assert_eq!(*told, ["pip download sample==1.0"]);
    }
}

#[cfg(unix)]
#[test]
fn a_closed_network_falls_through_to_the_package() {
    let work = Workplace::new();
    let nowhere = HubAccess {
        endpoint: Some("http://127.0.0.1:9".to_owned()),
        ..HubAccess::default()
    };
    let script = package_and_script(&work.folder);
    work.fetch(nowhere, &script, &Told::default()).unwrap();
    assert_eq!(std::fs::read_to_string(work.place()).unwrap(), CONTENT);
}

#[cfg(unix)]
#[test]
fn a_wrong_checksum_leaves_nothing_behind() {
    let work = Workplace::new();
    let hub = FakeHub::new(|_, _| body("damaged"));
    let error = work
        .fetch(hub.access(), NO_INDEX, &Told::default())
        .unwrap_err();
    assert!(error.to_string().contains("checksum"), "{error}");
    assert!(!work.place().exists() && !work.part().exists());
}

#[cfg(unix)]
#[test]
fn a_broken_download_goes_on_where_it_stopped() {
    let work = Workplace::new();
    std::fs::create_dir_all(work.part().parent().unwrap()).unwrap();
    std::fs::write(work.part(), &CONTENT[..8]).unwrap();
    let hub = FakeHub::new(|_, range| match range {
        Some("bytes=8-") => body(&CONTENT[8..]).with_status_code(206),
        _ => body("the range was not asked for").with_status_code(500),
    });
    let told = Told::default();
    work.fetch(hub.access(), NO_INDEX, &told).unwrap();
    assert_eq!(std::fs::read_to_string(work.place()).unwrap(), CONTENT);
    let told = told.0.borrow();
    assert!(
        told.contains(&"model.bin 20 of Some(20)".to_owned()),
        "{told:?}"
    );
}

#[cfg(unix)]
#[test]
fn a_server_that_knows_no_ranges_sends_the_whole_again() {
    let work = Workplace::new();
    std::fs::create_dir_all(work.part().parent().unwrap()).unwrap();
    std::fs::write(work.part(), "something else").unwrap();
    let hub = FakeHub::new(|_, _| body(CONTENT));
    work.fetch(hub.access(), NO_INDEX, &Told::default())
        .unwrap();
    assert_eq!(std::fs::read_to_string(work.place()).unwrap(), CONTENT);
}

#[cfg(unix)]
#[test]
fn the_hubs_own_cache_is_used_before_any_connection() {
    let work = Workplace::new();
    let cache = work.folder.path().join("hub");
    let snapshot = cache.join("models--owner--sample/snapshots/abc/data");
    std::fs::create_dir_all(&snapshot).unwrap();
    std::fs::write(snapshot.join("model.bin"), CONTENT).unwrap();
    let access = HubAccess {
        cache: Some(cache),
        ..offline()
    };
    work.fetch(access, NO_INDEX, &Told::default()).unwrap();
    assert_eq!(std::fs::read_to_string(work.place()).unwrap(), CONTENT);
}

#[cfg(unix)]
#[test]
fn a_damaged_file_is_brought_anew_and_a_sound_one_is_left_alone() {
    let work = Workplace::new();
    std::fs::create_dir_all(work.place().parent().unwrap()).unwrap();
    std::fs::write(work.place(), "damaged").unwrap();
    let hub = FakeHub::new(|_, _| body(CONTENT));
    for _ in 0..3 {
        work.fetch(hub.access(), NO_INDEX, &Told::default())
            .unwrap();
        assert_eq!(std::fs::read_to_string(work.place()).unwrap(), CONTENT);
    }
    assert_eq!(hub.asked(), 1);
}

#[cfg(unix)]
#[test]
fn of_several_fetchers_at_once_one_fetches() {
    let work = Workplace::new();
    let hub = FakeHub::new(|_, _| body(CONTENT));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let told = Told::default();
                let mut fetcher = Fetcher::new(&work.models, hub.access(), &told);
                fetcher.asset(&SAMPLE).unwrap();
            });
        }
    });
    assert_eq!(hub.asked(), 1);
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
