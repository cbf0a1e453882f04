//! Assembling the context for a query: candidates, eligibility, scores, caps, and reasons.

mod candidates;
mod caps;
mod overlap;
mod relevance;

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tracing::debug;

use crate::assemble::relevance::Relevance;
use crate::decision::KEPT_SCORES;
use crate::register::Draft;
use crate::{
    Conversation, DcnId, DcsError, DcsKey, Decision, MessageId, MessageRecord, NewMessage, Ranking,
    SelectionDecision, SelectionModel, Signal, Strategy, Thresholds, age_hours, recency_weight,
};

pub(crate) use relevance::NAMES as RELEVANCE;

/// What context is wanted for.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// Who asks; empty when unknown.
    pub speaker: &'a str,
    /// The question or message that the context is for. It is not registered.
    pub text: &'a str,
    /// The moment of asking.
    pub at: Timestamp,
    /// Its embedding, where an embedder is at hand.
    pub embedding: Option<&'a [f32]>,
    /// Messages at most.
    pub max_messages: usize,
    /// Tokens at most, over all messages.
    pub max_tokens: u64,
    /// Messages that a search of the caller's found, best first, with how well each fits, 0 to 1.
    /// A share of the context is theirs (`assembly.found_share`).
    pub found: &'a [(MessageId, f64)],
}

/// The context for a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assembly {
    /// Everything or a selection.
    pub strategy: Strategy,
    /// The messages, in the order of the conversation.
    pub messages: Vec<Selected>,
    /// The lines of work of these messages, ascending, with how likely the query continues each.
    pub lines_of_work: Vec<(DcnId, f64)>,
    /// What was decided, as it stands in the log unless it was a preview.
    pub decision: SelectionDecision,
}

/// A message of the context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selected {
    /// The message.
    pub message: MessageId,
    /// Its score, 0 to 1.
    pub score: f64,
    /// Why it is there.
    pub reasons: Vec<Reason>,
    /// The strongest signals behind a learned score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<Signal>,
}

/// Why a message was selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Everything fits the budget.
    EverythingFits,
    /// It belongs to a line of work that the query continues, with this score.
    LineOfWork {
        /// The line of work.
        dcn: DcnId,
        /// How likely the query continues it, 0 to 1.
        score: f64,
    },
    /// Similarity of its key to the query's, 0 to 1.
    Key {
        /// Similarity where empty parts say nothing.
        similarity: f64,
    },
    /// Cosine of the embeddings.
    Embedding {
        /// -1 to 1.
        cosine: f64,
    },
    /// Influence links it to another candidate.
    SoftLink {
        /// The other end.
        other: MessageId,
        /// Influence, 0 to 1.
        weight: f64,
    },
    /// A search of the caller's found it.
    Found {
        /// How well it fits, 0 to 1.
        fit: f64,
    },
    /// Recency weight of its line of work.
    Recency {
        /// 0 to 1.
        weight: f64,
    },
}

/// A query that is ready for comparison.
struct Prepared<'a> {
    draft: Draft<'a>,
    /// Its key, with the line of work that it continues.
    key: DcsKey,
    ranking: Ranking,
    /// A message that the query certainly continues.
    certain: Option<MessageId>,
    /// Messages that a search found, with how well each fits.
    found: &'a [(MessageId, f64)],
}

impl Prepared<'_> {
    /// How well a message that was found fits.
    fn fit(&self, id: MessageId) -> Option<f64> {
        let found = self.found.iter().find(|(found, _)| *found == id);
        found.map(|(_, fit)| *fit)
    }
}

/// A candidate with its score.
struct Scored<'a> {
    evidence: &'a Relevance<'a>,
    score: f64,
}

impl Scored<'_> {
    fn id(&self) -> MessageId {
        self.evidence.record.id
    }
}

impl Conversation {
    /// Chooses the earlier messages that a model should see for a query, and logs the decision.
    ///
    /// # Errors
    /// [`DcsError::Embedding`] for an embedding that is not finite or of another length than
    /// those of the messages.
    pub fn assemble(&mut self, query: &Query<'_>) -> Result<Assembly, DcsError> {
        let assembly = self.preview(query)?;
        self.record(Decision::Selection(assembly.decision.clone()));
        Ok(assembly)
    }

    /// Chooses as [`Conversation::assemble`] does and logs nothing: nobody is answered with it.
    ///
    /// # Errors
    /// [`DcsError::Embedding`] as for [`Conversation::assemble`].
    pub fn preview(&mut self, query: &Query<'_>) -> Result<Assembly, DcsError> {
        let prepared = self.prepare(query)?;
        let assembly = if self.fits(query.max_messages, query.max_tokens) {
            self.everything(query, &prepared)
        } else {
            self.selection(query, &prepared)
        };
        debug!(target: "assemble", selected = assembly.messages.len(), strategy = ?assembly.strategy);
        Ok(assembly)
    }

    fn prepare<'a>(&mut self, query: &Query<'a>) -> Result<Prepared<'a>, DcsError> {
        let draft = self.draft(NewMessage {
            speaker: query.speaker,
            text: query.text,
            at: query.at,
            tokens: 0,
            embedding: query.embedding,
        })?;
        let (ranking, certain) = self.rank_query(&draft);
        let mut key = draft.key.clone();
        key.dcns.extend(ranking.winner());
        Ok(Prepared {
            draft,
            key,
            ranking,
            certain,
            found: query.found,
        })
    }

    /// Whether the whole conversation is within these caps, so that all of it is selected. Reads
    /// no more than `max_messages`.
    pub fn fits(&self, max_messages: usize, max_tokens: u64) -> bool {
        if self.history.len() > max_messages {
            return false;
        }
        let tokens = self.history.messages().iter().map(|m| u64::from(m.tokens));
        tokens.fold(0, u64::saturating_add) <= max_tokens
    }

    fn everything(&self, query: &Query<'_>, prepared: &Prepared<'_>) -> Assembly {
        let all = self.history.messages().iter();
        let messages: Vec<Selected> = all
            .map(|message| Selected {
                message: message.id,
                score: 1.0,
                reasons: vec![Reason::EverythingFits],
                signals: Vec::new(),
            })
            .collect();
        let counts = (messages.len(), messages.len());
        self.finish(Strategy::Full, query, prepared, messages, counts)
    }

    fn selection(&self, query: &Query<'_>, prepared: &Prepared<'_>) -> Assembly {
        let candidates = self.selection_candidates(prepared);
        let count = candidates.len();
        let evidence = self.relevance(prepared, candidates.iter().map(|one| one.id));
        let incoming = prepared.draft.incoming();
        let model = self.scorer.selection(&incoming, &self.history);
        let scored = evidence.iter();
        let scored = scored.filter_map(|one| self.score(prepared, model, one));
        let mut scored: Vec<Scored<'_>> = scored.collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.id().cmp(&a.id())));
        let counts = (count, scored.len());
        let link = |id: MessageId| {
            let place = candidates.binary_search_by_key(&id, |one| one.id).ok()?;
            candidates.get(place)?.link
        };
        let scored = self.found_first(query, scored);
        let kept = self.within_caps(query, scored).into_iter();
        let kept = kept.map(|one| Selected {
            message: one.id(),
            score: one.score,
            reasons: self.reasons(prepared, one.evidence, link(one.id())),
            signals: model.map_or_else(Vec::new, |model| model.signals(&one.evidence.values)),
        });
        self.finish(Strategy::Selective, query, prepared, kept.collect(), counts)
    }

    /// Scores a candidate; `None` when it is not eligible.
    fn score<'a>(
        &self,
        prepared: &Prepared<'_>,
        model: Option<&SelectionModel>,
        evidence: &'a Relevance<'a>,
    ) -> Option<Scored<'a>> {
        let own = &evidence.own;
        let relevance = model.map_or(own.key, |model| model.relevance(&evidence.values));
        // Any kind of similarity makes a message eligible; the score orders.
        let closest = relevance.max(own.key).max(own.cosine.unwrap_or(0.0));
        let exponent = self.config.assembly.recency_exponent;
        let faded = |score: f64| {
            let recency = self.recency(evidence.record, prepared.draft.message.at);
            score * recency.powf(exponent)
        };
        let found = prepared.fit(evidence.record.id).is_some();
        (found || closest >= self.config.assembly.eligibility_threshold).then(|| Scored {
            evidence,
            score: if exponent > 0.0 {
                faded(relevance)
            } else {
                relevance
            },
        })
    }

    fn reasons(
        &self,
        prepared: &Prepared<'_>,
        evidence: &Relevance<'_>,
        link: Option<(MessageId, f64)>,
    ) -> Vec<Reason> {
        let mut reasons = evidence.reasons(prepared);
        let fit = prepared.fit(evidence.record.id);
        reasons.extend(fit.map(|fit| Reason::Found { fit }));
        reasons.push(Reason::Recency {
            weight: self.recency(evidence.record, prepared.draft.message.at),
        });
        reasons.extend(link.map(|(other, weight)| Reason::SoftLink { other, weight }));
        reasons
    }

    /// Recency weight of the message's most recent line of work; 1 only without any.
    fn recency(&self, message: &MessageRecord, at: Timestamp) -> f64 {
        let dcns = message.key.dcns.iter();
        let last = dcns
            .filter_map(|id| self.history.dcn(*id))
            .map(|dcn| dcn.last_referenced);
        last.max().map_or(1.0, |last| {
            recency_weight(age_hours(last, at), self.config.matching.tau_hours)
        })
    }

    fn finish(
        &self,
        strategy: Strategy,
        query: &Query<'_>,
        prepared: &Prepared<'_>,
        mut messages: Vec<Selected>,
        (candidates, eligible): (usize, usize),
    ) -> Assembly {
        let top = messages.iter().take(KEPT_SCORES);
        let decision = SelectionDecision {
            at: query.at,
            dcns: prepared.key.dcns.iter().copied().collect(),
            candidates,
            eligible,
            selected: messages.len(),
            top_scores: top
                .map(|selected| (selected.message, selected.score))
                .collect(),
            strategy,
            scorer: self.scorer.name().into(),
            thresholds: Thresholds {
                eligibility: self.config.assembly.eligibility_threshold,
                max_per_dcn: self.config.assembly.max_per_dcn,
                max_messages: query.max_messages,
                max_tokens: query.max_tokens,
            },
        };
        messages.sort_by_key(|selected| selected.message);
        Assembly {
            strategy,
            lines_of_work: self.lines_of_work(&messages, &prepared.ranking),
            messages,
            decision,
        }
    }

    fn lines_of_work(&self, messages: &[Selected], ranking: &Ranking) -> Vec<(DcnId, f64)> {
        let records = messages
            .iter()
            .filter_map(|m| self.history.message(m.message));
        let dcns: BTreeSet<DcnId> = records.flat_map(|m| m.key.dcns.iter().copied()).collect();
        dcns.into_iter()
            .map(|dcn| (dcn, ranking.score(dcn)))
            .collect()
    }
}

impl Conversation {
    /// Names of the evidence for selecting a message, in the order of
    /// [`Conversation::selection_evidence`].
    pub fn selection_evidence_names() -> &'static [&'static str] {
        &RELEVANCE
    }

    /// The evidence for each message that may be selected for a query, for learning weights.
    ///
    /// # Errors
    /// [`DcsError::Embedding`] as for [`Conversation::assemble`].
    pub fn selection_evidence(
        &mut self,
        query: &Query<'_>,
    ) -> Result<Vec<(MessageId, Vec<f64>)>, DcsError> {
        let prepared = self.prepare(query)?;
        let candidates = self.selection_candidates(&prepared);
        let evidence = self.relevance(&prepared, candidates.iter().map(|one| one.id));
        let rows = evidence.iter();
        Ok(rows
            .map(|one| (one.record.id, one.values.to_vec()))
            .collect())
    }
}
