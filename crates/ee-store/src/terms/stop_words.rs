//! Words that say nothing about what a text is about. Queries leave them out.

/// English function words.
const ENGLISH: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
    "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if",
    "in", "into", "is", "it", "its", "may", "me", "my", "no", "not", "of", "on", "or", "our",
    "she", "should", "so", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "was", "we", "were", "what", "when", "where", "which",
    "who", "why", "will", "with", "would", "you", "your",
];

/// German function words, folded as terms are.
const GERMAN: &[&str] = &[
    "aber", "als", "am", "an", "auch", "auf", "aus", "bei", "bis", "da", "das", "dass", "dem",
    "den", "der", "des", "die", "dies", "diese", "diesem", "diesen", "dieser", "dieses", "durch",
    "ein", "eine", "einem", "einen", "einer", "eines", "er", "es", "fur", "hat", "ich", "ihr",
    "ihre", "im", "in", "ist", "kann", "mein", "mit", "nach", "nicht", "noch", "nur", "ob", "oder",
    "sich", "sie", "sind", "so", "uber", "um", "und", "unter", "vom", "von", "vor", "wann", "war",
    "was", "welche", "welcher", "welches", "wenn", "wer", "werden", "wie", "wir", "wird", "wo",
    "zu", "zum", "zur",
];

/// The longest word of both lists, in bytes: most words are longer than most of these.
const LONGEST: usize = 7;

/// Whether a folded word is an English function word.
pub(super) fn is_english(word: &str) -> bool {
    is_in(ENGLISH, word)
}

/// Whether a folded word is a German function word.
pub(super) fn is_german(word: &str) -> bool {
    is_in(GERMAN, word)
}

fn is_in(list: &[&str], word: &str) -> bool {
    word.len() <= LONGEST && list.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{ENGLISH, GERMAN, LONGEST};

    #[test]
    fn lists_are_sorted_for_binary_search() {
        assert!(ENGLISH.is_sorted());
        assert!(GERMAN.is_sorted());
    }
    #[test]
    fn the_longest_word_is_as_long_as_is_said() {
        let lengths = ENGLISH.iter().chain(GERMAN).map(|word| word.len());
        assert_eq!(lengths.max(), Some(LONGEST));
    }
}
