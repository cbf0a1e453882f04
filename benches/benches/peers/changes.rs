//! What inserting and removing costs, and recall after half of a collection was exchanged.

use std::collections::BTreeSet;

use anyhow::Result;
use benches::SEED;
use benches::statistics::Sample;
use ee_index::{AdaptiveIndex, IndexConfig, VectorIndex, conformance::measure_recall};
use serde_json::{Value, json};

use crate::K;
use crate::collection::{BATCH, Collection};
use crate::data::DIMENSION;
use crate::ours::{Ours, timed};

/// Microseconds to insert one vector, and to remove it again; leaves the index as it was.
pub(crate) fn measure(ours: &Ours, collection: &Collection) -> Result<Value> {
    let index = ours.default()?;
    let first = collection.len() as u64;
    let mut inserts = Vec::new();
    let mut removals = Vec::new();
    for (key, vector) in (first..).zip(collection.queries()) {
        inserts.push(timed(|| Ok(index.upsert(&[(key, vector)])?))?.0 * 1e6);
    }
    for (key, _) in (first..).zip(collection.queries()) {
        let remove = || {
            index.remove(&[key]);
            Ok(())
        };
        removals.push(timed(remove)?.0 * 1e6);
    }
    let [inserts, removals] = [inserts, removals].map(Sample::new);
    Ok(json!({
        "insert_microseconds": inserts.mean(),
        "insert_microseconds_p99": inserts.percentile(99.0),
        "remove_microseconds": removals.mean(),
    }))
}

/// Two thirds of the collection go in, half of those go out at random, the last third goes in;
/// beside it an index that was only ever given what is left.
pub(crate) fn churn(collection: &Collection) -> Result<Value> {
    let mut entries = collection.entries();
    fastrand::Rng::with_seed(SEED).shuffle(&mut entries);
    let third = entries.len() / 3;
    let (gone, now) = entries.split_at(third);
    let (kept, added) = now.split_at(third);
    let churned = AdaptiveIndex::new(DIMENSION, &IndexConfig::default())?;
    fill(&churned, gone)?;
    fill(&churned, kept)?;
    let gone: Vec<u64> = gone.iter().map(|(key, _)| *key).collect();
    gone.chunks(100).for_each(|keys| churned.remove(keys));
    fill(&churned, added)?;
    let fresh = AdaptiveIndex::new(DIMENSION, &IndexConfig::default())?;
    fill(&fresh, now)?;
    let queries: Vec<&[f32]> = collection.queries().collect();
    let deleted: BTreeSet<u64> = gone.into_iter().collect();
    let mut ghosts = 0;
    for query in &queries {
        let found = churned.search(query, 10 * K, None)?;
        ghosts += found
            .iter()
            .filter(|near| deleted.contains(&near.key))
            .count();
    }
    Ok(json!({
        "recall_after_exchange": measure_recall(&churned, now, &queries, K),
        "recall_of_fresh_build": measure_recall(&fresh, now, &queries, K),
        "deleted_found": ghosts,
    }))
}

fn fill(index: &AdaptiveIndex, entries: &[(u64, &[f32])]) -> Result<()> {
    Ok(entries
        .chunks(BATCH)
        .try_for_each(|batch| index.upsert(batch))?)
}
