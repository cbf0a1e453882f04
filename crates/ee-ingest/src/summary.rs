//! Summaries of about 25 tokens: the sentence that best says what a unit tells.
//!
//! Sentences are scored by the weight of their words: a word counts the more often it stands in
//! the unit and the rarer it is in the rest of the source (term frequency by inverse document
//! frequency, a sentence's score being the mean over its words, as in extractive summarisation
//! after Luhn 1958 and Spärck Jones 1972).

mod gist;
mod terms;

use km_core::{UnitKind, UnitMetadata};
use rustc_hash::FxHashMap;

use self::gist::{code_gist, flat, table_gist};
use self::terms::{Term, each_term, is_common};
use crate::outline::{Flow, Outline};
use crate::patterns::has_obligation;
use crate::sentence::{first_words, sentences};
use crate::split::Splitter;

/// Tokens for the heading in front, out of a summary's.
const HEADING_SHARE: usize = 3;
/// The first sentence of a text tends to say what it is about.
const FIRST_SENTENCE_BONUS: f64 = 1.25;
/// A rule is told by the sentence that obliges.
const OBLIGATION_BONUS: f64 = 2.0;
/// A sentence with fewer words seldom stands for a text.
const FEWEST_WORDS: f64 = 4.0;
/// Where a sentence can be cut without breaking a phrase.
const CLAUSE_ENDS: [char; 10] = [',', ';', ':', '–', '—', '，', '；', '：', '、', ')'];

/// Makes the summaries of one source.
pub(crate) struct Summariser<'a> {
    splitter: &'a Splitter<'a>,
    tokens: usize,
    spreads: FxHashMap<Term, Spread>,
    /// How many parts of running text the source has.
    parts: usize,
}

/// How widely a word is used in a source.
#[derive(Debug, Clone, Copy, Default)]
struct Spread {
    /// In how many parts it stands.
    parts: usize,
    /// The number, from 1, of the last part it was found in.
    last: usize,
}

/// The distinct words of a sentence, and what they weigh together. Whole numbers, so that the sum
/// does not depend on the order of addition.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    words: u32,
    weight: u64,
}

/// Weights are kept in steps of one part in so many.
const WEIGHT_STEPS: f64 = (1_u64 << 32) as f64;

impl<'a> Summariser<'a> {
    pub(crate) fn new(outline: &Outline, tokens: usize, splitter: &'a Splitter<'a>) -> Self {
        let mut spreads: FxHashMap<Term, Spread> = FxHashMap::default();
        let mut parts = 0;
        let prose = outline
            .groups
            .iter()
            .filter(|group| matches!(group.flow, Flow::Prose | Flow::PlainText));
        for part in prose.flat_map(|group| &group.parts) {
            parts += 1;
            each_term(part.text.as_str(), |term| {
                let spread = spreads.entry(term).or_default();
                spread.parts += usize::from(spread.last != parts);
                spread.last = parts;
            });
        }
        Self {
            splitter,
            tokens,
            spreads,
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
        let mut best: Option<(f64, &str)> = None;
        for (at, (sentence, sum)) in sentences.iter().zip(self.sums(&sentences)).enumerate() {
            let obliges = kind == UnitKind::Rule && has_obligation(sentence);
            let bonus = if obliges { OBLIGATION_BONUS } else { 1.0 };
            let first = if at == 0 { FIRST_SENTENCE_BONUS } else { 1.0 };
            let score = bonus * first * sum.score();
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, sentence));
            }
        }
        self.trimmed(best.map_or(&whole, |(_, sentence)| sentence), room)
    }

    /// What the distinct words of each sentence weigh.
    fn sums(&self, sentences: &[&str]) -> Vec<Sum> {
        let mut places: Vec<(Term, usize)> = Vec::with_capacity(sentences.len() * 16);
        for (at, sentence) in sentences.iter().enumerate() {
            each_term(sentence, |term| places.push((term, at)));
        }
        places.sort_unstable();
        let mut sums = vec![Sum::default(); sentences.len()];
        for same in places.chunk_by(|one, next| one.0 == next.0) {
            let Some((term, _)) = same.first() else {
                continue;
            };
            let weight = self.weight(*term, same.len());
            for once in same.chunk_by(|one, next| one.1 == next.1) {
                let sum = once.first().and_then(|(_, at)| sums.get_mut(*at));
                if let Some(sum) = sum {
                    sum.words += 1;
                    sum.weight = sum.weight.saturating_add(weight);
                }
            }
        }
        sums
    }

    /// The weight of a word that stands so often in the unit, in [`WEIGHT_STEPS`].
    fn weight(&self, term: Term, count: usize) -> u64 {
        if is_common(term) {
            return 0;
        }
        let spread = self.spreads.get(&term).map_or(1, |spread| spread.parts);
        let rarity = ((1.0 + self.parts as f64) / spread as f64).ln();
        ((count as f64).sqrt() * rarity * WEIGHT_STEPS) as u64
    }

    /// The text, or its beginning up to the last clause end, or else word, that fits.
    fn trimmed(&self, text: &str, room: usize) -> String {
        let text = text.trim();
        // A fifth more is let pass where it saves a sentence from being cut.
        if self.splitter.tokens(text) <= room + room / 5 {
            return text.to_owned();
        }
        let end = match self.words_that_fit(text, room) {
            Some(end) => end,
            None => self.letters_that_fit(text, room),
        };
        let cut = text.get(..end).unwrap_or_default();
        let clause = cut.rfind(CLAUSE_ENDS).filter(|at| at * 2 > cut.len());
        let kept = clause.and_then(|at| cut.get(..at)).unwrap_or(cut);
        format!("{}…", kept.trim_end().trim_end_matches(CLAUSE_ENDS))
    }

    /// The end of the last word up to which the text fits.
    fn words_that_fit(&self, text: &str, room: usize) -> Option<usize> {
        let fits = |end: &usize| self.splitter.tokens(text.get(..*end).unwrap_or_default()) <= room;
        // Seldom has a word less than a token, so that few words need to be found.
        let mut count = room.saturating_add(1);
        loop {
            let words = first_words(text, count).into_iter();
            let ends: Vec<usize> = words.map(|word| word.end).collect();
            let fitting = ends.partition_point(fits);
            if fitting < ends.len() || ends.len() < count {
                let last = fitting.checked_sub(1)?;
                return ends.get(last).copied();
            }
            count = count.saturating_mul(2);
        }
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

impl Sum {
    /// The mean weight of the words, less for a sentence with very few.
    fn score(self) -> f64 {
        if self.words == 0 {
            return 0.0;
        }
        let words = f64::from(self.words);
        let short = (words / FEWEST_WORDS).min(1.0);
        self.weight as f64 / WEIGHT_STEPS / words * short
    }
}

fn starts_alike(body: &str, heading: &str) -> bool {
    let mut letters = body.chars().flat_map(char::to_lowercase);
    let mut heading = heading.chars().flat_map(char::to_lowercase);
    heading.all(|letter| letters.next() == Some(letter))
}
