//! Registering a message: classify, find its line of work, link, index.

use std::collections::BTreeSet;

use tracing::debug;

use crate::addresses::unaddressed;
use crate::continuity::candidates;
use crate::decision::KEPT_SCORES;
use crate::functions::fingerprints;
use crate::terms::word_hashes;
use crate::{
    Addresses, ContinuityDecision, Conversation, Cues, Dcn, DcnId, DcsError, DcsKey, Decision,
    Incoming, MessageId, MessageRecord, NewMessage, QuantizedVector, Ranking, Route, SoftLink,
    TermSet, influence,
};

/// What became of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Registration {
    /// Its position in the conversation.
    pub message: MessageId,
    /// Its key.
    pub key: DcsKey,
    /// The line of work that it started.
    pub created: Option<DcnId>,
    /// Influence of the messages just before it.
    pub influences: Vec<SoftLink>,
    /// Functions that were seen before. A suggestion: nothing is skipped for it.
    pub reused_functions: Vec<FunctionReuse>,
    /// The question before it, when the answer showed that it belongs elsewhere; its key changed.
    pub revised: Option<MessageId>,
    /// How it came to its line of work.
    pub decision: ContinuityDecision,
}

/// A function of this message that an earlier one carried already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionReuse {
    /// Fingerprint of the normalised code.
    pub fingerprint: u64,
    /// The message that carried it first.
    pub first_seen: MessageId,
}

/// Lines of work that a message keeps a share of, at most.
const KEPT_MEMBERSHIPS: usize = 4;

/// The best shares of a ranking; the share of a new line of work goes to the one that started.
pub(crate) fn memberships(ranking: &Ranking, key: &DcsKey) -> Vec<(DcnId, f64)> {
    let candidates = ranking.candidates.iter().take(KEPT_MEMBERSHIPS);
    let mut shares: Vec<(DcnId, f64)> = candidates.map(|r| (r.dcn, r.score)).collect();
    if ranking.winner().is_none() {
        shares.truncate(KEPT_MEMBERSHIPS - 1);
        shares.extend(key.dcns.iter().map(|dcn| (*dcn, ranking.new_line)));
    }
    shares
}

/// A message on its way in.
pub(crate) struct Draft<'a> {
    pub(crate) message: NewMessage<'a>,
    pub(crate) key: DcsKey,
    pub(crate) terms: TermSet,
    pub(crate) cues: Cues,
    pub(crate) addresses: Addresses,
    pub(crate) embedding: Option<QuantizedVector>,
}

impl Draft<'_> {
    pub(crate) fn incoming(&self) -> Incoming<'_> {
        Incoming {
            speaker: self.message.speaker,
            at: self.message.at,
            key: &self.key,
            terms: &self.terms,
            cues: &self.cues,
            addresses: &self.addresses,
            embedding: self.embedding.as_ref(),
        }
    }
}

impl Conversation {
    /// Registers a message: it gets the line of work that the scorer finds, or starts one.
    ///
    /// # Errors
    /// [`DcsError::Embedding`] for an embedding that is not finite or of another length than the
    /// ones before; the conversation is then unchanged.
    pub fn register(&mut self, message: NewMessage<'_>) -> Result<Registration, DcsError> {
        let draft = self.draft(message)?;
        if let Some(registration) = self.revise(&draft) {
            return Ok(registration);
        }
        let ranking = self.rank(&draft.incoming());
        let (dcns, route) = match ranking.winner() {
            Some(dcn) => ([dcn].into(), Route::Matched),
            None => ([self.history.next_dcn()].into(), Route::Created),
        };
        let registration = self.settle(&draft, dcns, route, &ranking);
        self.last_ranking = Some((registration.message, ranking));
        Ok(registration)
    }

    /// Registers a message that starts a line of work of its own.
    ///
    /// # Errors
    /// [`DcsError::Embedding`] as for [`Conversation::register`].
    pub fn register_new(&mut self, message: NewMessage<'_>) -> Result<Registration, DcsError> {
        let draft = self.draft(message)?;
        let dcns = [self.history.next_dcn()].into();
        Ok(self.settle(&draft, dcns, Route::Created, &Ranking::default()))
    }

    /// Registers a message whose lines of work the caller knows. Without any, it inherits those
    /// of an influential message just before it.
    ///
    /// # Errors
    /// [`DcsError::Embedding`] as for [`Conversation::register`]; [`DcsError::NoSuchDcn`] for a
    /// line of work that does not exist.
    pub fn register_linked(
        &mut self,
        message: NewMessage<'_>,
        dcns: &[DcnId],
    ) -> Result<Registration, DcsError> {
        let draft = self.draft(message)?;
        let mut linked = BTreeSet::new();
        for dcn in dcns {
            let open = self.history.resolve(*dcn);
            linked.insert(open.ok_or(DcsError::NoSuchDcn { dcn: *dcn })?);
        }
        let mut route = Route::Given;
        if linked.is_empty() {
            linked = self.inherited(&draft.key);
            route = if linked.is_empty() {
                Route::Unlinked
            } else {
                Route::Inherited
            };
        }
        Ok(self.settle(&draft, linked, route, &Ranking::default()))
    }

    /// The ranking of lines of work for a message that has not been registered.
    pub(crate) fn rank(&self, incoming: &Incoming<'_>) -> Ranking {
        let candidates = candidates(incoming.terms, &self.history, &self.config.matching);
        self.scorer.rank(incoming, &candidates, &self.history)
    }

    /// Intents and domains of a text, as a key without lines of work.
    pub(crate) fn classify(&self, text: &str) -> DcsKey {
        let labels = self.classifier.classify(text);
        debug!(target: "classify", intents = ?labels.intents, domains = ?labels.domains);
        DcsKey {
            intents: labels.intents,
            domains: labels.domains,
            dcns: BTreeSet::new(),
        }
    }

    /// Quantises an embedding, checked against the length of those before.
    pub(crate) fn quantise(
        &self,
        embedding: Option<&[f32]>,
    ) -> Result<Option<QuantizedVector>, DcsError> {
        let Some(components) = embedding else {
            return Ok(None);
        };
        let wrong = |expected, reason| DcsError::Embedding {
            expected,
            found: components.len(),
            reason,
        };
        let expected = self.history.dimension().unwrap_or(components.len());
        if expected != components.len() {
            return Err(wrong(
                expected,
                "embed with the model of the messages before",
            ));
        }
        let vector = QuantizedVector::new(components);
        let vector = vector.ok_or_else(|| wrong(expected, "empty, all zeros, or not finite"))?;
        Ok(Some(vector))
    }

    pub(crate) fn draft<'a>(&self, message: NewMessage<'a>) -> Result<Draft<'a>, DcsError> {
        let addresses = Addresses::read(
            message.text,
            message.speaker,
            &self.history,
            &self.cue_words,
        );
        let words = word_hashes(message.text);
        let said = unaddressed(message.text, &addresses);
        let cues = if said.len() == message.text.len() {
            self.cue_words.read_words(said, &words)
        } else {
            self.cue_words.read(said)
        };
        Ok(Draft {
            key: self.classify(message.text),
            terms: TermSet::of_words(&words, &self.cue_words),
            cues,
            addresses,
            embedding: self.quantise(message.embedding)?,
            message,
        })
    }

    /// Lines of work of the most influential message of the window, if it is influential enough.
    fn inherited(&self, key: &DcsKey) -> BTreeSet<DcnId> {
        let threshold = self.config.influence.inherit_threshold;
        let best = self
            .influences(key)
            .into_iter()
            .filter(|link| link.weight >= threshold)
            .max_by(|a, b| a.weight.total_cmp(&b.weight).then(a.from.cmp(&b.from)));
        let from = best.and_then(|link| self.history.message(link.from));
        from.map(|message| message.key.dcns.clone())
            .unwrap_or_default()
    }

    /// Influence of the messages just before on a message with this key, latest first.
    pub(crate) fn influences(&self, key: &DcsKey) -> Vec<SoftLink> {
        let config = &self.config.influence;
        let window = self.history.latest(config.window_messages).iter().rev();
        window
            .map(|earlier| SoftLink {
                from: earlier.id,
                weight: influence(&earlier.key, key, config),
            })
            .filter(|link| link.weight > 0.0)
            .collect()
    }

    /// Stores the message, touches its lines of work, and writes the decision down.
    pub(crate) fn settle(
        &mut self,
        draft: &Draft<'_>,
        dcns: BTreeSet<DcnId>,
        route: Route,
        ranking: &Ranking,
    ) -> Registration {
        let key = DcsKey {
            dcns,
            ..draft.key.clone()
        };
        let influences = self.influences(&key);
        let functions = fingerprints(draft.message.text);
        let reused_functions = self.reused(&functions);
        let record = MessageRecord {
            id: self.history.next_id(),
            speaker: self.history.name(draft.message.speaker),
            at: draft.message.at,
            tokens: draft.message.tokens,
            key: key.clone(),
            terms: draft.terms.clone(),
            cues: draft.cues,
            addresses: draft.addresses.clone(),
            memberships: memberships(ranking, &key),
            influences: influences.clone(),
            functions,
            embedding: draft.embedding.clone(),
        };
        self.touch(&record);
        let decision = self.explain(&record, route, ranking);
        let message = record.id;
        self.last_ranking = None;
        self.pending.messages.insert(message);
        self.history.push(record);
        self.record(Decision::Continuity(decision.clone()));
        debug!(target: "register", message = message.position(), key = %key);
        Registration {
            message,
            created: key
                .dcns
                .first()
                .copied()
                .filter(|_| route == Route::Created),
            key,
            influences,
            reused_functions,
            revised: None,
            decision,
        }
    }

    fn reused(&self, functions: &[u64]) -> Vec<FunctionReuse> {
        let seen = |fingerprint: &u64| {
            let first_seen = self.history.first_with_function(*fingerprint)?;
            debug!(target: "function_hash", fingerprint, first_seen = first_seen.position());
            Some(FunctionReuse {
                fingerprint: *fingerprint,
                first_seen,
            })
        };
        functions.iter().filter_map(seen).collect()
    }

    /// Touches the lines of work of a message, making the one that does not exist yet.
    pub(crate) fn touch(&mut self, message: &MessageRecord) {
        for id in &message.key.dcns {
            let known = self.history.change_dcn(*id, |dcn| {
                dcn.topics.absorb_key(&message.key);
                dcn.last_referenced = dcn.last_referenced.max(message.at);
                dcn.last_message = message.id;
            });
            if known.is_none() {
                self.history.put_dcn(Dcn::started(*id, message));
            }
            debug!(target: "dcn", dcn = id.number(), "touched");
            self.pending.dcns.insert(*id);
        }
    }

    fn explain(
        &self,
        record: &MessageRecord,
        route: Route,
        ranking: &Ranking,
    ) -> ContinuityDecision {
        let candidates = ranking.candidates.iter().take(KEPT_SCORES);
        ContinuityDecision {
            at: record.at,
            message: record.id,
            dcns: record.key.dcns.iter().copied().collect(),
            route,
            scorer: self.scorer.name().into(),
            new_line: ranking.new_line,
            candidates: candidates.cloned().collect(),
        }
    }
}
