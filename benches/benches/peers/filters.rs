//! Searches under filters of different strictness, and the same by comparing with all that match.

use anyhow::Result;
use ee_index::{ExactIndex, VectorIndex};
use serde_json::{Value, json};

use crate::K;
use crate::collection::Collection;
use crate::data::DIMENSION;
use crate::ours::{Ours, timed};

/// One key in so many matches.
const ONE_IN: [u64; 4] = [2, 10, 100, 1_000];
const QUERIES: usize = 200;

/// For each filter: recall, and microseconds a query of ours and of the exact index under the same
/// filter.
pub(crate) fn measure(ours: &Ours, collection: &Collection) -> Result<Vec<Value>> {
    let exact = ExactIndex::new(DIMENSION);
    exact.upsert(&collection.entries())?;
    let index = ours.default()?;
    let one = |one_in: &u64| {
        let admits = |key: u64| key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32 < (1 << 32) / one_in;
        let search = |index: &dyn VectorIndex| {
            timed(|| {
                let queries = collection.queries().take(QUERIES);
                let found = queries.map(|query| index.search(query, K, Some(&admits)));
                Ok(found.collect::<Result<Vec<_>, _>>()?)
            })
        };
        let (slow, truth) = search(&exact)?;
        let (fast, found) = search(index)?;
        let pairs = truth.iter().zip(&found);
        let shared = pairs.map(|(truth, found)| {
            let known = truth
                .iter()
                .filter(|near| found.iter().any(|f| f.key == near.key));
            known.count() as f64 / truth.len().max(1) as f64
        });
        let micros = |seconds: f64| seconds * 1e6 / QUERIES as f64;
        Ok(json!({
            "matching": 1.0 / *one_in as f64,
            "recall": shared.sum::<f64>() / QUERIES as f64,
            "microseconds": micros(fast),
            "exact_microseconds": micros(slow),
        }))
    };
    ONE_IN.iter().map(one).collect()
}
