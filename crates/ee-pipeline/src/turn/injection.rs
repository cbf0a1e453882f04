//! Layer 3, transient injection: text that is seen once and kept nowhere.

use super::escape;
use super::tokens::TokenEstimator;

/// Looked-up text on its way into one prompt.
///
/// It can be neither copied nor read: the only thing to do with it is to have the frame of the
/// second call written from it. No function of the history, the store or ingestion takes it, and
/// no string comes out of it.
///
/// ```compile_fail
/// fn keep(text: ee_pipeline::TransientText) -> String {
///     text.to_string()
/// }
/// ```
/// ```compile_fail
/// fn twice(text: &ee_pipeline::TransientText) -> ee_pipeline::TransientText {
///     text.clone()
/// }
/// ```
pub struct TransientText {
    text: String,
}

impl TransientText {
    pub(in crate::turn) fn new(text: String) -> Self {
        Self { text }
    }

    /// The text, escaped for the frame.
    pub(in crate::turn) fn escaped(&self) -> String {
        escape::xml(&self.text)
    }

    /// The text as the evidence of one call, which lives no longer than the call.
    pub(in crate::turn) fn expose_to_session(&self) -> String {
        self.text.clone()
    }

    /// Tokens of the text.
    pub(in crate::turn) fn tokens(&self, estimator: &dyn TokenEstimator) -> usize {
        estimator.estimate(&self.text)
    }
}

impl std::fmt::Debug for TransientText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TransientText({} bytes)", self.text.len())
    }
}

/// An elected unit on its way into the second call.
#[derive(Debug)]
pub(crate) struct Injected {
    pub(crate) rank: usize,
    pub(crate) unit: km_core::UnitId,
    pub(crate) citation: String,
    pub(crate) title: Option<String>,
    pub(crate) relevance: f32,
    pub(crate) text: TransientText,
}

/// What fits a budget, and the ranks of what does not.
#[derive(Debug, Default)]
pub(crate) struct Injection {
    pub(crate) units: Vec<Injected>,
    pub(crate) unfit: Vec<usize>,
}

impl Injection {
    /// Takes units in the order given while they fit `max_tokens` in all. A unit that does not
    /// fit is passed over; a smaller one after it may still be taken.
    pub(crate) fn within(
        units: Vec<Injected>,
        max_tokens: usize,
        estimator: &dyn TokenEstimator,
    ) -> Self {
        let mut injection = Self::default();
        let mut left = max_tokens;
        for unit in units {
            let tokens = unit.text.tokens(estimator);
            if tokens <= left {
                left -= tokens;
                injection.units.push(unit);
            } else {
                injection.unfit.push(unit.rank);
            }
        }
        injection
    }
}
