//! The tantivy index passes every check.

use std::cell::Cell;

use ee_store::{TantivyIndex, conformance};

#[test]
fn text() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let made = Cell::new(0);
    conformance::text_index(|| {
        made.set(made.get() + 1);
        let folder = folder.path().join(made.get().to_string());
        TantivyIndex::open(&folder, "store").expect("a new index")
    });
}
