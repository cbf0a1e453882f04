//! Summaries of about 25 tokens: the sentence that best says what a unit tells.
//!
//! Sentences are scored by the weight of their words: a word counts the more often it stands in
//! the unit and the rarer it is in the rest of the source (term frequency by inverse document
//! frequency, a sentence's score being the mean over its words, as in extractive summarisation
//! after Luhn 1958 and Spärck Jones 1972).

use std::hash::Hasher;
use std::sync::LazyLock;

use km_core::{UnitKind, UnitMetadata};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::outline::{Flow, Outline};
use crate::patterns::{common_words, has_obligation};
use crate::sentence::{each_word, sentences, words};
use crate::split::Splitter;

/// Tokens for the heading in front, out of a summary's.
const HEADING_SHARE: usize = 3;
/// The first sentence of a text tends to say what it is about.
const FIRST_SENTENCE_BONUS: f64 = 1.25;
/// A rule is told by the sentence that obliges.
const OBLIGATION_BONUS: f64 = 2.0;
/// A sentence with fewer words seldom stands for a text.
const FEWEST_WORDS: usize = 4;
/// Where a sentence can be cut without breaking a phrase.
const CLAUSE_ENDS: [char; 10] = [',', ';', ':', '–', '—', '，', '；', '：', '、', ')'];

/// Makes the summaries of one source.
pub(crate) struct Summariser<'a> {
    splitter: &'a Splitter<'a>,
    tokens: usize,
    /// In how many parts of the source each word stands, and how many parts there are.
    frequencies: FxHashMap<Term, usize>,
    parts: usize,
}

impl<'a> Summariser<'a> {
    pub(crate) fn new(outline: &Outline, tokens: usize, splitter: &'a Splitter<'a>) -> Self {
        let mut frequencies: FxHashMap<Term, usize> = FxHashMap::default();
        let mut parts = 0;
        let prose = outline
            .groups
            .iter()
            .filter(|group| matches!(group.flow, Flow::Prose | Flow::PlainText));
        for part in prose.flat_map(|group| &group.parts) {
            parts += 1;
            let distinct: FxHashSet<Term> = terms(part.text.as_str()).into_iter().collect();
            for term in distinct {
                *frequencies.entry(term).or_default() += 1;
            }
        }
        Self {
            splitter,
            tokens,
            frequencies,
            parts,
        }
    }

    /// The summary of a unit of this kind and content.
    pub(crate) fn summarise(
        &self,
        kind: UnitKind,
        content: &str,
        metadata: &UnitMetadata,
    ) -> String {
        let heading = self.heading(metadata);
        let room = self
            .tokens
            .saturating_sub(self.splitter.tokens(&heading))
            .max(1);
        let body = match kind {
            UnitKind::Table => self.trimmed(&table_gist(content), room),
            UnitKind::Code => self.trimmed(&code_gist(content), room),
            UnitKind::Step | UnitKind::Definition => self.trimmed(&flat(content), room),
            _ => self.best_sentence(kind, content, room),
        };
        if body.trim().is_empty() {
            return self.trimmed(&flat(content), self.tokens);
        }
        if heading.is_empty() || starts_alike(&body, &heading) {
            return body;
        }
        format!("{heading}: {body}")
    }

    /// The innermost heading, or who spoke.
    fn heading(&self, metadata: &UnitMetadata) -> String {
        let heading = metadata.speaker.as_ref().or(metadata.section_path.last());
        let heading = heading.map(|heading| flat(heading)).unwrap_or_default();
        let heading = heading.trim_end_matches([':', '.', '：', '。']);
        self.trimmed(heading, (self.tokens / HEADING_SHARE).max(1))
    }

    fn best_sentence(&self, kind: UnitKind, content: &str, room: usize) -> String {
        let whole = flat(content);
        if self.splitter.tokens(&whole) <= room {
            return whole;
        }
        let sentences = sentences(&whole);
        let sentences: Vec<&str> = sentences
            .into_iter()
            .filter_map(|range| whole.get(range))
            .map(str::trim)
            .filter(|sentence| !sentence.is_empty())
            .collect();
        let mut counts: FxHashMap<Term, usize> = FxHashMap::default();
        let terms: Vec<Vec<Term>> = sentences.iter().map(|sentence| terms(sentence)).collect();
        for term in terms.iter().flatten() {
            *counts.entry(*term).or_default() += 1;
        }
        let mut best: Option<(f64, &str)> = None;
        for (at, (sentence, terms)) in sentences.iter().zip(&terms).enumerate() {
            let obliges = kind == UnitKind::Rule && has_obligation(sentence);
            let bonus = if obliges { OBLIGATION_BONUS } else { 1.0 };
            let score = bonus * self.score(terms, at, &counts);
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, sentence));
            }
        }
        self.trimmed(best.map_or(&whole, |(_, sentence)| sentence), room)
    }

    fn score(&self, terms: &[Term], position: usize, counts: &FxHashMap<Term, usize>) -> f64 {
        let distinct: FxHashSet<Term> = terms.iter().copied().collect();
        if distinct.is_empty() {
            return 0.0;
        }
        let mut weights: Vec<f64> = distinct
            .iter()
            .map(|term| self.weight(*term, counts))
            .collect();
        // Addition in a fixed order, so that the sum does not depend on the hash seed.
        weights.sort_by(f64::total_cmp);
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        let bonus = if position == 0 {
            FIRST_SENTENCE_BONUS
        } else {
            1.0
        };
        let short = (distinct.len() as f64 / FEWEST_WORDS as f64).min(1.0);
        mean * bonus * short
    }

    fn weight(&self, term: Term, counts: &FxHashMap<Term, usize>) -> f64 {
        if COMMON_WORDS.contains(&term) {
            return 0.0;
        }
        let here = counts.get(&term).copied().unwrap_or(1) as f64;
        let parts = self.frequencies.get(&term).copied().unwrap_or(1) as f64;
        here.sqrt() * ((1.0 + self.parts as f64) / parts).ln()
    }

    /// The text, or its beginning up to the last clause end, or else word, that fits.
    fn trimmed(&self, text: &str, room: usize) -> String {
        let text = text.trim();
        // A fifth more is let pass where it saves a sentence from being cut.
        if self.splitter.tokens(text) <= room + room / 5 {
            return text.to_owned();
        }
        let ends: Vec<usize> = words(text).into_iter().map(|word| word.end).collect();
        let fits = |end: &usize| self.splitter.tokens(text.get(..*end).unwrap_or_default()) <= room;
        let fitting = ends.partition_point(fits);
        let end = match fitting.checked_sub(1).and_then(|last| ends.get(last)) {
            Some(end) => *end,
            None => self.letters_that_fit(text, room),
        };
        let cut = text.get(..end).unwrap_or_default();
        let clause = cut.rfind(CLAUSE_ENDS).filter(|at| at * 2 > cut.len());
        let kept = clause.and_then(|at| cut.get(..at)).unwrap_or(cut);
        format!("{}…", kept.trim_end().trim_end_matches(CLAUSE_ENDS))
    }

    fn letters_that_fit(&self, text: &str, room: usize) -> usize {
        let ends: Vec<usize> = text
            .char_indices()
            .map(|(at, c)| at + c.len_utf8())
            .collect();
        let fits = |end: &usize| self.splitter.tokens(text.get(..*end).unwrap_or_default()) <= room;
        let fitting = ends.partition_point(fits).max(1);
        ends.get(fitting - 1).copied().unwrap_or(text.len())
    }
}

/// A word without regard to case, as a hash, so that no text is copied to count it.
type Term = u64;

static COMMON_WORDS: LazyLock<FxHashSet<Term>> =
    LazyLock::new(|| common_words().map(term).collect());

fn term(word: &str) -> Term {
    let mut hash = FxHasher::default();
    if word.is_ascii() {
        for byte in word.bytes() {
            hash.write_u32(byte.to_ascii_lowercase().into());
        }
    } else {
        for c in word.chars().flat_map(char::to_lowercase) {
            hash.write_u32(c.into());
        }
    }
    hash.finish()
}

fn terms(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    each_word(text, |word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if !word.is_empty() {
            terms.push(term(word));
        }
    });
    terms
}

/// On one line, with single spaces and without the marks of list items.
fn flat(text: &str) -> String {
    let lines = text.lines().map(str::trim);
    let lines = lines.map(|line| line.strip_prefix("- ").unwrap_or(line));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ")
}

fn starts_alike(body: &str, heading: &str) -> bool {
    body.to_lowercase().starts_with(&heading.to_lowercase())
}

/// The columns of a table and the keys of its rows.
fn table_gist(content: &str) -> String {
    let mut rows = content.lines().map(cells);
    let header = rows.next().unwrap_or_default();
    let columns: Vec<&str> = header.into_iter().filter(|cell| !cell.is_empty()).collect();
    let keys: Vec<&str> = rows
        .filter_map(|row| row.into_iter().find(|cell| !cell.is_empty()))
        .collect();
    if keys.is_empty() {
        return columns.join(", ");
    }
    format!("{} for {}", columns.join(", "), keys.join(", "))
}

fn cells(row: &str) -> Vec<&str> {
    row.trim()
        .trim_matches('|')
        .split('|')
        .map(str::trim)
        .collect()
}

/// The first line that is code, then the first that explains it.
fn code_gist(content: &str) -> String {
    let lines = || {
        content
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    let signature = lines().find(|line| comment(line).is_none() && !line.starts_with(['@', '[']));
    let explanation = lines().find_map(|line| comment(line).filter(|text| !text.is_empty()));
    match (signature, explanation) {
        (Some(signature), Some(explanation)) => format!(
            "{}: {explanation}",
            signature.trim_end_matches(['{', ':', ' '])
        ),
        (Some(only), None) => only.trim_end_matches(['{', ' ']).to_owned(),
        (None, Some(only)) => only.to_owned(),
        (None, None) => flat(content),
    }
}

/// The text of a comment line.
fn comment(line: &str) -> Option<&str> {
    const MARKS: [&str; 12] = [
        "///", "//!", "//", "/**", "/*", "*/", "* ", "#!", "# ", "--", "\"\"\"", "'''",
    ];
    let mark = MARKS.iter().find(|mark| line.starts_with(**mark))?;
    let text = line.strip_prefix(mark)?;
    Some(
        text.trim()
            .trim_end_matches("*/")
            .trim_end_matches("\"\"\"")
            .trim(),
    )
}
