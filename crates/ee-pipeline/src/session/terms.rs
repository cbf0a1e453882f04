//! Words of a text and how they match across inflections, without a list of any language.

use unicode_segmentation::UnicodeSegmentation;

/// The words of `text` in lower case, in order. Scripts without spaces give single characters.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.unicode_words().map(str::to_lowercase).collect()
}

/// Whether two lower-case words are the same, or inflections of one stem as far as a common
/// beginning can tell: four characters or more, all but three of either word.
pub(crate) fn alike(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let shared = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let longest = a.chars().count().max(b.chars().count());
    shared >= 4 && longest - shared <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflections_are_alike_and_other_words_are_not() {
        for (a, b) in [
            ("rebase", "rebasing"),
            ("urlaubstag", "urlaubstage"),
            ("年", "年"),
        ] {
            assert!(alike(a, b), "{a} {b}");
        }
        for (a, b) in [("test", "tempo"), ("cat", "cats"), ("container", "content")] {
            assert!(!alike(a, b), "{a} {b}");
        }
    }

    #[test]
    fn words_of_scripts_without_spaces_are_characters() {
        assert_eq!(words("休假 Policy!"), ["休", "假", "policy"]);
    }
}
