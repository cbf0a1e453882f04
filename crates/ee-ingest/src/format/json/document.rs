//! Walking a document: lists of rows, conversations, and fields that hold more fields.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::export::is_export;
use super::fields::{first, text_of};
use super::message::{block, record};
use crate::document::{Block, BlockKind, Document};

/// Names of lists that hold the rows of a JSON file.
const ROWS: [&str; 6] = [
    "messages",
    "chat_messages",
    "conversations",
    "turns",
    "rows",
    "data",
];
/// Fields inside fields that are sections; deeper ones are text.
const DEEPEST_SECTION: u8 = 5;
/// The level of the outermost fields. None of them is the title of the file.
const OUTERMOST_LEVEL: u8 = 2;

/// Reads values into blocks.
pub(super) struct Reader<'a> {
    text: &'a str,
    pub(super) document: Document,
    /// Per field of messages that is not kept, in how many.
    left_out: BTreeMap<String, usize>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            document: Document::default(),
            left_out: BTreeMap::new(),
        }
    }

    pub(super) fn finish(mut self) -> Document {
        let left_out = self.left_out.into_iter();
        let notes = left_out.map(|(name, messages)| {
            format!("field `{name}` is not kept, it says nothing by itself (messages: {messages})")
        });
        self.document.notes.extend(notes);
        self.document
    }

    pub(super) fn leave_out(&mut self, field: &str) {
        *self.left_out.entry(field.to_owned()).or_default() += 1;
    }

    /// Where a value borrowed from the text stands in it.
    pub(super) fn place(&self, raw: &RawValue) -> Range<usize> {
        let start = (raw.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        start..start + raw.get().len()
    }

    /// Any value: rows of a list, what an object holds, or a plain value.
    pub(super) fn value(&mut self, raw: &'a RawValue, depth: u8) -> serde_json::Result<()> {
        if raw.get().starts_with('[') {
            for element in serde_json::from_str::<Vec<&RawValue>>(raw.get())? {
                self.row(element, depth)?;
            }
            return Ok(());
        }
        if raw.get().starts_with('{') {
            return self.object(raw, depth);
        }
        let value = serde_json::from_str(raw.get())?;
        let place = self.place(raw);
        self.write_row(&value, place, None);
        Ok(())
    }

    /// A row: a conversation with messages of its own, a message, or a record.
    pub(super) fn row(&mut self, raw: &'a RawValue, depth: u8) -> serde_json::Result<()> {
        let value = serde_json::from_str(raw.get())?;
        if let Value::Object(fields) = &value
            && depth < DEEPEST_SECTION
            && holds_conversation(fields)
        {
            let title = first(fields, &["title", "name", "sample_id", "id"]);
            let title = title.map(|(_, title)| text_of(title));
            let is_open = self.open(&title.unwrap_or_default(), raw, depth);
            self.object(raw, depth + 1)?;
            self.close(is_open);
            return Ok(());
        }
        let place = self.place(raw);
        self.write_row(&value, place, None);
        Ok(())
    }

    fn object(&mut self, raw: &'a RawValue, depth: u8) -> serde_json::Result<()> {
        let raws: HashMap<String, &'a RawValue> = serde_json::from_str(raw.get())?;
        let fields: Map<String, Value> = serde_json::from_str(raw.get())?;
        if self.export(raw, &fields, &raws, depth)? {
            return Ok(());
        }
        if let Some(rows) = rows_of(&fields).and_then(|name| raws.get(name)) {
            self.rest(&fields, &[], raw, depth);
            return self.value(rows, depth);
        }
        let is_flat = !fields.values().any(is_section) || depth >= DEEPEST_SECTION;
        if is_flat {
            let place = self.place(raw);
            self.write_row(&Value::Object(fields), place, None);
            return Ok(());
        }
        let sections: Vec<&str> = fields
            .iter()
            .filter(|(_, value)| is_section(value))
            .map(|(name, _)| name.as_str())
            .collect();
        self.rest(&fields, &sections, raw, depth);
        for name in sections {
            if let Some(section) = raws.get(name) {
                let is_open = self.open(name, section, depth);
                self.value(section, depth + 1)?;
                self.close(is_open);
            }
        }
        Ok(())
    }

    /// The fields of an object beside its rows and those `without`, as a record.
    pub(super) fn rest(
        &mut self,
        fields: &Map<String, Value>,
        without: &[&str],
        raw: &RawValue,
        depth: u8,
    ) {
        let mut rest = fields.clone();
        let rows = rows_of(fields);
        rest.retain(|name, _| rows != Some(name.as_str()) && !without.contains(&name.as_str()));
        let title = first(&rest, &["title", "name"]).map(|(_, title)| text_of(title));
        if depth == 0 {
            self.document.title = title.filter(|title| !title.trim().is_empty());
        }
        let place = self.place(raw);
        self.document.blocks.extend(record(&rest, place));
    }

    /// Begins a section at a value; without a name it is none, and `false` comes back.
    pub(super) fn open(&mut self, name: &str, raw: &RawValue, depth: u8) -> bool {
        let level = OUTERMOST_LEVEL.saturating_add(depth);
        let start = self.place(raw).start;
        let heading = block(BlockKind::Heading { level }, name, start..start + 1);
        let is_open = heading.is_some();
        self.document.blocks.extend(heading);
        is_open
    }

    pub(super) fn close(&mut self, is_open: bool) {
        if is_open {
            let end = Block::new(BlockKind::SectionEnd, Vec::new());
            self.document.blocks.push(end);
        }
    }
}

/// The name of the list that holds an object's rows.
fn rows_of(fields: &Map<String, Value>) -> Option<&'static str> {
    let is_list = |name: &&&str| matches!(fields.get(**name), Some(Value::Array(_)));
    ROWS.iter().find(is_list).copied()
}

/// Whether an object, or one right inside it, has messages of its own.
fn holds_conversation(fields: &Map<String, Value>) -> bool {
    let holds = |fields: &Map<String, Value>| rows_of(fields).is_some() || is_export(fields);
    let mut inner = fields.values().filter_map(Value::as_object);
    holds(fields) || inner.any(holds)
}

/// Whether a value is a section of its own: fields, or rows of fields.
fn is_section(value: &Value) -> bool {
    match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(values) => values.iter().any(Value::is_object),
        _ => false,
    }
}
