//! A second look at a question once its answer is there: the two are placed together.
//!
//! A question alone ("and in winter?") often fits several lines of work; its answer tells which.

use std::collections::BTreeSet;

use tracing::debug;

use crate::continuity::candidates;
use crate::register::{Draft, memberships};
use crate::{
    Conversation, Dcn, DcnId, Incoming, MessageId, MessageRecord, Ranking, Registration, Route,
};

impl Conversation {
    /// Places the question before and this answer together, where the scorer wants that; `None`
    /// where the message is to be placed alone.
    pub(crate) fn revise(&mut self, draft: &Draft<'_>) -> Option<Registration> {
        let question = self.history.latest(1).first()?;
        if question.memberships.is_empty()
            || !self
                .scorer
                .revises(question, &draft.incoming(), &self.history)
        {
            return None;
        }
        let alone = question.key.dcns.first();
        let alone = alone.filter(|dcn| self.history.members(**dcn).len() == 1);
        let alone = alone.and_then(|dcn| self.history.dcn(*dcn)).cloned();
        let question = self.take_back()?;
        let ranking = self.rank_exchange(&question, draft);
        let (dcn, route) = match ranking.winner() {
            Some(dcn) => (dcn, Route::Matched),
            None => (self.history.next_dcn(), Route::Created),
        };
        let moved = !question.key.dcns.contains(&dcn);
        let revised = moved.then_some(question.id);
        self.replace(question, dcn, &ranking);
        self.retire(alone, dcn);
        let mut registration = self.settle(draft, [dcn].into(), route, &ranking);
        registration.revised = revised;
        Some(registration)
    }

    /// The ranking for a query, which is not registered, and the message that it certainly
    /// continues: an answer continues the question before it.
    pub(crate) fn rank_query(&mut self, draft: &Draft<'_>) -> (Ranking, Option<MessageId>) {
        let question = self.history.latest(1).first();
        let question = question.filter(|last| {
            !last.memberships.is_empty()
                && self.scorer.revises(last, &draft.incoming(), &self.history)
        });
        let dcns = question.into_iter().flat_map(|last| &last.key.dcns);
        let kept: Vec<Dcn> = dcns
            .filter_map(|id| self.history.dcn(*id).cloned())
            .collect();
        if question.is_none() {
            return (self.rank(&draft.incoming()), None);
        }
        let Some(question) = self.take_back() else {
            return (Ranking::default(), None);
        };
        let ranking = self.rank_exchange(&question, draft);
        let id = question.id;
        for dcn in kept {
            self.history.put_dcn(dcn);
        }
        self.history.push(question);
        (ranking, Some(id))
    }

    /// Removes the last message and, if it was its only one, its line of work.
    pub(crate) fn take_back(&mut self) -> Option<MessageRecord> {
        let question = self.history.pop()?;
        for id in &question.key.dcns {
            let last = self.history.members(*id).last().copied();
            let kept =
                last.and_then(|last| self.history.change_dcn(*id, |dcn| dcn.last_message = last));
            if kept.is_none() {
                self.history.remove_dcn(*id);
            }
        }
        Some(question)
    }

    fn rank_exchange(&self, question: &MessageRecord, draft: &Draft<'_>) -> Ranking {
        self.with_exchange(question, draft, |exchange, first, candidates| {
            self.scorer
                .revise(exchange, first, candidates, &self.history)
        })
    }

    /// Makes question and answer into one message, and gives it to `look` with the ranking of the
    /// question alone and the candidates. The history holds neither of the two.
    pub(crate) fn with_exchange<T>(
        &self,
        question: &MessageRecord,
        draft: &Draft<'_>,
        look: impl FnOnce(&Incoming<'_>, &Ranking, &[DcnId]) -> T,
    ) -> T {
        let alone = Incoming {
            speaker: &question.speaker,
            at: question.at,
            key: &question.key,
            terms: &question.terms,
            cues: &question.cues,
            addresses: &question.addresses,
            embedding: question.embedding.as_ref(),
        };
        let placed = self.last_ranking.as_ref();
        let placed = placed.filter(|(id, _)| *id == question.id);
        let ranked;
        let first = if let Some((_, ranking)) = placed {
            ranking
        } else {
            ranked = self.rank(&alone);
            &ranked
        };
        let terms = question.terms.union(&draft.terms);
        let pair = question.embedding.as_ref().zip(draft.embedding.as_ref());
        let midway = pair.and_then(|(a, b)| a.midway(b));
        let exchange = Incoming {
            terms: &terms,
            embedding: midway.as_ref().or(question.embedding.as_ref()),
            ..alone
        };
        let candidates = candidates(&terms, &self.history, &self.config.matching);
        look(&exchange, first, &candidates)
    }

    /// A line of work that was started for the question alone becomes part of the one that was
    /// found, so that its id is not given out again.
    fn retire(&mut self, alone: Option<Dcn>, found: DcnId) {
        let gone = alone.filter(|dcn| dcn.id > found && self.history.dcn(dcn.id).is_none());
        if let Some(mut dcn) = gone {
            dcn.merged_into = Some(found);
            self.pending.dcns.insert(dcn.id);
            self.history.put_dcn(dcn);
        }
    }

    /// Puts the question back, in the line of work that was found.
    fn replace(&mut self, mut question: MessageRecord, dcn: DcnId, ranking: &Ranking) {
        question.key.dcns = BTreeSet::from([dcn]);
        question.influences = self.influences(&question.key);
        question.memberships = memberships(ranking, &question.key);
        debug!(target: "dcn", message = question.id.position(), dcn = dcn.number(), "placed again");
        self.touch(&question);
        self.pending.messages.insert(question.id);
        self.history.push(question);
    }
}
