//! What speaks for a new line of work.

use crate::continuity::features::Situation;
use crate::continuity::features::line::Line;
use crate::continuity::features::room_new;

/// Names of what is seen.
pub(crate) const NAMES: [&str; 53] = [
    "new",
    "new_asks",
    "new_question",
    "new_anaphora",
    "new_reply",
    "new_greeting",
    "new_thanks",
    "new_short",
    "new_words",
    "new_content",
    "new_candidates",
    "new_other_speaker",
    "new_novelty",
    "new_position",
    "new_coverage",
    "new_exclusive",
    "new_cosine",
    "new_centred",
    "new_centred_mean",
    "new_cosine_40",
    "new_cosine_excess",
    "new_background",
    "new_previous_cosine",
    "new_addressed",
    "new_unknown_speaker",
    "new_speaker_distance",
    "new_speaker_previous",
    "new_speaker_addressed",
    "new_addressee_missing",
    "new_asks_unaddressed",
    "new_asks_unknown_speaker",
    "new_minutes",
    "new_greeting_unaddressed",
    "new_speaker_minutes",
    "new_speaker_away",
    "new_asks_speaker_minutes",
    "new_pending",
    "new_asks_pending",
    "new_mentions",
    "new_everyone",
    "new_asks_words",
    "new_unaddressed_words",
    "new_addressee_minutes",
    "new_unknown_speaker_words",
    "new_partner",
    "new_short_known",
    "new_page_address",
    "new_seeking",
    "new_responding",
    "new_seeking_unaddressed",
    "new_seeking_minutes",
    "new_second_person",
    "new_first_stage",
];

/// Distance that stands for a speaker who has said nothing.
const UNKNOWN_DISTANCE: f64 = 500.0;

/// What is seen, in the order of [`NAMES`]; the first look's score is last.
pub(crate) fn values(situation: &Situation<'_>, stage: f64) -> [f64; NAMES.len()] {
    let cues = situation.incoming.cues;
    let lines = &situation.lines;
    let best = |value: &dyn Fn(&Line<'_>) -> f64| lines.iter().map(value).fold(0.0, f64::max);
    let cosine = best(&|line| line.cosine_max);
    let background = background(lines);
    let previous = lines.iter().find(|line| line.idle < 1.5);
    let history = situation.history;
    let other = history
        .latest(1)
        .first()
        .is_some_and(|last| situation.named && !situation.speaks(last));
    let mut values = [0.0; NAMES.len()];
    let plain = [
        1.0,
        f64::from(cues.asks),
        f64::from(cues.question),
        f64::from(cues.anaphora),
        f64::from(cues.reply),
        f64::from(cues.greeting),
        f64::from(cues.thanks),
        f64::from(cues.short),
        cues.log_words() / 3.0,
        situation.log_terms() / 2.0,
        (lines.len() as f64).ln_1p(),
        f64::from(other),
        situation.weighed.novelty,
        (history.len().min(64) as f64).ln_1p() / 4.0,
        best(&|line| line.coverage),
        best(&|line| line.exclusive),
        cosine,
        best(&|line| line.centred_max),
        best(&|line| line.centred_mean),
        (cosine - 0.4).max(0.0),
        cosine - background,
        background,
        previous.map_or(0.0, |line| line.cosine_max),
    ];
    let talk = situation.chat_room.then(|| talk(situation));
    let room = situation.chat_room.then(|| room_new::values(situation));
    let all = plain.into_iter().chain(talk.into_iter().flatten());
    let all = all.chain(room.into_iter().flatten());
    for (slot, value) in values.iter_mut().zip(all) {
        *slot = value;
    }
    if let Some(last) = values.last_mut() {
        *last = stage;
    }
    values
}

/// What a chat room tells: who is addressed, and when the speaker last took part.
fn talk(situation: &Situation<'_>) -> [f64; 9] {
    let asks = situation.incoming.cues.asks;
    let addressed = situation.addressee().is_some();
    let latest = situation.speaker_latest;
    let latest = latest.and_then(|id| situation.history.message(id));
    let distance = latest.map_or(UNKNOWN_DISTANCE, |record| situation.distance(record));
    let before = situation.history.latest(1).first();
    let minutes = before.map_or(0.0, |record| situation.minutes_since(record).max(0.0));
    [
        f64::from(addressed),
        f64::from(latest.is_none()),
        distance.ln(),
        f64::from(before.is_some_and(|record| situation.speaks(record))),
        situation.distance_since_addressed().ln_1p(),
        f64::from(situation.incoming.addresses.addresses_unknown),
        f64::from(asks && !addressed),
        f64::from(asks && latest.is_none()),
        minutes.ln_1p(),
    ]
}

/// Mean cosine of the message with all messages it may link to.
fn background(lines: &[Line<'_>]) -> f64 {
    let cosines = lines
        .iter()
        .flat_map(|line| &line.members)
        .map(|m| m.cosine);
    let (sum, count) = cosines.fold((0.0, 0_u32), |(sum, count), cosine| {
        (sum + cosine, count + 1)
    });
    sum / f64::from(count.max(1))
}
