//! The structured key of a message: intents, domains and lines of work, and how keys compare.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{DcnId, DcsError, DomainId, Intent, KeyWeights};

/// Three sorted sets without repeats. Its text form is `intents|domains|dcns`.
///
/// ```
/// use dcs_core::DcsKey;
/// let key: DcsKey = "1,2|3|4,5".parse()?;
/// assert_eq!(key.to_string(), "1,2|3|4,5");
/// assert!("1,2|3".parse::<DcsKey>().is_err());
/// # Ok::<(), dcs_core::DcsError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DcsKey {
    /// What the message is trying to do.
    pub intents: BTreeSet<Intent>,
    /// What area it is about.
    pub domains: BTreeSet<DomainId>,
    /// The lines of work it belongs to.
    pub dcns: BTreeSet<DcnId>,
}

impl DcsKey {
    /// Whether all three sets are empty.
    pub fn is_empty(&self) -> bool {
        self.intents.is_empty() && self.domains.is_empty() && self.dcns.is_empty()
    }

    /// Weighted Jaccard similarity in 0 to 1: symmetric, and 1 on itself.
    pub fn similarity(&self, other: &Self, weights: &KeyWeights) -> f64 {
        self.parts(other, weights)
            .map(|(weight, similarity, _)| weight * similarity)
            .sum::<f64>()
            .min(1.0)
    }

    /// The same, where a part that is empty on both sides gives its weight to the other parts;
    /// 0 when all three are empty on both sides.
    pub fn informed_similarity(&self, other: &Self, weights: &KeyWeights) -> f64 {
        let (mut total, mut sum) = (0.0, 0.0);
        for (weight, part, both_empty) in self.parts(other, weights) {
            if !both_empty {
                total += weight;
                sum += weight * part;
            }
        }
        if total <= 0.0 {
            return 0.0;
        }
        (sum / total).min(1.0)
    }

    /// Weight, Jaccard similarity, and whether both sides are empty, per part.
    fn parts(
        &self,
        other: &Self,
        weights: &KeyWeights,
    ) -> impl Iterator<Item = (f64, f64, bool)> + use<> {
        let part = |weight, similarity: f64, both_empty| (weight, similarity, both_empty);
        [
            part(
                weights.intents,
                jaccard(&self.intents, &other.intents),
                self.intents.is_empty() && other.intents.is_empty(),
            ),
            part(
                weights.dcns,
                jaccard(&self.dcns, &other.dcns),
                self.dcns.is_empty() && other.dcns.is_empty(),
            ),
            part(
                weights.domains,
                jaccard(&self.domains, &other.domains),
                self.domains.is_empty() && other.domains.is_empty(),
            ),
        ]
        .into_iter()
    }
}

/// Jaccard similarity: common elements over all elements. Both empty gives 1, one empty 0.
pub fn jaccard<T: Ord>(left: &BTreeSet<T>, right: &BTreeSet<T>) -> f64 {
    let common = left.intersection(right).count();
    let all = left.len() + right.len() - common;
    if all == 0 {
        1.0
    } else {
        common as f64 / all as f64
    }
}

impl fmt::Display for DcsKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return Ok(());
        }
        write_codes(f, self.intents.iter().map(|intent| intent.code()))?;
        f.write_str("|")?;
        write_codes(f, self.domains.iter().map(|domain| domain.code()))?;
        f.write_str("|")?;
        write_codes(f, self.dcns.iter().map(|dcn| dcn.number()))
    }
}

fn write_codes(f: &mut fmt::Formatter<'_>, codes: impl Iterator<Item = u32>) -> fmt::Result {
    for (index, code) in codes.enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(f, "{comma}{code}")?;
    }
    Ok(())
}

impl FromStr for DcsKey {
    type Err = DcsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let parts: Vec<&str> = text.split('|').collect();
        let &[intents, domains, dcns] = parts.as_slice() else {
            return Err(DcsError::KeyParts { found: parts.len() });
        };
        let domains_at = intents.len() + 1;
        let dcns_at = domains_at + domains.len() + 1;
        Ok(Self {
            intents: parse_part("intents", intents, 0, Intent::from_code)?,
            domains: parse_part("domains", domains, domains_at, |code| {
                Some(DomainId::new(code))
            })?,
            dcns: parse_part("dcns", dcns, dcns_at, |code| Some(DcnId::new(code)))?,
        })
    }
}

/// Reads the codes of one part, which starts at byte `start` of the key.
fn parse_part<T: Ord>(
    part: &'static str,
    text: &str,
    start: usize,
    convert: impl Fn(u32) -> Option<T>,
) -> Result<BTreeSet<T>, DcsError> {
    let mut codes = BTreeSet::new();
    if text.is_empty() {
        return Ok(codes);
    }
    let mut position = start;
    for element in text.split(',') {
        let wrong = |expected| DcsError::KeyElement {
            part,
            position,
            expected,
            found: element.to_owned(),
        };
        let code = parse_code(element).ok_or_else(|| wrong("a number without sign or zeros"))?;
        let value = convert(code).ok_or_else(|| wrong("the code of an intent, 1 to 8"))?;
        if codes.last().is_some_and(|last| *last >= value) {
            return Err(wrong("a number greater than the one before it"));
        }
        codes.insert(value);
        position += element.len() + 1;
    }
    Ok(codes)
}

/// A decimal `u32` of at least 1 in its shortest form.
fn parse_code(text: &str) -> Option<u32> {
    let shortest = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| shortest)
}

impl Serialize for DcsKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DcsKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_key_names_part_and_position() {
        for (text, part, position) in [
            ("9||", "intents", 0),
            ("1,x|2|3", "intents", 2),
            ("1|02|3", "domains", 2),
            ("1|2|3,3", "dcns", 6),
            ("1|2|3,", "dcns", 6),
            ("1|+2|", "domains", 2),
            ("1|2|99999999999", "dcns", 4),
            ("2,1||", "intents", 2),
            ("1||0", "dcns", 3),
            ("１||", "intents", 0),
        ] {
            let error = text.parse::<DcsKey>().unwrap_err();
            let DcsError::KeyElement {
                part: p,
                position: at,
                ..
            } = error
            else {
                panic!("{text}: {error}");
            };
            assert_eq!((p, at), (part, position), "{text}");
        }
        assert_eq!(
            "1|2".parse::<DcsKey>(),
            Err(DcsError::KeyParts { found: 2 })
        );
        assert_eq!(
            "|||".parse::<DcsKey>(),
            Err(DcsError::KeyParts { found: 4 })
        );
    }

    #[test]
    fn empty_parts_are_kept_apart() {
        let weights = KeyWeights::default();
        let empty = DcsKey::default();
        assert!((empty.similarity(&empty, &weights) - 1.0).abs() < 1e-12);
        assert!(empty.informed_similarity(&empty, &weights).abs() < 1e-12);
        let query: DcsKey = "1||".parse().unwrap();
        assert!((query.similarity(&"2||".parse().unwrap(), &weights) - 0.5).abs() < 1e-12);
        assert!(
            query
                .informed_similarity(&"2||".parse().unwrap(), &weights)
                .abs()
                < 1e-12
        );
    }
}
