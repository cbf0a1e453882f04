//! Which of the admitted sources are hidden by others: supersedes first, then authority.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use km_core::{Governance, SourceId};

/// A source that the plain rule and validity admit.
pub(crate) struct Candidate<'a> {
    pub(crate) source: &'a SourceId,
    pub(crate) governance: &'a Governance,
}

/// For every candidate, whether another one hides it.
pub(crate) fn hidden(candidates: &[Candidate<'_>]) -> Vec<bool> {
    let mut hidden = superseded(candidates);
    let mut winners: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let Some(domain) = &candidate.governance.domain else {
            continue;
        };
        if hidden.get(index) == Some(&true) {
            continue;
        }
        let winner = winners.entry(domain.as_str()).or_insert(index);
        let loser = match candidates.get(*winner) {
            Some(best) if rank(candidate, best) == Ordering::Less => {
                std::mem::replace(winner, index)
            }
            _ => index,
        };
        if loser != *winner
            && let Some(flag) = hidden.get_mut(loser)
        {
            *flag = true;
        }
    }
    hidden
}

fn superseded(candidates: &[Candidate<'_>]) -> Vec<bool> {
    let reach: Vec<BTreeSet<usize>> = (0..candidates.len())
        .map(|index| reachable(candidates, index))
        .collect();
    let mut hidden = vec![false; candidates.len()];
    for (from, targets) in reach.iter().enumerate() {
        for to in targets {
            let back = reach.get(*to).is_some_and(|back| back.contains(&from));
            let outranks = match (candidates.get(from), candidates.get(*to)) {
                (Some(a), Some(b)) => rank(a, b) == Ordering::Less,
                _ => false,
            };
            if *to != from
                && (!back || outranks)
                && let Some(flag) = hidden.get_mut(*to)
            {
                *flag = true;
            }
        }
    }
    hidden
}

fn reachable(candidates: &[Candidate<'_>], start: usize) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = vec![start];
    while let Some(index) = open.pop() {
        let Some(candidate) = candidates.get(index) else {
            continue;
        };
        if candidate.governance.supersedes.is_empty() {
            continue;
        }
        for (target, other) in candidates.iter().enumerate() {
            if candidate.governance.supersedes.contains(other.source) && seen.insert(target) {
                open.push(target);
            }
        }
    }
    seen
}

fn rank(a: &Candidate<'_>, b: &Candidate<'_>) -> Ordering {
    let tier = |c: &Candidate<'_>| c.governance.authority_tier.map_or(u32::MAX, u32::from);
    tier(a)
        .cmp(&tier(b))
        .then_with(|| natural(&b.governance.version).cmp(&natural(&a.governance.version)))
        .then_with(|| {
            Reverse(a.governance.validity.effective_from)
                .cmp(&Reverse(b.governance.validity.effective_from))
        })
        .then_with(|| a.source.cmp(b.source))
        .then_with(|| a.governance.tenant.cmp(&b.governance.tenant))
}

fn natural(version: &str) -> Vec<(u128, String)> {
    let mut parts: Vec<(u128, String)> = vec![(0, String::new())];
    for c in version.chars() {
        match (c.to_digit(10), parts.last_mut()) {
            (Some(d), Some((n, t))) if t.is_empty() => {
                *n = n.saturating_mul(10).saturating_add(d.into())
            }
            (Some(d), _) => parts.push((d.into(), String::new())),
            (None, Some((_, t))) => t.push(c),
            (None, None) => {}
        }
    }
    parts
}
