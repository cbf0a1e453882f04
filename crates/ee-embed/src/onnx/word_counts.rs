//! Counting tokens word by word, which is how most counting repeats itself.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use tokenizers::{NormalizerWrapper, PreTokenizerWrapper, Tokenizer};

/// Words that are remembered; the memory starts anew when it is full.
const WORDS_KEPT: usize = 100_000;
/// Longer words are data rather than language and do not come back.
const LONGEST_WORD: usize = 64;

/// The number of tokens of words that were counted before.
///
/// A BERT tokenizer cuts at white space before all else, so that the tokens of a text are those of
/// its words. The four characters cut at here are white space under each of its rules.
pub(super) struct WordCounts {
    /// Tokens that every text has beside those of its words.
    special: usize,
    known: RwLock<HashMap<Box<str>, usize>>,
}

impl WordCounts {
    /// Counts for `tokenizer`; nothing when it is of another kind than BERT's.
    pub(super) fn for_tokenizer(tokenizer: &Tokenizer) -> tokenizers::Result<Option<Self>> {
        let splits = matches!(
            tokenizer.get_pre_tokenizer(),
            Some(PreTokenizerWrapper::BertPreTokenizer(_))
        );
        let normalizes = matches!(
            tokenizer.get_normalizer(),
            Some(NormalizerWrapper::BertNormalizer(_))
        );
        if !(splits && normalizes) {
            return Ok(None);
        }
        Ok(Some(Self {
            special: tokenizer.encode_fast("", true)?.len(),
            known: RwLock::default(),
        }))
    }

    /// Tokens of the text, special ones included.
    pub(super) fn count(&self, tokenizer: &Tokenizer, text: &str) -> tokenizers::Result<usize> {
        let mut tokens = self.special;
        let mut unknown = Vec::new();
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        for word in text
            .split([' ', '\n', '\t', '\r'])
            .filter(|word| !word.is_empty())
        {
            match known.get(word) {
                Some(count) => tokens += count,
                None => unknown.push(word),
            }
        }
        drop(known);
        for word in unknown {
            tokens += self.learn(tokenizer, word)?;
        }
        Ok(tokens)
    }

    fn learn(&self, tokenizer: &Tokenizer, word: &str) -> tokenizers::Result<usize> {
        let count = tokenizer.encode_fast(word, false)?.len();
        if word.len() <= LONGEST_WORD {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= WORDS_KEPT {
                known.clear();
            }
            known.insert(word.into(), count);
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokenizers::models::wordpiece::WordPiece;
    use tokenizers::normalizers::BertNormalizer;
    use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
    use tokenizers::processors::bert::BertProcessing;

    use super::*;

    /// A BERT tokenizer whose vocabulary is a few letters.
    fn tokenizer() -> Tokenizer {
        let pieces = [
            "[UNK]", "[CLS]", "[SEP]", "a", "b", "##a", "##b", "ab", "漢", "!", "é",
        ];
        let vocabulary: [(String, u32); 11] =
            std::array::from_fn(|id| (pieces[id].to_owned(), id as u32));
        let model = WordPiece::builder()
            .vocab(vocabulary)
            .unk_token("[UNK]".to_owned())
            .build()
            .unwrap();
        let mut tokenizer = Tokenizer::new(model);
        tokenizer
            .with_normalizer(Some(BertNormalizer::default()))
            .with_pre_tokenizer(Some(BertPreTokenizer))
            .with_post_processor(Some(BertProcessing::new(
                ("[SEP]".to_owned(), 2),
                ("[CLS]".to_owned(), 1),
            )));
        tokenizer
    }

    proptest! {
        #[test]
        fn counting_by_word_is_counting_the_whole(
            text in "[abABé漢! \\n\\t\\r\\u{0}\\u{b}\\u{85}\\u{a0}\\u{301}\\u{3000}🚀]{0,60}",
            again in prop::bool::ANY,
        ) {
            let tokenizer = tokenizer();
            let words = WordCounts::for_tokenizer(&tokenizer).unwrap().unwrap();
            if again {
                words.count(&tokenizer, &text).unwrap();
            }
            let whole = tokenizer.encode_fast(text.as_str(), true).unwrap().len();
            prop_assert_eq!(words.count(&tokenizer, &text).unwrap(), whole);
        }
    }

    #[test]
    fn other_tokenizers_are_not_taken_apart() {
        let plain = Tokenizer::new(WordPiece::default());
        assert!(WordCounts::for_tokenizer(&plain).unwrap().is_none());
    }
}
