//! What units are made with beside the bytes of their source.

use ee_ingest::{IngestConfig, SourceInput};
use sha2::{Digest, Sha256};

/// Raised whenever parsing or composition changes what comes out for equal input, so that the next
/// ingestion makes the units anew.
const REVISION: u32 = 3;

/// The SHA-256, in lower-case hexadecimal, of everything but the bytes that decides what the units
/// of a source are: revision, settings, model, and the governance and relations that are given.
pub(super) fn recipe(config: &IngestConfig, model: &str, input: &SourceInput) -> String {
    let given = (&input.governance, &input.relations);
    let inputs = serde_json::json!([REVISION, config, model, given]);
    hexadecimal(&Sha256::digest(inputs.to_string()))
}

/// Lower-case hexadecimal digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}
