//! Bounded walks over links.

use std::collections::BTreeMap;
use std::convert::Infallible;

use km_core::{Link, LinkKind, Reached, UnitId, WalkBounds, walk_links};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

type Graph = BTreeMap<u8, Vec<(LinkKind, u8)>>;

fn unit(number: u8) -> UnitId {
    UnitId::from_bytes([number; 16])
}

fn links_of(graph: &Graph, id: &UnitId) -> Vec<Link> {
    let edges = graph.get(&id.as_bytes()[0]);
    let link = |(kind, target): &(LinkKind, u8)| Link {
        kind: *kind,
        target: unit(*target),
    };
    edges.into_iter().flatten().map(link).collect()
}

fn walk(graph: &Graph, starts: &[u8], bounds: &WalkBounds) -> Vec<Reached> {
    let starts: Vec<UnitId> = starts.iter().copied().map(unit).collect();
    walk_links(&starts, bounds, |frontier| {
        Ok::<_, Infallible>(frontier.iter().map(|id| links_of(graph, id)).collect())
    })
    .unwrap()
}

fn bounds() -> WalkBounds {
    WalkBounds {
        kinds: vec![LinkKind::TierRule, LinkKind::AppliesTo, LinkKind::Next],
        max_depth: 3,
        max_fan_out: 10,
        max_units: 100,
    }
}

fn numbers(reached: &[Reached]) -> Vec<u8> {
    reached.iter().map(|r| r.unit.as_bytes()[0]).collect()
}

#[test]
fn nearest_units_come_first_and_preferred_kinds_before_others() {
    let graph = Graph::from([
        (
            1,
            vec![
                (LinkKind::Next, 2),
                (LinkKind::TierRule, 3),
                (LinkKind::Parent, 9),
            ],
        ),
        (3, vec![(LinkKind::AppliesTo, 4), (LinkKind::AppliesTo, 1)]),
    ]);
    let reached = walk(&graph, &[1], &bounds());
    assert_eq!(numbers(&reached), [1, 3, 2, 4]);
    assert_eq!(reached[3].depth, 2);
    assert_eq!(reached[3].via, Some((unit(3), LinkKind::AppliesTo)));
}

#[test]
fn each_bound_holds() {
    let wide = Graph::from([
        (1, (2..40).map(|n| (LinkKind::Next, n)).collect()),
        (2, vec![(LinkKind::Next, 50)]),
        (50, vec![(LinkKind::Next, 51)]),
    ]);
    let count = |bounds: WalkBounds| walk(&wide, &[1], &bounds).len();
    assert_eq!(
        count(WalkBounds {
            max_depth: 0,
            ..bounds()
        }),
        1
    );
    assert_eq!(
        count(WalkBounds {
            max_fan_out: 5,
            ..bounds()
        }),
        8
    );
    assert_eq!(
        count(WalkBounds {
            max_units: 4,
            ..bounds()
        }),
        4
    );
    assert_eq!(
        count(WalkBounds {
            kinds: Vec::new(),
            ..bounds()
        }),
        1
    );
}

#[test]
fn an_error_of_the_store_comes_through() {
    let result = walk_links(&[unit(1)], &bounds(), |_| Err("disk full"));
    assert_eq!(result, Err("disk full"));
}

fn graph() -> impl Strategy<Value = Graph> {
    let kind = prop::sample::select(LinkKind::ALL);
    btree_map(0u8..12, vec((kind, 0u8..12), 0..6), 0..12)
}

proptest! {
    #[test]
    fn walks_end_and_do_not_depend_on_the_order_of_links(
        graph in graph(), starts in vec(0u8..12, 0..3), max_fan_out in 0usize..4,
    ) {
        let mut reversed = graph.clone();
        for edges in reversed.values_mut() {
            edges.reverse();
        }
        let bounds = WalkBounds { max_fan_out, max_depth: 20, ..bounds() };
        let reached = walk(&graph, &starts, &bounds);
        prop_assert_eq!(&walk(&reversed, &starts, &bounds), &reached);
        let mut seen = numbers(&reached);
        seen.sort_unstable();
        seen.dedup();
        prop_assert_eq!(seen.len(), reached.len());
        for step in &reached {
            if let Some((from, kind)) = step.via {
                let edge = Link { kind, target: step.unit };
                prop_assert!(links_of(&graph, &from).contains(&edge));
                prop_assert!(bounds.kinds.contains(&kind));
            }
        }
    }
}
