//! The weights of one look, laid out like the evidence.

use crate::continuity::features::{LineEvidence, LineValues, LinkValues, NewValues, names};
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
            link: weights.dense(&names::LINK),
            line: weights.dense(&names::LINE),
            new: weights.dense(&names::NEW),
            new_line_bias: weights.new_line_bias,
        }
    }

    /// The score of each link into a line of work.
    pub(super) fn links(&self, line: &LineEvidence) -> Vec<f64> {
        let shared = product(&line.values, &self.line);
        let links = line.links.iter();
        links
            .map(|(_, values)| shared + product(values, &self.link))
            .collect()
    }

    /// The score of a new line of work.
    pub(super) fn new_line(&self, values: &NewValues) -> f64 {
        product(values, &self.new) + self.new_line_bias
    }

    /// The evidence of a link that contributed most.
    pub(super) fn signals(&self, line: &LineEvidence, link: &LinkValues) -> Vec<Signal> {
        let of_link = names::LINK.iter().zip(link).zip(&self.link);
        let of_line = names::LINE.iter().zip(&line.values).zip(&self.line);
        let evidence = of_link
            .chain(of_line)
            .map(|((name, value), weight)| (*name, *value, *weight));
        strongest(evidence)
    }
}

/// What contributed most.
pub(super) fn strongest<'a>(evidence: impl Iterator<Item = (&'a str, f64, f64)>) -> Vec<Signal> {
    let mut signals: Vec<(&str, f64, f64)> = evidence
        .filter(|(_, value, weight)| value * weight != 0.0)
        .collect();
    signals.sort_by(|a, b| (b.1 * b.2).abs().total_cmp(&(a.1 * a.2).abs()));
    let strongest = signals.into_iter().take(KEPT_SIGNALS);
    strongest
        .map(|(name, value, weight)| Signal {
            name: name.to_owned(),
            value,
            weight,
        })
        .collect()
}

fn product<const N: usize>(values: &[f64; N], weights: &[f64; N]) -> f64 {
    values
        .iter()
        .zip(weights)
        .map(|(value, weight)| value * weight)
        .sum()
}
