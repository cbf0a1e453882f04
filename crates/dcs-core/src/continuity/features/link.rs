//! A possible link from a message to one earlier message.

use crate::MessageRecord;
use crate::continuity::features::Situation;
use crate::continuity::features::line::{Line, Member};
use crate::continuity::features::logarithms::ln;
use crate::continuity::features::room_link;

/// Names of what is seen of a link.
pub(crate) const NAMES: [&str; 64] = [
    "link_share",
    "link_rare",
    "link_previous",
    "link_distance",
    "link_same_speaker",
    "link_other_speaker",
    "link_cosine",
    "link_cosine_30",
    "link_cosine_50",
    "link_cosine_70",
    "link_centred",
    "link_centred_20",
    "link_centred_45",
    "link_last",
    "link_to_addressee",
    "link_to_mentioned",
    "link_addresses_speaker",
    "link_mentions_speaker",
    "link_same_addressee",
    "link_not_addressee",
    "link_addresses_other",
    "link_spoken_since",
    "link_speaker_latest",
    "link_latest_of_speaker",
    "link_other_asks",
    "link_minutes",
    "link_same_minute",
    "link_over_five_minutes",
    "link_same_speaker_previous",
    "link_same_speaker_asked",
    "link_pending_address",
    "link_partner",
    "link_partner_back",
    "link_same_speaker_distance",
    "link_same_speaker_minutes",
    "link_same_speaker_unaddressed",
    "link_same_speaker_addressing",
    "link_to_addressee_latest",
    "link_to_addressee_minutes",
    "link_to_addressee_asked",
    "link_addressee_replied",
    "link_question_open",
    "link_answered",
    "link_unaddressed_question",
    "link_second",
    "link_over_five",
    "link_over_twelve",
    "link_over_thirty",
    "link_over_two_minutes",
    "link_over_twenty_minutes",
    "link_over_sixty_minutes",
    "link_previous_unaddressed",
    "link_greetings",
    "link_thanks_partner",
    "link_same_speaker_both_ask",
    "link_same_third_person",
    "link_target_mentioned",
    "link_apart",
    "link_reply_cue_question",
    "link_previous_minutes",
    "link_seeking_open",
    "link_responding_previous",
    "link_responding_asked",
    "link_seeking_same",
];

/// Names that count outside chat rooms too; the others follow.
const PLAIN: usize = WORDS + CLOSENESS + 1;
/// The first of them: words, distance and speaker.
const WORDS: usize = 6;
/// Those after them, of the embeddings; whether it is the last message follows.
const CLOSENESS: usize = 7;
/// Names that follow; those of [`room_link`] are last.
const TALK: usize = NAMES.len() - PLAIN - room_link::COUNT;

/// What is seen of a link, in the order of [`NAMES`].
pub(crate) fn values(
    line: &Line<'_>,
    member: &Member<'_>,
    situation: &Situation<'_>,
) -> [f64; NAMES.len()] {
    let mut values = [0.0; NAMES.len()];
    let (plain_values, talk_values) = values.split_at_mut(PLAIN);
    plain_values.copy_from_slice(&plain(line, member, situation));
    if situation.chat_room {
        let (names, pairs) = talk_values.split_at_mut(TALK);
        names.copy_from_slice(&talk(member.record, situation));
        pairs.copy_from_slice(&room_link::values(line, member.record, situation));
    }
    values
}

/// The sum of the values times `weights`, without those that are 0 in this situation.
#[inline]
pub(crate) fn score(
    line: &Line<'_>,
    member: &Member<'_>,
    situation: &Situation<'_>,
    weights: &[f64; NAMES.len()],
) -> f64 {
    let (plain_weights, talk_weights) = weights.split_at(PLAIN);
    let (word_weights, rest) = plain_weights.split_at(WORDS);
    let (closeness_weights, last_weight) = rest.split_at(CLOSENESS);
    let add = |sum: f64, values: &[f64], weights: &[f64]| {
        let products = values.iter().zip(weights).map(|(x, w)| x * w);
        products.fold(sum, |sum, product| sum + product)
    };
    let mut sum = add(0.0, &words(member, situation), word_weights);
    if situation.incoming.embedding.is_some() {
        sum = add(sum, &closeness(member), closeness_weights);
    }
    sum = add(sum, &[is_last(line, member)], last_weight);
    if situation.chat_room {
        let (names, pairs) = talk_weights.split_at(TALK);
        let room = room_link::values(line, member.record, situation);
        sum + add(0.0, &talk(member.record, situation), names) + add(0.0, &room, pairs)
    } else {
        sum
    }
}

/// What every kind of conversation offers.
fn plain(line: &Line<'_>, member: &Member<'_>, situation: &Situation<'_>) -> [f64; PLAIN] {
    let mut values = [is_last(line, member); PLAIN];
    let (of_words, rest) = values.split_at_mut(WORDS);
    of_words.copy_from_slice(&words(member, situation));
    if let Some(of_vectors) = rest.get_mut(..CLOSENESS) {
        of_vectors.copy_from_slice(&closeness(member));
    }
    values
}

/// Shared terms, distance and speaker.
#[inline]
fn words(member: &Member<'_>, situation: &Situation<'_>) -> [f64; WORDS] {
    let distance = situation.distance(member.record);
    let same = situation.speaks(member.record);
    let known = member.shared_squares > 0.0;
    [
        member.shared / situation.weighed.total,
        if known {
            (member.shared_squares / 10.0).ln_1p()
        } else {
            0.0
        },
        f64::from(distance < 1.5),
        ln(distance),
        f64::from(same),
        f64::from(situation.named && !same),
    ]
}

/// Closeness of the embeddings; all 0 without any.
#[inline]
fn closeness(member: &Member<'_>) -> [f64; CLOSENESS] {
    [
        member.cosine,
        (member.cosine - 0.3).max(0.0),
        (member.cosine - 0.5).max(0.0),
        (member.cosine - 0.7).max(0.0),
        member.centred,
        (member.centred - 0.2).max(0.0),
        (member.centred - 0.45).max(0.0),
    ]
}

#[inline]
fn is_last(line: &Line<'_>, member: &Member<'_>) -> f64 {
    f64::from(line.last.id == member.record.id)
}

/// Who speaks to whom, and how long ago: for chat rooms.
fn talk(record: &MessageRecord, situation: &Situation<'_>) -> [f64; TALK] {
    let flag = |holds: bool| f64::from(holds);
    let same = situation.speaks(record);
    let minutes = situation.minutes_since(record).max(0.0);
    let target = record.addresses.addressee;
    let (addressed, to_addressee) = (
        situation.is_addressed_by(record),
        situation.is_addressee(record),
    );
    let (addressee, latest) = (situation.addressee(), situation.speaker_latest);
    [
        flag(to_addressee),
        flag(situation.mentions(record)),
        flag(addressed),
        flag(situation.is_mentioned_by(record)),
        flag(target.is_some() && target == addressee),
        flag(addressee.is_some() && !to_addressee && !same),
        flag(target.is_some() && !addressed && !same),
        flag(latest.is_some_and(|latest| latest > record.id)),
        flag(latest == Some(record.id)),
        flag(situation.is_latest_of_its_speaker(record)),
        flag(record.cues.asks && !same),
        minutes.ln_1p(),
        flag(minutes < 1.0),
        flag(minutes > 5.0),
        flag(same && situation.distance(record) < 1.5),
        flag(same && record.cues.asks),
    ]
}
