//! Compiles pattern files.

use std::collections::BTreeMap;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::{DcsError, DomainId, PatternFile};

use super::pattern::Pattern;
use super::sentence::Openings;
use super::tally::{Label, Rule};
use super::{PatternClassifier, Use};

/// What the files read so far amount to.
#[derive(Default)]
pub(super) struct Builder {
    /// What each text to look for is used for.
    needles: BTreeMap<String, Vec<Use>>,
    rules: Vec<Rule>,
    codes: BTreeMap<u32, String>,
}

impl Builder {
    pub(super) fn add_file(&mut self, file: &PatternFile) -> Result<(), DcsError> {
        file.validate_codes()?;
        self.add_codes(file)?;
        for (name, patterns) in &file.intents {
            let label = Label::Intent(name.parse()?);
            self.add_patterns(file, name, patterns, label)?;
        }
        for (name, patterns) in &file.domains {
            let domain = file.domain(name).or_else(|| self.known_domain(name));
            let domain = domain.ok_or_else(|| DcsError::Domain {
                name: name.clone(),
                code: 0,
                reason: "this domain is not built in: give it a code from 100 under [codes]",
            })?;
            self.add_patterns(file, name, patterns, Label::Domain(domain))?;
        }
        Ok(())
    }

    /// Takes over the codes of a file; two names for one code would run together.
    fn add_codes(&mut self, file: &PatternFile) -> Result<(), DcsError> {
        for (name, &code) in &file.codes {
            let known = self.codes.entry(code).or_insert_with(|| name.clone());
            if known != name {
                return Err(DcsError::Domain {
                    name: name.clone(),
                    code,
                    reason: "another file gives this code to another domain",
                });
            }
        }
        Ok(())
    }

    fn known_domain(&self, name: &str) -> Option<DomainId> {
        let known = self.codes.iter().find(|(_, other)| *other == name);
        known.map(|(code, _)| DomainId::new(*code))
    }

    fn add_patterns(
        &mut self,
        file: &PatternFile,
        name: &str,
        patterns: &[String],
        label: Label,
    ) -> Result<(), DcsError> {
        for entry in patterns {
            let pattern =
                Pattern::parse(entry, &file.groups).map_err(|reason| DcsError::Pattern {
                    label: name.to_owned(),
                    pattern: entry.clone(),
                    reason,
                })?;
            self.add_pattern(pattern, label);
        }
        Ok(())
    }

    fn add_pattern(&mut self, pattern: Pattern, label: Label) {
        let rule = self.rules.len();
        self.rules.push(Rule {
            label,
            exception: pattern.exception,
            parts: pattern.parts.len(),
        });
        for (part, needles) in pattern.parts.into_iter().enumerate() {
            for needle in needles {
                let uses = self.needles.entry(needle.text).or_default();
                uses.push(Use {
                    rule,
                    part,
                    around: needle.around,
                    place: needle.place,
                });
            }
        }
    }

    pub(super) fn build(self, openings: Openings) -> Result<PatternClassifier, DcsError> {
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(self.needles.keys())
            .map_err(|error| DcsError::PatternFile {
                language: "all".to_owned(),
                reason: error.to_string(),
            })?;
        Ok(PatternClassifier {
            automaton,
            uses: self.needles.into_values().collect(),
            rules: self.rules.into(),
            openings: Arc::new(openings),
        })
    }
}
