//! Why a call to a chat model failed.

use std::error::Error;
use std::fmt;

/// Why a call failed. No message holds a key or a prompt.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The call was cancelled.
    #[error("the call was cancelled")]
    Cancelled,
    /// A setting outside its range.
    #[error("session setting `{setting}` must be {expected}, got {found}")]
    Setting {
        /// The setting's name.
        setting: &'static str,
        /// The accepted range.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// The server could not be reached, or the connection broke.
    #[error(
        "no connection to {endpoint} ({source}); check that the server runs and that `base_url` names it"
    )]
    Connection {
        /// The address that was called.
        endpoint: String,
        /// What the connection said.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The server was too slow.
    #[error(
        "{endpoint} took longer than {limit_seconds} s {stage}; raise the session's timeout or use a faster model"
    )]
    Timeout {
        /// The address that was called.
        endpoint: String,
        /// What was waited for.
        stage: TimeoutStage,
        /// The limit in force, in seconds.
        limit_seconds: f64,
    },
    /// The server refused, after the retries that its answer allows.
    #[error("{endpoint} answered {status} after {attempts} attempt(s): {excerpt:?}; {advice}")]
    Status {
        /// The address that was called.
        endpoint: String,
        /// The HTTP status.
        status: u16,
        /// How often the call was made.
        attempts: u32,
        /// The beginning of the body, with the key blotted out.
        excerpt: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// The server reported an error in the middle of a reply.
    #[error(
        "{endpoint} broke the reply off: {message:?}; try again, or look into the server's log"
    )]
    Server {
        /// The address that was called.
        endpoint: String,
        /// What the server said, with the key blotted out.
        message: String,
    },
    /// The server's answer does not follow the protocol.
    #[error(
        "{endpoint} answered what is not {expected}: {excerpt:?}; check that `base_url` names an endpoint of this kind"
    )]
    Malformed {
        /// The address that was called.
        endpoint: String,
        /// What the protocol has here.
        expected: &'static str,
        /// The beginning of what came, with the key blotted out.
        excerpt: String,
    },
    /// A scripted session was called more often than its script has replies.
    #[error("the script has {replies} replies, and one more was asked for; add it to the script")]
    ScriptEnded {
        /// Replies in the script.
        replies: usize,
    },
}

/// What a timed-out call was waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeoutStage {
    /// The connection.
    Connect,
    /// The first byte of the answer.
    FirstByte,
    /// The next piece of a reply under way.
    NextByte,
    /// The whole call.
    Overall,
}

impl fmt::Display for TimeoutStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "to accept the connection",
            Self::FirstByte => "to begin its answer",
            Self::NextByte => "to go on with its answer",
            Self::Overall => "for the whole answer",
        })
    }
}
