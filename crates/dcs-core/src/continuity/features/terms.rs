//! The terms of a message, weighed by rarity, and who among the candidates knows them.

use crate::continuity::Incoming;
use crate::continuity::features::line::Line;
use crate::terms::TermHash;
use crate::{History, MessageId};

/// Latest messages of a term that tell which lines of work know it.
const MESSAGES_PER_TERM: usize = 24;
/// Messages that the smoothed document frequency starts from.
const PRIOR_MESSAGES: f64 = 30.0;

/// Remainders of positions by which messages are looked up.
const REMAINDERS: usize = 1024;

/// The terms of a message with their weights.
pub(super) struct Weighed {
    content: Vec<(TermHash, f64)>,
    /// Sum of the weights, a little above 0 without any.
    pub(super) total: f64,
    /// Share of the weight that no earlier message knows.
    pub(super) novelty: f64,
}

impl Weighed {
    /// Weighs terms by rarity: ln((n + 30) / (df + 0.3)), at least 0.
    pub(super) fn new(incoming: &Incoming<'_>, history: &History) -> Self {
        let messages = history.len() as f64 + PRIOR_MESSAGES;
        let (mut total, mut unseen) = (1e-9, 0.0);
        let content = incoming.terms.iter().map(|term| {
            let seen = history.with_term(term).len() as f64;
            let weight = (messages / (seen + 0.3)).ln().max(0.0);
            total += weight;
            if seen < 1.0 {
                unseen += weight;
            }
            (term, weight)
        });
        let content = content.collect();
        Self {
            content,
            total,
            novelty: unseen / total,
        }
    }

    /// Number of terms.
    pub(super) fn len(&self) -> usize {
        self.content.len()
    }
}

/// Notes, per message and line of work, which of the terms it knows.
pub(super) fn share(lines: &mut [Line<'_>], weighed: &Weighed, history: &History) {
    let places = Places::of_lines(lines);
    let mut knowing: Vec<usize> = Vec::new();
    for (term, weight) in &weighed.content {
        knowing.clear();
        let latest = history.with_term(*term).iter().rev();
        for (line, member) in latest
            .take(MESSAGES_PER_TERM)
            .filter_map(|id| places.of(*id))
        {
            if !knowing.contains(&line) {
                knowing.push(line);
            }
            let members = lines.get_mut(line).map(|line| &mut line.members);
            if let Some(member) = members.and_then(|members| members.get_mut(member)) {
                member.shared += weight;
                member.shared_squares += weight * weight;
            }
        }
        let exclusive = weight / knowing.len() as f64;
        for line in &knowing {
            if let Some(line) = lines.get_mut(*line) {
                line.coverage += weight / weighed.total;
                line.exclusive += exclusive / weighed.total;
            }
        }
    }
}

/// Where each message of the lines stands: which line, which member.
struct Places {
    /// By remainder of the position: the number of the latest place with it, from 1.
    heads: [u16; REMAINDERS],
    places: Vec<Place>,
}

struct Place {
    id: MessageId,
    line: usize,
    member: usize,
    /// The number of the place before with the same remainder, 0 without any.
    before: u16,
}

impl Places {
    fn of_lines(lines: &[Line<'_>]) -> Self {
        let messages = lines.iter().map(|line| line.members.len()).sum();
        let mut places = Self {
            heads: [0; REMAINDERS],
            places: Vec::with_capacity(messages),
        };
        for (line_index, line) in lines.iter().enumerate() {
            for (index, member) in line.members.iter().enumerate() {
                places.add(member.record.id, line_index, index);
            }
        }
        places
    }

    fn add(&mut self, id: MessageId, line: usize, member: usize) {
        let number = u16::try_from(self.places.len() + 1);
        let head = self.heads.get_mut(id.index() % REMAINDERS);
        if let (Ok(number), Some(head)) = (number, head) {
            self.places.push(Place {
                id,
                line,
                member,
                before: *head,
            });
            *head = number;
        }
    }

    /// The line and the member of a message.
    #[inline]
    fn of(&self, id: MessageId) -> Option<(usize, usize)> {
        let mut number = *self.heads.get(id.index() % REMAINDERS)?;
        loop {
            let place = self.places.get(usize::from(number).checked_sub(1)?)?;
            if place.id == id {
                return Some((place.line, place.member));
            }
            number = place.before;
        }
    }
}
