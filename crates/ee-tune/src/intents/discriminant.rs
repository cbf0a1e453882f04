//! Regularised linear discriminant analysis over embeddings (Friedman, "Regularized Discriminant
//! Analysis", JASA 1989): every class is a Gaussian of its own mean and a common covariance.

use crate::cholesky::{Cholesky, Triangle, dot};

/// What the discriminant needs to know of the examples: means by class and the common scatter.
pub(super) struct Moments {
    means: Vec<Vec<f64>>,
    /// Sum of the outer products of the deviations from the class means.
    scatter: Triangle,
    /// Examples less classes.
    freedom: usize,
}

impl Moments {
    /// The moments of vectors of one length with their classes, which are below `classes`.
    pub(super) fn of(examples: &[(&[f32], usize)], classes: usize) -> Self {
        let dimension = examples.first().map_or(0, |(vector, _)| vector.len());
        let means = means(examples, classes, dimension);
        let mut scatter: Triangle = (1..=dimension).map(|length| vec![0.0; length]).collect();
        for (vector, class) in examples {
            if let Some(mean) = means.get(*class) {
                add_square(&mut scatter, &deviation(vector, mean));
            }
        }
        Self {
            means,
            scatter,
            freedom: examples.len().saturating_sub(classes).max(1),
        }
    }

    /// The common covariance, drawn by `shrinkage` (0 to 1) towards a multiple of the identity of
    /// the same trace.
    fn covariance(&self, shrinkage: f64) -> Triangle {
        let freedom = self.freedom as f64;
        let diagonal = self.scatter.iter().filter_map(|row| row.last());
        let level = diagonal.sum::<f64>() / freedom / self.scatter.len().max(1) as f64;
        let mut covariance = self.scatter.clone();
        for row in &mut covariance {
            for entry in row.iter_mut() {
                *entry *= (1.0 - shrinkage) / freedom;
            }
            if let Some(entry) = row.last_mut() {
                *entry += shrinkage * level;
            }
        }
        covariance
    }
}

fn means(examples: &[(&[f32], usize)], classes: usize, dimension: usize) -> Vec<Vec<f64>> {
    let mut sums = vec![(0.0, vec![0.0; dimension]); classes];
    for (vector, class) in examples {
        if let Some((count, sum)) = sums.get_mut(*class) {
            *count += 1.0;
            for (total, value) in sum.iter_mut().zip(*vector) {
                *total += f64::from(*value);
            }
        }
    }
    let mean = |(count, sum): (f64, Vec<f64>)| {
        let values = sum.into_iter().map(|total| total / count.max(1.0));
        values.collect()
    };
    sums.into_iter().map(mean).collect()
}

fn deviation(vector: &[f32], mean: &[f64]) -> Vec<f64> {
    let pairs = vector.iter().zip(mean);
    pairs
        .map(|(value, mean)| f64::from(*value) - mean)
        .collect()
}

/// Adds the outer product of a vector with itself.
fn add_square(scatter: &mut Triangle, deviation: &[f64]) {
    for (row, factor) in scatter.iter_mut().zip(deviation) {
        for (entry, value) in row.iter_mut().zip(deviation) {
            *entry += factor * value;
        }
    }
}

/// A linear function of the vector for each class.
#[derive(Debug, Clone)]
pub(super) struct Discriminant {
    weights: Vec<Vec<f64>>,
    biases: Vec<f64>,
}

impl Discriminant {
    /// Fits the functions; all classes count as equally frequent.
    pub(super) fn fit(moments: &Moments, shrinkage: f64) -> Self {
        let covariance = Cholesky::of(&moments.covariance(shrinkage));
        let means = moments.means.iter();
        let weights: Vec<Vec<f64>> = means.map(|mean| covariance.solve(mean)).collect();
        let biases = moments.means.iter().zip(&weights);
        let biases = biases.map(|(mean, weights)| -0.5 * dot(mean, weights));
        Self {
            biases: biases.collect(),
            weights,
        }
    }

    /// Log probability of each class up to a constant that all classes share.
    pub(super) fn scores(&self, vector: &[f32]) -> Vec<f64> {
        let vector: Vec<f64> = vector.iter().copied().map(f64::from).collect();
        let classes = self.weights.iter().zip(&self.biases);
        classes
            .map(|(weights, bias)| dot(weights, &vector) + bias)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Discriminant, Moments};

    /// Two classes that differ little along the first axis, where they scatter little, and more
    /// along the second, where they scatter much.
    #[test]
    fn an_axis_counts_by_its_scatter() {
        let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)];
        let class = |x: f32, y: f32| corners.map(|(dx, dy)| [x + dx * 0.03, y + dy * 9.0]);
        let (left, right) = (class(0.0, 0.0), class(0.1, 0.5));
        let left = left.iter().map(|vector| (&vector[..], 0));
        let right = right.iter().map(|vector| (&vector[..], 1));
        let examples: Vec<(&[f32], usize)> = left.chain(right).collect();
        let moments = Moments::of(&examples, 2);
        let best = |shrinkage, vector: &[f32]| {
            let scores = Discriminant::fit(&moments, shrinkage).scores(vector);
            usize::from(scores[1] > scores[0])
        };
        for (vector, class) in &examples {
            assert_eq!(best(0.0, vector), *class);
        }
        // Shrunk all the way, only the distance to the means is left.
        let high = [0.0, 5.0];
        assert_eq!((best(0.0, &high), best(1.0, &high)), (0, 1));
    }
}
