//! Tree-structured Parzen estimators, by the crate `tpe`, one for each parameter.

use ::tpe::{
    TpeOptimizer, TpeOptimizerBuilder, categorical_range, histogram_estimator, parzen_estimator,
    range,
};

use super::SearchError;
use super::draws::Draws;
use crate::space::{Parameter, Point, SearchSpace};

/// The share of observations that count as good.
const GOOD_SHARE: f64 = 0.1;

/// Candidates drawn for each parameter.
const CANDIDATES: usize = 24;

/// The most that a place may be: ranges are open at their end.
const END: f64 = 1.0 - 1e-9;

/// The most promising point, given points and their losses.
pub(super) fn propose(
    space: &SearchSpace,
    points: &[&Point],
    losses: &[f64],
    draws: &mut Draws,
) -> Result<Point, SearchError> {
    let mut point = Point::with_capacity(space.len());
    for (at, parameter) in space.parameters().iter().enumerate() {
        let mut optimiser = optimiser(parameter)?;
        let choices = parameter.choices();
        for (known, loss) in points.iter().zip(losses) {
            let place = known.get(at).copied().unwrap_or(0.5).clamp(0.0, END);
            optimiser
                .tell(of_place(place, choices), *loss)
                .map_err(optimiser_error)?;
        }
        let asked = optimiser.ask(draws).map_err(optimiser_error)?;
        point.push(to_place(asked, choices));
    }
    Ok(point)
}

fn optimiser(parameter: &Parameter) -> Result<TpeOptimizer, SearchError> {
    let mut builder = TpeOptimizerBuilder::new();
    builder.gamma(GOOD_SHARE).candidates(CANDIDATES);
    let built = if let Some(choices) = parameter.choices() {
        let range = categorical_range(choices).map_err(optimiser_error)?;
        builder.build(histogram_estimator(), range)
    } else {
        let range = range(0.0, 1.0).map_err(optimiser_error)?;
        builder.build(parzen_estimator(), range)
    };
    built.map_err(optimiser_error)
}

/// A choice is known to the optimiser by its index.
fn of_place(place: f64, choices: Option<usize>) -> f64 {
    choices.map_or(place, |choices| (place * choices as f64).floor())
}

fn to_place(value: f64, choices: Option<usize>) -> f64 {
    choices.map_or(value, |choices| (value + 0.5) / choices as f64)
}

fn optimiser_error(error: impl std::fmt::Display) -> SearchError {
    SearchError::Optimiser(error.to_string())
}
