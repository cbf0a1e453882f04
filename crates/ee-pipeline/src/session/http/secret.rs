//! The key of a service: used in requests, shown nowhere.

use std::fmt;

/// A key. It prints as `ApiKey(hidden)`, and error messages have it blotted out.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key, white space at its ends taken off.
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().trim().to_owned())
    }

    /// The key itself, for a request's header.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// `text` with every occurrence of the key blotted out.
    pub(crate) fn redact(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        text.replace(&self.0, "***")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_nowhere() {
        let key = ApiKey::new(" sk-123\n");
        assert_eq!(format!("{key:?}"), "ApiKey(hidden)");
        assert_eq!(key.redact("bad key sk-123!"), "bad key ***!");
        assert_eq!(ApiKey::new("").redact("x"), "x");
    }
}
