//! The behaviour of the store and its text index, as a program sees it.

#[cfg(feature = "sqlite")]
mod sqlite_conformance;

#[cfg(feature = "tantivy")]
mod text_conformance;
