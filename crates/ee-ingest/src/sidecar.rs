//! Metadata beside files: `.eerag.yaml` for a folder, `NAME.eerag.yaml` for the file `NAME`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use km_core::{Governance, SourceId};

use crate::front_matter::FrontMatter;
use crate::{Relations, SkipReason};

/// The name of a folder's file and the ending of a file's.
pub(crate) const SIDECAR: &str = ".eerag.yaml";
/// Nobody writes more by hand; what is larger is no metadata.
const MOST_BYTES: u64 = 64 * 1024;

/// Governance and relations of a file: what is given, refined by the folders from the root down to
/// the file's own, and by the file's sidecar. One that cannot be read makes the file malformed, so
/// that nothing shows that was meant to be kept.
pub(crate) fn inherited(
    path: &Path,
    source: &SourceId,
    given: Governance,
) -> Result<(Governance, Relations), SkipReason> {
    let mut governance = given;
    let mut relations = Relations::default();
    for (file, name) in candidates(path, source) {
        let Some(stated) = read(&file)? else { continue };
        let in_file = |reason| named(&file, reason);
        governance = stated.apply(&governance).map_err(in_file)?;
        relations = stated.relate(&relations, &name, source).map_err(in_file)?;
    }
    Ok((governance, relations))
}

/// The files that may say something about `path`, outermost first, each with the name of a source
/// in its place.
fn candidates(path: &Path, source: &SourceId) -> Vec<(PathBuf, SourceId)> {
    let names = Path::new(source.as_str()).ancestors();
    let folders = path.ancestors().zip(names).skip(1);
    let mut candidates: Vec<(PathBuf, SourceId)> = folders
        .map(|(folder, name)| {
            let name = format!("{}/{SIDECAR}", name.to_string_lossy());
            (folder.join(SIDECAR), SourceId::new(name))
        })
        .collect();
    candidates.reverse();
    candidates.push((beside(path), source.clone()));
    candidates
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(SIDECAR);
    path.with_file_name(name)
}

fn read(file: &Path) -> Result<Option<FrontMatter>, SkipReason> {
    let Ok(metadata) = std::fs::metadata(file) else {
        return Ok(None);
    };
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return Err(malformed(
            file,
            format!("must be a file of at most {MOST_BYTES} bytes"),
        ));
    }
    let yaml = std::fs::read_to_string(file).map_err(|error| malformed(file, error.to_string()))?;
    let stated = FrontMatter::parse(&yaml).map_err(|reason| named(file, reason))?;
    match stated.unknown.first() {
        Some(field) => Err(malformed(file, format!("unknown field `{field}`"))),
        None => Ok(Some(stated)),
    }
}

fn named(file: &Path, reason: SkipReason) -> SkipReason {
    match reason {
        SkipReason::Malformed { message, .. } => malformed(file, message),
        other => other,
    }
}

fn malformed(file: &Path, message: String) -> SkipReason {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    SkipReason::Malformed {
        format: format!("metadata in {name}"),
        message,
    }
}
