//! Which of several visible sources hold.

use std::num::NonZeroU32;

use km_core::{Governance, SourceId, SourceRecord, Standing, Timestamp, Validity, resolve};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::arbitrary;

type Source = (SourceId, Governance);

fn records(sources: &[Source]) -> Vec<SourceRecord<'_>> {
    let record = |(source, governance)| SourceRecord { source, governance };
    sources
        .iter()
        .map(|(source, governance)| record((source, governance)))
        .collect()
}

fn shown(sources: &[Source]) -> Vec<&str> {
    let standings = resolve(&records(sources));
    let shown = sources
        .iter()
        .zip(standings)
        .filter(|(_, standing)| standing.is_shown());
    shown.map(|((source, _), _)| source.as_str()).collect()
}

fn replaces(name: &str, targets: &[&str]) -> Source {
    let supersedes = targets
        .iter()
        .map(|target| SourceId::new(*target))
        .collect();
    (
        SourceId::new(name),
        Governance {
            supersedes,
            ..Governance::default()
        },
    )
}

fn ranked(name: &str, tier: Option<u32>, version: &str, from: Option<i64>) -> Source {
    let effective_from = from.map(|second| Timestamp::from_second(second).unwrap());
    let governance = Governance {
        domain: Some("finance.travel".parse().unwrap()),
        authority_tier: tier.and_then(NonZeroU32::new),
        version: version.to_owned(),
        validity: Validity {
            effective_from,
            expires_at: None,
        },
        ..Governance::default()
    };
    (SourceId::new(name), governance)
}

#[test]
fn a_chain_leaves_its_newest_source() {
    assert_eq!(
        shown(&[
            replaces("a", &["b"]),
            replaces("b", &["c"]),
            replaces("c", &[])
        ]),
        ["a"]
    );
}

#[test]
fn both_ends_of_a_fork_stay_and_a_missing_target_is_no_harm() {
    let sources = [
        replaces("a", &["c", "gone"]),
        replaces("b", &["c"]),
        replaces("c", &[]),
    ];
    assert_eq!(shown(&sources), ["a", "b"]);
}

#[test]
fn a_cycle_keeps_the_first_by_rank_unless_something_outside_supersedes_it() {
    let mut sources = vec![
        replaces("a", &["b"]),
        replaces("b", &["c"]),
        replaces("c", &["a"]),
    ];
    assert_eq!(shown(&sources), ["a"]);
    sources[1].1.version = "2".to_owned();
    assert_eq!(shown(&sources), ["b"]);
    sources.push(replaces("d", &["c"]));
    assert_eq!(shown(&sources), ["d"]);
}

#[test]
fn a_source_that_supersedes_itself_stays() {
    assert_eq!(shown(&[replaces("a", &["a"])]), ["a"]);
}

#[test]
fn authority_then_version_then_date_then_name_decide_within_a_domain() {
    let rising = [
        ranked("z", None, "9", Some(9)),
        ranked("y", Some(2), "9", Some(9)),
        ranked("x", Some(1), "1.9", Some(9)),
        ranked("w", Some(1), "1.10", None),
        ranked("v", Some(1), "1.10", Some(5)),
        ranked("u", Some(1), "1.10", Some(5)),
    ];
    for (place, winner) in rising.iter().enumerate() {
        assert_eq!(shown(&rising[..=place]), [winner.0.as_str()]);
    }
}

#[test]
fn what_is_superseded_does_not_compete() {
    let mut weaker = ranked("weaker", Some(3), "", None);
    weaker.1.supersedes = [SourceId::new("stronger")].into();
    let sources = [weaker, ranked("stronger", Some(1), "", None)];
    assert_eq!(shown(&sources), ["weaker"]);
}

#[test]
fn a_standing_names_who_prevails() {
    let sources = [
        replaces("old", &[]),
        replaces("new", &["old"]),
        ranked("low", Some(2), "", None),
        ranked("high", Some(1), "", None),
    ];
    let standings = resolve(&records(&sources));
    assert_eq!(standings[0], Standing::Superseded { by: 1 });
    assert_eq!(standings[2], Standing::Outranked { by: 3 });
}

#[test]
fn a_chain_of_fifty_thousand_sources_resolves() {
    let sources: Vec<Source> = (0..50_000)
        .map(|i: u32| replaces(&i.to_string(), &[&(i + 1).to_string()]))
        .collect();
    assert_eq!(shown(&sources), ["0"]);
}

fn sources() -> impl Strategy<Value = Vec<Source>> {
    vec((arbitrary::source(), arbitrary::governance()), 0..9).prop_map(|mut sources| {
        sources.sort_by(|a, b| (&a.0, &a.1.tenant).cmp(&(&b.0, &b.1.tenant)));
        sources.dedup_by(|a, b| (&a.0, &a.1.tenant) == (&b.0, &b.1.tenant));
        sources
    })
}

/// Names and tenants of what shows, sorted.
fn outcome(sources: &[Source]) -> Vec<(&SourceId, &Option<String>)> {
    let standings = resolve(&records(sources));
    let shown = sources
        .iter()
        .zip(standings)
        .filter(|(_, standing)| standing.is_shown());
    let mut names: Vec<_> = shown.map(|((source, g), _)| (source, &g.tenant)).collect();
    names.sort();
    names
}

proptest! {
    #[test]
    fn the_order_of_the_records_does_not_matter(
        (sorted, shuffled) in sources().prop_flat_map(|s| (Just(s.clone()), Just(s).prop_shuffle())),
    ) {
        prop_assert_eq!(outcome(&sorted), outcome(&shuffled));
    }

    #[test]
    fn something_shows_wherever_something_is_there(sources in sources()) {
        prop_assert_eq!(outcome(&sources).is_empty(), sources.is_empty());
    }

    #[test]
    fn nothing_that_shows_is_superseded_by_another_that_shows(sources in sources()) {
        let standings = resolve(&records(&sources));
        let shown: Vec<&Source> = sources.iter().zip(&standings)
            .filter(|(_, standing)| standing.is_shown())
            .map(|(source, _)| source)
            .collect();
        for (place, winner) in shown.iter().enumerate() {
            for (other_place, other) in shown.iter().enumerate() {
                prop_assert!(place == other_place || !winner.1.supersedes.contains(&other.0));
                prop_assert!(
                    place == other_place || winner.1.domain.is_none()
                        || winner.1.domain != other.1.domain
                );
            }
        }
        for standing in &standings {
            if let Standing::Superseded { by } | Standing::Outranked { by } = standing {
                prop_assert!(*by < sources.len());
            }
        }
    }

    #[test]
    fn sources_without_domain_or_supersedes_all_show(mut sources in sources()) {
        for (_, governance) in &mut sources {
            governance.domain = None;
            governance.supersedes.clear();
        }
        prop_assert_eq!(outcome(&sources).len(), sources.len());
    }
}
