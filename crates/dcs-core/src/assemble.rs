//! Assembling the context for a query: candidates, eligibility, scores, caps, and reasons.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tracing::debug;

use crate::decision::KEPT_SCORES;
use crate::{
    Conversation, DcnId, DcsError, DcsKey, Decision, MessageId, MessageRecord, NewMessage,
    QuantizedVector, Ranking, SelectionDecision, Strategy, Thresholds, age_hours, recency_weight,
};

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
    /// What was decided, as it stands in the log.
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
    /// Recency weight of its line of work.
    Recency {
        /// 0 to 1.
        weight: f64,
    },
}

/// Lines of work whose messages are candidates beside that of the winner.
const LIKELY_LINES: usize = 8;

/// A query that is ready for comparison.
struct Prepared {
    key: DcsKey,
    embedding: Option<QuantizedVector>,
    ranking: Ranking,
    /// A message that the query certainly continues.
    certain: Option<MessageId>,
    at: Timestamp,
}

impl Conversation {
    /// Chooses the earlier messages that a model should see for a query, and logs the decision.
    ///
    /// # Errors
    /// [`DcsError::Embedding`] for an embedding that is not finite or of another length than
    /// those of the messages.
    pub fn assemble(&mut self, query: &Query<'_>) -> Result<Assembly, DcsError> {
        let prepared = self.prepare(query)?;
        let assembly = if self.fits(query) {
            self.everything(query, &prepared)
        } else {
            self.selection(query, &prepared)
        };
        debug!(target: "assemble", selected = assembly.messages.len(), strategy = ?assembly.strategy);
        self.record(Decision::Selection(assembly.decision.clone()));
        Ok(assembly)
    }

    fn prepare(&mut self, query: &Query<'_>) -> Result<Prepared, DcsError> {
        let draft = self.draft(NewMessage {
            speaker: query.speaker,
            text: query.text,
            at: query.at,
            tokens: 0,
            embedding: query.embedding,
        })?;
        let (ranking, certain) = self.rank_query(&draft);
        let mut key = draft.key;
        key.dcns.extend(ranking.winner());
        Ok(Prepared {
            key,
            embedding: draft.embedding,
            ranking,
            certain,
            at: query.at,
        })
    }

    /// Whether the whole conversation is within the caps. Reads no more than `max_messages`.
    fn fits(&self, query: &Query<'_>) -> bool {
        if self.history.len() > query.max_messages {
            return false;
        }
        let tokens = self.history.messages().iter().map(|m| u64::from(m.tokens));
        tokens.fold(0, u64::saturating_add) <= query.max_tokens
    }

    fn everything(&self, query: &Query<'_>, prepared: &Prepared) -> Assembly {
        let all = self.history.messages().iter();
        let messages: Vec<Selected> = all
            .map(|message| Selected {
                message: message.id,
                score: 1.0,
                reasons: vec![Reason::EverythingFits],
            })
            .collect();
        let counts = (messages.len(), messages.len());
        self.finish(Strategy::Full, query, prepared, messages, counts)
    }

    fn selection(&self, query: &Query<'_>, prepared: &Prepared) -> Assembly {
        let candidates = self.selection_candidates(prepared);
        let count = candidates.len();
        let mut scored: Vec<Selected> = candidates
            .into_iter()
            .filter_map(|(id, link)| self.score(prepared, id, link))
            .collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.message.cmp(&a.message)));
        let counts = (count, scored.len());
        let kept = self.within_caps(query, scored);
        self.finish(Strategy::Selective, query, prepared, kept, counts)
    }

    /// The lines of work that the query most likely continues.
    fn likely_lines(prepared: &Prepared) -> Vec<DcnId> {
        let likely = prepared.ranking.candidates.iter().take(LIKELY_LINES);
        likely.map(|ranked| ranked.dcn).collect()
    }

    /// How likely query and message belong to one line of work: the chance that both fall into
    /// the same, from the query's ranking and the message's own shares.
    fn coreference(prepared: &Prepared, message: &MessageRecord) -> f64 {
        if prepared.certain == Some(message.id) {
            return 1.0;
        }
        let ranking = &prepared.ranking;
        let hard: f64 = message.key.dcns.iter().map(|dcn| ranking.score(*dcn)).sum();
        if message.memberships.is_empty() {
            return hard.min(1.0);
        }
        let shares = message.memberships.iter();
        let soft: f64 = shares.map(|(dcn, share)| share * ranking.score(*dcn)).sum();
        f64::midpoint(hard, soft).min(1.0)
    }

    /// Similarity of a message to the query, 0 to 1: key, line of work, and cosine, weighed as
    /// configured. Without lines of work in the ranking the key stands alone.
    fn similarity(&self, prepared: &Prepared, message: &MessageRecord) -> (f64, f64, Option<f64>) {
        let config = &self.config.assembly;
        let key = prepared
            .key
            .informed_similarity(&message.key, &self.config.key);
        let pair = prepared.embedding.as_ref().zip(message.embedding.as_ref());
        let cosine = pair.map(|(query, message)| query.cosine(message));
        let beside = config.cosine_weight * cosine.unwrap_or(0.0).max(0.0);
        let evidence =
            (Self::coreference(prepared, message) + beside) / (1.0 + config.cosine_weight);
        let weight = config.continuity_weight;
        ((1.0 - weight) * key + weight * evidence, key, cosine)
    }

    /// Candidates from the identifier index, widened by one step along soft links; each with the
    /// link that brought it in, if one did.
    fn selection_candidates(
        &self,
        prepared: &Prepared,
    ) -> BTreeMap<MessageId, Option<(MessageId, f64)>> {
        let key = &prepared.key;
        let likely = Self::likely_lines(prepared);
        let per_entry = self.config.assembly.candidates_per_entry;
        let history = &self.history;
        let entries = key
            .intents
            .iter()
            .map(|intent| history.with_intent(*intent))
            .chain(
                key.domains
                    .iter()
                    .map(|domain| history.with_domain(*domain)),
            )
            .chain(
                key.dcns
                    .iter()
                    .chain(&likely)
                    .map(|dcn| history.members(*dcn)),
            );
        let mut found = BTreeMap::new();
        for entry in entries {
            found.extend(entry.iter().rev().take(per_entry).map(|id| (*id, None)));
        }
        found.extend(prepared.certain.map(|id| (id, None)));
        for id in found.keys().copied().collect::<Vec<_>>() {
            for (other, weight) in self.linked(id) {
                found.entry(other).or_insert(Some((id, weight)));
            }
        }
        found
    }

    /// The other ends of a message's soft links at or above the threshold, in both directions.
    fn linked(&self, id: MessageId) -> Vec<(MessageId, f64)> {
        let threshold = self.config.assembly.link_threshold;
        let window = self.config.influence.window_messages as u64;
        let position = id.position();
        let earlier = self.history.message(id).into_iter();
        let earlier =
            earlier.flat_map(|m| m.influences.iter().map(|link| (link.from, link.weight)));
        let later = (1..=window).filter_map(|step| {
            let other = MessageId::new(position.checked_add(step)?);
            let links = &self.history.message(other)?.influences;
            let link = links.iter().find(|link| link.from == id)?;
            Some((other, link.weight))
        });
        earlier
            .chain(later)
            .filter(|(_, weight)| *weight >= threshold)
            .collect()
    }

    /// Scores a candidate; `None` when it is not eligible.
    fn score(
        &self,
        prepared: &Prepared,
        id: MessageId,
        link: Option<(MessageId, f64)>,
    ) -> Option<Selected> {
        let message = self.history.message(id)?;
        let (similarity, key, cosine) = self.similarity(prepared, message);
        // Any kind of similarity makes a message eligible; the score orders.
        let closest = similarity.max(key).max(cosine.unwrap_or(0.0));
        if closest < self.config.assembly.eligibility_threshold {
            return None;
        }
        let recency = self.recency(message, prepared.at);
        let exponent = self.config.assembly.recency_exponent;
        let mut reasons = vec![Reason::Key { similarity: key }];
        reasons.extend(cosine.map(|cosine| Reason::Embedding { cosine }));
        for dcn in &message.key.dcns {
            let score = prepared.ranking.score(*dcn);
            if score > 0.0 {
                reasons.push(Reason::LineOfWork { dcn: *dcn, score });
            }
        }
        reasons.push(Reason::Recency { weight: recency });
        reasons.extend(link.map(|(other, weight)| Reason::SoftLink { other, weight }));
        Some(Selected {
            message: id,
            score: similarity * recency.powf(exponent),
            reasons,
        })
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

    /// Takes messages by score as long as no cap is exceeded; a message that does not fit the
    /// budget is passed over.
    fn within_caps(&self, query: &Query<'_>, scored: Vec<Selected>) -> Vec<Selected> {
        let mut per_dcn: BTreeMap<DcnId, usize> = BTreeMap::new();
        let mut tokens = 0_u64;
        let mut kept = Vec::new();
        for selected in scored {
            if kept.len() >= query.max_messages {
                break;
            }
            let Some(message) = self.history.message(selected.message) else {
                continue;
            };
            let cost = tokens.saturating_add(u64::from(message.tokens));
            let cap = self.config.assembly.max_per_dcn;
            let dcns = &message.key.dcns;
            let full = |dcn: &DcnId| per_dcn.get(dcn).is_some_and(|count| *count >= cap);
            if cost > query.max_tokens || dcns.iter().any(full) {
                continue;
            }
            tokens = cost;
            for dcn in dcns {
                *per_dcn.entry(*dcn).or_default() += 1;
            }
            kept.push(selected);
        }
        kept
    }

    fn finish(
        &self,
        strategy: Strategy,
        query: &Query<'_>,
        prepared: &Prepared,
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
            scorer: self.scorer.name().to_owned(),
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
