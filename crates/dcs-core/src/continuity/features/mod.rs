//! The evidence that ties a message to earlier ones, as numbers.
//!
//! A row stands for one possible link: the message continues the line of work of one earlier
//! message. It has what is seen of the link ([`link`]) and of the line of work ([`line`]). One
//! further row stands for a new line of work ([`new_line`]).

pub(crate) mod line;
pub(crate) mod link;
mod logarithms;
pub(crate) mod new_line;
mod room_line;
mod room_link;
mod room_new;
mod situation;
mod terms;

use std::sync::LazyLock;

use crate::{DcnId, MessageId};

pub(crate) use situation::Situation;

/// Names of all evidence: that of a link, of a line of work, and of a new line of work.
pub(crate) static FEATURES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| [&link::NAMES[..], &line::NAMES, &new_line::NAMES].concat());

/// What is seen of a link.
pub(crate) type LinkValues = [f64; link::NAMES.len()];
/// What is seen of a line of work.
pub(crate) type LineValues = [f64; line::NAMES.len()];
/// What speaks for a new line of work.
pub(crate) type NewValues = [f64; new_line::NAMES.len()];

/// The evidence for a message.
#[derive(Debug, Clone)]
pub(crate) struct Evidence {
    pub(crate) lines: Vec<LineEvidence>,
    pub(crate) new: NewValues,
}

/// The evidence for one line of work.
#[derive(Debug, Clone)]
pub(crate) struct LineEvidence {
    pub(crate) dcn: DcnId,
    pub(crate) values: LineValues,
    pub(crate) links: Vec<(MessageId, LinkValues)>,
}

/// The score of each line of work, and of a new one, at the first look.
pub(crate) type FirstLook<'a> = Option<&'a dyn Fn(Option<DcnId>) -> f64>;

/// What the first look said of a line of work or a new one: ln of its score, 0 without a first
/// look.
pub(crate) fn stage(first: FirstLook<'_>, dcn: Option<DcnId>) -> f64 {
    first.map_or(0.0, |score| score(dcn).max(1e-4).ln())
}

impl Evidence {
    /// All evidence of a situation; `first` is there on the second look at an exchange.
    pub(crate) fn new(situation: &Situation<'_>, first: FirstLook<'_>) -> Self {
        let lines = situation.lines.iter().map(|line| LineEvidence {
            dcn: line.dcn,
            values: line::values(line, situation, stage(first, Some(line.dcn))),
            links: line
                .members
                .iter()
                .map(|member| (member.record.id, link::values(line, member, situation)))
                .collect(),
        });
        Self {
            lines: lines.collect(),
            new: new_line::values(situation, stage(first, None)),
        }
    }
}
