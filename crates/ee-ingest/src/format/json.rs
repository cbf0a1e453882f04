//! JSON and JSON Lines: messages of a conversation, and records of any other kind.

use std::ops::Range;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use km_core::Timestamp;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::TextFormat;
use crate::SkipReason;
use crate::document::{Block, BlockKind, Document};
use crate::mapped::MappedText;

/// Names under which messages carry who spoke, what and when; the first that is there counts.
const SPEAKER: [&str; 7] = [
    "speaker", "role", "author", "user", "sender", "from", "name",
];
const CONTENT: [&str; 5] = ["content", "text", "message", "body", "clean_text"];
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
/// Names of lists that hold the rows of a JSON file.
const ROWS: [&str; 4] = ["messages", "turns", "rows", "data"];
/// The most lines that are named in notes one by one.
const NOTED_LINES: usize = 5;

pub(super) struct Json;
pub(super) struct JsonLines;

impl TextFormat for Json {
    fn parse(&self, text: &str) -> Result<Document, SkipReason> {
        let raw: &RawValue =
            serde_json::from_str(text).map_err(|error| malformed("JSON", &error))?;
        let mut document = Document::default();
        read_value(raw, text, &mut document)?;
        Ok(document)
    }
}

impl TextFormat for JsonLines {
    fn parse(&self, text: &str) -> Result<Document, SkipReason> {
        let mut document = Document::default();
        let mut wrong = Vec::new();
        let mut at = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let range = at..at + line.trim_end().len();
            at += line.len();
            if line.trim().is_empty() {
                continue;
            }
            match serde_json::from_str(line) {
                Ok(value) => document.blocks.extend(row(value, range)),
                Err(error) => wrong.push((index + 1, error)),
            }
        }
        if let (true, Some((line, error))) = (document.blocks.is_empty(), wrong.first()) {
            return Err(SkipReason::Malformed {
                format: "JSON Lines".to_owned(),
                message: format!("no line can be read; line {line}: {error}"),
            });
        }
        document.notes.extend(left_out(&wrong));
        Ok(document)
    }
}

fn left_out(wrong: &[(usize, serde_json::Error)]) -> impl Iterator<Item = String> + '_ {
    let named = wrong.iter().take(NOTED_LINES);
    let named =
        named.map(|(line, error)| format!("line {line} is left out, not valid JSON: {error}"));
    let more = wrong.len().saturating_sub(NOTED_LINES);
    named.chain((more > 0).then(|| format!("{more} more lines are left out, not valid JSON")))
}

/// Rows of a list, of a list inside an object, or an object as one row.
fn read_value(raw: &RawValue, text: &str, document: &mut Document) -> Result<(), SkipReason> {
    if let Ok(rows) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) {
        for element in rows {
            let value =
                serde_json::from_str(element.get()).map_err(|error| malformed("JSON", &error))?;
            document.blocks.extend(row(value, place(element, text)));
        }
        return Ok(());
    }
    let fields: serde_json::Result<std::collections::HashMap<String, &RawValue>> =
        serde_json::from_str(raw.get());
    let rows = fields.ok().and_then(|fields| {
        let is_list = |raw: &&&RawValue| raw.get().starts_with('[');
        ROWS.iter()
            .find_map(|name| fields.get(*name).filter(is_list).copied())
    });
    let value: Value =
        serde_json::from_str(raw.get()).map_err(|error| malformed("JSON", &error))?;
    let Some(rows) = rows else {
        document.blocks.extend(row(value, place(raw, text)));
        return Ok(());
    };
    if let Value::Object(mut rest) = value {
        rest.retain(|name, _| !ROWS.contains(&name.as_str()));
        document.title = first(&rest, &["title", "name"]).map(text_of);
        if !rest.is_empty() {
            document
                .blocks
                .extend(row(Value::Object(rest), place(raw, text)));
        }
    }
    read_value(rows, text, document)
}

/// Where a value borrowed from `text` stands in it.
fn place(raw: &RawValue, text: &str) -> Range<usize> {
    let start = (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + raw.get().len()
}

fn row(value: Value, range: Range<usize>) -> Option<Block> {
    let Value::Object(fields) = value else {
        return block(BlockKind::Paragraph, &text_of(&value), range);
    };
    message(&fields, range.clone()).or_else(|| record(&fields, range))
}

/// A row with a speaker and a text is a message.
fn message(fields: &Map<String, Value>, range: Range<usize>) -> Option<Block> {
    let content = text_of(first(fields, &CONTENT)?);
    let speaker = first(fields, &SPEAKER).and_then(Value::as_str)?.to_owned();
    let said_at = first(fields, &TIME).and_then(moment);
    let kind = BlockKind::Message {
        speaker: Some(speaker),
        said_at,
    };
    block(kind, &content, range)
}

/// Any other row: its title and text as they are, its other fields as `name: value`.
fn record(fields: &Map<String, Value>, range: Range<usize>) -> Option<Block> {
    let mut lines = Vec::new();
    for (name, value) in fields {
        let text = text_of(value);
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
    let mut block = block(BlockKind::Paragraph, &lines.join("\n"), range)?;
    block.summary = summary.map(str::to_owned);
    Some(block)
}

fn block(kind: BlockKind, text: &str, range: Range<usize>) -> Option<Block> {
    let mut mapped = MappedText::default();
    mapped.push(text, range);
    (!mapped.is_blank()).then(|| Block::new(kind, vec![mapped]))
}

fn first<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    let mut found = names.iter().filter_map(|name| fields.get(*name));
    found.find(|value| !value.is_null())
}

/// The text in a value: strings as they are, lists joined, text parts of chat messages.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(values) => {
            let texts: Vec<String> = values.iter().map(text_of).collect();
            texts.join("\n")
        }
        Value::Object(fields) => match fields.get("text") {
            Some(Value::String(text)) if fields.contains_key("type") => text.clone(),
            _ => {
                let fields = fields.iter();
                let lines: Vec<String> = fields
                    .map(|(name, value)| format!("{name}: {}", text_of(value)))
                    .collect();
                lines.join("\n")
            }
        },
        other => other.to_string(),
    }
}

/// RFC 3339, seconds or milliseconds since 1970, or a date and time without offset, taken as UTC.
fn moment(value: &Value) -> Option<Timestamp> {
    if let Some(number) = value.as_f64() {
        let seconds = if number.abs() > 1e11 {
            number / 1e3
        } else {
            number
        };
        return Timestamp::from_millisecond((seconds * 1e3) as i64).ok();
    }
    let text = value.as_str()?.trim();
    let civil = || {
        let spoken = || DateTime::strptime("%I:%M %p on %d %B, %Y", text);
        let plain: DateTime = text.parse().or_else(|_| spoken()).ok()?;
        TimeZone::UTC.to_timestamp(plain).ok()
    };
    text.parse().ok().or_else(civil)
}

fn malformed(format: &str, error: &serde_json::Error) -> SkipReason {
    SkipReason::Malformed {
        format: format.to_owned(),
        message: error.to_string(),
    }
}
