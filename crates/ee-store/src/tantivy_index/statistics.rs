//! How common terms are, for tantivy.

use std::collections::HashSet;

use tantivy::Term;

use super::{Opened, TantivyIndex, refused};
use crate::terms;
use crate::{QueryTerm, QueryTerms, StoreError, TermStatistics};

impl TermStatistics for TantivyIndex {
    fn query_terms(&self, query: &str) -> Result<QueryTerms, StoreError> {
        let opened = self.open.read();
        opened
            .query_terms(query)
            .map_err(|error| refused("count terms", error))
    }

    fn document_terms(&self, text: &str) -> HashSet<String> {
        terms::document_terms(text).into_iter().collect()
    }
}

impl Opened {
    fn query_terms(&self, query: &str) -> tantivy::Result<QueryTerms> {
        self.reload_if_changed()?;
        let searcher = self.reader.searcher();
        let mut found = QueryTerms {
            units: searcher.num_docs(),
            ..QueryTerms::default()
        };
        for term in terms::query_terms(query) {
            let units = searcher.doc_freq(&Term::from_field_text(self.fields.text, &term))?;
            found.terms.push(QueryTerm { term, units });
        }
        Ok(found)
    }
}
