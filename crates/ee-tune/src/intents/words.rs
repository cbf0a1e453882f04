//! What the words of an utterance say about its class: multinomial naive Bayes over words and
//! pairs of neighbouring words.

use std::collections::HashMap;

/// Log probabilities of words and word pairs by class.
#[derive(Debug, Clone)]
pub(super) struct WordModel {
    /// By word or pair: the classes that have it, with what it adds above [`WordModel::unseen`].
    gains: HashMap<String, Vec<(usize, f64)>>,
    /// By class: log probability of a word or pair that the class never had.
    unseen: Vec<f64>,
}

impl WordModel {
    /// Fits the model; `smoothing` (above 0) is added to every count.
    pub(super) fn fit(examples: &[(&[String], usize)], classes: usize, smoothing: f64) -> Self {
        let mut counts: HashMap<&str, HashMap<usize, f64>> = HashMap::new();
        let mut totals = vec![0.0; classes];
        for (words, class) in examples {
            for word in *words {
                *counts.entry(word).or_default().entry(*class).or_default() += 1.0;
            }
            if let Some(total) = totals.get_mut(*class) {
                *total += words.len() as f64;
            }
        }
        let kinds = counts.len() as f64;
        let unseen = totals
            .iter()
            .map(|total| (smoothing / (total + smoothing * kinds)).ln());
        let gain = |(class, count): (usize, f64)| (class, (1.0 + count / smoothing).ln());
        let gains = counts
            .into_iter()
            .map(|(word, by_class)| (word.to_owned(), by_class.into_iter().map(gain).collect()));
        Self {
            unseen: unseen.collect(),
            gains: gains.collect(),
        }
    }

    /// By class, the log probability of the known words, divided by the square root of their
    /// number: neighbours depend on each other, so that each further one says less.
    pub(super) fn scores(&self, words: &[String]) -> Vec<f64> {
        let known: Vec<_> = words
            .iter()
            .filter_map(|word| self.gains.get(word))
            .collect();
        let scale = 1.0 / (known.len().max(1) as f64).sqrt();
        let count = known.len() as f64;
        let mut scores: Vec<f64> = self.unseen.iter().map(|log| log * count * scale).collect();
        for (class, gain) in known.into_iter().flatten() {
            if let Some(score) = scores.get_mut(*class) {
                *score += gain * scale;
            }
        }
        scores
    }
}

/// The words of a text in lower case and its pairs of neighbours, with the ends as neighbours.
pub(super) fn words_and_pairs(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let mut all = words.clone();
    let mut before = "^";
    for word in words.iter().map(String::as_str).chain(["$"]) {
        all.push(format!("{before} {word}"));
        before = word;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{WordModel, words_and_pairs};

    #[test]
    fn pairs_include_the_ends() {
        let expected = ["turn", "it", "off", "^ turn", "turn it", "it off", "off $"];
        assert_eq!(words_and_pairs("Turn it, off!"), expected);
    }

    #[test]
    fn scores_are_log_probabilities() {
        let (first, second) = (vec!["a".to_owned(), "b".to_owned()], vec!["b".to_owned()]);
        let examples = [(first.as_slice(), 0), (second.as_slice(), 1)];
        let scores = WordModel::fit(&examples, 2, 1.0).scores(&first);
        // Class 0 has two words: (1 + 1) / (2 + 2) each. Class 1 has one: 1 / 3 and 2 / 3.
        let expected = [(0.5_f64 * 0.5).ln(), (1.0_f64 / 3.0 * 2.0 / 3.0).ln()];
        for (score, expected) in scores.iter().zip(expected) {
            assert!((score - expected / 2.0_f64.sqrt()).abs() < 1e-12);
        }
    }
}
