//! What a chat room tells of a new line of work beyond names: greetings, calls to all, absence.

use crate::continuity::features::Situation;

/// Number of values.
pub(super) const COUNT: usize = 20;
/// Minutes that stand for somebody who has said nothing.
const UNKNOWN_MINUTES: f64 = 500.0;
/// Minutes after which somebody counts as having been away.
const AWAY_MINUTES: f64 = 30.0;

/// The values, in the order of the names in `new_line.rs`.
pub(super) fn values(situation: &Situation<'_>) -> [f64; COUNT] {
    let flag = |holds: bool| f64::from(holds);
    let cues = situation.incoming.cues;
    let unaddressed = situation.addressee().is_none();
    let since = |id| {
        let record = situation.history.message(id)?;
        Some(situation.minutes_since(record))
    };
    let speaker = situation.speaker_latest.and_then(since);
    let minutes = speaker.unwrap_or(UNKNOWN_MINUTES);
    let addressee = situation.addressee_latest.and_then(since);
    let pending = situation
        .lines
        .iter()
        .flat_map(|line| &line.members)
        .any(|member| {
            situation.is_addressed_by(member.record)
                && situation.speaker_latest < Some(member.record.id)
        });
    [
        flag(cues.greeting && unaddressed),
        minutes.ln_1p(),
        flag(minutes > AWAY_MINUTES),
        flag(cues.asks) * minutes.ln_1p(),
        flag(pending),
        flag(pending && cues.asks),
        flag(!situation.incoming.addresses.mentioned.is_empty()),
        flag(cues.everyone),
        flag(cues.asks) * cues.log_words() / 3.0,
        flag(unaddressed) * cues.log_words() / 3.0,
        addressee.map_or(0.0, f64::ln_1p),
        flag(speaker.is_none()) * cues.log_words() / 3.0,
        flag(situation.partner.is_some() && unaddressed),
        flag(cues.short && speaker.is_some()),
        flag(cues.page_address),
        cues.log_seeking(),
        cues.log_responding(),
        flag(unaddressed) * cues.log_seeking(),
        minutes.ln_1p() * cues.log_seeking(),
        flag(cues.second_person),
    ]
}
