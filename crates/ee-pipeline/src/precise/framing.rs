//! The last stage: the context as the model sees it.

use super::{Retrieval, Stage};
use crate::PipelineError;
use crate::turn;

/// Writes the context as a strict block, every field escaped, with the rule that goes with it.
#[derive(Debug)]
pub struct Frame;

impl Stage for Frame {
    fn name(&self) -> &'static str {
        "frame"
    }

    fn run(&self, retrieval: &mut Retrieval<'_>) -> Result<Vec<String>, PipelineError> {
        let kept = retrieval.candidates.iter().take(retrieval.count());
        let units: Vec<&km_core::Unit> = kept.map(|candidate| &candidate.unit.unit).collect();
        let frame = ContextFrame(turn::framed(&units));
        let tokens = retrieval.knowledge.count_tokens(&frame.0)?;
        retrieval.frame = Some(frame);
        Ok(vec![format!("{tokens} tokens")])
    }
}

/// Looked-up text as one prompt carries it. It has no other use: nothing that keeps text takes it.
pub struct ContextFrame(String);

impl ContextFrame {
    /// The user's part of a prompt: the block, the rule and the question. Where the context is
    /// empty it asks for the fixed answer.
    pub fn prompt(&self, question: &str) -> String {
        format!("{}\n\nQuestion: {question}", self.0)
    }
}

impl std::fmt::Debug for ContextFrame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ContextFrame({} bytes)", self.0.len())
    }
}
