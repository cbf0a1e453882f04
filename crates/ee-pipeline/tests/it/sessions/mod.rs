//! Chat sessions: what every one of them must do, and those that speak HTTP against a server that
//! plays a script.

#[cfg(feature = "http")]
mod anthropic;
mod conformance;
#[cfg(feature = "http")]
mod openai;
#[cfg(feature = "http")]
mod server;
