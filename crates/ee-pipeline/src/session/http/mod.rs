//! What the sessions that speak HTTP share: one call with its timeouts and retries, and the
//! events of its answer.

mod body;
mod config;
mod exchange;
mod retry;
mod secret;
mod sse;

pub use config::{RetryConfig, TimeoutConfig};
pub(crate) use exchange::{Call, HttpClient};
pub use secret::ApiKey;
