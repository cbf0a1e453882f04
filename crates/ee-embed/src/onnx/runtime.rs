//! Loading the ONNX Runtime library, once per process.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ort::environment::Environment;

use crate::EmbedError;

/// The oldest ONNX Runtime that has what the graph editor and this crate's `ort` need.
pub const RUNTIME_VERSION_NEEDED: &str = "1.24";

/// The one environment of this process; a failed attempt leaves it empty for the next.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// Where the library is: the given path, else `ORT_DYLIB_PATH`, else the models folder.
pub fn runtime_library(named: Option<&Path>, models: &Path) -> PathBuf {
    let from_environment = std::env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty());
    match (named, from_environment) {
        (Some(path), _) => path.to_owned(),
        (None, Some(path)) => PathBuf::from(path),
        (None, None) => models.join("onnxruntime").join(library_name()),
    }
}

/// What the library's file is called here.
pub(crate) fn library_name() -> &'static str {
    if cfg!(target_os = "windows") {
        "onnxruntime.dll"
    } else if cfg!(target_os = "macos") {
        "libonnxruntime.dylib"
    } else {
        "libonnxruntime.so"
    }
}

/// Loads the library if this process has not done so, and gives the environment.
pub(crate) fn environment(library: &Path) -> Result<Environment, EmbedError> {
    let mut slot = ENVIRONMENT
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(environment) = &*slot {
        return Ok(environment.clone());
    }
    let environment = load(library)?;
    *slot = Some(environment.clone());
    Ok(environment)
}

fn load(library: &Path) -> Result<Environment, EmbedError> {
    if !library.is_file() {
        let (searched, needed) = (library.to_owned(), RUNTIME_VERSION_NEEDED);
        return Err(EmbedError::MissingRuntime { searched, needed });
    }
    silence_telemetry();
    let builder = ort::init_from(library).map_err(|error| EmbedError::BadRuntime {
        path: library.to_owned(),
        needed: RUNTIME_VERSION_NEEDED,
        found: error.to_string(),
    })?;
    Ok(builder.with_name("eerag").with_telemetry(false).build()?)
}

/// Newer libraries write a device id and queue events to send as soon as they are loaded; only
/// this variable, set before loading, stops them.
#[allow(unsafe_code)]
fn silence_telemetry() {
    // SAFETY: called once, under the lock of `ENVIRONMENT`, before the library exists in this
    // process, so the library cannot read the environment meanwhile. Rust's own readers and
    // writers of the environment share the standard library's lock. A caller whose C code reads
    // the environment on another thread must load the runtime before it starts that thread; the
    // programs of this workspace do. `tests/it/egress.rs` of the program checks the effect.
    unsafe { std::env::set_var("ORT_DISABLE_TELEMETRY", "1") };
}
