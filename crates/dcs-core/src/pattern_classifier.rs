//! The classifier that goes by word patterns.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, MatchKind};
use unicode_normalization::UnicodeNormalization;

use crate::terms::is_unspaced;
use crate::{Classifier, DcsError, DomainId, Intent, Labels, PatternFile};

/// Finds intents and domains by word patterns, all languages at once, in one pass over the text.
pub struct PatternClassifier {
    automaton: AhoCorasick,
    rules: Vec<Rule>,
}

/// What a match must fulfil and what it then stands for; one per pattern of the automaton.
#[derive(Debug, Clone, PartialEq)]
struct Rule {
    label: Label,
    /// The match must start a sentence.
    starts_sentence: bool,
    /// A word character may not precede it.
    bounded_start: bool,
    /// A word character may not follow it.
    bounded_end: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Label {
    Intent(Intent),
    Domain(DomainId),
}

impl PatternClassifier {
    /// Compiles pattern files.
    ///
    /// # Errors
    /// [`DcsError::Pattern`] or [`DcsError::Domain`] names the entry that cannot be used.
    pub fn new(files: &[PatternFile]) -> Result<Self, DcsError> {
        let mut builder = Builder::default();
        for file in files {
            builder.add_file(file)?;
        }
        builder.build()
    }

    /// A classifier with the patterns that come with this crate.
    ///
    /// # Errors
    /// Those of [`PatternClassifier::new`]; the tests compile the built-in files.
    pub fn built_in() -> Result<Self, DcsError> {
        Self::new(&PatternFile::built_in()?)
    }
}

impl Classifier for PatternClassifier {
    fn classify(&self, text: &str) -> Labels {
        let text = fold(text);
        let mut labels = Labels {
            intents: BTreeSet::new(),
            domains: BTreeSet::new(),
        };
        for found in self.automaton.find_overlapping_iter(&text) {
            let rule = self.rules.get(found.pattern().as_usize());
            if let Some(rule) = rule.filter(|rule| rule.admits(&text, found.start(), found.end())) {
                match rule.label {
                    Label::Intent(intent) => labels.intents.insert(intent),
                    Label::Domain(domain) => labels.domains.insert(domain),
                };
            }
        }
        if labels.intents.is_empty() {
            labels.intents.insert(Intent::Chat);
        }
        labels
    }
}

impl Rule {
    fn admits(&self, text: &str, start: usize, end: usize) -> bool {
        let before = text.get(..start).unwrap_or_default();
        let after = text.get(end..).unwrap_or_default();
        let joined_before = before.chars().next_back().is_some_and(is_word);
        let joined_after = after.chars().next().is_some_and(is_word);
        let inside_word =
            (self.bounded_start && joined_before) || (self.bounded_end && joined_after);
        let misplaced = self.starts_sentence && !starts_sentence(before);
        !inside_word && !misplaced
    }
}

/// Whether nothing of a sentence stands before: the text is empty, or ends in a sentence mark, a
/// line break, or an opening mark such as a bullet.
fn starts_sentence(before: &str) -> bool {
    let last = before.trim_end_matches([' ', '"', '\'', '(', '*', '-', '#', '>', '“', '„', '「']);
    let ends = [
        '.', '!', '?', ':', ';', ',', '\n', '。', '！', '？', '：', '；', '，', '、', '…',
    ];
    last.is_empty() || last.ends_with(ends)
}

/// Part of a word in a script that puts spaces between words.
fn is_word(c: char) -> bool {
    (c.is_alphanumeric() || c == '_') && !is_unspaced(c)
}

/// NFKC, lower case, typographic apostrophes as `'`, and every run of blanks as one space.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkc().flat_map(char::to_lowercase) {
        match c {
            '’' | '‘' => folded.push('\''),
            '\n' | '\r' => folded.push('\n'),
            c if c.is_whitespace() => {
                if !folded.ends_with([' ', '\n']) {
                    folded.push(' ');
                }
            }
            c => folded.push(c),
        }
    }
    folded
}

#[derive(Default)]
struct Builder {
    needles: Vec<String>,
    rules: Vec<Rule>,
    codes: BTreeMap<u32, String>,
}

impl Builder {
    fn add_file(&mut self, file: &PatternFile) -> Result<(), DcsError> {
        file.validate_codes()?;
        self.add_codes(file)?;
        for (name, patterns) in &file.intents {
            let label = Label::Intent(name.parse()?);
            self.add_patterns(name, patterns, label)?;
        }
        for (name, patterns) in &file.domains {
            let domain = file.domain(name).or_else(|| self.known_domain(name));
            let domain = domain.ok_or_else(|| DcsError::Domain {
                name: name.clone(),
                code: 0,
                reason: "this domain is not built in: give it a code from 100 under [codes]",
            })?;
            self.add_patterns(name, patterns, Label::Domain(domain))?;
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
        name: &str,
        patterns: &[String],
        label: Label,
    ) -> Result<(), DcsError> {
        for pattern in patterns {
            let (needle, rule) = compile(pattern, label).map_err(|reason| DcsError::Pattern {
                label: name.to_owned(),
                pattern: pattern.clone(),
                reason,
            })?;
            self.needles.push(needle);
            self.rules.push(rule);
        }
        Ok(())
    }

    fn build(self) -> Result<PatternClassifier, DcsError> {
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(&self.needles)
            .map_err(|error| DcsError::PatternFile {
                language: "all".to_owned(),
                reason: error.to_string(),
            })?;
        Ok(PatternClassifier {
            automaton,
            rules: self.rules,
        })
    }
}

/// The text to look for, and what a match must fulfil.
fn compile(pattern: &str, label: Label) -> Result<(String, Rule), &'static str> {
    let folded = fold(pattern);
    let (starts_sentence, body) = match folded.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, folded.as_str()),
    };
    let (open_end, body) = match body.strip_suffix('*') {
        Some(rest) => (true, rest),
        None => (false, body),
    };
    if body.trim().is_empty() {
        return Err("it is empty");
    }
    if body.contains('*') {
        return Err("`*` may only stand at the end");
    }
    let rule = Rule {
        label,
        starts_sentence,
        bounded_start: body.chars().next().is_some_and(is_word),
        bounded_end: !open_end && body.chars().next_back().is_some_and(is_word),
    };
    Ok((body.to_owned(), rule))
}
