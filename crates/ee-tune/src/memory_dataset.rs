//! Long conversations with questions about them.
//!
//! `turns.jsonl` rows `{conv_id, session, pos, dia_id, speaker, datetime?, text, caption?}`,
//! `questions.jsonl` rows `{q_id, conv_id, question, category_name?, evidence}`, the layout of
//! `LoCoMo` (Maharana et al., ACL 2024) after flattening.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use km_core::Timestamp;
use serde::Deserialize;

use crate::TuneError;
use crate::clock::moment;
use crate::rows::{folder_name, json_lines, row_error};

/// Sessions without a date are taken to be this far apart, in milliseconds.
const DAY: i64 = 86_400_000;

/// Conversations and questions, checked: every question names a conversation.
#[derive(Debug, Clone)]
pub struct MemoryDataset {
    /// The folder's name.
    pub name: String,
    /// The turns of each conversation, in order.
    pub conversations: BTreeMap<String, Vec<MemoryTurn>>,
    /// The questions, sorted by id.
    pub questions: Vec<MemoryQuestion>,
}

/// A turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryTurn {
    /// Its id within the conversation.
    pub id: String,
    /// Who said it.
    pub speaker: String,
    /// What was said, and what a picture that came with it shows.
    pub text: String,
    /// When.
    pub at: Timestamp,
}

/// A question about a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryQuestion {
    /// Its id.
    pub id: String,
    /// The conversation.
    pub conversation: String,
    /// What is asked.
    pub text: String,
    /// What kind of question it is; may be empty.
    pub category: String,
    /// The turns that hold the answer; a question without any does not count.
    pub evidence: BTreeSet<String>,
}

#[derive(Deserialize)]
struct TurnRow {
    conv_id: String,
    #[serde(default)]
    session: i64,
    dia_id: String,
    #[serde(default)]
    speaker: String,
    #[serde(default)]
    datetime: Option<String>,
    text: String,
    #[serde(default)]
    caption: Option<String>,
}

#[derive(Deserialize)]
struct QuestionRow {
    q_id: String,
    conv_id: String,
    question: String,
    #[serde(default)]
    category_name: String,
    #[serde(default)]
    evidence: BTreeSet<String>,
}

impl MemoryDataset {
    /// Loads and checks a folder.
    ///
    /// # Errors
    /// [`TuneError::Read`] for a missing file, [`TuneError::Row`] with the row for bad content.
    pub fn load(folder: &Path) -> Result<Self, TuneError> {
        let path = folder.join("turns.jsonl");
        let mut conversations: BTreeMap<String, Vec<MemoryTurn>> = BTreeMap::new();
        for (row, turn) in json_lines::<TurnRow>(&path)? {
            let at = turn.at().ok_or_else(|| {
                let found = turn.datetime.as_deref().unwrap_or_default();
                row_error(
                    &path,
                    row,
                    "a `datetime` such as 2026-03-02T18:40:00Z",
                    found,
                )
            })?;
            let turns = conversations.entry(turn.conv_id.clone()).or_default();
            turns.push(turn.into_turn(at));
        }
        let path = folder.join("questions.jsonl");
        let mut questions = Vec::new();
        for (row, question) in json_lines::<QuestionRow>(&path)? {
            if !conversations.contains_key(&question.conv_id) {
                let expected = "a `conv_id` of turns.jsonl";
                return Err(row_error(&path, row, expected, &question.conv_id));
            }
            questions.push(question.into_question());
        }
        questions.sort_by(|a: &MemoryQuestion, b| a.id.cmp(&b.id));
        Ok(Self {
            name: folder_name(folder),
            conversations,
            questions,
        })
    }
}

impl TurnRow {
    fn at(&self) -> Option<Timestamp> {
        match &self.datetime {
            Some(text) => moment(text),
            None => Timestamp::from_millisecond(self.session.saturating_mul(DAY)).ok(),
        }
    }

    fn into_turn(self, at: Timestamp) -> MemoryTurn {
        let text = match self.caption {
            Some(caption) => format!("{} {caption}", self.text),
            None => self.text,
        };
        MemoryTurn {
            id: self.dia_id,
            speaker: self.speaker,
            text,
            at,
        }
    }
}

impl QuestionRow {
    fn into_question(self) -> MemoryQuestion {
        MemoryQuestion {
            id: self.q_id,
            conversation: self.conv_id,
            text: self.question,
            category: self.category_name,
            evidence: self.evidence,
        }
    }
}
