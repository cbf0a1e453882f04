//! What a message is trying to do.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::DcsError;

/// What a message is trying to do. The numeric codes are part of the key's text form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[repr(u8)]
pub enum Intent {
    /// Asks for information.
    Query = 1,
    /// Tells what is to be done.
    Instruction = 2,
    /// Builds, or reports what was built.
    Implementation = 3,
    /// Asks or says what exactly is meant.
    Clarification = 4,
    /// Says that something before was wrong.
    Correction = 5,
    /// Anything else.
    Chat = 6,
    /// Decides how something shall be built.
    Design = 7,
    /// Mends what is broken.
    Fix = 8,
}

impl Intent {
    /// All intents, in the order of their codes.
    pub const ALL: [Self; 8] = [
        Self::Query,
        Self::Instruction,
        Self::Implementation,
        Self::Clarification,
        Self::Correction,
        Self::Chat,
        Self::Design,
        Self::Fix,
    ];

    /// The numeric code, 1 to 8.
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The intent with this code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|intent| intent.code() == code)
    }

    /// The name in capitals, as pattern files and reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Query => "QUERY",
            Self::Instruction => "INSTRUCTION",
            Self::Implementation => "IMPLEMENTATION",
            Self::Clarification => "CLARIFICATION",
            Self::Correction => "CORRECTION",
            Self::Chat => "CHAT",
            Self::Design => "DESIGN",
            Self::Fix => "FIX",
        }
    }

    /// Whether the intent talks rather than acts: CHAT, QUERY or CLARIFICATION.
    pub fn is_talk(self) -> bool {
        matches!(self, Self::Chat | Self::Query | Self::Clarification)
    }

    /// Whether the intent acts: DESIGN, FIX, IMPLEMENTATION or INSTRUCTION.
    pub fn is_action(self) -> bool {
        matches!(
            self,
            Self::Design | Self::Fix | Self::Implementation | Self::Instruction
        )
    }
}

impl fmt::Display for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Intent {
    type Err = DcsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|intent| intent.name() == text);
        known.ok_or_else(|| DcsError::Pattern {
            label: text.to_owned(),
            pattern: String::new(),
            reason: "expected one of the eight intents in capitals, such as QUERY or FIX",
        })
    }
}
