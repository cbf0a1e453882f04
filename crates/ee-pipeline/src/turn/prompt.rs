//! The prompts of a turn. This is the one place where looked-up text meets messages.

use ee_store::OfferedUnit;

use super::injection::Injection;
use super::tokens::TokenEstimator;
use super::{frame, header};
use crate::{ChatMessage, ChatRole};

/// What is said when nothing was found.
const NOTHING_FOUND: &str = "No notes match. Answer from this conversation alone; if it lacks \
the answer, reply exactly INSUFFICIENT DATA.";

/// The rule of a digestion call.
const DIGEST_RULE: &str = "State in at most three sentences what <verified_context> says about \
the question. If it says nothing, reply exactly INSUFFICIENT DATA.";

/// The messages of one call.
pub(crate) struct Prompt {
    pub(crate) messages: Vec<ChatMessage>,
    /// Tokens of the header, or of the injected block: everything that is neither the user's
    /// system prompt, nor history, nor question.
    pub(crate) context_tokens: usize,
}

/// What every prompt of a turn has in common.
pub(crate) struct Prompts<'a> {
    pub(crate) system: &'a str,
    pub(crate) history: &'a [ChatMessage],
    pub(crate) question: &'a str,
    pub(crate) estimator: &'a dyn TokenEstimator,
}

impl Prompts<'_> {
    /// The first call: summaries, and how to ask for more. The rule stands in front of the
    /// history, where it is the same in every turn and servers can reuse it.
    pub(crate) fn first(&self, offered: &[OfferedUnit]) -> Prompt {
        if offered.is_empty() {
            return self.build(NOTHING_FOUND, "");
        }
        self.build(
            header::INSTRUCTION,
            &format!("Notes:\n{}", header::lines(offered)),
        )
    }

    /// The second call: the elected text in full, and no summaries.
    pub(crate) fn second(&self, injection: &Injection) -> Prompt {
        self.build(frame::RULE, &frame::render(injection))
    }

    /// A digestion call, which sees no history.
    pub(crate) fn digest(&self, injection: &Injection) -> Prompt {
        let apart = Prompts {
            system: "",
            history: &[],
            ..*self
        };
        apart.build(DIGEST_RULE, &frame::render(injection))
    }

    fn build(&self, rule: &str, block: &str) -> Prompt {
        let system = if self.system.is_empty() {
            rule.to_owned()
        } else {
            format!("{}\n\n{rule}", self.system)
        };
        let user = if block.is_empty() {
            self.question.to_owned()
        } else {
            format!("{block}\n\nQuestion: {}", self.question)
        };
        let mut messages = vec![ChatMessage::new(ChatRole::System, system)];
        messages.extend_from_slice(self.history);
        messages.push(ChatMessage::new(ChatRole::User, user));
        let context_tokens = self.estimator.estimate(rule) + self.estimator.estimate(block);
        Prompt {
            messages,
            context_tokens,
        }
    }
}
