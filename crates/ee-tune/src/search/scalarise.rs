//! Several objectives as one, with other weights at every step.

use rand::Rng;

use super::draws::Draws;

/// How much the sum counts beside the largest term, so that no point is best that another one beats
/// in every objective.
const SUM_SHARE: f64 = 0.05;

/// Augmented Tchebycheff values of losses under weights drawn for this step (Knowles, `ParEGO`,
/// IEEE Transactions on Evolutionary Computation 10(1), 2006); each objective is brought to 0–1
/// over `losses` first. A single objective stays as it is.
pub(super) fn scalarise(losses: &[Vec<f64>], draws: &mut Draws) -> Vec<f64> {
    let objectives = losses.first().map_or(0, Vec::len);
    if objectives <= 1 {
        return losses
            .iter()
            .filter_map(|loss| loss.first().copied())
            .collect();
    }
    let weights = weights(objectives, draws);
    let ranges: Vec<(f64, f64)> = (0..objectives).map(|at| range(losses, at)).collect();
    let one = |loss: &Vec<f64>| {
        let terms = loss.iter().zip(&ranges).zip(&weights);
        let terms: Vec<f64> = terms
            .map(|((loss, (least, width)), weight)| weight * (loss - least) / width)
            .collect();
        let largest = terms.iter().copied().fold(0.0, f64::max);
        largest + SUM_SHARE * terms.iter().sum::<f64>()
    };
    losses.iter().map(one).collect()
}

/// Weights from the flat distribution over all that sum to 1; the first objective, which decides,
/// has at least half.
fn weights(objectives: usize, draws: &mut Draws) -> Vec<f64> {
    let mut weights: Vec<f64> = (0..objectives)
        .map(|_| -(1.0 - draws.0.random::<f64>()).ln())
        .collect();
    let sum: f64 = weights.iter().sum();
    for (place, weight) in weights.iter_mut().enumerate() {
        *weight = 0.5 * *weight / sum + if place == 0 { 0.5 } else { 0.0 };
    }
    weights
}

/// The least value of an objective, and how far its values lie apart (1 when they do not).
fn range(losses: &[Vec<f64>], objective: usize) -> (f64, f64) {
    let values = || {
        losses
            .iter()
            .filter_map(|loss| loss.get(objective).copied())
    };
    let least = values().fold(f64::INFINITY, f64::min);
    let width = values().fold(f64::NEG_INFINITY, f64::max) - least;
    (least, if width > 0.0 { width } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::scalarise;
    use crate::search::draws::Draws;

    #[test]
    fn one_objective_stays_as_it_is_and_a_beaten_point_never_wins() {
        let mut draws = Draws::of(1, 1);
        let single = scalarise(&[vec![3.0], vec![1.0]], &mut draws);
        assert!((single[0] - 3.0).abs() < 1e-12 && (single[1] - 1.0).abs() < 1e-12);
        for step in 0..50 {
            let losses = [vec![0.1, 5.0], vec![0.2, 6.0], vec![0.9, 1.0]];
            let values = scalarise(&losses, &mut Draws::of(1, step));
            assert!(values[0] < values[1], "{values:?}");
        }
    }
}
