//! Logarithms of whole numbers: counts and distances, most of them small, are looked up.

use std::sync::LazyLock;

/// Numbers below this one are looked up.
const KNOWN: usize = 1024;

static LN: LazyLock<[f64; KNOWN]> =
    LazyLock::new(|| std::array::from_fn(|number| (number as f64).ln()));
static LN_1P: LazyLock<[f64; KNOWN]> =
    LazyLock::new(|| std::array::from_fn(|number| (number as f64).ln_1p()));

/// The natural logarithm of a whole number.
#[inline]
pub(super) fn ln(whole: f64) -> f64 {
    let known = LN.get(whole as usize);
    known.copied().unwrap_or_else(|| whole.ln())
}

/// The natural logarithm of a whole number and one.
#[inline]
pub(super) fn ln_1p(whole: f64) -> f64 {
    let known = LN_1P.get(whole as usize);
    known.copied().unwrap_or_else(|| whole.ln_1p())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looked_up_and_computed_agree() {
        for whole in [1.0, 2.0, 1023.0, 1024.0, 1e6_f64] {
            assert!((ln(whole) - whole.ln()).abs() < f64::EPSILON);
            assert!((ln_1p(whole) - whole.ln_1p()).abs() < f64::EPSILON);
        }
    }
}
