//! The headings above a unit as text, for what is embedded with it.

use km_core::{Unit, UnitMetadata};

use crate::TokenCounter;
use crate::split::Splitter;

/// The headings may take this part of the window at most.
const WINDOW_SHARE: usize = 4;

/// What to embed for a unit: the title and headings above it on a line, then its content. Fits the
/// embedder's window whenever [`parse_source`](crate::parse_source) made the unit with the same
/// counter.
pub fn embedding_text(unit: &Unit, counter: &dyn TokenCounter) -> String {
    let splitter = Splitter::new(&crate::IngestConfig::default(), counter);
    let mut text = heading_context(&unit.metadata, &splitter);
    text.push_str(&unit.content);
    text
}

/// Title and headings with a line end; outer headings give way where the window is small, and
/// where even the innermost is too long there is nothing.
pub(crate) fn heading_context(metadata: &UnitMetadata, splitter: &Splitter<'_>) -> String {
    let mut headings: Vec<&str> = Vec::new();
    let title = metadata.title.iter().map(String::as_str);
    for heading in title.chain(metadata.section_path.iter().map(String::as_str)) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    let most = splitter.window() / WINDOW_SHARE;
    for skipped in 0..headings.len() {
        let kept = headings.get(skipped..).unwrap_or_default();
        let context = format!("{}\n", kept.join(" > "));
        if splitter.tokens(&context) <= most {
            return context;
        }
    }
    String::new()
}
