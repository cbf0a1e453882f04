//! What the benchmarks share: text to work on, the machine they ran on, and how figures are summed
//! up.
//!
//! The benchmarks themselves are programs under `benches/benches`, run by `cargo xtask bench NAME`.

pub mod corpus;
pub mod machine;
pub mod models;
pub mod prepared;
pub mod python;
pub mod statistics;

use std::path::{Path, PathBuf};

/// The seed of every benchmark; reports state it.
pub const SEED: u64 = 42;

/// The root of the workspace.
pub fn workspace_root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// A folder under the build's own for what a benchmark prepares and may use again.
pub fn prepared_folder(name: &str) -> PathBuf {
    workspace_root().join("target").join(name)
}

/// Whether `cargo bench` started this program. `cargo test --all-targets` starts benchmarks too,
/// where measuring would only take time.
pub fn is_measuring() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}
