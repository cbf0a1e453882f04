//! Full text over the turns of one conversation, in memory.

use std::collections::HashMap;

use ee_store::{document_terms, query_terms};

/// Saturation of a term's frequency; the customary value.
const K1: f32 = 1.2;

/// How much a text's length counts; the customary value.
const B: f32 = 0.75;

/// An inverted index that grows with its conversation; turns are numbered from 0.
///
/// BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, with the
/// smoothed inverse document frequency ln(1 + (N − n + 0.5) / (n + 0.5)).
#[derive(Debug, Default)]
pub(super) struct Bm25 {
    /// Turn and frequency, by term, in order of turns.
    postings: HashMap<String, Vec<(u32, u32)>>,
    /// Terms of each turn.
    lengths: Vec<u32>,
    /// Terms of all turns.
    terms: u64,
}

impl Bm25 {
    /// Adds the next turn.
    pub(super) fn push(&mut self, text: &str) {
        let turn = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        let terms = document_terms(text);
        let length = u32::try_from(terms.len()).unwrap_or(u32::MAX);
        let mut counts: HashMap<String, u32> = HashMap::new();
        for term in terms {
            *counts.entry(term).or_default() += 1;
        }
        for (term, count) in counts {
            self.postings.entry(term).or_default().push((turn, count));
        }
        self.lengths.push(length);
        self.terms += u64::from(length);
    }

    /// A score for every turn, 0 for those that share no term with the query.
    pub(super) fn scores(&self, query: &str) -> Vec<f32> {
        self.scored(query, |turn| turn..=turn, 1.0)
    }

    /// A score for every turn read together with the one before and the one after it.
    ///
    /// The text of a window is that of its three turns; its statistics come from the turns' own
    /// postings, so that a window needs no index of its own.
    pub(super) fn window_scores(&self, query: &str) -> Vec<f32> {
        let last = self.lengths.len().saturating_sub(1);
        let around = move |turn: usize| turn.saturating_sub(1)..=turn.saturating_add(1).min(last);
        self.scored(query, around, 3.0)
    }

    /// `texts_of` says which texts a turn is part of, and `turns_per_text` how long those are.
    fn scored(
        &self,
        query: &str,
        texts_of: impl Fn(usize) -> std::ops::RangeInclusive<usize>,
        turns_per_text: f32,
    ) -> Vec<f32> {
        let texts = self.lengths.len();
        let mean = (self.terms as f32 * turns_per_text / texts as f32).max(1.0);
        let length = |text: usize| -> u32 {
            let turns = self.lengths.get(texts_of(text)).unwrap_or_default();
            turns.iter().sum()
        };
        let mut scores = vec![0.0; texts];
        for term in query_terms(query) {
            let counts = self.counts(&term, &texts_of);
            let n = counts.len() as f32;
            let idf = (1.0 + (texts as f32 - n + 0.5) / (n + 0.5)).ln();
            for (text, count) in counts {
                let norm = K1 * (1.0 - B + B * length(text) as f32 / mean);
                if let Some(score) = scores.get_mut(text) {
                    *score += idf * count * (K1 + 1.0) / (count + norm);
                }
            }
        }
        scores
    }

    /// How often a term stands in each text that has it, by text.
    fn counts(
        &self,
        term: &str,
        texts_of: &impl Fn(usize) -> std::ops::RangeInclusive<usize>,
    ) -> Vec<(usize, f32)> {
        let postings = self
            .postings
            .get(term)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mut counts: Vec<(usize, f32)> = postings
            .iter()
            .flat_map(|(turn, count)| {
                texts_of(*turn as usize).map(move |text| (text, *count as f32))
            })
            .collect();
        counts.sort_by_key(|(text, _)| *text);
        counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::Bm25;

    fn index(texts: &[&str]) -> Bm25 {
        let mut index = Bm25::default();
        for text in texts {
            index.push(text);
        }
        index
    }

    #[test]
    fn a_rare_term_counts_for_more_and_case_and_endings_do_not_matter() {
        let index = index(&["The dogs ran home.", "A dog slept.", "Zürich is calm.", ""]);
        let scores = index.scores("DOG in Zurich");
        assert!(scores[2] > scores[1] && scores[1] > scores[0] && scores[0] > 0.0);
        assert!(scores[3] <= 0.0);
        assert!(index.scores("?!").iter().all(|score| *score <= 0.0));
        assert!(Bm25::default().scores("dog").is_empty());
    }

    #[test]
    fn the_score_agrees_with_hand_calculation() {
        let index = index(&["alpha beta", "beta gamma"]);
        // N = 2, n = 1: idf = ln(1 + 1.5 / 1.5) = ln 2; length is the mean: tf part 2.2 / 2.2 = 1.
        let scores = index.scores("alpha");
        assert!(
            (scores[0] - std::f32::consts::LN_2).abs() < 1e-6,
            "{scores:?}"
        );
    }

    #[test]
    fn a_window_scores_like_its_text_written_out() {
        let turns = ["alpha", "beta alpha", "gamma", "delta beta", "alpha"];
        let written: Vec<String> = (0..5_usize)
            .map(|turn| turns[turn.saturating_sub(1)..=(turn + 1).min(4)].join(" "))
            .collect();
        let written: Vec<&str> = written.iter().map(String::as_str).collect();
        let (windows, written) = (index(&turns), index(&written));
        let (windows, written) = (
            windows.window_scores("alpha beta"),
            written.scores("alpha beta"),
        );
        // The mean length of written windows is shorter: those at both ends have two turns.
        let order = |scores: &[f32]| {
            let mut order: Vec<usize> = (0..5).collect();
            order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
            order
        };
        assert_eq!(order(&windows), order(&written));
    }
}
