//! Reading a file within its limit.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use km_core::{Governance, SourceId};

use crate::sidecar::inherited;
use crate::walk::special_kind;
use crate::{IngestConfig, SkipReason, SourceInput};

/// Reads a file that [`walk`](crate::walk()) found. Its size is looked at before it is read, and a
/// file that grows meanwhile is not read beyond the limit. Pipes and devices are not opened. The
/// governance given is refined, and relations are stated, by the sidecar files of the folders and of the file.
///
/// # Errors
/// The reason for which the file is to be skipped: too large, not a regular file, unreadable,
/// or with a sidecar that is malformed.
pub fn read_source(
    path: &Path,
    source: SourceId,
    governance: Governance,
    config: &IngestConfig,
) -> Result<SourceInput, SkipReason> {
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(&error))?;
    if let Some(kind) = special_kind(metadata.file_type()) {
        return Err(SkipReason::Special { kind });
    }
    let limit = config.max_file_bytes;
    let too_large = |bytes| SkipReason::TooLarge { bytes, limit };
    if metadata.len() > limit {
        return Err(too_large(metadata.len()));
    }
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    let (governance, relations) = inherited(path, &source, governance)?;
    Ok(SourceInput {
        source,
        bytes,
        governance,
        relations,
    })
}

fn unreadable(error: &std::io::Error) -> SkipReason {
    SkipReason::Unreadable {
        message: error.to_string(),
    }
}
