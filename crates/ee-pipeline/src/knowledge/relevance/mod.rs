//! How likely a unit is to answer the question: a logistic model over four features.
//!
//! The features compare a candidate with what else could be offered, because a similarity says
//! little by itself: how far it stands out from the question's neighbourhood ([`centred`]), how
//! much of the question's rare words it covers and how far it leads in that ([`coverage`]), and a
//! floor of plain similarity. The default weights were fitted by logistic regression on the
//! labelled questions under `fixtures/`, each asked with and without its answers in the store.

mod centred;
mod coverage;

use serde::{Deserialize, Serialize};

use crate::PipelineError;
use crate::logistic::logistic;
pub(super) use centred::Neighbourhood;
pub(super) use coverage::Coverage;

/// Weights and bounds of the relevance estimate,
/// `logistic(intercept + centred·x₁ + coverage·x₂ + coverage_lead·x₃ + cosine_floor·x₄)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RelevanceConfig {
    /// The constant term.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "-20..0 log-odds linear")))]
    pub intercept: f64,
    /// Weight of the cosine between question and unit after the mean of the question's nearest
    /// other units is taken off both.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..20 log-odds linear")))]
    pub centred: f64,
    /// Weight of the share of the question's terms that the unit covers, rare ones counting more.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..10 log-odds linear")))]
    pub coverage: f64,
    /// Weight of the lead of that share over the best other unit offered.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..10 log-odds linear")))]
    pub coverage_lead: f64,
    /// Weight of the cosine, which counts up to `cosine_cap` only.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..50 log-odds linear")))]
    pub cosine_floor: f64,
    /// Where the plain cosine stops to count.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0.05..0.8 cosine linear")))]
    pub cosine_cap: f64,
    /// How many of the question's nearest units make its neighbourhood, at least 1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "1..20 units logarithmic")))]
    pub neighbours: usize,
    /// How many units are taken as offered when leads are measured, at least 1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "1..10 units linear")))]
    pub offered: usize,
    /// How many hits are estimated, at least `offered`; those further down count as 0.
    pub depth: usize,
}

impl Default for RelevanceConfig {
    fn default() -> Self {
        Self {
            intercept: -10.165,
            centred: 8.496,
            coverage: 2.033,
            coverage_lead: 2.870,
            cosine_floor: 20.934,
            cosine_cap: 0.3,
            neighbours: 5,
            offered: 5,
            depth: 20,
        }
    }
}

/// What the estimate rests on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct RelevanceFeatures {
    /// Centred cosine, −1 to 1.
    pub(super) centred: f32,
    /// Covered share of the question's terms, 0–1.
    pub(super) coverage: f32,
    /// Lead of that share over the best other unit offered, −1 to 1.
    pub(super) coverage_lead: f32,
    /// Cosine, −1 to 1.
    pub(super) cosine: f32,
}

impl RelevanceConfig {
    /// The estimated probability, 0–1.
    pub(super) fn estimate(&self, features: &RelevanceFeatures) -> f32 {
        let [centred, coverage, coverage_lead, cosine] = [
            features.centred,
            features.coverage,
            features.coverage_lead,
            features.cosine,
        ]
        .map(f64::from);
        let sum = self.intercept
            + self.centred * centred
            + self.coverage * coverage
            + self.coverage_lead * coverage_lead
            + self.cosine_floor * cosine.min(self.cosine_cap);
        logistic(sum) as f32
    }

    /// Checks every setting.
    pub(crate) fn validate(&self) -> Result<(), PipelineError> {
        let weights = [
            ("search.relevance.intercept", self.intercept),
            ("search.relevance.centred", self.centred),
            ("search.relevance.coverage", self.coverage),
            ("search.relevance.coverage_lead", self.coverage_lead),
            ("search.relevance.cosine_floor", self.cosine_floor),
            ("search.relevance.cosine_cap", self.cosine_cap),
        ];
        let wrong = |setting, expected, found: String| {
            Err(PipelineError::Setting {
                setting,
                expected,
                found,
            })
        };
        if let Some((setting, weight)) = weights.iter().find(|(_, weight)| !weight.is_finite()) {
            return wrong(setting, "a finite number", weight.to_string());
        }
        if self.neighbours == 0 {
            return wrong("search.relevance.neighbours", "at least 1", "0".to_owned());
        }
        if self.offered == 0 {
            return wrong("search.relevance.offered", "at least 1", "0".to_owned());
        }
        if self.depth < self.offered {
            let expected = "at least search.relevance.offered";
            return wrong("search.relevance.depth", expected, self.depth.to_string());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Features and the probability that the fitted model gave for them.
    #[test]
    fn the_default_weights_give_the_fitted_probabilities() {
        let cases = [
            ([0.1526, 1.0, 0.0, 0.1067], 0.0099),
            ([0.6649, 0.6057, 0.4136, 0.3], 0.985),
            ([0.2101, 0.1921, -0.4136, 0.2704], 0.0288),
            ([0.3024, 0.1974, 0.0, 0.2704], 0.1774),
            ([0.4699, 0.3449, 0.0, 0.3], 0.6918),
        ];
        for ([centred, coverage, coverage_lead, cosine], expected) in cases {
            let features = RelevanceFeatures {
                centred,
                coverage,
                coverage_lead,
                cosine,
            };
            let found = RelevanceConfig::default().estimate(&features);
            assert!(
                (found - expected).abs() < 0.005,
                "{features:?}: {found}, not {expected}"
            );
        }
    }

    proptest! {
        #[test]
        fn it_is_a_probability_that_grows_with_each_feature(
            values in prop::array::uniform4(-1.0_f32..1.0),
            more in 0.0_f32..1.0,
        ) {
            let of = |values: [f32; 4]| {
                let [centred, coverage, coverage_lead, cosine] = values;
                let features = RelevanceFeatures { centred, coverage, coverage_lead, cosine };
                RelevanceConfig::default().estimate(&features)
            };
            let base = of(values);
            prop_assert!((0.0..=1.0).contains(&base));
            for place in 0..4 {
                let mut raised = values;
                raised[place] += more;
                prop_assert!(of(raised) >= base);
            }
        }
    }
}
