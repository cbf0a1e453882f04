//! What ingestion would make of one file, without storing it.

use std::path::Path;

use ee_embed::Embedder;
use ee_ingest::{
    Found, IngestConfig, ParsedSource, SkipReason, SourceInput, parse_source, read_source, walk,
};
use ee_store::SourceCatalogue;
use km_core::{Governance, SourceId, Unit};
use serde::Serialize;

use super::prepare::with_references;
use super::root::{IngestRoot, registered_folders};
use super::unreadable;
use crate::PipelineError;
use crate::knowledge::composition::{WindowCounter, compose};

/// What ingestion makes of files; nothing is embedded or stored.
pub struct Explainer<'a> {
    /// Settings of ingestion.
    pub config: &'a IngestConfig,
    /// The model whose tokens are counted and whose window bounds the units.
    pub embedder: &'a dyn Embedder,
    /// Where registered folders are looked up, so that the file has the name that ingestion would
    /// give it; without one the name is relative to the file's own folder.
    pub store: Option<&'a dyn SourceCatalogue>,
}

/// One file as ingestion sees it.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// The name that its source has.
    pub source: SourceId,
    /// Its title, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Why it is left out; then there are no units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<SkipReason>,
    /// Governance of the source: what was given, refined by folders, sidecars and the file itself.
    pub governance: Governance,
    /// What a reader should know, for example that invalid bytes were replaced.
    pub notes: Vec<String>,
    /// The most tokens that a unit may have.
    pub window_tokens: usize,
    /// The units in reading order. Links to other sources are named in their metadata.
    pub units: Vec<ExplainedUnit>,
}

/// A unit and what embedding it takes.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedUnit {
    /// Tokens of what is embedded: the headings above it and its content.
    pub tokens: usize,
    /// The unit.
    #[serde(flatten)]
    pub unit: Unit,
}

impl Explainer<'_> {
    /// Explains the file at `path`, under the governance that would be given with it.
    ///
    /// # Errors
    /// [`PipelineError`] when a setting is out of range or a part fails. A file that cannot be
    /// read is explained by the reason for which it is left out.
    pub fn explain(
        &self,
        path: &Path,
        governance: &Governance,
    ) -> Result<Explanation, PipelineError> {
        let (source, read) = self.read(path, governance)?;
        let parsed = match read {
            Ok(input) => parse_source(&input, self.config, &WindowCounter(self.embedder))?,
            Err(reason) => Err(reason),
        };
        match parsed {
            Ok(parsed) => self.explanation(with_references(parsed)),
            Err(reason) => Ok(self.left_out(source, reason, governance)),
        }
    }

    /// The file's name and bytes, found as a walk finds them.
    fn read(
        &self,
        path: &Path,
        governance: &Governance,
    ) -> Result<(SourceId, Result<SourceInput, SkipReason>), PipelineError> {
        let start = match path.canonicalize() {
            Ok(start) => start,
            Err(error) => return Ok((file_name(path), Err(unreadable(&error)))),
        };
        let tenant = governance.tenant.as_deref();
        let known = match self.store {
            Some(store) => registered_folders(store, tenant)?,
            None => Vec::new(),
        };
        let root = IngestRoot::at(start, &known, tenant)?;
        if root.is_folder {
            let kind = "folder".to_owned();
            return Ok((root.name_of(&root.start), Err(SkipReason::Special { kind })));
        }
        Ok(match walk(&root.start, self.config).next() {
            Some(Found::File { path, source }) => {
                let source = root.name(&source);
                let read = read_source(&path, source.clone(), governance.clone(), self.config);
                (source, read)
            }
            Some(Found::Skipped { path, reason }) => (root.name_of(&path), Err(reason)),
            None => (root.name_of(&root.start), Err(SkipReason::Empty)),
        })
    }

    fn explanation(&self, parsed: ParsedSource) -> Result<Explanation, PipelineError> {
        let units = parsed.units.into_iter().map(|unit| {
            let tokens = compose(self.embedder, &unit)?.tokens;
            Ok(ExplainedUnit { tokens, unit })
        });
        Ok(Explanation {
            source: parsed.source,
            title: parsed.title,
            skipped: None,
            governance: parsed.governance,
            notes: parsed.notes,
            window_tokens: self.embedder.max_tokens(),
            units: units.collect::<Result<_, PipelineError>>()?,
        })
    }

    fn left_out(
        &self,
        source: SourceId,
        reason: SkipReason,
        governance: &Governance,
    ) -> Explanation {
        Explanation {
            source,
            title: None,
            skipped: Some(reason),
            governance: governance.clone(),
            notes: Vec::new(),
            window_tokens: self.embedder.max_tokens(),
            units: Vec::new(),
        }
    }
}

fn file_name(path: &Path) -> SourceId {
    SourceId::new(path.file_name().unwrap_or_default().to_string_lossy())
}
