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
        let length = markup_length(markup);
        if length == 0 && !markup.is_empty() {
            push_words(&mut text, "<", start + at + open);
        }
        at += open + length.max(usize::from(!markup.is_empty()));
    }
    text
}

/// The length of the tag, comment or silent element that `markup` starts with; 0 for a sign that
/// starts none.
fn markup_length(markup: &str) -> usize {
    if let Some(comment) = markup.strip_prefix("<!--") {
        return comment.find("-->").map_or(markup.len(), |at| at + 7);
    }
    let opens = |c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?');
    let Some(end) = markup
        .find('>')
        .filter(|_| markup.chars().nth(1).is_some_and(opens))
    else {
        return 0;
    };
    let tag = markup.get(1..end).unwrap_or_default();
    let name = tag.split_whitespace().next().unwrap_or_default();
    match SILENT
        .iter()
        .find(|silent| name.eq_ignore_ascii_case(silent))
    {
        Some(name) => silent_length(markup, name),
        None => end + 1,
    }
}

/// The length of an element up to and with its end tag, or of everything without one.
fn silent_length(markup: &str, name: &str) -> usize {
    let closes = |at: &usize| {
        let tag = markup.get(at + 2..at + 2 + name.len());
        tag.is_some_and(|tag| tag.eq_ignore_ascii_case(name))
    };
    let mut ends = markup.match_indices("</").map(|(at, _)| at);
    let end = ends
        .find(closes)
        .and_then(|at| Some(at + markup.get(at..)?.find('>')? + 1));
    end.unwrap_or(markup.len())
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
