//! Pattern files: which words stand for which intent or domain, as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{DcsError, DomainId};

/// The patterns of one language.
///
/// A pattern is a word or phrase, in any case; it matches whole words only, and anywhere in
/// scripts without spaces between words. Marks in a pattern:
///
/// - `*` at its start or end stands for any beginning or ending of a word: `*server`, `crash*`.
/// - `^` at its start asks for the start of a sentence or clause; words of the cue `opening` may
///   come before it.
/// - ` ... ` between two parts asks for both, in this order, in one sentence: `bring ... back`.
/// - `<name>` stands for any word of the group of this name: `^<order>`.
/// - `!` at its very start makes it an exception: a sentence in which it matches has the label only
///   by a longer match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternFile {
    /// The language, as a BCP 47 tag such as `en` or `zh`.
    pub language: String,
    /// Lists of words by name (in lower case), which patterns use as `<name>`.
    #[serde(default)]
    pub groups: BTreeMap<String, Vec<String>>,
    /// Patterns by intent name. CHAT needs none: it stands where no other intent does.
    #[serde(default)]
    pub intents: BTreeMap<String, Vec<String>>,
    /// Patterns by domain name.
    #[serde(default)]
    pub domains: BTreeMap<String, Vec<String>>,
    /// Words by cue: `question`, `anaphora`, `reply`, `greeting`, `thanks`, `opening` for words
    /// that may stand before what a sentence begins with, and `common` for words so frequent that
    /// sharing them means nothing.
    #[serde(default)]
    pub cues: BTreeMap<String, Vec<String>>,
    /// Codes of domains of the user's own, from 100.
    #[serde(default)]
    pub codes: BTreeMap<String, u32>,
}

impl PatternFile {
    /// Reads a pattern file in TOML.
    ///
    /// # Errors
    /// [`DcsError::PatternFile`] with the parser's reason.
    pub fn parse(toml: &str) -> Result<Self, DcsError> {
        toml::from_str(toml).map_err(|error| DcsError::PatternFile {
            language: "?".to_owned(),
            reason: error.to_string(),
        })
    }

    /// The files that come with this crate: English, German and Chinese.
    ///
    /// # Errors
    /// [`DcsError::PatternFile`]; the tests read all of them.
    pub fn built_in() -> Result<Vec<Self>, DcsError> {
        [
            include_str!("../patterns/en.toml"),
            include_str!("../patterns/de.toml"),
            include_str!("../patterns/zh.toml"),
        ]
        .into_iter()
        .map(Self::parse)
        .collect()
    }

    /// The domain of this name: built in, or with a code of this file.
    pub(crate) fn domain(&self, name: &str) -> Option<DomainId> {
        let built_in = DomainId::BUILT_IN.iter().find(|(_, known)| *known == name);
        let own = || self.codes.get(name).map(|code| DomainId::new(*code));
        built_in.map(|(domain, _)| *domain).or_else(own)
    }

    /// Checks that a user's domains neither take a reserved code nor a built-in name.
    pub(crate) fn validate_codes(&self) -> Result<(), DcsError> {
        for (name, &code) in &self.codes {
            let wrong = |reason| DcsError::Domain {
                name: name.clone(),
                code,
                reason,
            };
            if code < DomainId::FIRST_CUSTOM {
                return Err(wrong("codes below 100 are reserved: choose one from 100"));
            }
            if DomainId::BUILT_IN.iter().any(|(_, known)| known == name) {
                return Err(wrong("this domain is built in and keeps its code"));
            }
            if self.codes.values().filter(|other| **other == code).count() > 1 {
                return Err(wrong("two domains have this code"));
            }
        }
        Ok(())
    }
}
