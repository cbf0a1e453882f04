//! The trait that tells how common the terms of a query are.

use std::collections::HashSet;

use crate::StoreError;

/// Terms as a full-text index sees them. Relevance estimates weigh by it how much of a question a
/// text covers.
pub trait TermStatistics: Send + Sync {
    /// The distinct terms of a query, function words left out, each with how many units hold it.
    ///
    /// # Errors
    /// [`StoreError`] when the index cannot be read.
    fn query_terms(&self, query: &str) -> Result<QueryTerms, StoreError>;

    /// The distinct terms of a text.
    fn document_terms(&self, text: &str) -> HashSet<String>;
}

/// The terms of a query and the size of the collection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryTerms {
    /// The terms, in the query's order.
    pub terms: Vec<QueryTerm>,
    /// How many units the index holds, deleted ones that are not yet cleared away included.
    pub units: u64,
}

/// A term of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// The term as the index holds it: folded and stemmed.
    pub term: String,
    /// How many units hold it.
    pub units: u64,
}

impl QueryTerms {
    /// The inverse document frequency of a term that `units` units hold: `ln(1 + (N − n + ½) /
    /// (n + ½))` as in BM25 (Robertson and Zaragoza 2009), at least 0.
    pub fn idf(&self, units: u64) -> f32 {
        let (all, held) = (self.units as f32, units as f32);
        (1.0 + (all - held + 0.5).max(0.0) / (held + 0.5)).ln()
    }
}
