//! Embeddings at one byte a component: small enough to keep for every message.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A direction: the vector scaled so that its largest component is ±127, rounded.
///
/// Cosine similarity does not depend on the scale, so none is kept. Against `f32` the cosine of
/// two MiniLM embeddings moves by less than 0.005.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuantizedVector {
    codes: Box<[i8]>,
    norm: u32,
}

impl QuantizedVector {
    /// Quantises a vector; `None` when it is empty, all zeros, or not finite.
    pub fn new(components: &[f32]) -> Option<Self> {
        let largest = components.iter().fold(0.0_f32, |top, x| top.max(x.abs()));
        let finite = components.iter().all(|x| x.is_finite());
        if !finite || largest <= 0.0 {
            return None;
        }
        let code = |x: &f32| (x / largest * 127.0).round() as i8;
        Some(Self::from_codes(components.iter().map(code).collect()))
    }

    fn from_codes(codes: Box<[i8]>) -> Self {
        let norm = codes
            .iter()
            .map(|c| i32::from(*c).pow(2).unsigned_abs())
            .sum();
        Self { codes, norm }
    }

    /// The components at unit length.
    pub fn unit(&self) -> impl Iterator<Item = f32> + '_ {
        let length = (self.norm as f32).sqrt();
        self.codes.iter().map(move |code| f32::from(*code) / length)
    }

    /// Dot product of the unit vector with `other`; components beyond the shorter count as 0.
    pub(crate) fn dot(&self, other: &[f32]) -> f64 {
        let sum: f32 = self.unit().zip(other).map(|(a, b)| a * b).sum();
        f64::from(sum)
    }

    /// The direction half way between two; `None` when they are opposite or differ in length.
    pub(crate) fn midway(&self, other: &Self) -> Option<Self> {
        if self.dimension() != other.dimension() {
            return None;
        }
        let sum: Vec<f32> = self.unit().zip(other.unit()).map(|(a, b)| a + b).collect();
        Self::new(&sum)
    }

    /// Number of components.
    pub fn dimension(&self) -> usize {
        self.codes.len()
    }

    /// Cosine similarity, -1 to 1; 0 when the lengths differ.
    pub fn cosine(&self, other: &Self) -> f64 {
        if self.dimension() != other.dimension() {
            return 0.0;
        }
        let pairs = self.codes.iter().zip(&other.codes);
        let dot: i32 = pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        let norms = f64::from(self.norm) * f64::from(other.norm);
        (f64::from(dot) / norms.sqrt()).clamp(-1.0, 1.0)
    }
}

impl Serialize for QuantizedVector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.codes.iter().map(|code| code.cast_unsigned()).collect();
        serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for QuantizedVector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = BASE64_STANDARD
            .decode(text)
            .map_err(serde::de::Error::custom)?;
        let vector = Self::from_codes(bytes.into_iter().map(u8::cast_signed).collect());
        if vector.norm == 0 {
            return Err(serde::de::Error::custom(
                "an embedding without any component above 0",
            ));
        }
        Ok(vector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_directions() {
        let v = QuantizedVector::new(&[0.2, -0.4, 0.1]).unwrap();
        let w = QuantizedVector::new(&[2.0, -4.0, 1.0]).unwrap();
        assert_eq!(v, w);
        assert!((v.cosine(&w) - 1.0).abs() < 1e-9);
        let text = serde_json::to_string(&v).unwrap();
        assert_eq!(serde_json::from_str::<QuantizedVector>(&text).unwrap(), v);
    }

    #[test]
    fn refuses_what_has_no_direction() {
        assert_eq!(QuantizedVector::new(&[]), None);
        assert_eq!(QuantizedVector::new(&[0.0, 0.0]), None);
        assert_eq!(QuantizedVector::new(&[f32::NAN, 1.0]), None);
    }
}
