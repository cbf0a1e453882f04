//! Which of several visible sources hold: `supersedes` first, then authority within a domain.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, HashMap};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::{DomainPath, Governance, SourceId, compare_versions};

/// A source that the caller may see: admitted by the plain rule, and valid at the moment asked
/// for (see [`AccessScope::admits`](crate::AccessScope::admits)).
#[derive(Debug, Clone, Copy)]
pub struct SourceRecord<'a> {
    /// Its name. Sources of different tenants may share one.
    pub source: &'a SourceId,
    /// Its governance, with the tenant that owns it.
    pub governance: &'a Governance,
}

/// What resolution decides about one source. Positions are those of the records handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It shows all its units.
    Shown,
    /// It shows none: the source at this position supersedes it.
    Superseded {
        /// Position of one that replaces it.
        by: usize,
    },
    /// It shows none: the source at this position has the word on its domain.
    Outranked {
        /// Position of the winner.
        by: usize,
    },
}

impl Standing {
    /// Whether the source shows its units.
    pub fn is_shown(self) -> bool {
        self == Self::Shown
    }
}

/// Decides which sources show, one standing per record, in the order of `records`.
///
/// 1. What a visible source supersedes shows nothing, and neither does what that one supersedes
///    in turn; names that no record has are without effect. Among sources that supersede each
///    other in a cycle which nothing outside supersedes, the first by rank stays.
/// 2. Of those left, sources with the same domain compete, and the first by rank stays. Sources
///    without a domain never compete.
///
/// Rank: the lower authority tier (absent is the lowest authority), then the later version in
/// natural order, then the later effective date (absent is the earliest), then the lesser name,
/// then the lesser tenant. The outcome does not depend on the order of `records`. Time grows
/// linearly with records and `supersedes` entries, but for the hashing of names.
///
/// ```
/// use km_core::{Governance, SourceId, SourceRecord, resolve};
/// let (old, new) = (SourceId::new("policy-2021.md"), SourceId::new("policy-2024.md"));
/// let plain = Governance::default();
/// let replaces = Governance { supersedes: [old.clone()].into(), ..Governance::default() };
/// let standings = resolve(&[
///     SourceRecord { source: &old, governance: &plain },
///     SourceRecord { source: &new, governance: &replaces },
/// ]);
/// assert!(!standings[0].is_shown() && standings[1].is_shown());
/// ```
pub fn resolve(records: &[SourceRecord<'_>]) -> Vec<Standing> {
    let mut standings = vec![Standing::Shown; records.len()];
    supersede(records, &mut standings);
    compete(records, &mut standings);
    standings
}

fn supersede(records: &[SourceRecord<'_>], standings: &mut [Standing]) {
    let graph = supersedes_graph(records);
    let mut component_of = vec![0; records.len()];
    let components = kosaraju_scc(&graph);
    for (number, members) in components.iter().enumerate() {
        for member in members {
            if let Some(slot) = component_of.get_mut(member.index()) {
                *slot = number;
            }
        }
    }
    let attackers = attackers(&graph, &component_of, records);
    for (number, members) in components.iter().enumerate() {
        let members = || members.iter().map(|member| member.index());
        let winner = attackers.get(&number).copied().or_else(|| {
            // A component of one has no winner over itself: it stays.
            first_by_rank(records, members())
        });
        for member in members() {
            if let (Some(by), Some(standing)) = (winner, standings.get_mut(member))
                && by != member
            {
                *standing = Standing::Superseded { by };
            }
        }
    }
}

/// The graph of who supersedes whom. Nobody supersedes itself.
fn supersedes_graph(records: &[SourceRecord<'_>]) -> DiGraph<(), (), usize> {
    let mut by_name: HashMap<&SourceId, Vec<usize>> = HashMap::new();
    let mut graph = DiGraph::default();
    for (position, record) in records.iter().enumerate() {
        by_name.entry(record.source).or_default().push(position);
        graph.add_node(());
    }
    for (from, record) in records.iter().enumerate() {
        for to in record
            .governance
            .supersedes
            .iter()
            .filter_map(|name| by_name.get(name))
            .flatten()
        {
            if *to != from {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(*to), ());
            }
        }
    }
    graph
}

/// Per component, the first by rank of the sources outside it that supersede one of its members.
fn attackers(
    graph: &DiGraph<(), (), usize>,
    component_of: &[usize],
    records: &[SourceRecord<'_>],
) -> HashMap<usize, usize> {
    let mut attackers = HashMap::new();
    for edge in graph.raw_edges() {
        let (from, to) = (edge.source().index(), edge.target().index());
        let (Some(own), Some(other)) = (component_of.get(from), component_of.get(to)) else {
            continue;
        };
        if own != other {
            attackers
                .entry(*other)
                .and_modify(|best| {
                    *best = first_by_rank(records, [*best, from]).unwrap_or(from);
                })
                .or_insert(from);
        }
    }
    attackers
}

fn compete(records: &[SourceRecord<'_>], standings: &mut [Standing]) {
    let mut domains: BTreeMap<&DomainPath, Vec<usize>> = BTreeMap::new();
    for (position, (record, standing)) in records.iter().zip(standings.iter()).enumerate() {
        if let (Some(domain), true) = (&record.governance.domain, standing.is_shown()) {
            domains.entry(domain).or_default().push(position);
        }
    }
    for members in domains.into_values() {
        let winner = first_by_rank(records, members.iter().copied());
        for member in members {
            if let (Some(by), Some(standing)) = (winner, standings.get_mut(member))
                && by != member
            {
                *standing = Standing::Outranked { by };
            }
        }
    }
}

fn first_by_rank(
    records: &[SourceRecord<'_>],
    positions: impl IntoIterator<Item = usize>,
) -> Option<usize> {
    positions
        .into_iter()
        .filter_map(|position| Some((position, records.get(position)?)))
        .min_by(|(a, left), (b, right)| rank(left, right).then(a.cmp(b)))
        .map(|(position, _)| position)
}

/// `Less` when `left` outranks `right`.
fn rank(left: &SourceRecord<'_>, right: &SourceRecord<'_>) -> Ordering {
    let tier = |record: &SourceRecord<'_>| {
        let tier = record.governance.authority_tier;
        (tier.is_none(), tier)
    };
    let effective = |record: &SourceRecord<'_>| Reverse(record.governance.validity.effective_from);
    tier(left)
        .cmp(&tier(right))
        .then_with(|| compare_versions(&right.governance.version, &left.governance.version))
        .then_with(|| effective(left).cmp(&effective(right)))
        .then_with(|| left.source.cmp(right.source))
        .then_with(|| left.governance.tenant.cmp(&right.governance.tenant))
}
