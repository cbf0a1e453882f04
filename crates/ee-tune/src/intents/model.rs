//! The classifier: the discriminant's judgement of the meaning and the word model's of the words.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Utterance;
use super::choose::{choose, combined};
use super::discriminant::{Discriminant, Moments};
use super::words::{WordModel, words_and_pairs};

/// How the classifier is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IntentSettings {
    /// How far the covariance of the embeddings is drawn towards a sphere, 0 to 1.
    pub shrinkage: f64,
    /// What is added to every count of a word, above 0.
    pub smoothing: f64,
    /// Weight of the words' log probability beside that of the embedding, from 0.
    pub word_weight: f64,
}

impl Default for IntentSettings {
    /// What the cross-validation chose on the 15,000 training utterances of CLINC150 with
    /// all-MiniLM-L6-v2.
    fn default() -> Self {
        Self {
            shrinkage: 0.02,
            smoothing: 0.01,
            word_weight: 10.0,
        }
    }
}

/// The intents and domains of a data set, with the places that scores are kept at.
#[derive(Debug, Clone)]
pub(super) struct Classes {
    /// Sorted.
    intents: Vec<String>,
    /// By intent, the place of its domain.
    domain_of: Vec<usize>,
    /// Sorted.
    domains: Vec<String>,
}

impl Classes {
    pub(super) fn of(utterances: &[Utterance]) -> Self {
        let pairs = utterances
            .iter()
            .map(|row| (row.intent.as_str(), row.domain.as_str()));
        let pairs: BTreeMap<&str, &str> = pairs.collect();
        let mut domains: Vec<String> = pairs.values().map(|name| (*name).to_owned()).collect();
        domains.sort();
        domains.dedup();
        let place = |name: &&str| domains.partition_point(|known| known.as_str() < *name);
        Self {
            intents: pairs.keys().map(|name| (*name).to_owned()).collect(),
            domain_of: pairs.values().map(place).collect(),
            domains,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.intents.len()
    }

    /// The place of an intent; that of the next one for an unknown intent.
    pub(super) fn place(&self, intent: &str) -> usize {
        self.intents
            .partition_point(|known| known.as_str() < intent)
    }

    /// The most probable intent, and the domain whose intents are together most probable.
    fn decide(&self, scores: &[f64]) -> IntentGuess {
        let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - highest).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let mut domains = vec![0.0; self.domains.len()];
        for (weight, domain) in weights.iter().zip(&self.domain_of) {
            if let Some(total) = domains.get_mut(*domain) {
                *total += weight;
            }
        }
        let named = |names: &[String], values: &[f64]| {
            let best = best(values);
            names.get(best).cloned().unwrap_or_default()
        };
        IntentGuess {
            intent: named(&self.intents, scores),
            domain: named(&self.domains, &domains),
            probability: if sum > 0.0 { 1.0 / sum } else { 0.0 },
        }
    }
}

/// The place of the highest value, the first of equals.
pub(super) fn best(values: &[f64]) -> usize {
    let mut best = 0;
    let mut highest = f64::NEG_INFINITY;
    for (place, value) in values.iter().enumerate() {
        if *value > highest {
            (best, highest) = (place, *value);
        }
    }
    best
}

/// What the classifier makes of a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IntentGuess {
    /// The most probable intent.
    pub intent: String,
    /// The domain whose intents are together most probable.
    pub domain: String,
    /// Probability of the intent as the model sees it, 0 to 1; not calibrated.
    pub probability: f64,
}

/// A training utterance as the models see it.
#[derive(Clone, Copy)]
pub(super) struct Example<'a> {
    /// Its words and word pairs.
    pub(super) words: &'a [String],
    /// Its embedding.
    pub(super) vector: &'a [f32],
    /// The place of its intent.
    pub(super) class: usize,
}

/// A classifier of intents and domains, learned from labelled utterances and their embeddings.
///
/// Linear discriminant analysis over the embeddings and naive Bayes over words and word pairs, both
/// in closed form: the same utterances always give the same classifier.
#[derive(Debug, Clone)]
pub struct IntentClassifier {
    classes: Classes,
    meaning: Discriminant,
    words: WordModel,
    word_weight: f64,
}

impl IntentClassifier {
    /// Learns from utterances and their embeddings, which stand in the same order.
    pub fn train(utterances: &[Utterance], vectors: &[Vec<f32>], settings: IntentSettings) -> Self {
        let classes = Classes::of(utterances);
        let words = all_words(utterances);
        let examples = examples(utterances, &words, vectors, &classes);
        Self::fit(&examples, classes, settings)
    }

    /// Learns like [`IntentClassifier::train`], with the settings that do best in a five-fold
    /// cross-validation over the same utterances. Returns the settings too.
    pub fn choose_and_train(
        utterances: &[Utterance],
        vectors: &[Vec<f32>],
    ) -> (Self, IntentSettings) {
        let classes = Classes::of(utterances);
        let words = all_words(utterances);
        let examples = examples(utterances, &words, vectors, &classes);
        let settings = choose(&examples, classes.count());
        (Self::fit(&examples, classes, settings), settings)
    }

    fn fit(examples: &[Example<'_>], classes: Classes, settings: IntentSettings) -> Self {
        let count = classes.count();
        let vectors = examples
            .iter()
            .map(|example| (example.vector, example.class));
        let words = examples
            .iter()
            .map(|example| (example.words, example.class));
        let moments = Moments::of(&vectors.collect::<Vec<_>>(), count);
        Self {
            classes,
            meaning: Discriminant::fit(&moments, settings.shrinkage),
            words: WordModel::fit(&words.collect::<Vec<_>>(), count, settings.smoothing),
            word_weight: settings.word_weight,
        }
    }

    /// The intent and the domain of a text with this embedding.
    pub fn classify(&self, text: &str, vector: &[f32]) -> IntentGuess {
        let meaning = self.meaning.scores(vector);
        let words = self.words.scores(&words_and_pairs(text));
        self.classes
            .decide(&combined(&meaning, &words, self.word_weight))
    }
}

fn all_words(utterances: &[Utterance]) -> Vec<Vec<String>> {
    let texts = utterances.iter().map(|row| row.text.as_str());
    texts.map(words_and_pairs).collect()
}

fn examples<'a>(
    utterances: &[Utterance],
    words: &'a [Vec<String>],
    vectors: &'a [Vec<f32>],
    classes: &Classes,
) -> Vec<Example<'a>> {
    let rows = utterances.iter().zip(words).zip(vectors);
    let examples = rows.map(|((row, words), vector)| Example {
        words,
        vector,
        class: classes.place(&row.intent),
    });
    examples.collect()
}
