//! What a chat room tells of a line of work beyond names: who takes part, who waits, who is absent.

use crate::continuity::features::Situation;
use crate::continuity::features::line::Line;

/// Number of values.
pub(super) const COUNT: usize = 19;
/// Latest messages of a line of work that count as just said.
const RECENT: usize = 3;

/// The values, in the order of the names in `line.rs`; all 0 outside a chat room.
pub(super) fn values(line: &Line<'_>, situation: &Situation<'_>) -> [f64; COUNT] {
    if !situation.chat_room {
        return [0.0; COUNT];
    }
    let flag = |holds: bool| f64::from(holds);
    let cues = situation.incoming.cues;
    let (speakers, addressee) = (line.speakers(), situation.addressee());
    let mine = line
        .members
        .iter()
        .rev()
        .find(|member| situation.speaks(member.record));
    let here = mine.is_some();
    let addressee_here = line
        .members
        .iter()
        .any(|m| situation.is_addressee(m.record));
    let minutes = |record| situation.minutes_since(record).ln_1p();
    let recent = line.members.iter().rev().take(RECENT);
    let pending = line.members.iter().any(|member| {
        situation.is_addressed_by(member.record)
            && situation.speaker_latest < Some(member.record.id)
    });
    let partner = situation.partner.filter(|_| addressee.is_none());
    let first = situation.first_of(line.dcn);
    [
        flag(here && speakers == 2),
        flag(!here && !addressee_here && speakers > 1),
        flag(here && addressee_here),
        minutes(line.last),
        flag(
            recent
                .into_iter()
                .any(|member| situation.speaks(member.record)),
        ),
        flag(line.idle < 1.5 && addressee.is_none()),
        flag(cues.asks && !here),
        mine.map_or(0.0, |member| flag(cues.asks) * minutes(member.record)),
        flag(cues.greeting && !here),
        flag(addressee.is_some() && !addressee_here),
        flag(pending),
        flag(
            partner.is_some()
                && line
                    .members
                    .iter()
                    .any(|m| partner == Some(m.record.addresses.speaker)),
        ),
        flag(cues.everyone && !here),
        flag(first.is_some_and(|record| situation.speaks(record))),
        flag(first.is_some_and(|record| situation.is_addressee(record))),
        flag(cues.reply && here),
        flag(here) * cues.log_responding(),
        flag(!here && addressee.is_none()) * cues.log_seeking(),
        flag(!here && cues.second_person),
    ]
}
