//! The fields of the index.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};

const KEY: &str = "key";
const TEXT: &str = "text";

/// The fields of the index: the unit's key, and its terms.
pub(super) struct Fields {
    pub(super) key: Field,
    pub(super) text: Field,
}

impl Fields {
    /// Frequencies for BM25, no positions (there are no phrases), nothing stored.
    pub(super) fn schema() -> Schema {
        let mut schema = Schema::builder();
        schema.add_u64_field(KEY, FAST | INDEXED);
        let indexing = TextFieldIndexing::default()
            .set_fieldnorms(true)
            .set_index_option(IndexRecordOption::WithFreqs);
        schema.add_text_field(TEXT, TextOptions::default().set_indexing_options(indexing));
        schema.build()
    }

    pub(super) fn of(schema: &Schema) -> tantivy::Result<Self> {
        Ok(Self {
            key: schema.get_field(KEY)?,
            text: schema.get_field(TEXT)?,
        })
    }
}

/// Name of the fast field that holds the key.
pub(super) const KEY_COLUMN: &str = KEY;
