//! Whatever happens to a folder: what is stored equals what a fresh ingestion would store.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::support::{Place, assert_in_step};

/// One thing that happens between two ingestions.
#[derive(Debug, Clone)]
enum Step {
    Write { name: usize, paragraphs: Vec<usize> },
    Delete { name: usize },
    Rename { from: usize, to: usize },
    Ingest,
}

const NAMES: [&str; 5] = ["a.md", "b.md", "sub/a.md", "sub/deep/c.txt", "ü 漢.md"];

const PARAGRAPHS: [&str; 6] = [
    "Tokens expire after fifteen minutes.",
    "The canteen opens at eight.",
    "# Heading",
    "退款政策适用于所有顾客。",
    "You must lock the door at night.",
    "See [the other page](b.md) for more.",
];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let name = || 0..NAMES.len();
    let paragraphs = prop::collection::vec(0..PARAGRAPHS.len(), 0..6);
    let step = prop_oneof![
        4 => (name(), paragraphs).prop_map(|(name, paragraphs)| Step::Write { name, paragraphs }),
        1 => name().prop_map(|name| Step::Delete { name }),
        2 => (name(), name()).prop_map(|(from, to)| Step::Rename { from, to }),
        2 => Just(Step::Ingest),
    ];
    prop::collection::vec(step, 1..14)
}

/// Does the step to the files, as far as they are there.
fn apply(place: &Place, files: &mut BTreeMap<usize, Vec<usize>>, step: &Step) {
    match step {
        Step::Write { name, paragraphs } => {
            let text: Vec<&str> = paragraphs
                .iter()
                .map(|number| PARAGRAPHS[*number])
                .collect();
            place.write(NAMES[*name], text.join("\n\n"));
            files.insert(*name, paragraphs.clone());
        }
        Step::Delete { name } => {
            if files.remove(name).is_some() {
                place.delete(NAMES[*name]);
            }
        }
        Step::Rename { from, to } => {
            if let Some(paragraphs) = files.remove(from) {
                place.rename(NAMES[*from], NAMES[*to]);
                files.insert(*to, paragraphs);
            }
        }
        Step::Ingest => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn rounds_equal_a_fresh_ingestion(steps in steps()) {
        let place = Place::new();
        let base = place.base();
        let mut files = BTreeMap::new();
        for step in &steps {
            apply(&place, &mut files, step);
            if matches!(step, Step::Ingest) {
                place.ingest(&base);
            }
        }
        place.ingest(&base);
        let fresh = Place::new();
        for (name, paragraphs) in files {
            let text: Vec<&str> = paragraphs.iter().map(|number| PARAGRAPHS[*number]).collect();
            fresh.write(NAMES[name], text.join("\n\n"));
        }
        fresh.ingest(&fresh.base());
        prop_assert_eq!(place.content(), fresh.content());
        assert_in_step(&place, &base);
    }
}
