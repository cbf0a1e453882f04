//! The Hugging Face hub: its cache on this machine, then its files over HTTP.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::Agent;
use ureq::http::{HeaderMap, StatusCode};

use super::FetchProgress;
use super::files::{part_of, settle};

/// How the hub is reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HubAccess {
    /// The address; the public hub by default.
    pub endpoint: Option<String>,
    /// The folder of the hub's own cache on this machine.
    pub cache: Option<PathBuf>,
    /// Never connect to the hub.
    pub offline: bool,
}

impl HubAccess {
    /// As the hub's own tools read it from the environment: `HF_ENDPOINT`, `HF_HOME`,
    /// `HF_HUB_OFFLINE`.
    pub fn from_environment() -> Self {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let home = variable("HF_HOME").map(PathBuf::from);
        let usual = || std::env::home_dir().map(|home| home.join(".cache").join("huggingface"));
        let offline = variable("HF_HUB_OFFLINE");
        Self {
            endpoint: variable("HF_ENDPOINT"),
            cache: home.or_else(usual).map(|home| home.join("hub")),
            offline: offline.is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no")),
        }
    }
}

pub(super) struct Hub {
    access: HubAccess,
    agent: Agent,
    /// Why the hub cannot be reached, once that is known.
    unreachable: Option<String>,
}

impl Hub {
    pub(super) fn new(access: HubAccess) -> Self {
        let config = Agent::config_builder()
            .timeout_connect(Some(Duration::from_secs(5)))
            .timeout_recv_response(Some(Duration::from_secs(20)))
            .http_status_as_error(false)
            .build();
        Self {
            access,
            agent: config.into(),
            unreachable: None,
        }
    }

    /// Brings one file to its place, or says why not.
    pub(super) fn fetch(
        &mut self,
        repository: &str,
        path: &str,
        sha256: Option<&str>,
        place: &Path,
        progress: &dyn FetchProgress,
    ) -> Result<(), String> {
        if let Some(cached) = self.cached(repository, path) {
            let copy = part_of(place);
            std::fs::copy(&cached, &copy).map_err(|error| error.to_string())?;
            return settle(&copy, sha256, place);
        }
        if self.access.offline {
            return Err("not in its cache, and HF_HUB_OFFLINE is set".to_owned());
        }
        if let Some(reason) = &self.unreachable {
            return Err(reason.clone());
        }
        let endpoint = self
            .access
            .endpoint
            .as_deref()
            .unwrap_or("https://huggingface.co");
        let address = format!(
            "{}/{repository}/resolve/main/{path}",
            endpoint.trim_end_matches('/')
        );
        self.download(&address, sha256, place, progress)
    }

    /// A file in the hub's own cache: `models--OWNER--NAME/snapshots/REVISION/PATH`.
    fn cached(&self, repository: &str, path: &str) -> Option<PathBuf> {
        let folder = format!("models--{}", repository.replace('/', "--"));
        let snapshots = self.access.cache.as_ref()?.join(folder).join("snapshots");
        let revisions = std::fs::read_dir(snapshots).ok()?.flatten();
        let mut files: Vec<PathBuf> = revisions.map(|entry| entry.path().join(path)).collect();
        files.retain(|file| file.is_file());
        files.sort();
        files.pop()
    }

    fn download(
        &mut self,
        address: &str,
        sha256: Option<&str>,
        place: &Path,
        progress: &dyn FetchProgress,
    ) -> Result<(), String> {
        let part = part_of(place);
        let there = std::fs::metadata(&part).map_or(0, |metadata| metadata.len());
        let mut request = self.agent.get(address);
        if there > 0 {
            request = request.header("range", format!("bytes={there}-"));
        }
        let mut response = request
            .call()
            .map_err(|error| self.note_unreachable(&error))?;
        let resumed = response.status() == StatusCode::PARTIAL_CONTENT;
        if response.status() == StatusCode::RANGE_NOT_SATISFIABLE {
            // The part is whole already, or not a part of this file: the checksum decides.
            return settle(&part, sha256, place);
        }
        if !response.status().is_success() {
            return Err(format!("the hub answered {}", response.status()));
        }
        let start = if resumed { there } else { 0 };
        let all = content_length(response.headers()).map(|rest| rest + start);
        let reader = response.body_mut().as_reader();
        write_part(reader, &part, start, all, progress)?;
        settle(&part, sha256, place)
    }

    fn note_unreachable(&mut self, error: &ureq::Error) -> String {
        let reason = format!("cannot be reached: {error}");
        self.unreachable = Some(reason.clone());
        reason
    }
}

fn write_part(
    mut reader: impl Read,
    part: &Path,
    start: u64,
    all: Option<u64>,
    progress: &dyn FetchProgress,
) -> Result<(), String> {
    let name = part.with_extension("");
    let name = name
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let opened = OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(start == 0)
        .append(start > 0)
        .open(part);
    let mut file = opened.map_err(|error| error.to_string())?;
    let (mut buffer, mut done) = (vec![0; 1 << 16], start);
    loop {
        let read = reader
            .read(&mut buffer)
            .map_err(|error| error.to_string())?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        file.write_all(bytes).map_err(|error| error.to_string())?;
        done += read as u64;
        progress.bytes(&name, done, all);
    }
    if all.is_some_and(|all| done < all) {
        return Err(format!(
            "the connection ended after {done} bytes; a further try goes on there"
        ));
    }
    file.sync_all().map_err(|error| error.to_string())
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get("content-length")?.to_str().ok()?.parse().ok()
}
