//! Running `eerag` in a home of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// What `eerag export` writes of a store that holds nothing.
const EMPTY_EXPORT: &str = r#"{"record":"header","format":"eerag-export","version":2,"fingerprint":null}
{"record":"end","sources":0,"units":0,"embeddings":0,"conversations":0,"messages":0,"turns":0}
"#;

/// A home folder that holds nothing, and the program in it.
pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A home whose store holds nothing.
    pub(crate) fn with_empty_store() -> Self {
        let home = Self::new();
        std::fs::write(home.path().join("empty.jsonl"), EMPTY_EXPORT).unwrap();
        home.run(["import", "empty.jsonl"]).ended(3);
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// `eerag` with an environment of its own; models come from where the tests' models are.
    pub(crate) fn eerag<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_eerag"));
        command.args(arguments).current_dir(self.path());
        command
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", std::env::var_os("PATH").unwrap());
        if let Some(models) = models_folder() {
            command.env("EERAG_MODELS", models);
        }
        command
    }

    pub(crate) fn run<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Ran {
        Ran(self.eerag(arguments).output().unwrap())
    }
}

/// Where the tests' models are.
fn models_folder() -> Option<PathBuf> {
    ee_embed::Models::default_folder()
}

/// How a run ended.
pub(crate) struct Ran(pub(crate) Output);

impl Ran {
    pub(crate) fn code(&self) -> i32 {
        self.0.status.code().unwrap_or(-1)
    }

    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    /// Fails the test with everything the run said when it did not end as expected.
    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Self {
        assert_eq!(self.code(), code, "{}\n{}", self.out(), self.err());
        self
    }

    #[cfg(feature = "test-models")]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.0.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.out()))
    }
}

/// The root of the workspace.
#[allow(dead_code, reason = "used by the tests that need models")]
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
