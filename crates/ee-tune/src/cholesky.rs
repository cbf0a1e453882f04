//! Solving symmetric positive definite systems by Cholesky decomposition (Golub and Van Loan,
//! "Matrix Computations", 4th edition, section 4.2).

/// The lower triangle of a square matrix: row `i` has `i + 1` entries.
pub(crate) type Triangle = Vec<Vec<f64>>;

/// The decomposition `L·Lᵀ` of a symmetric positive definite matrix.
pub(crate) struct Cholesky {
    lower: Triangle,
}

impl Cholesky {
    /// Decomposes a matrix, given by its lower triangle. Pivots that rounding pushes to zero or
    /// below are lifted to the smallest positive normal number.
    pub(crate) fn of(matrix: &Triangle) -> Self {
        let mut lower: Triangle = Vec::with_capacity(matrix.len());
        for entries in matrix {
            let mut row: Vec<f64> = Vec::with_capacity(entries.len());
            for (entry, above) in entries.iter().zip(&lower) {
                let rest = entry - dot(&row, above);
                row.push(rest / diagonal(above));
            }
            let rest = entries.last().copied().unwrap_or_default() - dot(&row, &row);
            row.push(rest.max(f64::MIN_POSITIVE).sqrt());
            lower.push(row);
        }
        Self { lower }
    }

    /// The `x` with `L·Lᵀ·x = right`.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solved: Vec<f64> = Vec::with_capacity(right.len());
        for (row, value) in self.lower.iter().zip(right) {
            let rest = value - dot(&solved, row);
            solved.push(rest / diagonal(row));
        }
        for (place, row) in self.lower.iter().enumerate().rev() {
            let (before, at) = solved.split_at_mut(place);
            if let Some(value) = at.first_mut() {
                *value /= diagonal(row);
                subtract(before, row, *value);
            }
        }
        solved
    }
}

fn diagonal(row: &[f64]) -> f64 {
    row.last().copied().unwrap_or(1.0)
}

/// Takes `factor` times the row from the values, as far as the shorter goes.
fn subtract(values: &mut [f64], row: &[f64], factor: f64) {
    for (value, entry) in values.iter_mut().zip(row) {
        *value -= entry * factor;
    }
}

/// The scalar product, as far as the shorter goes.
pub(crate) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::{Cholesky, dot};

    #[test]
    fn a_solution_solves() {
        let matrix = vec![vec![4.0], vec![2.0, 5.0], vec![-1.0, 0.5, 3.0]];
        let full = [[4.0, 2.0, -1.0], [2.0, 5.0, 0.5], [-1.0, 0.5, 3.0]];
        let right = [1.0, -2.0, 0.5];
        let solution = Cholesky::of(&matrix).solve(&right);
        for (row, value) in full.iter().zip(right) {
            assert!((dot(row, &solution) - value).abs() < 1e-12);
        }
    }
}
