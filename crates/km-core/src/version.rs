//! Versions as people write them, in natural order.

use std::cmp::Ordering;

/// Compares two versions in natural order: runs of digits by their value, what stands between
/// them as text without regard to case. `1.10` is later than `1.9`, `2024-10` than `2024-9`.
///
/// A leading `v` before a digit does not count, leading zeros do not count, a version that only
/// continues another is the later one (`2.0.1` after `2.0`), and the empty version is the
/// earliest. Two spellings of one version (`v1.0` and `1.00`) are equal. Numbers may have any
/// length.
///
/// ```
/// use std::cmp::Ordering;
/// assert_eq!(km_core::compare_versions("1.10", "1.9"), Ordering::Greater);
/// ```
pub fn compare_versions(left: &str, right: &str) -> Ordering {
    Parts(bare(left)).cmp(Parts(bare(right)))
}

/// The version without white space around it and without the `v` of `v2`.
fn bare(version: &str) -> &str {
    let version = version.trim();
    match version.strip_prefix(['v', 'V']) {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => version,
    }
}

/// A run of digits or of anything else; numbers come before text.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    /// Digits without leading zeros: of two numbers the one with more digits is the larger.
    Number {
        digits: usize,
        text: &'a str,
    },
    Text(String),
}

struct Parts<'a>(&'a str);

impl<'a> Iterator for Parts<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        let numeric = self.0.chars().next()?.is_ascii_digit();
        let end = self
            .0
            .find(|c: char| c.is_ascii_digit() != numeric)
            .unwrap_or(self.0.len());
        let (run, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(if numeric {
            let text = run.trim_start_matches('0');
            Part::Number {
                digits: text.len(),
                text,
            }
        } else {
            Part::Text(run.to_lowercase())
        })
    }
}
