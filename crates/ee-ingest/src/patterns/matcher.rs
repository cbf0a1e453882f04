//! Finding the patterns in text.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::{LANGUAGES, Language, is_unspaced};

/// A term has at most this many words, or characters where words have no spaces.
const MOST_TERM_WORDS: usize = 8;
/// Words that stand before a term without belonging to it.
const ARTICLES: [&str; 8] = ["a", "an", "the", "der", "die", "das", "ein", "eine"];
/// What a term means takes at least this many words.
const FEWEST_MEANING_WORDS: usize = 5;
const MOST_TERM_CHARACTERS: usize = 80;

/// One automaton over a field of all languages, and per pattern whether it needs word borders.
struct Phrases {
    automaton: Option<AhoCorasick>,
    bordered: Vec<bool>,
}

impl Phrases {
    fn new(field: fn(&Language) -> &'static [&'static str]) -> Self {
        let all = || {
            LANGUAGES.iter().flat_map(move |language| {
                field(language)
                    .iter()
                    .map(|phrase| (*phrase, !language.unspaced))
            })
        };
        let builder = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            // Large but built once, and run over every text several times.
            .kind(Some(AhoCorasickKind::DFA))
            .build(all().map(|(phrase, _)| phrase));
        Self {
            automaton: builder.ok(),
            bordered: all().map(|(_, bordered)| bordered).collect(),
        }
    }

    /// The places at which a phrase stands as words of its own.
    fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
        let matches = self
            .automaton
            .iter()
            .flat_map(move |automaton| automaton.find_overlapping_iter(text));
        matches
            .filter(move |found| {
                let bordered = self.bordered.get(found.pattern().as_usize());
                bordered != Some(&true) || stands_alone(text, found.range())
            })
            .map(|found| found.range())
    }
}

/// Whether no word goes on at either end; scripts without spaces have no such ends.
pub(crate) fn stands_alone(text: &str, range: std::ops::Range<usize>) -> bool {
    let found = text.get(range.clone()).unwrap_or_default();
    let before = text
        .get(..range.start)
        .and_then(|before| before.chars().next_back());
    let after = text.get(range.end..).and_then(|after| after.chars().next());
    let goes_on = |inner: Option<char>, outer: Option<char>| {
        let letter = |c: char| (c.is_alphanumeric() || c == '_') && !is_unspaced(c);
        inner.is_some_and(letter) && outer.is_some_and(letter)
    };
    !goes_on(found.chars().next(), before) && !goes_on(found.chars().next_back(), after)
}

static OBLIGATIONS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(|language| language.obligations));
static COMMANDS: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(|language| language.commands));
static DEFINITION_MARKS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(|language| language.definition_marks));
static GLOSSARY_WORDS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(|language| language.glossary_words));
static GLOSSARY_MARKS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(|language| language.glossary_marks));
static PROCEDURE_WORDS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(|language| language.procedure_words));

/// Whether the text obliges, permits or forbids.
pub(crate) fn has_obligation(text: &str) -> bool {
    let at_sentence_start = |range: std::ops::Range<usize>| {
        let before = text.get(..range.start).unwrap_or_default().trim_end();
        before.is_empty()
            || before.ends_with(['.', '!', '?', ':', '-', '。', '！', '：', '；', '\n'])
    };
    OBLIGATIONS.find(text).next().is_some() || COMMANDS.find(text).any(at_sentence_start)
}

/// Whether the text starts with a short term and goes on to say what it means. `strong_term` is
/// the length of a term that the source emphasises at the start, 0 without one. Under the heading
/// of a glossary, `term is meaning` is enough.
pub(crate) fn is_definition(text: &str, strong_term: usize, heading: &str) -> bool {
    let emphasised = text.get(..strong_term).filter(|term| !term.is_empty());
    if let Some(term) = emphasised {
        let term = term.trim_start_matches(['-', ' ']);
        let rest = text.get(strong_term..).unwrap_or_default().trim_start();
        let marked = term.ends_with([':', '：']) || rest.starts_with([':', '：', '–', '—']);
        let inner = term.trim_end_matches([':', '：', '.', ' ']).to_lowercase();
        if marked && is_term(&inner) && explains(rest) {
            return true;
        }
    }
    let in_glossary = GLOSSARY_WORDS.find(heading).next().is_some();
    defines_by(&DEFINITION_MARKS, text) || (in_glossary && defines_by(&GLOSSARY_MARKS, text))
}

/// Whether what follows a term says more than a value, as `Duration: 4 hours` does.
fn explains(meaning: &str) -> bool {
    let sentence = meaning.split(['.', '。', '\n']).next().unwrap_or_default();
    let sentence = sentence.trim_start_matches([':', '：', '–', '—', ' ']);
    let unspaced = sentence.chars().filter(|c| is_unspaced(*c)).count();
    unspaced >= FEWEST_MEANING_WORDS || sentence.split_whitespace().count() >= FEWEST_MEANING_WORDS
}

/// Whether one of the marks stands between a short term at the start and its meaning.
fn defines_by(marks: &Phrases, text: &str) -> bool {
    marks.find(text).next().is_some_and(|mark| {
        let term = text.get(..mark.start).unwrap_or_default();
        let term = term.trim_start_matches(['-', ' ']);
        is_term(&term.to_lowercase()) && starts_like_a_term(term)
    })
}

/// The term that a definition under this heading defines, without its article and quotation marks;
/// `None` when the text defines nothing.
pub fn defined_term(text: &str, heading: &str) -> Option<String> {
    let in_glossary = GLOSSARY_WORDS.find(heading).next().is_some();
    let glossary_mark = || GLOSSARY_MARKS.find(text).next().filter(|_| in_glossary);
    let mark = DEFINITION_MARKS.find(text).next().or_else(glossary_mark);
    let sign = text.find([':', '：', '–', '—']);
    let end = [sign, mark.map(|mark| mark.start)]
        .into_iter()
        .flatten()
        .min()?;
    let term = text.get(..end)?.split('(').next().unwrap_or_default();
    let mut words: Vec<&str> = term.split_whitespace().collect();
    let is_article = |word: &&str| ARTICLES.contains(&word.to_lowercase().as_str());
    if words.len() > 1 && words.first().is_some_and(is_article) {
        words.remove(0);
    }
    let term = words.join(" ");
    let term = term.trim_matches(|c: char| !c.is_alphanumeric());
    (term.chars().count() > 1 && is_term(&term.to_lowercase())).then(|| term.to_owned())
}

fn is_term(term: &str) -> bool {
    let term = term.trim();
    let excluded = LANGUAGES
        .iter()
        .any(|language| language.not_terms.contains(&term));
    !term.is_empty()
        && !excluded
        && !term.contains(['.', '?', '!', '。', '，', ','])
        && term.split_whitespace().count() <= MOST_TERM_WORDS
        && term.chars().count() <= MOST_TERM_CHARACTERS
}

/// `This means`, `it refers to` and the like point back and define nothing.
fn starts_like_a_term(term: &str) -> bool {
    const POINTING: [&str; 18] = [
        "this", "that", "it", "which", "these", "those", "what", "he", "she", "they", "das",
        "dies", "es", "dieser", "diese", "这", "那", "它",
    ];
    let first = term
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_lowercase();
    !POINTING
        .iter()
        .any(|word| first == *word || (!word.is_ascii() && first.starts_with(word)))
}

/// Whether ordered items are the steps of an instruction: they start with verbs that instruct, or
/// the lead-in or heading announces a procedure.
pub(crate) fn is_instruction<'a>(items: impl Iterator<Item = &'a str>, announced_by: &str) -> bool {
    if PROCEDURE_WORDS.find(announced_by).next().is_some() {
        return true;
    }
    let (mut all, mut instructing) = (0_usize, 0_usize);
    for item in items {
        all += 1;
        instructing += usize::from(starts_with_verb(item) || ends_with_infinitive(item));
    }
    all > 0 && instructing * 2 >= all
}

fn starts_with_verb(item: &str) -> bool {
    let text = item.trim_start_matches(|c: char| !c.is_alphabetic());
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    let word = text.get(..end).unwrap_or_default().to_lowercase();
    let polite = text.trim_start_matches('请');
    LANGUAGES.iter().any(|language| {
        language.instruction_verbs.iter().any(|verb| {
            let unspaced = language.unspaced && polite.starts_with(verb);
            unspaced || word == *verb
        })
    })
}

/// Whether the first clause ends with a verb, as in `Antrag im Portal stellen`.
fn ends_with_infinitive(item: &str) -> bool {
    let text = item.trim_start_matches(|c: char| !c.is_alphabetic());
    let clause = text
        .split(['.', ',', ';', ':', '\n'])
        .next()
        .unwrap_or_default();
    let word = clause.split_whitespace().next_back().unwrap_or_default();
    let is_verb = word.starts_with(char::is_lowercase) && word.chars().count() > 4;
    let mut endings = LANGUAGES
        .iter()
        .filter_map(|language| language.infinitive_ending);
    is_verb && endings.any(|ending| word.ends_with(ending))
}

/// Whether the text ends in an abbreviation, so that its full stop ends no sentence.
pub(crate) fn is_abbreviation(text: &str) -> bool {
    let tail = text.trim_end();
    let word = tail.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word
        .trim_start_matches(['(', '[', '"', '“', '„'])
        .to_lowercase();
    LANGUAGES
        .iter()
        .any(|language| language.abbreviations.contains(&word.as_str()))
}

/// The words of all languages that carry no meaning of their own, in lower case.
pub(crate) fn common_words() -> impl Iterator<Item = &'static str> {
    LANGUAGES
        .iter()
        .flat_map(|language| language.common_words)
        .copied()
}
