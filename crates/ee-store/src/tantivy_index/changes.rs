//! Changes of the store as tantivy takes them.

use tantivy::schema::TantivyDocument;
use tantivy::{IndexWriter, Term};

use super::Opened;
use super::schema::KEY_COLUMN;
use crate::{Change, UnitKey};

/// Hands changes to a writer, in their order.
pub(super) struct Changes<'a> {
    writer: &'a IndexWriter,
    opened: &'a Opened,
    /// The greatest key that was ever added. What is added with a greater one replaces nothing:
    /// looking for what it replaces, in every segment, would cost more than adding it.
    newest: Option<UnitKey>,
}

impl<'a> Changes<'a> {
    pub(super) fn of(writer: &'a IndexWriter, opened: &'a Opened) -> tantivy::Result<Self> {
        opened.reload_if_changed()?;
        let mut newest = None;
        for segment in opened.reader.searcher().segment_readers() {
            let keys = segment.fast_fields().u64(KEY_COLUMN)?;
            newest = newest.max(Some(keys.max_value()));
        }
        Ok(Self {
            writer,
            opened,
            newest,
        })
    }

    pub(super) fn apply(&mut self, change: &Change) -> tantivy::Result<()> {
        match change {
            Change::Added { key, text, .. } => self.add(*key, text),
            Change::Removed { key } => {
                self.remove(*key);
                Ok(())
            }
        }
    }

    fn add(&mut self, key: UnitKey, text: &str) -> tantivy::Result<()> {
        if self.newest >= Some(key) {
            self.remove(key);
        }
        self.newest = self.newest.max(Some(key));
        let mut document = TantivyDocument::default();
        document.add_u64(self.opened.fields.key, key);
        document.add_text(self.opened.fields.text, text);
        self.writer.add_document(document)?;
        Ok(())
    }

    fn remove(&self, key: UnitKey) {
        let term = Term::from_field_u64(self.opened.fields.key, key);
        self.writer.delete_term(term);
    }
}
