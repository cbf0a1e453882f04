//! A line of work as a message sees it: its latest messages, its state, and what the two share.

use std::collections::BTreeSet;

use crate::continuity::Incoming;
use crate::continuity::features::Situation;
use crate::continuity::features::logarithms::{ln, ln_1p};
use crate::continuity::features::room_line;
use crate::{DcnId, History, MessageId, MessageRecord};

/// Latest messages of a line of work that a message may link to.
const LINKS_PER_DCN: usize = 8;

/// Names of what is seen of a line of work.
pub(crate) const NAMES: [&str; 58] = [
    "previous",
    "idle",
    "rank",
    "size",
    "exchange",
    "last_same_speaker",
    "previous_other_speaker",
    "coverage",
    "exclusive",
    "previous_coverage",
    "centred_mean",
    "centred_max",
    "cosine_max",
    "cosine_last",
    "previous_centred",
    "previous_cosine",
    "previous_anaphora",
    "previous_short",
    "previous_reply",
    "previous_words",
    "previous_content",
    "previous_asked",
    "rank_anaphora",
    "rank_short",
    "rank_reply",
    "cosine_margin",
    "centred_margin",
    "exclusive_margin",
    "has_speaker",
    "has_addressee",
    "last_addressee",
    "speaker_latest_line",
    "addressee_latest_line",
    "speaker_share",
    "last_addresses_speaker",
    "speakers",
    "lonely_question",
    "unaddressed_has_speaker",
    "line_pair",
    "line_outsider",
    "line_both",
    "line_minutes",
    "line_speaker_recent",
    "line_previous_unaddressed",
    "line_asks_speaker_absent",
    "line_asks_speaker_minutes",
    "line_greeting_absent",
    "line_addressee_absent",
    "line_pending",
    "line_partner",
    "line_everyone_absent",
    "line_started",
    "line_addressee_started",
    "line_reply_cue_speaker",
    "line_responding_speaker",
    "line_seeking_absent",
    "line_second_person_absent",
    "first_stage",
];

/// A line of work with what the message shares with it.
pub(crate) struct Line<'a> {
    pub(crate) dcn: DcnId,
    /// Its latest messages, in order; at least one.
    pub(crate) members: Vec<Member<'a>>,
    /// Its last message.
    pub(super) last: &'a MessageRecord,
    size: usize,
    /// Messages since its last one, at least 1.
    pub(super) idle: f64,
    /// Lines of work that were active since.
    rank: f64,
    /// Weight of the message's terms that it knows, as a share of all.
    pub(super) coverage: f64,
    /// The same, each term divided among the lines of work that know it.
    pub(super) exclusive: f64,
    pub(super) cosine_max: f64,
    pub(super) centred_max: f64,
    pub(super) centred_mean: f64,
    /// Highest cosine with its last two messages.
    cosine_last: f64,
}

/// One of the latest messages of a line of work.
pub(crate) struct Member<'a> {
    pub(crate) record: &'a MessageRecord,
    /// Weight of the terms that it shares with the message.
    pub(super) shared: f64,
    /// The sum of their squares.
    pub(super) shared_squares: f64,
    pub(super) cosine: f64,
    /// Cosine after the conversation's mean was taken out.
    pub(super) centred: f64,
}

/// The candidates with their latest messages, most recently active first.
pub(super) fn lines<'a>(
    incoming: &Incoming<'_>,
    candidates: &[DcnId],
    history: &'a History,
) -> Vec<Line<'a>> {
    let mean = incoming.embedding.map(|_| history.mean_embedding());
    let last = |dcn: &DcnId| Some((*history.members(*dcn).last()?, *dcn));
    let mut order: Vec<(MessageId, DcnId)> = candidates.iter().filter_map(last).collect();
    order.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let found = order.iter().filter_map(|(last, dcn)| {
        let mut line = line(incoming, *dcn, history, mean.as_deref())?;
        line.rank = order.partition_point(|(other, _)| other > last) as f64;
        Some(line)
    });
    found.collect()
}

fn line<'a>(
    incoming: &Incoming<'_>,
    dcn: DcnId,
    history: &'a History,
    mean: Option<&[f32]>,
) -> Option<Line<'a>> {
    let ids = history.members(dcn);
    let latest = ids.get(ids.len().saturating_sub(LINKS_PER_DCN)..)?;
    let records = latest.iter().filter_map(|id| history.message(*id));
    let mut members: Vec<Member<'a>> = Vec::with_capacity(latest.len());
    members.extend(records.map(|record| member(incoming, record, mean)));
    let last = members.last()?.record;
    let mut line = Line {
        dcn,
        members,
        last,
        size: ids.len(),
        idle: (history.len() as f64 - last.id.position() as f64).max(1.0),
        rank: 0.0,
        coverage: 0.0,
        exclusive: 0.0,
        cosine_max: 0.0,
        centred_max: 0.0,
        centred_mean: 0.0,
        cosine_last: 0.0,
    };
    if mean.is_some() {
        line.summarise();
    }
    Some(line)
}

#[inline]
fn member<'a>(
    incoming: &Incoming<'_>,
    record: &'a MessageRecord,
    mean: Option<&[f32]>,
) -> Member<'a> {
    let embedding = incoming.embedding;
    let pair = embedding.and_then(|own| Some((own, record.embedding.as_ref()?)));
    let pair = pair.zip(mean);
    let (cosine, centred) = pair.map_or((0.0, 0.0), |((a, b), mean)| {
        let cosine = a.cosine(b);
        let products = (a.dot(mean), b.dot(mean), squared(mean));
        (cosine, centred_cosine(cosine, products))
    });
    Member {
        record,
        shared: 0.0,
        shared_squares: 0.0,
        cosine,
        centred,
    }
}

/// Cosine of two unit vectors after the mean was taken from both, from their products with it.
fn centred_cosine(cosine: f64, (a_mean, b_mean, mean_squared): (f64, f64, f64)) -> f64 {
    let product = cosine - a_mean - b_mean + mean_squared;
    let a_length = 1.0 - 2.0 * a_mean + mean_squared;
    let b_length = 1.0 - 2.0 * b_mean + mean_squared;
    product / (a_length * b_length).max(1e-9).sqrt()
}

fn squared(vector: &[f32]) -> f64 {
    vector.iter().map(|x| f64::from(x * x)).sum()
}

impl Line<'_> {
    fn summarise(&mut self) {
        let count = self.members.len().max(1) as f64;
        let max = |values: &mut dyn Iterator<Item = f64>| values.fold(-1.0, f64::max);
        self.cosine_max = max(&mut self.members.iter().map(|m| m.cosine));
        self.centred_max = max(&mut self.members.iter().map(|m| m.centred));
        self.cosine_last = max(&mut self.members.iter().rev().take(2).map(|m| m.cosine));
        self.centred_mean = self.members.iter().map(|m| m.centred).sum::<f64>() / count;
    }

    /// Whether somebody else said a later one of the latest messages.
    pub(super) fn answers(&self, record: &MessageRecord) -> bool {
        let later = self.members.iter().rev();
        let mut later = later.take_while(|member| member.record.id > record.id);
        later.any(|member| member.record.addresses.speaker != record.addresses.speaker)
    }

    /// Different speakers among the latest messages.
    pub(super) fn speakers(&self) -> usize {
        let members = self.members.iter();
        let speakers = members.map(|member| member.record.addresses.speaker);
        speakers.collect::<BTreeSet<_>>().len()
    }

    fn share_of(&self, holds: impl Fn(&MessageRecord) -> bool) -> f64 {
        let holding = self.members.iter().filter(|member| holds(member.record));
        holding.count() as f64 / self.members.len().max(1) as f64
    }
}

/// What is seen of a line of work, in the order of [`NAMES`]; the first look's score is last.
pub(crate) fn values(line: &Line<'_>, situation: &Situation<'_>, stage: f64) -> [f64; NAMES.len()] {
    let cues = situation.incoming.cues;
    let previous = f64::from(line.idle < 1.5);
    let same = situation.speaks(line.last);
    let rank = ln_1p(line.rank);
    let (anaphora, short, reply) = (
        f64::from(cues.anaphora),
        f64::from(cues.short),
        f64::from(cues.reply),
    );
    let [cosine_margin, centred_margin, exclusive_margin] = situation.margins(line);
    let talk = talk(line, situation);
    let mut values = [0.0; NAMES.len()];
    let plain = [
        previous,
        ln(line.idle),
        rank,
        ln((line.size as f64).max(1.0)),
        f64::from(line.size <= 2),
        f64::from(same),
        previous * f64::from(situation.named && !same),
        line.coverage,
        line.exclusive,
        previous * line.coverage,
        line.centred_mean,
        line.centred_max,
        line.cosine_max,
        line.cosine_last,
        previous * line.centred_max,
        previous * line.cosine_last,
        previous * anaphora,
        previous * short,
        previous * reply,
        previous * cues.log_words() / 3.0,
        previous * situation.log_terms() / 2.0,
        previous * f64::from(line.last.cues.asks),
        rank * anaphora,
        rank * short,
        rank * reply,
        cosine_margin,
        centred_margin,
        exclusive_margin,
        talk.has_speaker,
        talk.has_addressee,
        talk.last_addressee,
        talk.speaker_latest,
        talk.addressee_latest,
        talk.speaker_share,
        talk.last_addresses_speaker,
        talk.speakers,
        talk.lonely_question,
        talk.unaddressed_has_speaker,
    ];
    let room = room_line::values(line, situation);
    let all = plain.into_iter().chain(room).chain([stage]);
    for (slot, value) in values.iter_mut().zip(all) {
        *slot = value;
    }
    values
}

/// Who talks in a line of work. All 0 outside a chat room.
#[derive(Default)]
struct Talk {
    has_speaker: f64,
    has_addressee: f64,
    last_addressee: f64,
    speaker_latest: f64,
    addressee_latest: f64,
    speaker_share: f64,
    last_addresses_speaker: f64,
    speakers: f64,
    lonely_question: f64,
    unaddressed_has_speaker: f64,
}

fn talk(line: &Line<'_>, situation: &Situation<'_>) -> Talk {
    if !situation.chat_room {
        return Talk::default();
    }
    let speaker_share = line.share_of(|record| situation.speaks(record));
    let has_speaker = f64::from(speaker_share > 0.0);
    let has_addressee = line.share_of(|record| situation.is_addressee(record)) > 0.0;
    let contains = |id: Option<MessageId>| id.is_some_and(|id| situation.is_in(id, line.dcn));
    let speakers = line.speakers();
    let first = line.members.first();
    let question = first.is_some_and(|member| member.record.cues.asks);
    Talk {
        has_speaker,
        has_addressee: f64::from(has_addressee),
        last_addressee: f64::from(situation.is_addressee(line.last)),
        speaker_latest: f64::from(contains(situation.speaker_latest)),
        addressee_latest: f64::from(contains(situation.addressee_latest)),
        speaker_share,
        last_addresses_speaker: f64::from(situation.is_addressed_by(line.last)),
        speakers: (speakers.max(1) as f64).ln(),
        lonely_question: f64::from(speakers == 1 && question && has_speaker < 0.5),
        unaddressed_has_speaker: has_speaker * f64::from(situation.addressee().is_none()),
    }
}
