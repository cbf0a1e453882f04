//! Merging lines of work that turn out to be one.

use std::collections::BTreeMap;

use jiff::Timestamp;
use tracing::debug;

use crate::{Conversation, Dcn, DcnId, DcsError, Decision, MergeDecision};

impl Conversation {
    /// Merges open lines of work whose affinity reaches the scorer's threshold.
    ///
    /// On a snapshot, connected components merge into their oldest member; this is repeated until
    /// nothing merges, so a second call changes nothing. Quadratic in the number of open lines of
    /// work that were active last (`matching.merge_candidates`).
    pub fn merge(&mut self, at: Timestamp) -> Vec<MergeDecision> {
        let mut merges = Vec::new();
        loop {
            let round = self.merge_round(at);
            if round.is_empty() {
                return merges;
            }
            merges.extend(round);
        }
    }

    /// Merges again what a logged decision merged.
    ///
    /// # Errors
    /// [`DcsError::NoSuchDcn`] when one of the two does not exist.
    pub fn replay_merge(&mut self, merge: &MergeDecision) -> Result<(), DcsError> {
        let open = |id: DcnId| {
            let resolved = self.history.resolve(id);
            resolved.ok_or(DcsError::NoSuchDcn { dcn: id })
        };
        let (kept, absorbed) = (open(merge.kept)?, open(merge.absorbed)?);
        if kept != absorbed {
            self.absorb(kept.min(absorbed), kept.max(absorbed), merge.at);
        }
        Ok(())
    }

    fn merge_round(&mut self, at: Timestamp) -> Vec<MergeDecision> {
        let roots = self.components();
        let pairs: Vec<(DcnId, DcnId)> =
            roots.into_iter().filter(|(id, root)| id != root).collect();
        let merged = pairs.iter().map(|(id, root)| self.absorb(*root, *id, at));
        merged.collect()
    }

    /// The oldest member of the component of every line of work that may merge.
    fn components(&self) -> BTreeMap<DcnId, DcnId> {
        let limit = self.config.matching.merge_candidates;
        let active = self.history.recently_active().take(limit);
        let mut dcns: Vec<&Dcn> = active.filter_map(|id| self.history.dcn(id)).collect();
        dcns.sort_unstable_by_key(|dcn| dcn.id);
        let mut roots: BTreeMap<DcnId, DcnId> = dcns.iter().map(|dcn| (dcn.id, dcn.id)).collect();
        for (index, left) in dcns.iter().enumerate() {
            for right in dcns.iter().skip(index + 1) {
                if self.scorer.affinity(left, right, &self.history) >= self.scorer.merge_threshold()
                {
                    unite(&mut roots, left.id, right.id);
                }
            }
        }
        roots
    }

    /// The older line of work takes over everything that the younger one had.
    fn absorb(&mut self, older: DcnId, younger: DcnId, at: Timestamp) -> MergeDecision {
        let decision = MergeDecision {
            at,
            kept: older,
            absorbed: younger,
        };
        self.last_ranking = None;
        let pair = (self.history.dcn(older), self.history.dcn(younger));
        if let (Some(mut kept), Some(mut gone)) = (pair.0.cloned(), pair.1.cloned()) {
            kept.topics.absorb(&gone.topics);
            kept.created = kept.created.min(gone.created);
            kept.last_referenced = kept.last_referenced.max(gone.last_referenced);
            kept.last_message = kept.last_message.max(gone.last_message);
            gone.merged_into = Some(older);
            self.pending.dcns.extend([older, younger]);
            self.history.put_dcn(kept);
            self.history.put_dcn(gone);
            self.history.relink(younger, older);
            debug!(target: "merge", kept = older.number(), absorbed = younger.number());
            self.record(Decision::Merge(decision.clone()));
        }
        decision
    }
}

/// Gives both components the smaller root.
fn unite(roots: &mut BTreeMap<DcnId, DcnId>, left: DcnId, right: DcnId) {
    let root = |id: DcnId| roots.get(&id).copied().unwrap_or(id);
    let (left, right) = (root(left), root(right));
    let (older, younger) = (left.min(right), left.max(right));
    for root in roots.values_mut().filter(|root| **root == younger) {
        *root = older;
    }
}
