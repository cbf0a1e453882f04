//! Texts that name other sources.

use km_core::LinkKind;

use crate::support::{Place, assert_in_step};

const POINTING: &str = "# Start\n\nSee [the rules](rules.md#locking-up) first.\n";
const RULES: &str = "# Rules\n\nBe kind.\n\n## Locking up\n\nThe last one locks the door.\n";

/// Contents of the units that `name` points at.
fn pointed_at(place: &Place, name: &str) -> Vec<String> {
    let content = place.content();
    let pointing = content
        .values()
        .filter(|(source, ..)| source.as_str() == name);
    let links = pointing.flat_map(|(_, _, links)| links);
    let targets = links.filter(|(kind, _)| *kind == LinkKind::References);
    targets
        .filter_map(|(_, target)| Some(content.get(target)?.1.clone()))
        .collect()
}

#[test]
fn a_link_holds_as_long_as_its_target_does() {
    let place = Place::new();
    let base = place.base();
    place.write("start.md", POINTING);
    place.ingest(&base);
    assert!(
        pointed_at(&place, "start.md").is_empty(),
        "nothing to point at yet"
    );
    place.write("rules.md", RULES);
    place.ingest(&base);
    let [target] = &pointed_at(&place, "start.md")[..] else {
        panic!("one target")
    };
    assert!(target.contains("locks the door"), "{target}");
    place.write(
        "rules.md",
        RULES.replace("The last one", "Whoever leaves last"),
    );
    place.ingest(&base);
    let [target] = &pointed_at(&place, "start.md")[..] else {
        panic!("one target")
    };
    assert!(target.contains("Whoever leaves last"), "{target}");
    place.delete("rules.md");
    place.ingest(&base);
    assert!(pointed_at(&place, "start.md").is_empty());
    let dangling = place
        .content()
        .into_values()
        .any(|(_, _, links)| links.iter().any(|(kind, _)| *kind == LinkKind::References));
    assert!(!dangling, "no link leads nowhere");
    assert_in_step(&place, &base);
}

#[test]
fn an_unknown_anchor_leads_to_the_beginning() {
    let place = Place::new();
    let base = place.base();
    place.write(
        "sub/start.md",
        "# Start\n\nSee [the rules](../rules.md#nowhere).\n",
    );
    place.write("rules.md", RULES);
    place.ingest(&base);
    assert_eq!(pointed_at(&place, "sub/start.md").len(), 1);
    assert!(pointed_at(&place, "sub/start.md")[0].contains("Be kind"));
}
