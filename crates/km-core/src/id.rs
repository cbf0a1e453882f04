//! Canonical text and the stable id that is computed from it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::{KnowledgeError, SourceId};

/// Text in canonical form: no byte-order mark at the start, line ends as `\n`, Unicode NFC.
///
/// The same text written by two systems has the same canonical form, and so the same id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CanonicalText(String);

impl CanonicalText {
    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Gives the text away.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Brings `text` into canonical form. Idempotent.
pub fn canonical(text: &str) -> CanonicalText {
    let text = text.trim_start_matches('\u{feff}');
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    let composed = if is_nfc(&unix) {
        unix
    } else {
        unix.nfc().collect()
    };
    CanonicalText(composed)
}

/// The stable id of a unit: the first 16 bytes of a SHA-256.
///
/// The hash runs over the fields tenant, source, version, canonical content and occurrence number,
/// in this order. Each text field is preceded by its length in bytes as a little-endian `u64`, so
/// that no two different inputs run together; an absent tenant is the length `u64::MAX` and no
/// bytes. The occurrence number (0 for the first of equal contents in one source) closes the
/// input as a little-endian `u64`. The text form is 32 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId([u8; 16]);

impl UnitId {
    /// Computes the id of a unit.
    pub fn compute(
        tenant: Option<&str>,
        source: &SourceId,
        version: &str,
        content: &CanonicalText,
        occurrence: u64,
    ) -> Self {
        let mut hash = Sha256::new();
        match tenant {
            Some(tenant) => update_field(&mut hash, tenant),
            None => hash.update(u64::MAX.to_le_bytes()),
        }
        update_field(&mut hash, source.as_str());
        update_field(&mut hash, version);
        update_field(&mut hash, content.as_str());
        hash.update(occurrence.to_le_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        let mut id = [0; 16];
        id.copy_from_slice(digest.split_at(16).0);
        Self(id)
    }

    /// The 16 bytes, for storage.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Reads back stored bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

fn update_field(hash: &mut Sha256, field: &str) {
    hash.update((field.len() as u64).to_le_bytes());
    hash.update(field.as_bytes());
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UnitId({self})")
    }
}

impl FromStr for UnitId {
    type Err = KnowledgeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || KnowledgeError::UnitId {
            found: text.to_owned(),
        };
        if text.len() != 32 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let value = u128::from_str_radix(text, 16).map_err(|_| wrong())?;
        Ok(Self(value.to_be_bytes()))
    }
}

impl Serialize for UnitId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for UnitId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
