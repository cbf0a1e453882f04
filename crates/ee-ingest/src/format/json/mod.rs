//! JSON and JSON Lines: messages of a conversation, records, and documents of nested fields.

mod document;
mod export;
mod fields;
mod message;
mod time;

use serde_json::value::RawValue;

use super::TextFormat;
use crate::SkipReason;
use crate::document::Document;
use document::Reader;

/// The most lines that are named in notes one by one.
const NOTED_LINES: usize = 5;

pub(super) struct Json;
pub(super) struct JsonLines;

impl TextFormat for Json {
    fn parse(&self, text: &str) -> Result<Document, SkipReason> {
        let raw: &RawValue =
            serde_json::from_str(text).map_err(|error| malformed("JSON", &error))?;
        let mut reader = Reader::new(text);
        reader
            .value(raw, 0)
            .map_err(|error| malformed("JSON", &error))?;
        Ok(reader.finish())
    }
}

impl TextFormat for JsonLines {
    fn parse(&self, text: &str) -> Result<Document, SkipReason> {
        let mut reader = Reader::new(text);
        let mut wrong = Vec::new();
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let row = serde_json::from_str::<&RawValue>(line);
            if let Err(error) = row.and_then(|raw| reader.row(raw, 0)) {
                wrong.push((index + 1, error));
            }
        }
        let mut document = reader.finish();
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

fn malformed(format: &str, error: &serde_json::Error) -> SkipReason {
    SkipReason::Malformed {
        format: format.to_owned(),
        message: error.to_string(),
    }
}
