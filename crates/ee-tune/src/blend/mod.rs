//! Fitting the precision pipeline to labelled questions, and measuring what was fitted on others.

mod calibrate;
mod fit;
mod labelled;
mod logistic;

pub(crate) use calibrate::score_minimum;
pub use calibrate::{Fitted, MinimumScore, fit};
pub(crate) use fit::fit_blend;
pub use labelled::Labelled;
pub(crate) use labelled::fold_by;
