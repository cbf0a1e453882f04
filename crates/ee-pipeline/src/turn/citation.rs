//! Citations: what an answer may cite, and how each unit is cited.

use km_core::UnitId;

use super::escape;

/// The least digits of a citation.
const SHORTEST: usize = 8;

/// How each of the units is cited: the shortest prefix of its id, of 8 digits or more, that no
/// other of them has. In the order of `units`.
pub(crate) fn citations(units: &[UnitId]) -> Vec<String> {
    let ids: Vec<String> = units.iter().map(UnitId::to_string).collect();
    ids.iter()
        .map(|id| {
            let others = ids.iter().filter(|other| *other != id);
            let longest = others.map(|other| shared_digits(id, other)).max();
            let length = longest.map_or(SHORTEST, |longest| SHORTEST.max(longest + 1));
            id.chars().take(length).collect()
        })
        .collect()
}

fn shared_digits(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count()
}

/// One unit that an answer may cite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Citable {
    pub(crate) rank: usize,
    pub(crate) unit: UnitId,
    pub(crate) citation: String,
}

/// What a bracketed expression of an answer turns out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Bracket {
    /// Nothing of ours: it stays.
    Ordinary,
    /// A tag, which only the engine may write: it goes.
    Tag,
    /// Citations: ranks of those that hold, and what was false.
    Citations {
        /// Ranks of the units cited.
        ranks: Vec<usize>,
        /// What was cited and had not been offered.
        refused: Vec<String>,
    },
}

/// Reads the inside of a bracket: `RAG:…`, `ID:n`, or 8 to 32 hexadecimal digits, several of them
/// separated by commas, semicolons or spaces. What looks like one of them to a reader is one.
pub(crate) fn read_bracket(inside: &str, citable: &[Citable]) -> Bracket {
    let text = as_seen(inside);
    if escape::resembles(&text, "rag:") {
        return Bracket::Tag;
    }
    let words: Vec<&str> = text
        .split([',', ';', ' '])
        .filter(|word| !word.is_empty())
        .collect();
    let cites = |word: &&str| rank_form(word).is_some() || is_citation(word);
    if words.is_empty() || !words.iter().all(cites) {
        return Bracket::Ordinary;
    }
    let (mut ranks, mut refused) = (Vec::new(), Vec::new());
    for word in words {
        match citable.iter().find(|unit| names(word, unit)) {
            Some(unit) if ranks.contains(&unit.rank) => {}
            Some(unit) => ranks.push(unit.rank),
            None => refused.push(word.to_owned()),
        }
    }
    Bracket::Citations { ranks, refused }
}

/// The text as a reader sees it, in small letters, without white space around colons.
fn as_seen(inside: &str) -> String {
    let seen = inside.chars().filter(|c| !escape::is_unseen(*c));
    let folded: String = seen.map(escape::fold).collect();
    let lower = folded.to_lowercase();
    let parts: Vec<&str> = lower.split(':').map(str::trim).collect();
    parts.join(":")
}

/// The number behind `id:`, with its sign, as written.
fn rank_form(word: &str) -> Option<&str> {
    let (_, number) = word
        .split_once(':')
        .filter(|_| escape::resembles(word, "id:"))?;
    let digits = number.strip_prefix(['-', '+']).unwrap_or(number);
    let numeric = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    numeric.then_some(number)
}

fn is_citation(word: &str) -> bool {
    (SHORTEST..=32).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_hexdigit())
}

fn names(word: &str, unit: &Citable) -> bool {
    match rank_form(word) {
        Some(rank) => rank.parse() == Ok(unit.rank),
        None => word.len() >= unit.citation.len() && unit.unit.to_string().starts_with(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_citation_is_as_long_as_it_must_be() {
        let id = |text: &str| format!("{text:0<32}").parse::<UnitId>().unwrap();
        let units = [id("aaaaaaaa1"), id("aaaaaaaa2"), id("b")];
        assert_eq!(citations(&units), ["aaaaaaaa1", "aaaaaaaa2", "b0000000"]);
        assert_eq!(citations(&[id("c"), id("c")]), ["c0000000", "c0000000"]);
    }

    #[test]
    fn brackets_are_read() {
        let unit: UnitId = "a3f9b2c1000000000000000000000000".parse().unwrap();
        let citable = [Citable {
            rank: 2,
            unit,
            citation: "a3f9b2c1".into(),
        }];
        let read = |inside| read_bracket(inside, &citable);
        let cites = |ranks: &[usize], refused: &[&str]| Bracket::Citations {
            ranks: ranks.to_vec(),
            refused: refused.iter().map(|&word| word.to_owned()).collect(),
        };
        assert_eq!(read("A3F9B2C1"), cites(&[2], &[]));
        assert_eq!(read("a3f9b2c10000, deadbeef"), cites(&[2], &["deadbeef"]));
        assert_eq!(read("ID:2; id:9"), cites(&[2], &["id:9"]));
        assert_eq!(read("ID : 2, id: -1"), cites(&[2], &["id:-1"]));
        assert_eq!(
            read("id:99999999999999999999"),
            cites(&[], &["id:99999999999999999999"])
        );
        assert_eq!(read("a3f9\u{200b}b2c1, ІD:9"), cites(&[2], &["іd:9"]));
        for tag in ["RАG:1", "𝐑𝐀𝐆∶1", "R\u{2060}AG\u{fe0f}:1", "ᎡAG:1"] {
            assert_eq!(read(tag), Bracket::Tag, "{tag}");
        }
        assert_eq!(read(" rag : 00"), Bracket::Tag);
        for ordinary in [
            "", "x", "1", "note 2", "a3f9b2c", "ragged", "id:x", "ragù: 1", "дом:1",
        ] {
            assert_eq!(read(ordinary), Bracket::Ordinary, "{ordinary}");
        }
    }

    proptest! {
        #[test]
        fn citations_are_unique(
            ids in proptest::collection::hash_set(proptest::array::uniform16(0u8..2), 1..8),
        ) {
            let units: Vec<UnitId> = ids.into_iter().map(UnitId::from_bytes).collect();
            for (at, citation) in citations(&units).iter().enumerate() {
                let named: Vec<_> =
                    units.iter().filter(|unit| unit.to_string().starts_with(citation)).collect();
                prop_assert_eq!(named, vec![&units[at]]);
            }
        }
    }
}
