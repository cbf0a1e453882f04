//! The weights of one look, laid out like the evidence.

use crate::continuity::features::line::{self, Line, Member};
use crate::continuity::features::{
    FirstLook, LineValues, LinkValues, NewValues, Situation, link, new_line, stage,
};
use crate::continuity::{Signal, StageWeights};

/// Strongest signals that an explanation keeps.
const KEPT_SIGNALS: usize = 6;

#[derive(Debug, Clone)]
pub(super) struct Stage {
    link: LinkValues,
    line: LineValues,
    new: NewValues,
    new_line_bias: f64,
}

impl Stage {
    pub(super) fn new(weights: &StageWeights) -> Self {
        Self {
            link: weights.dense(&link::NAMES),
            line: weights.dense(&line::NAMES),
            new: weights.dense(&new_line::NAMES),
            new_line_bias: weights.new_line_bias,
        }
    }

    /// The score of each link into a line of work.
    pub(super) fn links(
        &self,
        line: &Line<'_>,
        situation: &Situation<'_>,
        first: FirstLook<'_>,
    ) -> impl Iterator<Item = f64> {
        let values = line::values(line, situation, stage(first, Some(line.dcn)));
        let shared = product(&values, &self.line);
        let members = line.members.iter();
        members.map(move |member| shared + link::score(line, member, situation, &self.link))
    }

    /// The score of a new line of work.
    pub(super) fn new_line(&self, situation: &Situation<'_>, first: FirstLook<'_>) -> f64 {
        let values = new_line::values(situation, stage(first, None));
        product(&values, &self.new) + self.new_line_bias
    }

    /// The evidence of a link that contributed most.
    pub(super) fn signals(
        &self,
        (line, member): (&Line<'_>, &Member<'_>),
        situation: &Situation<'_>,
        first: FirstLook<'_>,
    ) -> Vec<Signal> {
        let of_link = link::values(line, member, situation);
        let of_line = line::values(line, situation, stage(first, Some(line.dcn)));
        let of_link = link::NAMES.iter().zip(of_link).zip(&self.link);
        let of_line = line::NAMES.iter().zip(of_line).zip(&self.line);
        let all = of_link.chain(of_line);
        strongest(all.map(|((name, value), weight)| (*name, value, *weight)))
    }
}

/// What contributed most, of equal ones the first.
pub(super) fn strongest(evidence: impl Iterator<Item = (&'static str, f64, f64)>) -> Vec<Signal> {
    let mut kept = [("", 0.0, 0.0); KEPT_SIGNALS];
    let size = |(_, value, weight): &(&str, f64, f64)| (value * weight).abs();
    let mut least = 0.0;
    for one in evidence {
        if size(&one) > least {
            let place = kept.partition_point(|other| size(other) >= size(&one));
            if let Some(behind) = kept.get_mut(place..) {
                behind.rotate_right(1);
            }
            if let Some(slot) = kept.get_mut(place) {
                *slot = one;
            }
            least = kept.last().map_or(0.0, size);
        }
    }
    let known = kept.into_iter().filter(|one| size(one) > 0.0);
    let mut signals = Vec::with_capacity(KEPT_SIGNALS);
    signals.extend(known.map(|(name, value, weight)| Signal {
        name: name.into(),
        value,
        weight,
    }));
    signals
}

fn product<const N: usize>(values: &[f64; N], weights: &[f64; N]) -> f64 {
    values
        .iter()
        .zip(weights)
        .map(|(value, weight)| value * weight)
        .sum()
}
