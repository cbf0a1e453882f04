//! The gate between a model's stream and the client: shut until it is clear that the reply is
//! not a request to read something.

use super::ReplyFilter;
use super::thinking::{after_all_thinking, after_thinking};
use crate::turn::election;

/// Feeds a reply through the filter to the client once that is safe.
pub(crate) struct Gate<'a> {
    filter: ReplyFilter,
    on_text: &'a mut dyn FnMut(&str),
    state: State,
    may_elect: bool,
    shown: String,
}

enum State {
    /// Nothing is clear yet; what has arrived.
    Shut(String),
    /// The reply is an answer.
    Open,
    /// The reply asks for these ids.
    Asked(Vec<String>),
}

/// What a reply turned out to be.
pub(crate) enum GateOutcome {
    /// A request for these ids, of which the client saw nothing.
    Asked(Vec<String>),
    /// An answer, as the client saw it.
    Answer(Answer),
}

/// An answer as shown.
pub(crate) struct Answer {
    pub(crate) text: String,
    /// Ranks of the units it cites, in the order of first mention.
    pub(crate) cited: Vec<usize>,
    /// What it cited without having been offered it.
    pub(crate) false_citations: Vec<String>,
}

impl Answer {
    /// The answer of a reply that held none.
    pub(crate) fn empty() -> Self {
        Self {
            text: String::new(),
            cited: Vec::new(),
            false_citations: Vec::new(),
        }
    }
}

impl<'a> Gate<'a> {
    /// A gate for a reply that may ask for ids (first call) or not (second call).
    pub(crate) fn new(
        filter: ReplyFilter,
        may_elect: bool,
        on_text: &'a mut dyn FnMut(&str),
    ) -> Self {
        let state = State::Shut(String::new());
        Self {
            filter,
            on_text,
            state,
            may_elect,
            shown: String::new(),
        }
    }

    /// Whether anything has arrived.
    pub(crate) fn is_untouched(&self) -> bool {
        matches!(&self.state, State::Shut(held) if held.is_empty())
    }

    /// Whether the reply was shown to be an answer already.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, State::Open)
    }

    /// Takes the next piece of the reply.
    pub(crate) fn push(&mut self, text: &str) {
        match &mut self.state {
            State::Asked(_) => {}
            State::Open => self.show(text),
            State::Shut(held) => {
                held.push_str(text);
                let Some(reply) = after_thinking(held) else {
                    return;
                };
                if !self.may_elect || election::head(reply).1 {
                    let reply = reply.to_owned();
                    self.decide(&reply);
                }
            }
        }
    }

    fn decide(&mut self, reply: &str) {
        let asked = election::asked_in_text(reply).filter(|_| self.may_elect);
        if let Some(ids) = asked {
            self.state = State::Asked(ids);
        } else {
            self.state = State::Open;
            self.show(reply);
        }
    }

    fn show(&mut self, text: &str) {
        let text = self.filter.push(text);
        self.emit(&text);
    }

    fn emit(&mut self, text: &str) {
        if !text.is_empty() {
            (self.on_text)(text);
            self.shown.push_str(text);
        }
    }

    /// The reply is complete.
    pub(crate) fn finish(mut self) -> GateOutcome {
        if let State::Shut(held) = &self.state {
            let reply = after_all_thinking(held).to_owned();
            self.decide(&reply);
        }
        if let State::Asked(ids) = self.state {
            return GateOutcome::Asked(ids);
        }
        let rest = self.filter.finish();
        self.emit(&rest);
        GateOutcome::Answer(Answer {
            text: self.shown,
            cited: self.filter.brackets.cited,
            false_citations: self.filter.brackets.refused,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sends `reply` in chunks of the given sizes; gives what was shown and the ids asked for.
    fn run(reply: &str, sizes: &[usize]) -> (String, Option<Vec<String>>) {
        let mut shown = String::new();
        let mut on_text = |text: &str| shown.push_str(text);
        let mut gate = Gate::new(ReplyFilter::new(Vec::new()), true, &mut on_text);
        let mut characters = reply.chars().peekable();
        let mut sizes = sizes.iter().cycle();
        while characters.peek().is_some() {
            let size = *sizes.next().unwrap();
            gate.push(&characters.by_ref().take(size).collect::<String>());
        }
        match gate.finish() {
            GateOutcome::Asked(ids) => (shown, Some(ids)),
            GateOutcome::Answer(answer) => {
                assert_eq!(answer.text, shown);
                (shown, None)
            }
        }
    }

    fn replies() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("RETRIEVE 3".to_owned()),
            Just("retrieve 3, 4".to_owned()),
            Just("\n".to_owned()),
            Just("<think>".to_owned()),
            Just("</think>".to_owned()),
            Just("[deadbeef]".to_owned()),
            Just(" retrieve 5 items ".to_owned()),
            "[a-zé休 .]{0,120}",
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter_and_a_request_shows_nothing(
            reply in replies(),
            sizes in proptest::collection::vec(1usize..9, 1..5),
        ) {
            let whole = run(&reply, &[usize::MAX]);
            let pieces = run(&reply, &sizes);
            prop_assert_eq!(&whole, &pieces);
            if whole.1.is_some() {
                prop_assert_eq!(whole.0, "");
            } else {
                let commands = whole.0.lines().filter(|line| {
                    ["retrieve 3", "retrieve 3, 4"].contains(&line.trim().to_lowercase().as_str())
                });
                prop_assert_eq!(commands.count(), 0);
            }
        }
    }

    #[test]
    fn a_long_answer_is_shown_while_it_arrives() {
        let mut shown = String::new();
        let mut on_text = |text: &str| shown.push_str(text);
        let mut gate = Gate::new(ReplyFilter::new(Vec::new()), true, &mut on_text);
        gate.push(&"word ".repeat(70));
        assert!(!gate.is_open());
        gate.push("\nmore");
        assert!(gate.is_open());
    }
}
