//! Rows: messages and records.

use std::ops::Range;

use km_core::Timestamp;
use serde_json::{Map, Value};

use super::document::Reader;
use super::fields::{first, is_empty, is_prose, text_of};
use super::time::moment;
use crate::document::{Block, BlockKind};
use crate::mapped::MappedText;

/// Names under which messages carry who spoke, what and when; the first that is there counts.
const SPEAKER: [&str; 7] = [
    "speaker", "role", "author", "user", "sender", "from", "name",
];
const CONTENT: [&str; 6] = ["content", "text", "message", "body", "clean_text", "value"];
const TIME: [&str; 8] = [
    "time",
    "timestamp",
    "datetime",
    "said_at",
    "created_at",
    "date",
    "date_time",
    "ts",
];
/// What a message may hold in place of words of its own.
const CALLS: &str = "tool_calls";

impl Reader<'_> {
    /// Writes a row. `said_at` holds for a message that states no time of its own.
    pub(super) fn write_row(
        &mut self,
        value: &Value,
        place: Range<usize>,
        said_at: Option<Timestamp>,
    ) {
        let block = match value {
            Value::Object(fields) => self
                .message(fields, place.clone(), said_at)
                .or_else(|| record(fields, place)),
            other => block(BlockKind::Paragraph, &text_of(other), place),
        };
        self.document.blocks.extend(block);
    }

    /// A row with a speaker and a text is a message. Of its other fields those that say something
    /// are kept with the text, and the names of the rest are noted.
    fn message(
        &mut self,
        fields: &Map<String, Value>,
        place: Range<usize>,
        said_at: Option<Timestamp>,
    ) -> Option<Block> {
        let (speaker_field, speaker) = first(fields, &SPEAKER)?;
        let speaker = speaker_name(speaker)?;
        let content = first(fields, &CONTENT).filter(|(name, _)| *name != speaker_field);
        let (content_field, content) = match content {
            Some((name, value)) => (name, text_of(value)),
            None if fields.contains_key(CALLS) => ("", String::new()),
            None => return None,
        };
        let time = first(fields, &TIME);
        let own = time.and_then(|(name, value)| Some((name, moment(value)?)));
        let (time_field, said_at) = match own {
            Some((name, own)) => (name, Some(own)),
            None => ("", said_at),
        };
        let mut lines = vec![content];
        for (name, value) in fields {
            if [speaker_field, content_field, time_field].contains(&name.as_str())
                || is_empty(value)
            {
                continue;
            }
            if is_prose(value) {
                lines.push(format!("{name}: {}", text_of(value)));
            } else {
                self.leave_out(name);
            }
        }
        lines.retain(|line| !line.trim().is_empty());
        let kind = BlockKind::Message {
            speaker: Some(speaker),
            said_at,
        };
        block(kind, &lines.join("\n"), place)
    }
}

/// A name, or the name or role in an object that describes the author.
fn speaker_name(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(name.clone()),
        Value::Object(fields) => {
            let (_, name) = first(fields, &["name", "username", "display_name", "role"])?;
            name.as_str().map(str::to_owned)
        }
        _ => None,
    }
}

/// Any other row: its title and text as they are, its other fields as `name: value`.
pub(super) fn record(fields: &Map<String, Value>, place: Range<usize>) -> Option<Block> {
    let mut lines = Vec::new();
    for (name, value) in fields {
        let text = listed(value).unwrap_or_else(|| text_of(value));
        match name.as_str() {
            _ if text.trim().is_empty() => {}
            "summary" => {}
            "title" | "text" | "content" | "body" => lines.push(text),
            _ => lines.push(format!("{name}: {text}")),
        }
    }
    let summary = fields.get("summary").and_then(Value::as_str);
    let summary = summary.filter(|summary| !summary.trim().is_empty());
    if lines.is_empty() {
        lines.extend(summary.map(str::to_owned));
    }
    let mut block = block(BlockKind::Paragraph, &lines.join("\n"), place)?;
    block.summary = summary.map(str::to_owned);
    Some(block)
}

/// A list of plain values on one line.
fn listed(value: &Value) -> Option<String> {
    let values = value.as_array()?;
    let plain = |value: &Value| !value.is_array() && !value.is_object();
    let texts: Vec<String> = values.iter().map(text_of).collect();
    values.iter().all(plain).then(|| texts.join(", "))
}

pub(super) fn block(kind: BlockKind, text: &str, place: Range<usize>) -> Option<Block> {
    let mut mapped = MappedText::default();
    mapped.push(text, place);
    (!mapped.is_blank()).then(|| Block::new(kind, vec![mapped]))
}
