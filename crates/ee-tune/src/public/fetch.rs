//! Bringing a dataset to this machine.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::Agent;

use super::sums::{Sums, file_name};
use super::{PublicDataset, PublicFile};
use crate::TuneError;

/// The largest download, in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// What was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchReport {
    /// The folder that a suite reads.
    pub folder: PathBuf,
    /// Name, length in bytes and SHA-256 of every file that was downloaded, and whether its
    /// checksum was known before.
    pub files: Vec<(String, u64, String, bool)>,
}

/// Fetches a dataset into a folder of its name under `root`. With `from` its files are read from
/// that folder, or from below that address, instead of where they are published.
///
/// # Errors
/// [`TuneError::Fetch`] when a file cannot be had, [`TuneError::Checksum`] when it is another one
/// than was known or fetched before, and what [`PublicDataset::unpack`] gives.
pub fn fetch_public(
    dataset: &PublicDataset,
    from: Option<&str>,
    root: &Path,
) -> Result<FetchReport, TuneError> {
    let folder = root.join(dataset.name);
    let sums = Sums::of(&folder);
    let (mut downloaded, mut summed) = (Vec::new(), Vec::new());
    let mut report = FetchReport {
        folder: folder.clone(),
        files: Vec::new(),
    };
    for file in dataset.files {
        let bytes = bytes(file, from)?;
        let sum = sums.check(file, &bytes)?;
        let name = file_name(file).to_owned();
        let length = bytes.len() as u64;
        report
            .files
            .push((name, length, sum.clone(), file.sha256.is_some()));
        summed.push((file, sum));
        downloaded.push(bytes);
    }
    dataset.unpack(&downloaded, &folder)?;
    sums.keep(&summed)?;
    Ok(report)
}

fn bytes(file: &PublicFile, from: Option<&str>) -> Result<Vec<u8>, TuneError> {
    let failed = |place: &str, reason: String| TuneError::Fetch {
        file: file_name(file),
        place: place.to_owned(),
        reason,
    };
    match from {
        Some(from) if !is_address(from) => {
            let path = Path::new(from).join(file_name(file));
            std::fs::read(path).map_err(|error| failed(from, error.to_string()))
        }
        Some(from) => {
            let url = format!("{}/{}", from.trim_end_matches('/'), file_name(file));
            download(&url).map_err(|error| failed(&url, error.to_string()))
        }
        None => download(file.url).map_err(|error| failed(file.url, error.to_string())),
    }
}

fn is_address(from: &str) -> bool {
    from.starts_with("http://") || from.starts_with("https://")
}

fn download(url: &str) -> Result<Vec<u8>, ureq::Error> {
    let config = Agent::config_builder()
        .timeout_connect(Some(Duration::from_secs(10)))
        .timeout_recv_response(Some(Duration::from_secs(30)))
        .build();
    let mut response = Agent::from(config).get(url).call()?;
    let body = response.body_mut().with_config().limit(MOST_BYTES);
    body.read_to_vec()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    use super::fetch_public;
    use crate::public::{PublicDataset, PublicFile, PublicLayout};
    use crate::{QaDataset, TuneError};

    const QUESTIONS: &str = "{\"question\": \"who?\", \"answer\": [\"Ada\"]}\n";

    const DATASET: PublicDataset = PublicDataset {
        name: "asked",
        about: "",
        licence: "CC0",
        home: "",
        files: &[PublicFile {
            url: "https://data.invalid/asked.jsonl",
            sha256: None,
        }],
        layout: PublicLayout::EfficientQa,
    };

    /// Answers one request and gives what was asked for.
    fn serve(status: &'static str, body: &'static str) -> (String, thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/mirror/", listener.local_addr().unwrap());
        let answering = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 1024];
            let read = stream.read(&mut request).unwrap();
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            )
            .unwrap();
            String::from_utf8_lossy(&request[..read])
                .lines()
                .next()
                .unwrap()
                .to_owned()
        });
        (address, answering)
    }

    #[test]
    fn a_mirror_is_asked_for_the_file_and_a_changed_one_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let (address, answering) = serve("200 OK", QUESTIONS);
        let report = fetch_public(&DATASET, Some(&address), root.path()).unwrap();
        assert_eq!(
            answering.join().unwrap(),
            "GET /mirror/asked.jsonl HTTP/1.1"
        );
        assert_eq!(report.files[0].1, QUESTIONS.len() as u64);
        assert_eq!(QaDataset::load(&report.folder).unwrap().questions.len(), 1);

        let (address, _) = serve("200 OK", "{\"question\": \"x\", \"answer\": [\"y\"]}\n");
        let refused = fetch_public(&DATASET, Some(&address), root.path());
        assert!(
            matches!(refused, Err(TuneError::Checksum { .. })),
            "{refused:?}"
        );
    }

    #[test]
    fn what_cannot_be_had_is_named_with_a_way_out() {
        let root = tempfile::tempdir().unwrap();
        let (address, _) = serve("404 Not Found", "");
        let places = [Some(address.as_str()), root.path().to_str(), None];
        for place in places {
            let error = fetch_public(&DATASET, place, root.path()).unwrap_err();
            let message = error.to_string();
            assert!(
                message.contains("asked.jsonl") && message.contains("--from"),
                "{message}"
            );
        }
    }
}
