//! What a chat room tells of a link beyond names: pairs who talk, open questions, gaps.

use crate::MessageRecord;
use crate::continuity::features::Situation;
use crate::continuity::features::line::Line;

/// Number of values.
pub(super) const COUNT: usize = 34;

/// What all values of a link are made of.
#[allow(
    clippy::struct_excessive_bools,
    reason = "six independent observations"
)]
struct Link<'a> {
    situation: &'a Situation<'a>,
    record: &'a MessageRecord,
    same: bool,
    addressed: bool,
    to_addressee: bool,
    unaddressed: bool,
    /// Said by the one whom the speaker addressed last.
    partner: bool,
    /// Somebody else continued the line of work since.
    answered: bool,
    distance: f64,
    minutes: f64,
}

/// The values, in the order of the names in `link.rs`.
pub(super) fn values(
    line: &Line<'_>,
    record: &MessageRecord,
    situation: &Situation<'_>,
) -> [f64; COUNT] {
    let unaddressed = situation.addressee().is_none();
    let link = Link {
        situation,
        record,
        same: situation.speaks(record),
        addressed: situation.is_addressed_by(record),
        to_addressee: situation.is_addressee(record),
        unaddressed,
        partner: unaddressed && situation.partner == Some(record.addresses.speaker),
        answered: line.answers(record),
        distance: situation.distance(record),
        minutes: situation.minutes_since(record),
    };
    let mut values = [0.0; COUNT];
    let all = link.people().into_iter();
    let all = all.chain(link.questions()).chain(link.gaps());
    for (slot, value) in values.iter_mut().zip(all.chain(link.words())) {
        *slot = value;
    }
    values
}

fn flag(holds: bool) -> f64 {
    f64::from(holds)
}

impl Link<'_> {
    fn people(&self) -> [f64; 9] {
        let (situation, record) = (self.situation, self.record);
        let pending = self.addressed && situation.speaker_latest < Some(record.id);
        let latest = situation.addressee_latest == Some(record.id);
        let addresses = record.addresses.addressee.is_some();
        let log_minutes = self.minutes.ln_1p();
        [
            flag(pending),
            flag(self.partner),
            flag(!self.same && situation.is_partner_of(record)),
            flag(self.same) * self.distance.ln(),
            flag(self.same) * log_minutes,
            flag(self.same && self.unaddressed),
            flag(self.same && self.unaddressed && addresses),
            flag(self.to_addressee && latest),
            flag(self.to_addressee) * log_minutes,
        ]
    }

    fn questions(&self) -> [f64; 5] {
        let others = !self.same && self.record.cues.asks;
        let to_all = self.unaddressed && self.record.addresses.addressee.is_none();
        [
            flag(self.to_addressee && self.record.cues.asks),
            flag(self.to_addressee && self.addressed),
            flag(others && !self.answered),
            flag(!self.same && self.answered),
            flag(others && to_all),
        ]
    }

    fn gaps(&self) -> [f64; 8] {
        [
            flag(self.distance > 1.5 && self.distance < 2.5),
            flag(self.distance > 5.5),
            flag(self.distance > 12.5),
            flag(self.distance > 30.5),
            flag(self.minutes > 2.0),
            flag(self.minutes > 20.0),
            flag(self.minutes > 60.0),
            flag(self.previous() && self.unaddressed),
        ]
    }

    fn words(&self) -> [f64; 12] {
        let (situation, record) = (self.situation, self.record);
        let (cues, said) = (situation.incoming.cues, &record.cues);
        let target = record.addresses.addressee;
        let elsewhere = target.is_some() && !self.addressed && !self.same && !self.to_addressee;
        let addressee = situation.addressee();
        let mentioned = addressee.is_some_and(|name| record.addresses.mentioned.contains(&name));
        let partner = self.addressed || self.partner;
        [
            flag(cues.greeting && said.greeting),
            flag(cues.thanks && partner),
            flag(self.same && cues.asks && said.asks),
            flag(situation.names_together(record)),
            flag(mentioned),
            flag(elsewhere && target != addressee),
            flag(cues.reply && !self.same && said.asks),
            flag(self.previous()) * self.minutes.ln_1p(),
            flag(!self.same && !self.answered) * said.log_seeking(),
            flag(self.previous()) * cues.log_responding(),
            flag(partner) * cues.log_responding(),
            flag(self.same) * cues.log_seeking(),
        ]
    }

    /// Whether somebody else said it just before.
    fn previous(&self) -> bool {
        self.distance < 1.5 && !self.same
    }
}
