//! Answers as words, so that two spellings of one answer are equal.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Words that say nothing about an answer (Rajpurkar et al., EMNLP 2016, drop the same).
const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// The words of a text: compatibility-normalised (NFKC), in lower case, without punctuation and
/// English articles. Ideographs are words of their own. A comma between digits is dropped, so that
/// `75,000` is `75000`.
pub(super) fn words(text: &str) -> Vec<String> {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let words = folded.unicode_words().map(|word| word.replace(',', ""));
    words
        .filter(|word| !ARTICLES.contains(&word.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn spellings_of_one_answer_are_equal() {
        assert_eq!(words("The 75,000 €!"), words("75000"));
        assert_eq!(words("STRASSE"), words("strasse"));
        assert_eq!(words("ﬁre"), words("fire"));
        assert_eq!(words("苏州"), ["苏", "州"]);
        assert!(words("…").is_empty());
    }
}
