//! Reading, recognising and parsing one source; run in parallel.

use std::collections::HashMap;

use ee_embed::Embedder;
use ee_ingest::{IngestConfig, ParsedSource, SkipReason, SourceInput, parse_source};
use ee_store::SourceState;
use km_core::{Governance, UnitId};
use sha2::{Digest, Sha256};

use super::chunk::Item;
use super::recipe::{hexadecimal, recipe};
use crate::PipelineError;
use crate::knowledge::composition::{ComposedText, WindowCounter, compose};

/// What became of a source.
#[derive(Debug)]
pub(super) enum Prepared {
    /// It is stored already, made from the same bytes in the same way.
    Unchanged {
        /// The tenant that it is stored for.
        tenant: Option<String>,
    },
    /// It is left out.
    Skipped(SkipReason),
    /// It waits for its embeddings.
    Parsed(Box<PreparedSource>),
}

/// A source with its units and the texts that stand for them.
#[derive(Debug)]
pub(super) struct PreparedSource {
    pub(super) parsed: ParsedSource,
    pub(super) recipe: String,
    pub(super) root: Option<String>,
    /// One for each unit.
    pub(super) texts: Vec<ComposedText>,
}

/// What preparation needs to know.
pub(super) struct Preparation<'a> {
    pub(super) config: &'a IngestConfig,
    pub(super) embedder: &'a dyn Embedder,
    pub(super) model: &'a str,
    pub(super) governance: &'a Governance,
}

impl Preparation<'_> {
    /// Reads a source, recognises it among what is stored under its name, or parses it.
    pub(super) fn prepare(
        &self,
        item: Item,
        stored: &[&SourceState],
    ) -> Result<Prepared, PipelineError> {
        let root = item.origin.root_text().map(str::to_owned);
        let input = match item.read(self.config, self.governance) {
            Ok(input) => input,
            Err(reason) => return Ok(Prepared::Skipped(reason)),
        };
        let recipe = recipe(self.config, self.model, &input);
        let content_sha256 = hexadecimal(&Sha256::digest(&input.bytes));
        let same = stored.iter().find(|state| {
            state.content_sha256 == content_sha256
                && state.recipe_sha256 == recipe
                && state.root == root
        });
        match same {
            Some(state) => Ok(Prepared::Unchanged {
                tenant: state.governance.tenant.clone(),
            }),
            None => self.parse(&input, recipe, root),
        }
    }

    fn parse(
        &self,
        input: &SourceInput,
        recipe: String,
        root: Option<String>,
    ) -> Result<Prepared, PipelineError> {
        let counter = WindowCounter(self.embedder);
        let parsed = match parse_source(input, self.config, &counter)? {
            Ok(parsed) => parsed,
            Err(reason) => return Ok(Prepared::Skipped(reason)),
        };
        let parsed = with_references(parsed);
        let texts = parsed.units.iter().map(|unit| compose(self.embedder, unit));
        let texts = texts.collect::<Result<_, _>>()?;
        Ok(Prepared::Parsed(Box::new(PreparedSource {
            parsed,
            recipe,
            root,
            texts,
        })))
    }
}

/// Notes with each unit which other sources its text names, so that they can be linked whenever
/// these come or change.
pub(super) fn with_references(mut parsed: ParsedSource) -> ParsedSource {
    let mut named: HashMap<UnitId, Vec<String>> = HashMap::new();
    for reference in std::mem::take(&mut parsed.references) {
        let name = match reference.anchor {
            Some(anchor) => format!("{}#{anchor}", reference.source),
            None => reference.source.to_string(),
        };
        let names = named.entry(reference.from).or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for unit in &mut parsed.units {
        unit.metadata.references = named.remove(&unit.id).unwrap_or_default();
    }
    parsed
}
