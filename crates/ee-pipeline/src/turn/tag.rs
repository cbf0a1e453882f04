//! Tags: which stored embeddings an answer was given.

/// Lengths a tag may have, in hexadecimal digits, shortest first.
const LENGTHS: [usize; 3] = [8, 12, 16];

/// The tag of the stored embedding with this SHA-256, among all embeddings that were offered with
/// it: the shortest of 8, 12 or 16 digits that no different embedding shares. Equal embeddings
/// share their tag.
pub(crate) fn tag(sha256: &str, offered: &[&str]) -> String {
    let prefix = |length: usize| sha256.get(..length).unwrap_or(sha256);
    let unique = |length: &usize| {
        offered
            .iter()
            .all(|other| *other == sha256 || !other.starts_with(prefix(*length)))
    };
    let length = LENGTHS.into_iter().find(unique).unwrap_or(16);
    prefix(length).to_owned()
}

/// A tag as the answer shows it.
pub(crate) fn bracketed(tag: &str) -> String {
    format!("[RAG:{tag}]")
}

/// The tags at the end of a stored answer.
pub(crate) fn tags_in(answer: &str) -> Vec<&str> {
    let last = answer.lines().next_back().unwrap_or_default();
    last.split_whitespace().filter_map(unbracketed).collect()
}

/// A stored message without the line of tags at its end.
pub(crate) fn without_tags(message: &str) -> &str {
    let (rest, last) = message.rsplit_once('\n').unwrap_or(("", message));
    let mut words = last.split_whitespace().peekable();
    if words.peek().is_some() && words.all(|word| unbracketed(word).is_some()) {
        rest
    } else {
        message
    }
}

fn unbracketed(word: &str) -> Option<&str> {
    word.strip_prefix("[RAG:")?.strip_suffix(']')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn different_embeddings_that_collide_get_longer_tags() {
        let one = "a3f9b2c10000aaaa1111";
        let two = "a3f9b2c1ffffaaaa1111";
        let three = "a3f9b2c10000bbbb1111";
        assert_eq!(tag(one, &[one, one]), "a3f9b2c1");
        assert_eq!(tag(one, &[one, two]), "a3f9b2c10000");
        assert_eq!(tag(two, &[one, two]), "a3f9b2c1ffff");
        assert_eq!(tag(one, &[one, two, three]), "a3f9b2c10000aaaa");
    }

    #[test]
    fn tags_are_found_again() {
        let answer = format!(
            "Ten days.\n{} {}",
            bracketed("a3f9b2c1"),
            bracketed("00000000")
        );
        assert_eq!(tags_in(&answer), ["a3f9b2c1", "00000000"]);
        assert!(tags_in("").is_empty());
        assert_eq!(without_tags(&answer), "Ten days.");
        for plain in ["", "Ten days.", "Two\nlines", "about [RAG:a3f9b2c1] tags"] {
            assert_eq!(without_tags(plain), plain);
        }
    }

    proptest! {
        #[test]
        fn tags_of_a_turn_differ_where_embeddings_do(
            shas in proptest::collection::vec("[0-1]{9}[0-9a-f]{55}", 1..6),
        ) {
            let all: Vec<&str> = shas.iter().map(String::as_str).collect();
            for a in &all {
                for b in &all {
                    let apart = a.get(..16) != b.get(..16);
                    prop_assert_eq!(a != b && apart, tag(a, &all) != tag(b, &all));
                }
            }
        }
    }
}
