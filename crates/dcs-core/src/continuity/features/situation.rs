//! A message, the history before it, and the candidates as the message sees them.

use crate::continuity::Incoming;
use crate::continuity::features::line::{Line, lines};
use crate::continuity::features::terms::{Weighed, share};
use crate::terms::TermHash;
use crate::{DcnId, History, MessageId, MessageRecord, age_hours};

/// Latest messages in which somebody may have addressed the speaker.
const ADDRESSED_WINDOW: usize = 64;
/// Latest messages of somebody that tell whom they talk to.
const PARTNER_WINDOW: usize = 4;

/// What evidence is drawn from.
pub(crate) struct Situation<'a> {
    pub(super) incoming: &'a Incoming<'a>,
    pub(super) history: &'a History,
    pub(super) weighed: Weighed,
    /// The candidates, most recently active first.
    pub(crate) lines: Vec<Line<'a>>,
    /// Whether the speaker is known.
    pub(super) named: bool,
    /// Whether to look at who speaks to whom.
    pub(super) chat_room: bool,
    /// The speaker's latest message.
    pub(super) speaker_latest: Option<MessageId>,
    /// The latest message of the one who is addressed.
    pub(super) addressee_latest: Option<MessageId>,
    /// Whom the speaker addressed last.
    pub(super) partner: Option<TermHash>,
    best: Best,
}

/// The best and the second best value over all lines, of what margins are taken of.
#[derive(Default)]
struct Best {
    cosine: [f64; 2],
    centred: [f64; 2],
    exclusive: [f64; 2],
}

impl<'a> Situation<'a> {
    /// The situation of a message; in a chat room it includes who speaks to whom.
    pub(crate) fn new(
        incoming: &'a Incoming<'a>,
        candidates: &[DcnId],
        history: &'a History,
        chat_room: bool,
    ) -> Self {
        let weighed = Weighed::new(incoming, history);
        let mut lines = lines(incoming, candidates, history);
        share(&mut lines, &weighed, history);
        let latest = |speaker: TermHash| history.spoken_by(speaker).last().copied();
        let speaker_latest = latest(incoming.addresses.speaker);
        Self {
            partner: speaker_latest.and_then(|id| partner(history, id)),
            named: !incoming.speaker.is_empty(),
            speaker_latest,
            addressee_latest: incoming.addresses.addressee.and_then(latest),
            best: Best::of(&lines),
            incoming,
            history,
            weighed,
            lines,
            chat_room,
        }
    }

    /// Whether the speaker of the message said an earlier one too.
    #[inline]
    pub(super) fn speaks(&self, record: &MessageRecord) -> bool {
        self.named && record.addresses.speaker == self.incoming.addresses.speaker
    }

    pub(super) fn addressee(&self) -> Option<TermHash> {
        self.incoming.addresses.addressee
    }

    pub(super) fn is_addressee(&self, record: &MessageRecord) -> bool {
        self.addressee() == Some(record.addresses.speaker)
    }

    pub(super) fn mentions(&self, record: &MessageRecord) -> bool {
        let mentioned = &self.incoming.addresses.mentioned;
        mentioned.contains(&record.addresses.speaker)
    }

    pub(super) fn is_addressed_by(&self, record: &MessageRecord) -> bool {
        record.addresses.addressee == Some(self.incoming.addresses.speaker)
    }

    pub(super) fn is_mentioned_by(&self, record: &MessageRecord) -> bool {
        let mentioned = &record.addresses.mentioned;
        mentioned.contains(&self.incoming.addresses.speaker)
    }

    pub(super) fn is_latest_of_its_speaker(&self, record: &MessageRecord) -> bool {
        let said = self.history.spoken_by(record.addresses.speaker);
        said.last() == Some(&record.id)
    }

    /// Whether the speaker of an earlier message last addressed the speaker of this one.
    pub(super) fn is_partner_of(&self, record: &MessageRecord) -> bool {
        let said = self.history.spoken_by(record.addresses.speaker).last();
        let partner = said.and_then(|id| partner(self.history, *id));
        partner == Some(self.incoming.addresses.speaker)
    }

    /// Whether both speak to or name somebody who said neither.
    pub(super) fn names_together(&self, record: &MessageRecord) -> bool {
        let named = |name: &TermHash| {
            *name != record.addresses.speaker
                && (record.addresses.addressee == Some(*name)
                    || record.addresses.mentioned.contains(name))
        };
        let addresses = self.incoming.addresses;
        addresses
            .addressee
            .iter()
            .chain(&addresses.mentioned)
            .any(named)
    }

    /// The first message of a line of work.
    pub(super) fn first_of(&self, dcn: DcnId) -> Option<&MessageRecord> {
        let first = self.history.members(dcn).first()?;
        self.history.message(*first)
    }

    /// Whether a message belongs to a line of work.
    pub(super) fn is_in(&self, id: MessageId, dcn: DcnId) -> bool {
        let message = self.history.message(id);
        message.is_some_and(|message| message.key.dcns.contains(&dcn))
    }

    /// Messages back to an earlier one, at least 1.
    #[inline]
    pub(super) fn distance(&self, record: &MessageRecord) -> f64 {
        (self.history.len() as f64 - record.id.position() as f64).max(1.0)
    }

    /// Minutes since an earlier message, 0 when the clock ran backwards.
    pub(super) fn minutes_since(&self, record: &MessageRecord) -> f64 {
        age_hours(record.at, self.incoming.at).max(0.0) * 60.0
    }

    /// Messages since somebody addressed the speaker, at most [`ADDRESSED_WINDOW`].
    pub(super) fn distance_since_addressed(&self) -> f64 {
        let latest = self.history.latest(ADDRESSED_WINDOW).iter().rev();
        let since = latest.take_while(|record| !self.is_addressed_by(record));
        (since.count() + 1).min(ADDRESSED_WINDOW) as f64
    }

    /// ln(1 + number of terms).
    pub(super) fn log_terms(&self) -> f64 {
        (self.weighed.len() as f64).ln_1p()
    }

    /// How far a line of work is ahead of the best other one, or of 0 without a better: cosine,
    /// centred cosine, exclusive terms.
    pub(super) fn margins(&self, line: &Line<'_>) -> [f64; 3] {
        [
            margin(line.cosine_max, self.best.cosine),
            margin(line.centred_max, self.best.centred),
            margin(line.exclusive, self.best.exclusive),
        ]
    }
}

impl Best {
    fn of(lines: &[Line<'_>]) -> Self {
        let mut best = Self::default();
        for line in lines {
            raise(&mut best.cosine, line.cosine_max);
            raise(&mut best.centred, line.centred_max);
            raise(&mut best.exclusive, line.exclusive);
        }
        best
    }
}

/// Whom the speaker of a message addressed last, among the latest messages of that speaker.
fn partner(history: &History, latest: MessageId) -> Option<TermHash> {
    let record = history.message(latest)?;
    let said = history.spoken_by(record.addresses.speaker).iter().rev();
    let mut said = said
        .take(PARTNER_WINDOW)
        .filter_map(|id| history.message(*id));
    said.find_map(|record| record.addresses.addressee)
}

fn raise(best: &mut [f64; 2], value: f64) {
    let [first, second] = best;
    if value > *first {
        (*first, *second) = (value, *first);
    } else {
        *second = second.max(value);
    }
}

/// A value less the best of the others.
fn margin(value: f64, [first, second]: [f64; 2]) -> f64 {
    value - if value >= first { second } else { first }
}
