//! What area a message is about.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What area a message is about. Four are built in; users add their own with codes from 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DomainId(u32);

impl DomainId {
    /// Servers, data, interfaces between programs.
    pub const BACKEND: Self = Self(1);
    /// What a person sees and touches.
    pub const FRONTEND: Self = Self(2);
    /// Machines, deployment, operation.
    pub const INFRASTRUCTURE: Self = Self(3);
    /// Studies, models, experiments.
    pub const RESEARCH: Self = Self(4);
    /// The built-in domains with their names.
    pub const BUILT_IN: [(Self, &'static str); 4] = [
        (Self::BACKEND, "BACKEND"),
        (Self::FRONTEND, "FRONTEND"),
        (Self::INFRASTRUCTURE, "INFRASTRUCTURE"),
        (Self::RESEARCH, "RESEARCH"),
    ];
    /// The lowest code of a user's own domain.
    pub const FIRST_CUSTOM: u32 = 100;

    /// The domain with this code.
    pub fn new(code: u32) -> Self {
        Self(code)
    }

    /// The numeric code.
    pub fn code(self) -> u32 {
        self.0
    }
}

impl fmt::Display for DomainId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Self::BUILT_IN.iter().find(|(domain, _)| domain == self) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "domain {}", self.0),
        }
    }
}
