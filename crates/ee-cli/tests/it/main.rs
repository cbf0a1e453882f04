//! The program as a person or a script meets it.

mod commands;
#[cfg(all(feature = "test-models", target_os = "linux"))]
mod egress;
#[cfg(feature = "test-data")]
mod evaluation;
mod run;
#[cfg(feature = "test-models")]
mod tour;
