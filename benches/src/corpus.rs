//! Text for benchmarks, made from the project's own fixtures; the same seed gives the same text.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use fastrand::Rng;
use serde_json::Value;

use crate::workspace_root;

/// Words of each made-up unit.
const UNIT_WORDS: usize = 83;
/// The words that open a unit and that its vector stands for.
const OPENING_SPANS: [usize; 2] = [6, 6];
/// Words of one piece of running text inside a unit.
const SPAN_WORDS: std::ops::RangeInclusive<usize> = 4..=10;
/// Distinct reference numbers in a corpus of units.
const REFERENCES: u32 = 50_000;

/// English documents as words, with questions about them.
pub struct Corpus {
    documents: Vec<Vec<String>>,
    questions: Vec<String>,
}

/// A made-up unit.
pub struct MadeUnit {
    /// Its first words.
    pub opening: String,
    /// All its words, those of `opening` first.
    pub content: String,
}

impl Corpus {
    /// The handbook's English pages and the how-to articles, with the labelled English questions.
    ///
    /// # Errors
    /// When a fixture cannot be read.
    pub fn load() -> Result<Self> {
        let fixtures = workspace_root().join("fixtures");
        let mut documents = handbook(&fixtures.join("handbook"))?;
        documents.extend(articles(&fixtures.join("faq/corpus.jsonl"))?);
        let questions = questions(&fixtures)?;
        documents.retain(|words| words.len() > UNIT_WORDS);
        ensure!(
            documents.len() > 1,
            "the fixtures hold no English documents"
        );
        Ok(Self {
            documents,
            questions,
        })
    }

    /// Runs of 80 to 120 words of the text as it stands, 100 on average.
    pub fn chunks(&self, count: usize, seed: u64) -> Vec<String> {
        let mut random = Rng::with_seed(seed);
        let all: Vec<&str> = self
            .documents
            .iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let mut chunk = || {
            let length = random.usize(80..=120).min(all.len());
            let start = random.usize(0..=all.len() - length);
            all.iter()
                .skip(start)
                .take(length)
                .copied()
                .collect::<Vec<_>>()
                .join(" ")
        };
        (0..count).map(|_| chunk()).collect()
    }

    /// Units of 83 words stitched from short runs of words: the first two and every second further
    /// one from the unit's own document, the others from anywhere, with one reference number, so
    /// that words are as frequent as in real text and rare terms grow with the collection.
    pub fn units(&self, count: usize, seed: u64) -> impl Iterator<Item = MadeUnit> + '_ {
        let mut random = Rng::with_seed(seed);
        (0..count).map(move |_| self.unit(&mut random))
    }

    fn unit(&self, random: &mut Rng) -> MadeUnit {
        let topic = random.usize(..self.documents.len());
        let opening: Vec<&str> = OPENING_SPANS
            .iter()
            .flat_map(|words| self.span(topic, *words, random))
            .collect();
        let opening = opening.join(" ");
        let mut words: Vec<&str> = Vec::with_capacity(UNIT_WORDS + *SPAN_WORDS.end());
        let reference = format!("REF-{}", random.u32(..REFERENCES));
        words.push(&reference);
        while words.len() + OPENING_SPANS.iter().sum::<usize>() < UNIT_WORDS {
            let any = random.usize(..self.documents.len());
            let document = if random.bool() { topic } else { any };
            words.extend(self.span(document, random.usize(SPAN_WORDS), random));
        }
        words.truncate(UNIT_WORDS - OPENING_SPANS.iter().sum::<usize>());
        let content = format!("{opening} {}", words.join(" "));
        MadeUnit { opening, content }
    }

    /// Distinct queries: every labelled question first, then runs of 3 to 12 words of the text.
    pub fn queries(&self, count: usize, seed: u64) -> Vec<String> {
        let mut random = Rng::with_seed(seed);
        let mut queries: Vec<String> = self.questions.iter().take(count).cloned().collect();
        let mut known: BTreeSet<String> = queries.iter().cloned().collect();
        while queries.len() < count {
            let document = random.usize(..self.documents.len());
            let words = random.usize(3..=12);
            let query = self
                .span(document, words, &mut random)
                .collect::<Vec<_>>()
                .join(" ");
            if query.contains(char::is_alphanumeric) && known.insert(query.clone()) {
                queries.push(query);
            }
        }
        queries
    }

    /// Some consecutive words of a document.
    fn span(
        &self,
        document: usize,
        words: usize,
        random: &mut Rng,
    ) -> impl Iterator<Item = &str> + use<'_> {
        let all = self
            .documents
            .get(document)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let start = random.usize(0..=all.len().saturating_sub(words));
        all.iter().skip(start).take(words).map(String::as_str)
    }
}

fn handbook(folder: &Path) -> Result<Vec<Vec<String>>> {
    let mut paths = Vec::new();
    collect_files(folder, &mut paths)?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    paths.iter().map(|path| Ok(words(&read(path)?))).collect()
}

/// The files below `folder`, without the folders of other languages.
fn collect_files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if !path.is_dir() {
            found.push(path);
        } else if !(path.ends_with("de") || path.ends_with("zh")) {
            collect_files(&path, found)?;
        }
    }
    Ok(())
}

fn articles(file: &Path) -> Result<Vec<Vec<String>>> {
    let records = records(file)?;
    let text = |record: &Value| format!("{} {}", field(record, "title"), field(record, "text"));
    Ok(records.iter().map(|record| words(&text(record))).collect())
}

fn questions(fixtures: &Path) -> Result<Vec<String>> {
    let how_to = records(&fixtures.join("faq/queries_all.jsonl"))?;
    let handbook = records(&fixtures.join("handbook-questions/questions.jsonl"))?;
    let english = handbook
        .iter()
        .filter(|record| field(record, "language") == "en");
    let from_handbook = english.map(|record| field(record, "question"));
    let all = how_to
        .iter()
        .map(|record| field(record, "text"))
        .chain(from_handbook);
    let distinct: BTreeSet<&str> = all.filter(|text| !text.is_empty()).collect();
    Ok(distinct.into_iter().map(str::to_owned).collect())
}

fn records(file: &Path) -> Result<Vec<Value>> {
    let text = read(file)?;
    let parsed = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>();
    parsed.with_context(|| format!("{} is not JSON lines", file.display()))
}

fn field<'a>(record: &'a Value, name: &str) -> &'a str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what fails here ends the test"
)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_text_of_the_stated_size() {
        let corpus = Corpus::load().unwrap();
        let chunks = corpus.chunks(200, 42);
        assert_eq!(chunks, corpus.chunks(200, 42));
        assert_ne!(chunks, corpus.chunks(200, 43));
        let sizes = chunks.iter().map(|chunk| chunk.split(' ').count());
        assert!(sizes.clone().all(|words| (80..=120).contains(&words)));
        assert!((95..=105).contains(&(sizes.sum::<usize>() / 200)));
    }

    #[test]
    fn units_have_their_words_and_begin_with_their_opening() {
        let corpus = Corpus::load().unwrap();
        for unit in corpus.units(200, 42) {
            assert_eq!(unit.content.split(' ').count(), UNIT_WORDS);
            assert!(unit.content.starts_with(&unit.opening));
        }
    }

    #[test]
    fn queries_are_distinct() {
        let queries = Corpus::load().unwrap().queries(600, 42);
        let distinct: BTreeSet<&String> = queries.iter().collect();
        assert_eq!((queries.len(), distinct.len()), (600, 600));
    }
}
