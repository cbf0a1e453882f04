//! Intents and domains learned from labelled utterances, and the suite that measures them.

mod choose;
mod dataset;
mod discriminant;
mod model;
mod suite;
mod words;

pub use dataset::{IntentDataset, Utterance};
pub use model::{IntentClassifier, IntentGuess, IntentSettings};
pub use suite::{IntentCase, run_intents};
