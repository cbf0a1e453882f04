//! The text between the tags of a scrap of HTML, for Markdown that holds some.

use crate::mapped::MappedText;

/// Elements whose content is not text to read.
const SILENT: [&str; 2] = ["script", "style"];

/// Whether a tag breaks the line.
pub(super) fn is_break(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']).to_ascii_lowercase();
    name.starts_with("br") && name.trim_start_matches("br").starts_with(['>', ' ', '/'])
}

/// The text outside tags and comments; `start` is where the scrap stands in the source.
pub(super) fn strip(html: &str, start: usize) -> MappedText {
    let mut text = MappedText::default();
    let mut at = 0;
    while let Some(rest) = html.get(at..).filter(|rest| !rest.is_empty()) {
        let open = rest.find('<').unwrap_or(rest.len());
        push_words(&mut text, rest.get(..open).unwrap_or_default(), start + at);
        let markup = rest.get(open..).unwrap_or_default();
        at += open + markup_length(markup);
    }
    text
}

/// The length of the tag, comment or silent element that `markup` starts with.
fn markup_length(markup: &str) -> usize {
    if markup.is_empty() {
        return 0;
    }
    let through = |end: &str, from: usize| {
        let found = markup.get(from..).and_then(|rest| rest.find(end));
        found.map_or(markup.len(), |at| from + at + end.len())
    };
    if markup.starts_with("<!--") {
        return through("-->", 4);
    }
    for name in SILENT {
        let opens = markup
            .get(1..=name.len())
            .is_some_and(|tag| tag.eq_ignore_ascii_case(name));
        if opens {
            let close = format!("</{name}");
            let lower = markup.to_ascii_lowercase();
            let end = lower.find(&close).unwrap_or(markup.len());
            return end
                + markup
                    .get(end..)
                    .and_then(|m| m.find('>'))
                    .map_or(markup.len() - end, |at| at + 1);
        }
    }
    through(">", 0)
}

fn push_words(text: &mut MappedText, run: &str, start: usize) {
    if run.trim().is_empty() {
        if !run.is_empty() && !text.is_blank() {
            text.push_glue(if run.contains('\n') { "\n" } else { " " });
        }
        return;
    }
    text.push(run, start..start + run.len());
}
