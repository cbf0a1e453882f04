//! CSV and TSV: one table, its first record the header.

use csv::{ByteRecord, ReaderBuilder};

use super::TextFormat;
use crate::SkipReason;
use crate::document::{Block, BlockKind, Document};
use crate::mapped::MappedText;

pub(super) struct Delimited {
    delimiter: u8,
}

impl Delimited {
    pub(super) fn tabs() -> Self {
        Self { delimiter: b'\t' }
    }

    /// Comma, or semicolon or tab where the first line has more of them.
    pub(super) fn guess(text: &str) -> Self {
        let header = text.lines().next().unwrap_or_default();
        let count = |mark: u8| header.bytes().filter(|byte| *byte == mark).count();
        // The last of equals wins, so comma stands last.
        let delimiter = [b'\t', b';', b',']
            .into_iter()
            .max_by_key(|mark| count(*mark));
        Self {
            delimiter: delimiter.unwrap_or(b','),
        }
    }
}

impl TextFormat for Delimited {
    fn parse(&self, text: &str) -> Result<Document, SkipReason> {
        let mut reader = ReaderBuilder::new()
            .delimiter(self.delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut document = Document::default();
        let mut rows: Vec<MappedText> = Vec::new();
        let mut columns = 0;
        let mut record = ByteRecord::new();
        while reader
            .read_byte_record(&mut record)
            .map_err(|error| malformed(&error))?
        {
            let start = record
                .position()
                .map_or(0, |position| position.byte() as usize);
            let end = reader.position().byte() as usize;
            if rows.is_empty() {
                columns = record.len();
            } else if record.len() != columns {
                document.notes.push(format!(
                    "record {} has {} fields where the header has {columns}; all are kept",
                    rows.len() + 1,
                    record.len(),
                ));
            }
            let (start, end) = trimmed(text, start, end);
            let mut row = MappedText::default();
            row.push(&rendered(&record), start..end);
            rows.push(row);
        }
        document.blocks.push(Block::new(BlockKind::Table, rows));
        Ok(document)
    }
}

/// The range without the line ends around a record.
fn trimmed(text: &str, start: usize, end: usize) -> (usize, usize) {
    let raw = text.get(start..end).unwrap_or_default();
    let end = start + raw.trim_end_matches('\n').len();
    let start = end - raw.trim_end_matches('\n').trim_start_matches('\n').len();
    (start, end)
}

/// The record as a row of a table; line ends inside a field become spaces.
fn rendered(record: &ByteRecord) -> String {
    let mut row = String::new();
    for field in record {
        let field = String::from_utf8_lossy(field);
        row.push_str("| ");
        row.push_str(&field.trim().replace('\n', " "));
        row.push(' ');
    }
    row.push('|');
    row
}

fn malformed(error: &csv::Error) -> SkipReason {
    SkipReason::Malformed {
        format: "CSV".to_owned(),
        message: error.to_string(),
    }
}
