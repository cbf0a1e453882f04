//! The terms of a message, weighed by rarity, and who among the candidates knows them.

use crate::continuity::Incoming;
use crate::continuity::features::line::Line;
use crate::terms::TermHash;
use crate::{History, MessageId};
use rustc_hash::FxHashMap;

/// Latest messages of a term that tell which lines of work know it.
const MESSAGES_PER_TERM: usize = 24;
/// Messages that the smoothed document frequency starts from.
const PRIOR_MESSAGES: f64 = 30.0;

/// Remainders that tell messages apart.
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
            if !knowing.contains(line) {
                knowing.push(*line);
            }
            let members = lines.get_mut(*line).map(|line| &mut line.members);
            if let Some(member) = members.and_then(|members| members.get_mut(*member)) {
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
    places: FxHashMap<MessageId, (usize, usize)>,
    /// One flag per remainder of a known message's position: most others are told apart by it.
    remainders: [bool; REMAINDERS],
}

impl Places {
    fn of_lines(lines: &[Line<'_>]) -> Self {
        let messages = lines.iter().map(|line| line.members.len()).sum();
        let mut places = FxHashMap::with_capacity_and_hasher(messages, rustc_hash::FxBuildHasher);
        let mut remainders = [false; REMAINDERS];
        for (line_index, line) in lines.iter().enumerate() {
            for (index, member) in line.members.iter().enumerate() {
                let id = member.record.id;
                places.insert(id, (line_index, index));
                if let Some(known) = remainders.get_mut(id.index() % REMAINDERS) {
                    *known = true;
                }
            }
        }
        Self { places, remainders }
    }

    fn of(&self, id: MessageId) -> Option<&(usize, usize)> {
        let known = self.remainders.get(id.index() % REMAINDERS) == Some(&true);
        known.then(|| self.places.get(&id)).flatten()
    }
}
