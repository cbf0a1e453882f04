//! A token counter like a word-piece tokenizer's, and short ways to parse.

use std::path::PathBuf;

use ee_ingest::{
    IngestConfig, ParsedSource, Relations, SkipReason, SourceInput, TokenCounter, parse_source,
};
use km_core::{Governance, SourceId, Unit};

/// Two special tokens, one per mark or letter of a script without spaces, one per five letters of
/// any other word.
pub(crate) struct Pieces {
    pub(crate) max_tokens: usize,
}

impl TokenCounter for Pieces {
    fn count(&self, text: &str) -> usize {
        let mut tokens = 2;
        let mut letters = 0_usize;
        for c in text.chars() {
            if c.is_alphanumeric() && c < '\u{2e80}' {
                letters += 1;
            } else {
                tokens += letters.div_ceil(5) + usize::from(!c.is_whitespace());
                letters = 0;
            }
        }
        tokens + letters.div_ceil(5)
    }

    fn max_tokens(&self) -> usize {
        self.max_tokens
    }
}

pub(crate) fn try_parse(
    name: &str,
    bytes: &[u8],
    max_tokens: usize,
) -> Result<ParsedSource, SkipReason> {
    let input = SourceInput {
        source: SourceId::new(name),
        bytes: bytes.to_vec(),
        governance: Governance::default(),
        relations: Relations::default(),
    };
    parse_source(&input, &IngestConfig::default(), &Pieces { max_tokens }).unwrap()
}

pub(crate) fn parse(name: &str, text: impl AsRef<[u8]>) -> ParsedSource {
    try_parse(name, text.as_ref(), 128).unwrap()
}

pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/ingest");
    std::fs::read(folder.join(name)).unwrap()
}

/// The names of the files in a folder of fixtures, sorted.
pub(crate) fn fixtures(folder: &str) -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/ingest");
    let files = std::fs::read_dir(root.join(folder)).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The bytes of the source that a unit stands for.
pub(crate) fn span<'a>(unit: &Unit, bytes: &'a [u8]) -> &'a [u8] {
    let span = unit.metadata.span.unwrap();
    &bytes[span.start as usize..span.end as usize]
}

/// The unit tree as text: kind, place, headings, links, content and summary.
pub(crate) fn tree(parsed: &ParsedSource) -> String {
    let position = |id| parsed.units.iter().position(|unit| unit.id == id).unwrap();
    let mut lines = vec![format!("title: {:?}", parsed.title)];
    for (at, unit) in parsed.units.iter().enumerate() {
        let place = unit
            .metadata
            .span
            .map_or("nowhere".to_owned(), |s| format!("{}..{}", s.start, s.end));
        let page = unit.metadata.page;
        let page = page.map_or_else(String::new, |page| format!(" page {page}"));
        let links: Vec<String> = unit
            .links
            .iter()
            .map(|link| format!("{} {}", link.kind, position(link.target)))
            .collect();
        lines.push(format!(
            "[{at}] {} {place}{page} | {} | {}",
            unit.kind,
            unit.metadata.section_path.join(" > "),
            links.join(", ")
        ));
        let who = [
            unit.metadata.language.clone(),
            unit.metadata.speaker.clone(),
            unit.metadata.said_at.map(|t| t.to_string()),
        ];
        let who: Vec<String> = who.into_iter().flatten().collect();
        if !who.is_empty() {
            lines.push(format!("    ({})", who.join(", ")));
        }
        lines.extend(unit.content.lines().map(|line| format!("    {line}")));
        lines.push(format!("    => {}", unit.summary));
    }
    for reference in &parsed.references {
        lines.push(format!(
            "[{}] refers to {} {:?}",
            position(reference.from),
            reference.source,
            reference.anchor
        ));
    }
    lines.extend(parsed.notes.iter().map(|note| format!("note: {note}")));
    lines.join("\n")
}
