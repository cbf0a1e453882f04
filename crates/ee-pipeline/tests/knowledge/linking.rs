//! Texts that name other sources.

use km_core::LinkKind;

use crate::support::{Place, assert_in_step};

const POINTING: &str = "# Start\n\nSee [the rules](rules.md#locking-up) first.\n";
const RULES: &str = "# Rules\n\nBe kind.\n\n## Locking up\n\nThe last one locks the door.\n";

/// Contents of the units that `name` points at.
fn pointed_at(place: &Place, name: &str) -> Vec<String> {
    linked(place, name, LinkKind::References)
}

/// Contents of the units that links of this kind lead to from `name`.
fn linked(place: &Place, name: &str, wanted: LinkKind) -> Vec<String> {
    let content = place.content();
    let pointing = content
        .values()
        .filter(|(source, ..)| source.as_str() == name);
    let links = pointing.flat_map(|(_, _, links)| links);
    let targets = links.filter(|(kind, _)| *kind == wanted);
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

#[test]
fn every_unit_leads_to_the_rules_of_its_tiers() {
    let place = Place::new();
    let base = place.base();
    place.write(
        "travel/policy.md",
        "---\ntier_rule:\n  L5: ../rules.md#locking-up\n  L6: ../rules.md\n  L7: '#managers'\n---\n\
         # Policy\n\nOne.\n\n## Managers\n\nManagers fly.\n",
    );
    let rules_of = |name| linked(&place, name, LinkKind::TierRule);
    let report = place.ingest(&base);
    assert_eq!(
        report
            .notes
            .iter()
            .map(|(_, note)| note)
            .collect::<Vec<_>>(),
        [
            "tier_rule `L5` leads to `rules.md#locking-up`: no such source",
            "tier_rule `L6` leads to `rules.md`: no such source",
        ]
    );
    assert_eq!(rules_of("travel/policy.md"), ["Managers fly."]);
    place.write("rules.md", RULES);
    let report = place.ingest(&base);
    assert!(report.notes.is_empty(), "{report:?}");
    let mut rules = rules_of("travel/policy.md");
    rules.sort();
    // From both units, but for the one that is the rule itself.
    let expected = [
        "Be kind.",
        "Be kind.",
        "Managers fly.",
        "The last one locks the door.",
        "The last one locks the door.",
    ];
    assert_eq!(rules, expected);
    place.write("rules.md", RULES.replace("Locking up", "Closing"));
    let report = place.ingest(&base);
    assert_eq!(
        report.notes[0].1,
        "tier_rule `L5` leads to `rules.md#locking-up`: no such heading"
    );
    assert_eq!(rules_of("travel/policy.md").len(), 3);
    assert_in_step(&place, &base);
}

#[test]
fn a_source_leads_to_what_it_supersedes() {
    let place = Place::new();
    let base = place.base();
    let new = "---\nsupersedes: [old/rules.md, never.md]\n---\n# New\n\nOne.\n\n# More\n\nTwo.\n";
    place.write("new.md", new);
    let report = place.ingest(&base);
    assert!(report.notes.is_empty(), "{report:?}");
    let superseded = || linked(&place, "new.md", LinkKind::Supersedes);
    assert!(superseded().is_empty());
    place.write("old/rules.md", RULES);
    place.ingest(&base);
    assert_eq!(superseded(), ["Be kind."]);
    let content = place.content();
    let from = content
        .values()
        .find(|(_, _, links)| links.iter().any(|(kind, _)| *kind == LinkKind::Supersedes));
    assert_eq!(from.expect("a unit").1, "One.");
    place.write("new.md", new.replace("old/rules.md, ", ""));
    place.ingest(&base);
    assert!(superseded().is_empty());
    assert_in_step(&place, &base);
}
