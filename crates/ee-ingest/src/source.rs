//! One source in, its units out.

use km_core::{Governance, SourceId, Unit};
use sha2::{Digest, Sha256};

use crate::assemble::{Assembled, SourceFacts, assemble};
use crate::definitions::link_uses;
use crate::document::{BlockKind, Document};
use crate::outline::outline;
use crate::reference::{Reference, resolve_references};
use crate::split::Splitter;
use crate::summary::Summariser;
use crate::{IngestConfig, IngestError, Relations, SkipReason, TokenCounter, format};

/// The smallest window that a unit with a heading fits into, in tokens.
const SMALLEST_WINDOW: usize = 16;

/// The bytes of one source and what is known about it.
#[derive(Debug, Clone)]
pub struct SourceInput {
    /// The source's name; its ending tells the format.
    pub source: SourceId,
    /// The file as it is on disk.
    pub bytes: Vec<u8>,
    /// Governance from flags and folders; the source's own metadata refines it.
    pub governance: Governance,
    /// What folders and sidecars say it relates to; the source's own metadata refines it.
    pub relations: Relations,
}

/// The units of one source, in reading order, with next, previous and parent links set.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedSource {
    /// The source's name.
    pub source: SourceId,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// Governance of the source as a whole, after its own metadata.
    pub governance: Governance,
    /// SHA-256 of the bytes, lower-case hexadecimal.
    pub content_sha256: String,
    /// The units, in reading order.
    pub units: Vec<Unit>,
    /// Links from units to other sources, to be made edges by whoever knows those.
    pub references: Vec<Reference>,
    /// What a reader of the report should know, for example that invalid bytes were replaced.
    pub notes: Vec<String>,
}

/// Parses one source. `Ok(Err(reason))` means that it was skipped for a stated reason.
///
/// The same input, settings and counter give the same result.
///
/// # Errors
/// [`IngestError::Setting`] for settings out of range, and for a counter whose window is below 16
/// tokens.
pub fn parse_source(
    input: &SourceInput,
    config: &IngestConfig,
    counter: &dyn TokenCounter,
) -> Result<Result<ParsedSource, SkipReason>, IngestError> {
    config.validate()?;
    if counter.max_tokens() < SMALLEST_WINDOW {
        return Err(IngestError::Setting {
            setting: "max_tokens",
            expected: "at least 16",
            found: counter.max_tokens().to_string(),
        });
    }
    Ok(parse(input, config, counter))
}

fn parse(
    input: &SourceInput,
    config: &IngestConfig,
    counter: &dyn TokenCounter,
) -> Result<ParsedSource, SkipReason> {
    let bytes = input.bytes.len() as u64;
    if bytes > config.max_file_bytes {
        return Err(SkipReason::TooLarge {
            bytes,
            limit: config.max_file_bytes,
        });
    }
    let (mut document, offsets) = format::parse(input.source.as_str(), &input.bytes)?;
    let governance = document.front_matter.apply(&input.governance)?;
    let relations = document
        .front_matter
        .relate(&input.relations, &input.source, &input.source)?;
    let title = title(&document);
    let mut notes = notes(&mut document);
    let facts = SourceFacts {
        source: &input.source,
        title: title.as_deref(),
        governance: &governance,
        relations: &relations,
        offsets: offsets.as_ref(),
    };
    let assembled = units(document, &facts, config, counter);
    if assembled.units.is_empty() {
        return Err(SkipReason::Empty);
    }
    let Assembled {
        mut units,
        references,
    } = assembled;
    link_uses(&mut units);
    let references = resolve_references(&input.source, &mut units, references, &mut notes);
    Ok(ParsedSource {
        source: input.source.clone(),
        title,
        governance,
        content_sha256: hexadecimal(&Sha256::digest(&input.bytes)),
        units,
        references,
        notes,
    })
}

fn units(
    document: Document,
    facts: &SourceFacts<'_>,
    config: &IngestConfig,
    counter: &dyn TokenCounter,
) -> Assembled {
    let outline = outline(document.blocks);
    let splitter = Splitter::new(config, counter);
    let summariser = Summariser::new(&outline, config.summary_tokens, &splitter);
    assemble(&outline, facts, &splitter, &summariser)
}

/// The stated title, or the first heading where it is of the first level.
fn title(document: &Document) -> Option<String> {
    let stated = document
        .front_matter
        .title
        .clone()
        .or_else(|| document.title.clone());
    stated.or_else(|| {
        let mut blocks = document.blocks.iter();
        let heading = blocks.find(|block| matches!(block.kind, BlockKind::Heading { .. }))?;
        let first = heading.kind == (BlockKind::Heading { level: 1 });
        let text = heading.parts.first().filter(|_| first)?.as_str().trim();
        Some(text.replace('\n', " "))
    })
}

fn notes(document: &mut Document) -> Vec<String> {
    let mut notes = std::mem::take(&mut document.notes);
    let unknown = document.front_matter.unknown.iter();
    notes.extend(unknown.map(|name| format!("front matter field `{name}` is not used")));
    notes
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
