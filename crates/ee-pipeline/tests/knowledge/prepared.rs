//! Sources whose units and embeddings are made already.

use ee_pipeline::{Cancellation, IngestReport, KnowledgeBase, SearchSystem};
use ee_store::{ReferenceStore, SourceWrite, TenantSource};
use km_core::{Administrator, SourceId};

use crate::support::{Place, Silent, assert_in_step, found};

/// More units than go into one transaction.
const SOURCES: usize = 9_000;

/// Sources with one unit each, taken from a store that ingested one.
fn sources() -> Vec<SourceWrite> {
    let place = Place::new();
    place.write("page.md", "The canteen opens at eight.\n");
    let base = place.base();
    place.ingest(&base);
    let key = TenantSource {
        tenant: None,
        source: SourceId::new("page.md"),
    };
    let stored = place.store().stored_source(Administrator::assume(), &key);
    let one = stored.expect("a read").expect("the source");
    (0..SOURCES)
        .map(|number| copy(&base, &one, number))
        .collect()
}

fn copy(base: &KnowledgeBase, one: &SourceWrite, number: usize) -> SourceWrite {
    let mut write = one.clone();
    write.source = SourceId::new(format!("{number}.md"));
    write.root = None;
    for unit in &mut write.units {
        let content = format!("Word{number} stands here.");
        let vectors = base.embed_messages(&[&content]).expect("a vector");
        let mut hash = [0; 32];
        hash[..8].copy_from_slice(&number.to_le_bytes());
        unit.embedded_sha256 = hash;
        unit.embedding = vectors.into_iter().next().map(Into::into);
        unit.unit.source = write.source.clone();
        unit.unit.content = content;
        let mut id = [0; 16];
        id[..8].copy_from_slice(&number.to_le_bytes());
        unit.unit.id = km_core::UnitId::from_bytes(id);
    }
    write
}

fn ingest(base: &KnowledgeBase, sources: &[SourceWrite], stop: &Cancellation) -> IngestReport {
    let mut sources = sources.iter().cloned();
    let report = base.ingest_prepared(&mut sources, &Silent, stop);
    report.expect("a report")
}

#[test]
fn prepared_sources_are_stored_and_indexed_and_a_second_time_nothing_changes() {
    let sources = sources();
    let place = Place::new();
    let base = place.base();
    let go_on = Cancellation::default();
    let report = ingest(&base, &sources, &go_on);
    assert_eq!((report.added, report.units_added), (SOURCES, SOURCES));
    assert_in_step(&place, &base);
    for number in [0, 8_191, 8_192, SOURCES - 1] {
        let word = format!("word{number}");
        let name = format!("{number}.md");
        assert_eq!(found(&base, &word, SearchSystem::Bm25), [name]);
    }
    let again = ingest(&base, &sources, &go_on);
    assert_eq!((again.unchanged, again.units_added), (SOURCES, 0));
    let stop = Cancellation::default();
    stop.cancel();
    assert!(ingest(&base, &sources, &stop).cancelled);
    assert_in_step(&place, &base);
}
