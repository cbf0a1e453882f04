//! Behaviour of decoding, parsing, splitting, summaries and walking.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may fail loudly

#[cfg(all(feature = "html", feature = "docx", feature = "pdf"))]
mod damage;
mod documents;
#[cfg(feature = "docx")]
mod docx;
mod encodings;
#[cfg(all(feature = "html", feature = "docx", feature = "pdf"))]
mod errors;
mod front_matter;
#[cfg(feature = "html")]
mod html;
mod laws;
mod limits;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(all(feature = "html", feature = "docx"))]
mod same;
mod support;
#[cfg(feature = "code")]
mod syntax;
mod walking;
#[cfg(all(feature = "html", feature = "docx", feature = "pdf"))]
mod window;
