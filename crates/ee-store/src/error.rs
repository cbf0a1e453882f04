//! What can go wrong in a store.

use std::path::PathBuf;
use std::time::Duration;

use km_core::{SourceId, UnitId};

use crate::{ConversationId, Sequence, TurnId};

/// The error that a database or index library gave.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// An error of the store, its text index, or its records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A tag that is not 8 to 64 hexadecimal digits.
    #[error("expected a tag of 8 to 64 hexadecimal digits, got {found:?}")]
    Tag {
        /// What was given.
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
    /// A file or folder could not be used.
    #[error("cannot {action} {path}: {source}")]
    File {
        /// What was attempted.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A database file of another program, or no database at all.
    #[error(
        "{path} is not a knowledge store ({found}): give another file with --db, or move it away"
    )]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        found: String,
    },
    /// A database that a later version of this program wrote.
    #[error(
        "{path} has schema version {found}, this program knows versions up to {supported}: update the program"
    )]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
        /// The latest version that this program reads.
        supported: u64,
    },
    /// A database that cannot be written.
    #[error("{path} cannot be written: check the permissions of the file and its folder")]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// A database whose content is damaged.
    #[error(
        "the database is damaged ({detail}): restore a backup, or save what is readable with `eerag export` and `eerag import` it into a new file"
    )]
    Damaged {
        /// What the check found.
        detail: String,
    },
    /// Another process held the write lock through all retries.
    #[error(
        "another process held the database's write lock through {attempts} attempts: wait for it to end and try again"
    )]
    Busy {
        /// How often it was tried.
        attempts: u32,
    },
    /// The queue of writers did not move in time.
    #[error(
        "the write did not get its turn within {waited:?} (queue depth {depth}): write less at once, or raise `store.write_wait_seconds`"
    )]
    WriteQueue {
        /// The depth of the queue.
        depth: usize,
        /// How long was waited.
        waited: Duration,
    },
    /// The database refused.
    #[error("the database refused: {source}")]
    Database {
        /// What it said.
        source: Cause,
    },
    /// The text index refused.
    #[error("the text index refused to {action}: {source} (`eerag reindex` rebuilds it)")]
    Index {
        /// What was attempted.
        action: &'static str,
        /// What it said.
        source: Cause,
    },
    /// Another process wrote to the text index for too long.
    #[error("another process kept the text index locked for {waited:?}: wait for it to end")]
    IndexLocked {
        /// How long was waited.
        waited: Duration,
    },
    /// A stored record that cannot be read.
    #[error("the stored {what} cannot be read: {reason}; run `eerag doctor`")]
    Record {
        /// Which kind of record.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// An index that lags behind what the store still remembers.
    #[error(
        "changes up to {pruned_through} are no longer listed, the index stands at {since}: empty it and follow from 0"
    )]
    ChangesPruned {
        /// Where the index stands.
        since: Sequence,
        /// The last change that is no longer listed.
        pruned_through: Sequence,
    },
    /// An index that has followed another history.
    #[error(
        "the index stands at {since}, the store at {sequence}: empty the index and follow from 0"
    )]
    IndexAhead {
        /// Where the index stands.
        since: Sequence,
        /// Where the store stands.
        sequence: Sequence,
    },
    /// Vectors of another model.
    #[error(
        "the store holds embeddings of {stored}, and the configured model is {given}: use that model, or run `eerag reembed`"
    )]
    OtherModel {
        /// The model behind the stored vectors.
        stored: String,
        /// The model that was given.
        given: String,
    },
    /// A vector of the wrong length.
    #[error(
        "expected embeddings of {expected} dimensions, got {found}: embed with the store's model"
    )]
    Dimension {
        /// Length of the stored vectors.
        expected: usize,
        /// Length of the given one.
        found: usize,
    },
    /// A vector with an infinite or undefined component.
    #[error("component {component} of the embedding of unit {unit} is not a finite number")]
    NotFinite {
        /// The unit.
        unit: UnitId,
        /// Position of the first bad component.
        component: usize,
    },
    /// A unit without an embedding whose text the store does not know.
    #[error("unit {unit} came without an embedding and none is stored for its text: embed it")]
    EmbeddingMissing {
        /// The unit.
        unit: UnitId,
    },
    /// Units that have no vector of the new model.
    #[error(
        "{units} units have no new embedding, for they came meanwhile: run `eerag reembed` again"
    )]
    EmbeddingsMissing {
        /// How many.
        units: u64,
    },
    /// A unit id that occurs twice.
    #[error(
        "unit {unit} of {source_name} is already there: ids count equal contents of one source, so give each its occurrence number"
    )]
    DuplicateUnit {
        /// The unit.
        unit: UnitId,
        /// The source that was written.
        source_name: SourceId,
    },
    /// A unit that names another source than the one being written.
    #[error("unit {unit} belongs to {found}, not to {expected}")]
    ForeignUnit {
        /// The unit.
        unit: UnitId,
        /// The source that was written.
        expected: SourceId,
        /// The source that the unit names.
        found: SourceId,
    },
    /// A unit id prefix that is not 1 to 32 hexadecimal digits.
    #[error("expected a unit id or a prefix of one (1 to 32 hexadecimal digits), got {found:?}")]
    UnitPrefix {
        /// What was given.
        found: String,
    },
    /// A unit id prefix that fits several units.
    #[error("{prefix} fits several units: {}; give more digits", list(candidates))]
    AmbiguousPrefix {
        /// What was given.
        prefix: String,
        /// Units that it fits, at most ten.
        candidates: Vec<UnitId>,
    },
    /// A conversation of a more privileged owner.
    #[error("the conversation {conversation} belongs to somebody else: choose another name", conversation = conversation.as_str())]
    ForeignConversation {
        /// The conversation.
        conversation: ConversationId,
    },
    /// A conversation that was written meanwhile.
    #[error(
        "conversation {conversation} moved on from revision {expected} to {found}: load its state again",
        conversation = conversation.as_str()
    )]
    StaleState {
        /// The conversation.
        conversation: ConversationId,
        /// The revision that the writer knew.
        expected: u64,
        /// The stored revision.
        found: u64,
    },
    /// A turn that does not exist for this scope.
    #[error("there is no turn {turn} for this identity")]
    NoTurn {
        /// The turn.
        turn: TurnId,
    },
    /// A turn whose second phase is already written.
    #[error("turn {turn} has already ended")]
    TurnEnded {
        /// The turn.
        turn: TurnId,
    },
    /// An import into a store that holds something.
    #[error(
        "import needs an empty store, this one holds {sources} sources, {conversations} conversations and {turns} turns: give a new file with --db"
    )]
    NotEmpty {
        /// Sources it holds.
        sources: u64,
        /// Conversations it holds.
        conversations: u64,
        /// Turns it holds.
        turns: u64,
    },
    /// An export that cannot be read.
    #[error("line {line} of the export cannot be read: {reason}")]
    Import {
        /// Line number from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

fn list(units: &[UnitId]) -> String {
    let names: Vec<String> = units.iter().map(ToString::to_string).collect();
    names.join(", ")
}
