//! A session that plays a script: for tests of the engine and of programs built on it.

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::{
    Cancellation, ChatError, ChatMessage, ChatReply, ChatRequest, ChatSession, Evidence, ToolSpec,
};

type Outcome = Result<ChatReply, ChatError>;
type Answer = Box<dyn FnMut(&ChatRequest<'_>) -> Outcome + Send>;

/// Answers call after call from a script, and records what it was sent.
///
/// ```
/// use ee_pipeline::{Cancellation, ChatRequest, ChatSession, ScriptedSession};
///
/// let session = ScriptedSession::new(["RETRIEVE 1", "It is 42."]);
/// let request = ChatRequest { messages: &[], tools: &[], evidence: None };
/// let reply = session.complete(&request, &mut |_| {}, &Cancellation::default()).unwrap();
/// assert_eq!(reply.text, "RETRIEVE 1");
/// assert_eq!(session.requests().len(), 1);
/// ```
pub struct ScriptedSession {
    answer: Mutex<Answer>,
    requests: Mutex<Vec<RecordedRequest>>,
    chunk_characters: usize,
    tools: bool,
}

/// A request as the session received it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// The messages.
    pub messages: Vec<ChatMessage>,
    /// The tools offered.
    pub tools: Vec<ToolSpec>,
    /// The structured side.
    pub evidence: Option<Evidence>,
}

impl ScriptedSession {
    /// A session that answers with these texts, one per call.
    pub fn new<T: Into<String>>(replies: impl IntoIterator<Item = T>) -> Self {
        Self::with_outcomes(
            replies
                .into_iter()
                .map(|text| Ok(ChatReply::text(text)))
                .collect(),
        )
    }

    /// A session whose calls end as given, one outcome per call: tool calls and errors included.
    /// A call after the last fails with [`ChatError::ScriptEnded`].
    pub fn with_outcomes(outcomes: Vec<Outcome>) -> Self {
        let replies = outcomes.len();
        let mut left = VecDeque::from(outcomes);
        Self::answering(move |_| {
            left.pop_front()
                .unwrap_or(Err(ChatError::ScriptEnded { replies }))
        })
    }

    /// A session that answers every call with what `answer` makes of it.
    pub fn answering(answer: impl FnMut(&ChatRequest<'_>) -> Outcome + Send + 'static) -> Self {
        Self {
            answer: Mutex::new(Box::new(answer)),
            requests: Mutex::default(),
            chunk_characters: usize::MAX,
            tools: false,
        }
    }

    /// Streams `characters` at a time, at least 1; otherwise each text comes in one piece.
    #[must_use]
    pub fn in_chunks_of(mut self, characters: usize) -> Self {
        self.chunk_characters = characters.max(1);
        self
    }

    /// Lets the session take tools, so that election may go by tool call.
    #[must_use]
    pub fn with_tools(mut self) -> Self {
        self.tools = true;
        self
    }

    /// What was sent so far, oldest first.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().clone()
    }
}

impl ChatSession for ScriptedSession {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn supports_tools(&self) -> bool {
        self.tools
    }

    fn complete(
        &self,
        request: &ChatRequest<'_>,
        on_text: &mut dyn FnMut(&str),
        cancellation: &Cancellation,
    ) -> Outcome {
        self.requests.lock().push(RecordedRequest {
            messages: request.messages.to_vec(),
            tools: request.tools.to_vec(),
            evidence: request.evidence.cloned(),
        });
        let reply = (self.answer.lock())(request)?;
        let mut rest = reply.text.as_str();
        while !rest.is_empty() {
            if cancellation.is_cancelled() {
                return Err(ChatError::Cancelled);
            }
            let end = rest
                .char_indices()
                .nth(self.chunk_characters)
                .map_or(rest.len(), |(at, _)| at);
            let (chunk, after) = rest.split_at(end);
            on_text(chunk);
            rest = after;
        }
        if cancellation.is_cancelled() {
            return Err(ChatError::Cancelled);
        }
        Ok(reply)
    }
}
