//! What can go wrong in the conversation core.

/// An error of keys, patterns, configuration, or restored state.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DcsError {
    /// A compact key that is not three parts.
    #[error("expected a key of three parts `intents|domains|dcns`, got {found} parts")]
    KeyParts {
        /// Number of parts between the bars.
        found: usize,
    },
    /// An element of a compact key that is not a known number, or is out of order.
    #[error("key part `{part}`, byte {position}: expected {expected}, got {found:?}")]
    KeyElement {
        /// `intents`, `domains` or `dcns`.
        part: &'static str,
        /// Byte offset of the element in the whole key.
        position: usize,
        /// What is accepted there.
        expected: &'static str,
        /// The offending text.
        found: String,
    },
    /// A setting outside its range.
    #[error("setting `{setting}` must be {expected}, got {found}")]
    Setting {
        /// The setting's name.
        setting: &'static str,
        /// The accepted range.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// A pattern file that cannot be read.
    #[error("pattern file `{language}` cannot be read: {reason}")]
    PatternFile {
        /// The language, or `?` where the file does not say.
        language: String,
        /// What the parser said.
        reason: String,
    },
    /// A pattern that cannot be used.
    #[error("pattern {pattern:?} of `{label}` cannot be used: {reason}")]
    Pattern {
        /// The intent or domain that it stands for.
        label: String,
        /// The pattern.
        pattern: String,
        /// Why not.
        reason: &'static str,
    },
    /// A domain whose code or name is taken or reserved.
    #[error("domain `{name}` with code {code}: {reason}")]
    Domain {
        /// Its name.
        name: String,
        /// Its code.
        code: u32,
        /// What is wrong.
        reason: &'static str,
    },
    /// An embedding that does not fit the conversation.
    #[error("expected a finite embedding of {expected} dimensions, got {found}: {reason}")]
    Embedding {
        /// Length of the embeddings before.
        expected: usize,
        /// Length of this one.
        found: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A line of work that does not exist.
    #[error("there is no line of work {dcn} in this conversation")]
    NoSuchDcn {
        /// The identifier.
        dcn: crate::DcnId,
    },
    /// A stored state that contradicts itself.
    #[error("the stored conversation cannot be restored: {reason} (at message {position})")]
    State {
        /// What is wrong.
        reason: &'static str,
        /// The message it was found at.
        position: u64,
    },
}
