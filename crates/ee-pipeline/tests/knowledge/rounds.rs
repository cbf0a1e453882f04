//! Whatever happens to a folder, round after round: what is stored equals what a fresh ingestion
//! would store, units that did not change are not touched, and nothing that is gone is found.

use std::collections::{BTreeMap, BTreeSet};

use ee_pipeline::{
    Cancellation, IngestReport, IngestRequest, KnowledgeBase, SearchSystem, Vanished,
};
use fastrand::Rng;
use km_core::{Administrator, Unit, UnitId};

use crate::support::{Place, Silent, assert_in_step, found, request};

const ROUNDS: usize = 200;
/// Rounds between two comparisons with a fresh ingestion, which costs more than all else.
const ROUNDS_PER_COMPARISON: usize = 4;
const SEED: u64 = 4;

/// Names with folders, spaces, several scripts and formats.
const NAMES: [&str; 8] = [
    "a.md",
    "b.md",
    "sub/a.md",
    "sub/deep/c.txt",
    "sub/deep/rows.csv",
    "ü 漢.md",
    "page.html",
    "notes.jsonl",
];

/// Governs what lies in `sub`.
const SIDECAR: &str = "sub/.eerag.yaml";

const HEADS: [&str; 3] = [
    "",
    "---\ntier_rule: {L5: b.md#heading, L6: '#heading'}\n---\n",
    "---\napplies_to: {region: APAC}\nversion: 2\n---\n",
];

const PARAGRAPHS: [&str; 7] = [
    "Tokens expire after fifteen minutes.",
    "The canteen opens at eight.",
    "# Heading",
    "退款政策适用于所有顾客。",
    "You must lock the door at night.",
    "See [the other page](b.md#heading) for more.",
    "**Sump**: the deepest place of a tank, where water gathers.",
];

/// A folder that changes at random, and what is in it.
struct Folder {
    place: Place,
    random: Rng,
    files: BTreeMap<&'static str, String>,
    /// Words that stand in one paragraph each, of all that were ever written.
    written: Vec<String>,
}

impl Folder {
    fn new() -> Self {
        Self {
            place: Place::new(),
            random: Rng::with_seed(SEED),
            files: BTreeMap::new(),
            written: Vec::new(),
        }
    }

    fn change(&mut self) {
        let name = NAMES[self.random.usize(..NAMES.len())];
        let other = NAMES[self.random.usize(..NAMES.len())];
        match (self.random.u32(..10), self.files.contains_key(name)) {
            (0..=4, _) | (5, false) => self.edit(name),
            (5, true) => self.append(name),
            (6, true) => self.delete(name),
            (7 | 8, true) => self.rename(name, other),
            _ => self.govern(),
        }
    }

    fn edit(&mut self, name: &'static str) {
        let paragraphs = self.random.usize(..6);
        let mut text = HEADS[self.random.usize(..HEADS.len())].to_owned();
        for _ in 0..paragraphs {
            text.push_str(PARAGRAPHS[self.random.usize(..PARAGRAPHS.len())]);
            text.push_str("\n\n");
        }
        self.put(name, text);
        self.append(name);
    }

    /// Adds a paragraph with a word of its own.
    fn append(&mut self, name: &'static str) {
        let word = format!("mark{}", self.written.len());
        let text = format!("{}The word {word} stands here.\n\n", self.files[name]);
        self.written.push(word);
        self.put(name, text);
    }

    fn put(&mut self, name: &'static str, text: String) {
        self.place.write(name, &text);
        self.files.insert(name, text);
    }

    fn delete(&mut self, name: &'static str) {
        self.place.delete(name);
        self.files.remove(name);
    }

    fn rename(&mut self, from: &'static str, to: &'static str) {
        if let Some(text) = self.files.remove(from) {
            self.place.rename(from, to);
            self.files.insert(to, text);
        }
    }

    /// Gives the files of `sub` a version of their own, or takes it away.
    fn govern(&mut self) {
        if self.files.contains_key(SIDECAR) {
            self.delete(SIDECAR);
        } else {
            self.put(SIDECAR, "version: 7\n".to_owned());
        }
    }

    /// The words that stand in no file any more.
    fn gone(&self) -> impl Iterator<Item = &String> {
        let stands = |word: &str| {
            let word = format!(" {word} ");
            self.files.values().any(|text| text.contains(&word))
        };
        self.written.iter().filter(move |word| !stands(word))
    }

    /// What a store that never saw the changes holds of the files.
    fn fresh(&self) -> BTreeMap<UnitId, Unit> {
        let fresh = Place::new();
        for (name, text) in &self.files {
            fresh.write(name, text);
        }
        ingest(&fresh, &fresh.base());
        units(&fresh)
    }
}

/// Ingests, be it that no file is left.
fn ingest(place: &Place, base: &KnowledgeBase) -> IngestReport {
    let request = IngestRequest {
        vanished: Vanished::RemoveAll,
        ..request(&place.documents())
    };
    let report = base.ingest(&request, &Silent, &Cancellation::default());
    report.expect("an ingestion")
}

/// The units of a store whole, their links in a fixed order.
fn units(place: &Place) -> BTreeMap<UnitId, Unit> {
    let stored = place
        .store()
        .all_units(Administrator::assume(), 0, usize::MAX);
    let units = stored.expect("units").into_iter().map(|(stored, _)| {
        let mut unit = stored.unit;
        unit.links.sort();
        (unit.id, unit)
    });
    units.collect()
}

#[test]
fn two_hundred_rounds_equal_a_fresh_ingestion() {
    let mut folder = Folder::new();
    let base = folder.place.base();
    let mut before = BTreeMap::new();
    for round in 0..ROUNDS {
        for _ in 0..=folder.random.usize(..3) {
            folder.change();
        }
        let report = ingest(&folder.place, &base);
        let after = units(&folder.place);
        if (round + 1) % ROUNDS_PER_COMPARISON == 0 {
            assert_eq!(after, folder.fresh(), "round {round}");
        }
        let ids = |units: &BTreeMap<UnitId, Unit>| units.keys().copied().collect::<BTreeSet<_>>();
        let added = ids(&after).difference(&ids(&before)).count();
        let removed = ids(&before).difference(&ids(&after)).count();
        assert_eq!(
            (report.units_added, report.units_removed),
            (added, removed),
            "round {round}: units that stay are not written anew"
        );
        assert_in_step(&folder.place, &base);
        before = after;
    }
    let gone: Vec<&String> = folder.gone().collect();
    assert!(gone.len() > 50, "{}", gone.len());
    for word in gone {
        let ghosts = found(&base, word, SearchSystem::Bm25);
        assert!(ghosts.is_empty(), "{word}: {ghosts:?}");
    }
}
