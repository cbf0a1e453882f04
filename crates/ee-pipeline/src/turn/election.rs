//! Layer 2, election: what the model asks to read, and nothing that it was not offered.
//!
//! A command is `RETRIEVE` and ids. It counts
//! - at the beginning of a line, in any case, when nothing but punctuation follows the ids;
//! - anywhere, in capitals, when a sentence ends after the ids;
//! - at the beginning of a line, in capitals, when a reason follows (`RETRIEVE 3 to check this`);
//! - anywhere, when the ids are written `[ID:3]`.
//!
//! "retrieve 5 items from the shop" is none of these.

use serde::Deserialize;
use serde_json::json;

use super::escape::fold;
use crate::{ToolCall, ToolSpec};

/// Name of the tool that asks as the command does.
pub(crate) const TOOL: &str = "retrieve";

/// How much of a reply may come before a command, in characters. A reply that has gone on for
/// longer is an answer, and may be shown as it arrives.
const WINDOW_CHARACTERS: usize = 300;

/// Words that may follow the ids of a command in capitals.
const REASONS: [&str; 12] = [
    "please", "to", "for", "because", "since", "as", "so", "and", "then", "first", "now", "in",
];

/// The ids asked for, as far as they were offered, and the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Election {
    /// Ranks to inject, in the order asked for, each once.
    pub(crate) ranks: Vec<usize>,
    /// What was asked for and had not been offered, as written.
    pub(crate) refused: Vec<String>,
}

impl Election {
    /// Admits the ids that were offered: ranks from 1 to `offered`.
    pub(crate) fn admit(asked: Vec<String>, offered: usize) -> Self {
        let mut election = Self::default();
        for id in asked {
            match id.parse() {
                Ok(rank) if (1..=offered).contains(&rank) => push_new(&mut election.ranks, rank),
                _ => push_new(&mut election.refused, id),
            }
        }
        election
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// The tool `retrieve(ids)`.
pub(crate) fn tool() -> ToolSpec {
    ToolSpec {
        name: TOOL.to_owned(),
        description: "Reads notes in full by their [ID:n].".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {"ids": {"type": "array", "items": {"type": "integer"}}},
            "required": ["ids"]
        }),
    }
}

/// The ids asked for by tool calls; none when the tool was not called.
pub(crate) fn asked_by_tool(calls: &[ToolCall]) -> Option<Vec<String>> {
    let calls: Vec<_> = calls.iter().filter(|call| call.name == TOOL).collect();
    if calls.is_empty() {
        return None;
    }
    Some(
        calls
            .into_iter()
            .flat_map(|call| tool_ids(&call.arguments))
            .collect(),
    )
}

/// Ids of one call. Models write numbers, strings or a single value where a list is due.
fn tool_ids(arguments: &str) -> Vec<String> {
    #[derive(Deserialize)]
    struct Arguments {
        #[serde(alias = "id")]
        ids: serde_json::Value,
    }
    match serde_json::from_str::<Arguments>(arguments).map(|arguments| arguments.ids) {
        Ok(serde_json::Value::Array(ids)) => ids.iter().flat_map(value_ids).collect(),
        Ok(id) => value_ids(&id),
        Err(_) => digits_in(arguments),
    }
}

fn value_ids(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::String(text) => digits_in(text),
        serde_json::Value::Number(number) => vec![number.to_string()],
        _ => Vec::new(),
    }
}

fn digits_in(text: &str) -> Vec<String> {
    let numbers = text.split(|c: char| !c.is_ascii_digit());
    numbers
        .filter(|digits| !digits.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The part of a reply in which a command counts, and whether more text could change it.
pub(crate) fn head(reply: &str) -> (&str, bool) {
    let from = nth_character(reply, WINDOW_CHARACTERS);
    let latest = nth_character(reply, 2 * WINDOW_CHARACTERS);
    let window = reply.get(from..latest).unwrap_or_default();
    match window.find('\n') {
        Some(at) => (reply.get(..from + at).unwrap_or(reply), true),
        None => (reply.get(..latest).unwrap_or(reply), latest < reply.len()),
    }
}

fn nth_character(text: &str, n: usize) -> usize {
    text.char_indices().nth(n).map_or(text.len(), |(at, _)| at)
}

/// The ids asked for in a reply, its thinking taken off; none when it is no request.
pub(crate) fn asked_in_text(reply: &str) -> Option<Vec<String>> {
    let (head, _) = head(reply);
    let mut asked = Vec::new();
    for ids in head.lines().filter_map(command) {
        asked.extend(ids);
    }
    (!asked.is_empty()).then_some(asked)
}

/// The ids of the first command in a line; none when there is no command in it.
pub(crate) fn command(line: &str) -> Option<Vec<String>> {
    let folded: Vec<char> = line.chars().map(fold).collect();
    let start = folded.iter().take_while(|c| is_decoration(**c)).count();
    (start..folded.len()).find_map(|at| command_at(&folded, at, at == start))
}

/// Marks that models put around a command.
pub(crate) fn is_decoration(c: char) -> bool {
    c.is_whitespace() || "*`>_-\"'#•(".contains(c)
}

fn command_at(line: &[char], at: usize, opens_line: bool) -> Option<Vec<String>> {
    let before = at.checked_sub(1).and_then(|before| line.get(before));
    if before.is_some_and(|c| c.is_alphanumeric()) {
        return None;
    }
    let (word, rest) = line.get(at..)?.split_at_checked(TOOL.len())?;
    let word: String = word.iter().collect();
    if !word.eq_ignore_ascii_case(TOOL) {
        return None;
    }
    let ids = IdList::read(rest)?;
    let capitals = word.bytes().all(|b| b.is_ascii_uppercase());
    let counts = ids.marked
        || (opens_line && ids.closes_line())
        || (capitals && (ids.closes_sentence() || (opens_line && ids.gives_reason())));
    counts.then_some(ids.ids)
}

/// The ids after the command word, and what follows them.
struct IdList<'a> {
    ids: Vec<String>,
    /// Whether an id was written `[ID:n]`.
    marked: bool,
    tail: &'a [char],
}

impl<'a> IdList<'a> {
    fn read(after_word: &'a [char]) -> Option<Self> {
        let first = after_word.first()?;
        if first.is_alphanumeric() {
            return None;
        }
        let mut list = Self {
            ids: Vec::new(),
            marked: false,
            tail: after_word,
        };
        while let Some((id, marked, tail)) = read_id(list.tail) {
            list.ids.push(id);
            list.marked |= marked;
            list.tail = tail;
        }
        (!list.ids.is_empty()).then_some(list)
    }

    /// Nothing but punctuation follows.
    fn closes_line(&self) -> bool {
        self.tail.iter().all(|c| !c.is_alphanumeric())
    }

    /// The line ends, or a sentence does.
    fn closes_sentence(&self) -> bool {
        let mut tail = self.tail.iter().skip_while(|c| "*`_\"')]".contains(**c));
        self.closes_line() || tail.next().is_some_and(|c| ".;!?。!?".contains(*c))
    }

    fn gives_reason(&self) -> bool {
        let tail = self.tail.iter().skip_while(|c| !c.is_alphanumeric());
        let word: String = tail.take_while(|c| c.is_alphanumeric()).collect();
        REASONS.contains(&word.to_lowercase().as_str())
    }
}

/// Reads separators and one id: digits, with `#`, brackets or `ID:` around them. Gives the
/// digits, whether `[ID:n]` was written out, and what follows.
fn read_id(text: &[char]) -> Option<(String, bool, &[char])> {
    let rest = skip_word(skip(text, ",;:&+-([{<#= \t"), &["and", "und", "ids", "id"]);
    let marked = text
        .iter()
        .zip(text.iter().skip(1))
        .any(|(a, b)| *a == '[' && *b == 'I')
        && rest.first() == Some(&':');
    let rest = skip(rest, ":#([{< \t");
    let digits: String = rest.iter().take_while(|c| c.is_ascii_digit()).collect();
    let after = rest.get(digits.len()..)?;
    let next = after.first();
    let decimal = next == Some(&'.') && after.get(1).is_some_and(char::is_ascii_digit);
    let glued = next.is_some_and(|c| c.is_alphanumeric() || *c == '%');
    if digits.is_empty() || decimal || glued {
        return None;
    }
    let closing = after.iter().take_while(|c| "])}>".contains(**c)).count();
    Some((digits, marked, after.get(closing..)?))
}

fn skip<'a>(text: &'a [char], of: &str) -> &'a [char] {
    let skipped = text.iter().take_while(|c| of.contains(**c)).count();
    text.get(skipped..).unwrap_or_default()
}

fn skip_word<'a>(text: &'a [char], words: &[&str]) -> &'a [char] {
    let word: String = text
        .iter()
        .take_while(|c| c.is_ascii_alphabetic())
        .collect();
    if !words.contains(&word.to_ascii_lowercase().as_str()) {
        return text;
    }
    let rest = skip(text.get(word.len()..).unwrap_or_default(), " \t[(");
    if word.eq_ignore_ascii_case("and") || word.eq_ignore_ascii_case("und") {
        return skip_word(rest, &["ids", "id"]);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn asked(reply: &str) -> Vec<usize> {
        let ids = asked_in_text(reply).unwrap_or_default();
        Election::admit(ids, 99).ranks
    }

    #[test]
    fn commands_in_many_spellings() {
        for (reply, ids) in [
            ("RETRIEVE 7", vec![7]),
            ("RETRIEVE 3, 7 12", vec![3, 7, 12]),
            ("retrieve 3", vec![3]),
            ("Retrieve: 3, and 4.", vec![3, 4]),
            ("RETRIEVE 3\nRETRIEVE 4, 3", vec![3, 4]),
            ("  **RETRIEVE [ID:2]**", vec![2]),
            ("RETRIEVE ID:2, ID:5", vec![2, 5]),
            ("RETRIEVE [ID:2], [ID:5]", vec![2, 5]),
            ("RETRIEVE [2][5]", vec![2, 5]),
            ("RETRIEVE(2)", vec![2]),
            ("`RETRIEVE #2`", vec![2]),
            ("RETRIEVE ids 2 & 3", vec![2, 3]),
            ("I cannot tell yet. RETRIEVE 4. Then I can.", vec![4]),
            ("Let me look that up:\n\nRETRIEVE 4", vec![4]),
            ("RETRIEVE 4 to check the date", vec![4]),
            ("I would retrieve [ID:4] here", vec![4]),
            ("RETRIEVE 3,4", vec![3, 4]),
            ("RETRIEVE 1-3", vec![1, 3]),
        ] {
            assert_eq!(asked(reply), ids, "{reply}");
        }
    }

    #[test]
    fn prose_is_no_command() {
        for reply in [
            "retrieve 5 items from the shop",
            "Retrieve 5 items from the shop.",
            "RETRIEVE 5 items from the shop",
            "You can retrieve 5.",
            "To retrieve 5, 6 or 7 rows use LIMIT.",
            "RETRIEVED 5",
            "PRERETRIEVE 5",
            "RETRIEVE 5kg",
            "RETRIEVE 3.5",
            "RETRIEVE 50%",
            "RETRIEVE",
            "RETRIEVE nothing",
            "You can retrieve id 5 from the users table.",
            "检索 5",
            "",
        ] {
            assert_eq!(asked_in_text(reply), None, "{reply}");
        }
    }

    #[test]
    fn only_what_was_offered_counts() {
        let ids = asked_in_text("RETRIEVE 2, 9, 0, 99999999999999999999999, 2").unwrap();
        let election = Election::admit(ids, 5);
        assert_eq!(election.ranks, [2]);
        assert_eq!(election.refused, ["9", "0", "99999999999999999999999"]);
    }

    #[test]
    fn tool_calls_in_the_shapes_that_models_write() {
        let call = |arguments: &str| ToolCall {
            id: "1".into(),
            name: TOOL.into(),
            arguments: arguments.into(),
        };
        for (arguments, ids) in [
            (r#"{"ids":[3,7]}"#, vec!["3", "7"]),
            (r#"{"ids":["3","ID:7"]}"#, vec!["3", "7"]),
            (r#"{"id":3}"#, vec!["3"]),
            (r#"{"ids":"3, 7"}"#, vec!["3", "7"]),
            (r#"{"ids":[3"#, vec!["3"]),
            ("{}", vec![]),
        ] {
            assert_eq!(
                asked_by_tool(&[call(arguments)]).unwrap(),
                ids,
                "{arguments}"
            );
        }
        assert_eq!(asked_by_tool(&[]), None);
    }

    #[test]
    fn a_command_after_the_window_is_part_of_an_answer() {
        let long = "word ".repeat(200);
        assert_eq!(asked_in_text(&format!("{long}\nRETRIEVE 3")), None);
    }

    proptest! {
        #[test]
        fn no_reply_breaks_the_parser(reply in "(RETRIEVE|retrieve|[ID:0-9, .\n#é检\\[\\]]){0,40}") {
            asked_in_text(&reply);
        }

        #[test]
        fn a_complete_head_stays_as_it_is(reply in "[a-z\n ]{0,900}", more in "[a-z\n ]{0,20}") {
            let (before, complete) = head(&reply);
            if complete {
                let longer = format!("{reply}{more}");
                prop_assert_eq!(head(&longer).0, before);
            }
        }
    }
}
