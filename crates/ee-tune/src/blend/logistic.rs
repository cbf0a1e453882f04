//! Logistic regression by Newton's method (iteratively reweighted least squares; Hastie,
//! Tibshirani and Friedman, "The Elements of Statistical Learning", section 4.4.1), with a ridge.

use crate::cholesky::{Cholesky, Triangle, dot};

/// The ridge on weights of standardised features; it keeps separable data from running away.
const RIDGE: f64 = 1.0;

/// Rounds of Newton's method; it converges in far fewer.
const ROUNDS: usize = 50;

/// Below this the weights stand.
const STILL: f64 = 1e-9;

/// The intercept and one weight per feature. Features that never vary get the weight 0.
pub(super) fn fit<const N: usize>(rows: &[[f64; N]], labels: &[bool]) -> (f64, [f64; N]) {
    let scale = Scale::of(rows);
    let design: Vec<Vec<f64>> = rows.iter().map(|row| scale.apply(row)).collect();
    let mut weights = vec![0.0; N + 1];
    for _ in 0..ROUNDS {
        let step = newton_step(&design, labels, &weights);
        for (weight, step) in weights.iter_mut().zip(&step) {
            *weight += step;
        }
        if step.iter().all(|step| step.abs() < STILL) {
            break;
        }
    }
    scale.undo(&weights)
}

fn newton_step(design: &[Vec<f64>], labels: &[bool], weights: &[f64]) -> Vec<f64> {
    let size = weights.len();
    let mut hessian: Triangle = (0..size).map(|row| vec![0.0; row + 1]).collect();
    let mut gradient = vec![0.0; size];
    for (place, (weight, row)) in weights.iter().zip(&mut hessian).enumerate() {
        // The intercept, which comes first, is free.
        let ridge = if place == 0 { 1e-9 } else { RIDGE };
        if let (Some(diagonal), Some(slope)) = (row.last_mut(), gradient.get_mut(place)) {
            *diagonal = ridge;
            *slope = -ridge * weight;
        }
    }
    for (row, label) in design.iter().zip(labels) {
        let probability = 1.0 / (1.0 + (-dot(weights, row)).exp());
        let rest = f64::from(u8::from(*label)) - probability;
        let spread = probability * (1.0 - probability);
        for ((slope, line), value) in gradient.iter_mut().zip(&mut hessian).zip(row) {
            *slope += rest * value;
            for (entry, other) in line.iter_mut().zip(row) {
                *entry += spread * value * other;
            }
        }
    }
    Cholesky::of(&hessian).solve(&gradient)
}

/// Mean and deviation of every feature.
struct Scale<const N: usize> {
    columns: [(f64, f64); N],
}

impl<const N: usize> Scale<N> {
    fn of(rows: &[[f64; N]]) -> Self {
        let count = rows.len().max(1) as f64;
        let mut columns = [(0.0, 0.0); N];
        for (place, column) in columns.iter_mut().enumerate() {
            let values = || rows.iter().filter_map(|row| row.get(place));
            let mean = values().sum::<f64>() / count;
            let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
            *column = (mean, variance.sqrt());
        }
        Self { columns }
    }

    /// A row of the design: 1 for the intercept, then the standardised features.
    fn apply(&self, row: &[f64; N]) -> Vec<f64> {
        let scaled = row.iter().zip(self.columns);
        let scaled = scaled.map(|(value, (mean, deviation))| {
            if deviation > 0.0 {
                (value - mean) / deviation
            } else {
                0.0
            }
        });
        std::iter::once(1.0).chain(scaled).collect()
    }

    /// Weights of the features as they are.
    fn undo(&self, weights: &[f64]) -> (f64, [f64; N]) {
        let mut intercept = weights.first().copied().unwrap_or_default();
        let mut raw = [0.0; N];
        let scaled = weights.iter().skip(1).zip(self.columns);
        for (slot, (weight, (mean, deviation))) in raw.iter_mut().zip(scaled) {
            if deviation > 0.0 {
                *slot = weight / deviation;
                intercept -= weight * mean / deviation;
            }
        }
        (intercept, raw)
    }
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn it_finds_the_odds_of_a_table() {
        // 3 of 4 with the feature and 1 of 4 without: ln 3 and −ln 3, with ever less ridge.
        let rows: Vec<[f64; 1]> = (0..8_000).map(|at| [f64::from(at % 2)]).collect();
        let labels: Vec<bool> = (0..8_000)
            .map(|at| (at / 2 % 4 < 3) == (at % 2 == 1))
            .collect();
        let (intercept, [weight]) = fit(&rows, &labels);
        assert!((intercept + 3.0_f64.ln()).abs() < 0.01, "{intercept}");
        assert!((weight - 2.0 * 3.0_f64.ln()).abs() < 0.01, "{weight}");
    }

    #[test]
    fn separable_and_constant_features_stay_finite() {
        let rows = [[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [3.0, 7.0]];
        let (intercept, weights) = fit(&rows, &[false, false, true, true]);
        assert!(intercept.is_finite() && weights[0] > 0.0 && weights[1].abs() < f64::EPSILON);
        assert_eq!(fit::<2>(&[], &[]), (0.0, [0.0; 2]));
    }
}
