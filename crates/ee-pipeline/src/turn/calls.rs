//! The model calls of a turn, and what they cost.

use super::prompt::Prompt;
use super::reply::Gate;
use super::tokens::TokenEstimator;
use crate::{
    Cancellation, ChatError, ChatReply, ChatRequest, ChatSession, Evidence, TokenUsage, ToolSpec,
};

/// Makes calls and adds up their cost.
pub(crate) struct Calls<'a> {
    session: &'a dyn ChatSession,
    cancellation: &'a Cancellation,
    estimator: &'a dyn TokenEstimator,
    pub(crate) count: u32,
    pub(crate) context_tokens: u64,
    pub(crate) usage: TokenUsage,
}

impl<'a> Calls<'a> {
    pub(crate) fn new(
        session: &'a dyn ChatSession,
        cancellation: &'a Cancellation,
        estimator: &'a dyn TokenEstimator,
    ) -> Self {
        Self {
            session,
            cancellation,
            estimator,
            count: 0,
            context_tokens: 0,
            usage: TokenUsage::default(),
        }
    }

    /// One call to the turn's session.
    pub(crate) fn make(
        &mut self,
        prompt: &Prompt,
        tools: &[ToolSpec],
        evidence: &Evidence,
        gate: &mut Gate<'_>,
    ) -> Result<ChatReply, ChatError> {
        self.make_with(self.session, prompt, tools, evidence, gate)
    }

    /// One call to another session, counted with the rest.
    pub(crate) fn make_with(
        &mut self,
        session: &dyn ChatSession,
        prompt: &Prompt,
        tools: &[ToolSpec],
        evidence: &Evidence,
        gate: &mut Gate<'_>,
    ) -> Result<ChatReply, ChatError> {
        if self.cancellation.is_cancelled() {
            return Err(ChatError::Cancelled);
        }
        self.count += 1;
        self.context_tokens += prompt.context_tokens as u64;
        let span = tracing::info_span!(
            target: "pipeline", "chat", gen_ai.operation.name = "chat",
            gen_ai.request.model = session.name(),
            gen_ai.usage.input_tokens = tracing::field::Empty,
            gen_ai.usage.output_tokens = tracing::field::Empty,
        );
        let _entered = span.enter();
        let request = ChatRequest {
            messages: &prompt.messages,
            tools,
            evidence: Some(evidence),
        };
        let reply = session.complete(&request, &mut |text| gate.push(text), self.cancellation)?;
        if gate.is_untouched() {
            gate.push(&reply.text);
        }
        let usage = reply.usage.unwrap_or_else(|| self.estimate(prompt, &reply));
        span.record("gen_ai.usage.input_tokens", usage.prompt);
        span.record("gen_ai.usage.output_tokens", usage.completion);
        self.usage.prompt += usage.prompt;
        self.usage.completion += usage.completion;
        Ok(reply)
    }

    fn estimate(&self, prompt: &Prompt, reply: &ChatReply) -> TokenUsage {
        let sent = prompt
            .messages
            .iter()
            .map(|message| self.estimator.estimate(&message.content));
        TokenUsage {
            prompt: sent.sum::<usize>() as u64,
            completion: self.estimator.estimate(&reply.text) as u64,
        }
    }

    /// The turn's session.
    pub(crate) fn session(&self) -> &'a dyn ChatSession {
        self.session
    }
}
