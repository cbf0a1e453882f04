//! Whom a message speaks to, and whom it names: what ties a chat room together.

use serde::{Deserialize, Serialize};

use crate::terms::{TermHash, hash};
use crate::{CueWords, History};

/// Words in which names count.
const READ_WORDS: usize = 40;
/// Names that are kept besides the addressee.
const MAX_MENTIONED: usize = 4;
/// A name without a mark of address has at least so many characters.
const MIN_NAME_CHARACTERS: usize = 3;
/// Marks that follow the name of the one who is addressed.
const ADDRESS_MARKS: [char; 3] = [':', ',', ';'];

/// Who speaks to whom. Speakers stand as hashes of their lower-case names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Addresses {
    /// The speaker; not stored, for the message has the name.
    #[serde(skip)]
    pub speaker: TermHash,
    /// The speaker whom the message begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub addressee: Option<TermHash>,
    /// Other speakers whom it names, at most four.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub mentioned: Box<[TermHash]>,
    /// Whether it begins as if addressing somebody who has said nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub addresses_unknown: bool,
}

impl Addresses {
    /// Reads them. Only a chat room has any besides the speaker.
    pub(crate) fn read(text: &str, speaker: &str, history: &History, cue_words: &CueWords) -> Self {
        let speaker = speaker_hash(speaker);
        if !history.is_chat_room() {
            return Self {
                speaker,
                ..Self::default()
            };
        }
        let known = |name: &str| {
            let name = speaker_hash(name);
            (name != speaker && !history.spoken_by(name).is_empty()).then_some(name)
        };
        let telling = |name: &str| {
            name.chars().count() >= MIN_NAME_CHARACTERS
                && !cue_words.is_common(hash(&name.to_lowercase()))
        };
        let first = text.split_whitespace().next().unwrap_or_default();
        let name = first.trim_end_matches(ADDRESS_MARKS);
        let marked = name.len() < first.len();
        let short_form = || {
            history
                .named_like(name)
                .filter(|found| marked && *found != speaker)
        };
        let addressee = known(name).filter(|_| marked || telling(name));
        let addressee = addressee.or_else(|| short_form().filter(|_| telling(name)));
        let words = text.split_whitespace().take(READ_WORDS);
        let names = words.map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation()));
        let mut mentioned: Vec<TermHash> = names
            .filter(|name| telling(name))
            .filter_map(known)
            .collect();
        mentioned.retain(|name| Some(*name) != addressee);
        mentioned.sort_unstable();
        mentioned.dedup();
        mentioned.truncate(MAX_MENTIONED);
        Self {
            speaker,
            addressee,
            mentioned: mentioned.into(),
            addresses_unknown: marked && addressee.is_none(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.addressee.is_none() && self.mentioned.is_empty() && !self.addresses_unknown
    }
}

/// The text without the name that it begins with.
pub(crate) fn unaddressed<'a>(text: &'a str, addresses: &Addresses) -> &'a str {
    let text = text.trim_start();
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let named =
        addresses.addressee.is_some() || addresses.addresses_unknown && first.ends_with(':');
    if named { rest } else { text }
}

/// The hash of a speaker's name; case does not count.
pub(crate) fn speaker_hash(name: &str) -> TermHash {
    hash(&name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(addressee: Option<TermHash>, addresses_unknown: bool) -> Addresses {
        Addresses {
            addressee,
            addresses_unknown,
            ..Addresses::default()
        }
    }

    #[test]
    fn the_name_of_the_addressee_is_no_part_of_what_is_said() {
        let addressed = to(Some(speaker_hash("ada")), false);
        assert_eq!(unaddressed("ada: yes, try it", &addressed), "yes, try it");
        assert_eq!(unaddressed("ada", &addressed), "");
    }

    #[test]
    fn only_a_colon_tells_an_unknown_name_from_an_opening_word() {
        assert_eq!(unaddressed("eve: no", &to(None, true)), "no");
        assert_eq!(unaddressed("well, no", &to(None, true)), "well, no");
        assert_eq!(unaddressed("yes it is", &to(None, false)), "yes it is");
    }
}
