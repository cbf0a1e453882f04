//! How much an earlier message has to do with a query: the evidence, and the scores drawn from it.

use rustc_hash::FxHashMap;

use crate::assemble::overlap::{Overlap, QueryTerms};
use crate::assemble::{Prepared, Reason};
use crate::{Conversation, DcnId, MessageId, MessageRecord};

/// Names of the evidence of [`Relevance::values`].
pub(crate) const NAMES: [&str; 21] = [
    "select",
    "select_line",
    "select_settled",
    "select_line_log",
    "select_settled_log",
    "select_certain",
    "select_cosine",
    "select_cosine_30",
    "select_share",
    "select_rare",
    "select_hop_cosine",
    "select_hop_share",
    "select_neighbour_line",
    "select_neighbour_cosine",
    "select_neighbour_share",
    "select_distance",
    "select_line_rank",
    "select_previous",
    "select_same_speaker",
    "select_line_cosine",
    "select_key",
];

/// Keeps logarithms of probabilities finite.
const SMALL: f64 = 0.01;

/// What is seen of a candidate by itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Own {
    /// The chance that query and message fall into the same line of work, 0 to 1.
    pub(super) line: f64,
    /// The query's score for the line of work in which the message was settled.
    pub(super) settled: f64,
    /// Cosine of the embeddings, where there are two.
    pub(super) cosine: Option<f64>,
    /// Weight of the query's terms that the message knows, as a share of all.
    pub(super) share: f64,
    rare: f64,
    /// Similarity of the keys where empty parts say nothing.
    pub(super) key: f64,
}

/// A candidate with its evidence.
pub(super) struct Relevance<'a> {
    pub(super) record: &'a MessageRecord,
    pub(super) own: Own,
    pub(super) values: [f64; NAMES.len()],
}

impl Relevance<'_> {
    /// Why the message is a candidate, for the explanation.
    pub(super) fn reasons(&self, prepared: &Prepared<'_>) -> Vec<Reason> {
        let key = Reason::Key {
            similarity: self.own.key,
        };
        let cosine = self.own.cosine.map(|cosine| Reason::Embedding { cosine });
        let dcns = self.record.key.dcns.iter().map(|dcn| Reason::LineOfWork {
            dcn: *dcn,
            score: prepared.ranking.score(*dcn),
        });
        let dcns = dcns
            .filter(|reason| !matches!(reason, Reason::LineOfWork { score, .. } if *score <= 0.0));
        [key].into_iter().chain(cosine).chain(dcns).collect()
    }
}

/// A candidate with what is seen of it by itself.
struct Seen<'a> {
    record: &'a MessageRecord,
    own: Own,
    overlap: Overlap,
}

impl Conversation {
    /// The evidence for each candidate; they come in order.
    pub(super) fn relevance<'a>(
        &'a self,
        prepared: &Prepared<'_>,
        candidates: impl Iterator<Item = MessageId>,
    ) -> Vec<Relevance<'a>> {
        let known = candidates.filter_map(|id| self.history.message(id));
        let terms = self.query_terms(prepared);
        let seen = known.map(|record| self.see(prepared, &terms, record));
        let seen: Vec<Seen<'_>> = seen.collect();
        let lines = Lines::of(&seen);
        let all = seen.iter().enumerate();
        all.map(|(place, one)| Relevance {
            record: one.record,
            own: one.own,
            values: self.values(
                prepared,
                &terms,
                one,
                &lines,
                self.neighbours(prepared, &terms, &seen, place),
            ),
        })
        .collect()
    }

    fn see<'a>(
        &self,
        prepared: &Prepared<'_>,
        terms: &QueryTerms<'_>,
        record: &'a MessageRecord,
    ) -> Seen<'a> {
        let (line, settled) = coreference(prepared, record);
        let embedding = prepared.draft.embedding.as_ref();
        let pair = embedding.zip(record.embedding.as_ref());
        let overlap = terms.overlap(&record.terms);
        let own = Own {
            line,
            settled,
            cosine: pair.map(|(query, message)| query.cosine(message)),
            share: overlap.share,
            rare: (overlap.squares / 10.0).ln_1p(),
            key: prepared
                .key
                .informed_similarity(&record.key, &self.config.key),
        };
        Seen {
            record,
            own,
            overlap,
        }
    }

    fn values(
        &self,
        prepared: &Prepared<'_>,
        terms: &QueryTerms<'_>,
        seen: &Seen<'_>,
        lines: &Lines,
        near: Own,
    ) -> [f64; NAMES.len()] {
        let (record, own) = (seen.record, &seen.own);
        let cosine = own.cosine.unwrap_or(0.0);
        let (hop_cosine, hop_share) = hop(seen, terms);
        let distance = (self.history.len() as f64 - record.id.position() as f64).max(1.0);
        let speaker = prepared.draft.message.speaker;
        let dcn = record.key.dcns.first();
        [
            1.0,
            own.line,
            own.settled,
            (own.line + SMALL).ln(),
            (own.settled + SMALL).ln(),
            f64::from(prepared.certain == Some(record.id)),
            cosine,
            (cosine - 0.3).max(0.0),
            own.share,
            own.rare,
            hop_cosine,
            hop_share,
            near.line,
            near.cosine.unwrap_or(0.0),
            near.share,
            distance.ln(),
            self.line_rank(record).ln_1p(),
            f64::from(distance < 1.5),
            f64::from(!speaker.is_empty() && *record.speaker == *speaker),
            dcn.map_or(0.0, |dcn| lines.cosine(*dcn)),
            own.key,
        ]
    }

    /// Messages of the same line of work after this one.
    fn line_rank(&self, record: &MessageRecord) -> f64 {
        let dcn = record.key.dcns.first();
        let members = dcn.map_or(&[][..], |dcn| self.history.members(*dcn));
        let behind = members.partition_point(|id| *id <= record.id);
        members.len().saturating_sub(behind) as f64
    }

    /// The best evidence of the messages just before and after that belong to the same line of
    /// work: a question and its answer stand and fall together.
    fn neighbours(
        &self,
        prepared: &Prepared<'_>,
        terms: &QueryTerms<'_>,
        seen: &[Seen<'_>],
        place: usize,
    ) -> Own {
        let mut best = Own::default();
        let Some(record) = seen.get(place).map(|one| one.record) else {
            return best;
        };
        let position = record.id.position();
        let sides = [
            (position.checked_sub(1), place.checked_sub(1)),
            (position.checked_add(1), place.checked_add(1)),
        ];
        for (position, place) in sides {
            let near = position.and_then(|position| self.history.message(MessageId::new(position)));
            let near = near.filter(|near| near.key.dcns.first() == record.key.dcns.first());
            let Some(near) = near else {
                continue;
            };
            // Candidates come in order, so a neighbour that is one stands beside.
            let known = place.and_then(|place| seen.get(place));
            let known = known.filter(|one| one.record.id == near.id);
            let own = known.map_or_else(|| self.see(prepared, terms, near).own, |one| one.own);
            best.line = best.line.max(own.line);
            best.share = best.share.max(own.share);
            let cosine = own.cosine.unwrap_or(0.0);
            best.cosine = Some(best.cosine.unwrap_or(0.0).max(cosine));
        }
        best
    }
}

/// How likely query and message belong to one line of work (the chance that both fall into the
/// same, from the query's ranking and the message's own shares) and the score of its settled one.
fn coreference(prepared: &Prepared<'_>, message: &MessageRecord) -> (f64, f64) {
    if prepared.certain == Some(message.id) {
        return (1.0, 1.0);
    }
    let ranking = &prepared.ranking;
    let settled: f64 = message.key.dcns.iter().map(|dcn| ranking.score(*dcn)).sum();
    let settled = settled.min(1.0);
    if message.memberships.is_empty() {
        return (settled, settled);
    }
    let shares = message.memberships.iter();
    let soft: f64 = shares.map(|(dcn, share)| share * ranking.score(*dcn)).sum();
    (f64::midpoint(settled, soft.min(1.0)), settled)
}

/// Closeness to the messages that the query most likely links to, by cosine and by shared terms.
fn hop(seen: &Seen<'_>, terms: &QueryTerms<'_>) -> (f64, f64) {
    let record = seen.record;
    let shares = terms.hops.iter().map(|(_, share)| share);
    let total = shares.sum::<f64>().max(0.05);
    let (mut cosine, mut share) = (0.0, 0.0);
    for ((linked, weight), common) in terms.hops.iter().zip(seen.overlap.common) {
        let pair = linked.embedding.as_ref().zip(record.embedding.as_ref());
        cosine += weight * pair.map_or(0.0, |(a, b)| a.cosine(b));
        let smaller = linked.terms.len().min(record.terms.len()) as f64;
        share += weight * f64::from(common) / (1.0 + smaller);
    }
    (cosine / total, share)
}

/// Mean cosine of the query with the candidates of each line of work.
struct Lines(FxHashMap<DcnId, (f64, f64)>);

impl Lines {
    fn of(candidates: &[Seen<'_>]) -> Self {
        let mut lines: FxHashMap<DcnId, (f64, f64)> = FxHashMap::default();
        for one in candidates {
            if let (Some(dcn), Some(cosine)) = (one.record.key.dcns.first(), one.own.cosine) {
                let line = lines.entry(*dcn).or_default();
                *line = (line.0 + cosine, line.1 + 1.0);
            }
        }
        Self(lines)
    }

    fn cosine(&self, dcn: DcnId) -> f64 {
        self.0.get(&dcn).map_or(0.0, |(sum, count)| sum / count)
    }
}
