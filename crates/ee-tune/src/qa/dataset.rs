//! Questions with accepted, possible and rejected answers: JSON Lines of rows `{question, answer,
//! def_correct_predictions?, poss_correct_predictions?, def_incorrect_predictions?, id?, sources?,
//! synthetic?}`, the layout of `EfficientQA` (Min et al., PMLR 133, 2021) with three fields more.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::words::words;
use crate::TuneError;
use crate::rows::{folder_name, json_lines, row_error};

/// The file of questions in a folder.
const QUESTIONS: &str = "questions.jsonl";

/// Questions with answers, checked: every question is worded and has an accepted answer, and no
/// answer is both accepted and rejected.
#[derive(Debug, Clone)]
pub struct QaDataset {
    /// The file's or folder's name.
    pub name: String,
    /// The questions, sorted by id.
    pub questions: Vec<QaQuestion>,
}

/// A question with its answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QaQuestion {
    /// Its id; without one in the row, the row's number from `00001`.
    pub id: String,
    /// The row it stands in, from 1.
    pub row: usize,
    /// What is asked.
    pub text: String,
    /// Answers that are right.
    pub accepted: Vec<String>,
    /// Answers that may be right.
    pub possible: Vec<String>,
    /// Answers that are wrong.
    pub rejected: Vec<String>,
    /// Sources that hold the answer, as ingestion names them; empty when unknown.
    pub sources: BTreeSet<String>,
    /// Whether a program drafted the question and nobody has looked at it since.
    pub synthetic: bool,
}

/// A row as the file has it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct QaRow {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    pub(crate) question: String,
    pub(crate) answer: OneOrMany,
    #[serde(default)]
    pub(crate) def_correct_predictions: Vec<String>,
    #[serde(default)]
    pub(crate) poss_correct_predictions: Vec<String>,
    #[serde(default)]
    pub(crate) def_incorrect_predictions: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) sources: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) synthetic: bool,
}

/// One answer, or several that are all right.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected an `answer` that is a text or a list of texts"
)]
pub(crate) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl Default for OneOrMany {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl QaDataset {
    /// Loads and checks a file, or `questions.jsonl` in a folder.
    ///
    /// # Errors
    /// [`TuneError::Read`] for a missing file, [`TuneError::Row`] with the row for bad content.
    pub fn load(path: &Path) -> Result<Self, TuneError> {
        let file = question_file(path);
        let mut first_rows: HashMap<String, usize> = HashMap::new();
        let mut questions = Vec::new();
        for (number, row) in json_lines::<QaRow>(&file)? {
            let question = row.into_question(number);
            check(&file, number, &question)?;
            if let Some(first) = first_rows.insert(question.id.clone(), number) {
                let found = format!("`{}` again, as in row {first}", question.id);
                return Err(row_error(&file, number, "an `id` of its own", &found));
            }
            questions.push(question);
        }
        if questions.is_empty() {
            return Err(row_error(&file, 1, "at least one question", "none"));
        }
        questions.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Self {
            name: folder_name(path),
            questions,
        })
    }
}

/// The file itself, or the one in the folder.
pub(crate) fn question_file(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join(QUESTIONS)
    } else {
        path.to_owned()
    }
}

impl QaRow {
    fn into_question(self, number: usize) -> QaQuestion {
        let mut accepted = match self.answer {
            OneOrMany::One(answer) => vec![answer],
            OneOrMany::Many(answers) => answers,
        };
        accepted.extend(self.def_correct_predictions);
        QaQuestion {
            id: self.id.unwrap_or_else(|| format!("{number:05}")),
            row: number,
            text: self.question,
            accepted,
            possible: self.poss_correct_predictions,
            rejected: self.def_incorrect_predictions,
            sources: self.sources,
            synthetic: self.synthetic,
        }
    }
}

fn check(path: &Path, row: usize, question: &QaQuestion) -> Result<(), TuneError> {
    let wrong = |expected, found: &str| Err(row_error(path, row, expected, found));
    if question.text.trim().is_empty() {
        return wrong("a `question` that is not blank", "a blank one");
    }
    if question.accepted.is_empty() {
        return wrong("an `answer`: a text, or a list of texts", "an empty list");
    }
    let lists = [&question.accepted, &question.possible, &question.rejected];
    if let Some(answer) = lists
        .into_iter()
        .flatten()
        .find(|one| words(one).is_empty())
    {
        return wrong(
            "answers that hold a letter or a digit",
            &format!("{answer:?}"),
        );
    }
    let rejected: Vec<Vec<String>> = question.rejected.iter().map(|one| words(one)).collect();
    let both = |answer: &&String| rejected.contains(&words(answer));
    if let Some(answer) = question.accepted.iter().find(both) {
        let expected = "answers that are not both accepted and rejected";
        return wrong(expected, &format!("{answer:?} in both lists"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::QaDataset;
    use crate::TuneError;

    fn load(text: &str) -> Result<QaDataset, TuneError> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("questions.jsonl"), text).unwrap();
        QaDataset::load(folder.path())
    }

    #[test]
    fn rows_of_the_original_layout_are_read() {
        let row = "\u{feff}{\"question\": \"who?\", \"answer\": [\"Ada\"], \
            \"def_correct_predictions\": [\"Ada L.\"], \"poss_correct_predictions\": [\"Lovelace\"], \
            \"def_incorrect_predictions\": [\"Bob\"], \
            \"answer_and_def_correct_predictions\": [\"Ada\"]}\r\n\r\n\
            {\"question\": \"wo?\", \"answer\": \"Köln\"}\r\n";
        let data = load(row).unwrap();
        let first = &data.questions[0];
        assert_eq!(
            (first.id.as_str(), &first.accepted[..]),
            ("00001", &["Ada".into(), "Ada L.".into()][..])
        );
        assert_eq!(first.rejected, ["Bob"]);
        assert_eq!(
            (data.questions[1].id.as_str(), data.questions[1].synthetic),
            ("00003", false)
        );
    }

    #[test]
    fn bad_rows_are_named() {
        let good = "{\"question\": \"a\", \"answer\": \"b\"}\n";
        for (bad, says) in [
            ("{\"question\": \" \", \"answer\": \"b\"}", "blank"),
            ("{\"question\": \"a\", \"answer\": []}", "empty list"),
            (
                "{\"question\": \"a\", \"answer\": \"…\"}",
                "letter or a digit",
            ),
            ("{\"question\": \"a\"}", "answer"),
            ("{\"question\": \"a\", \"answer\": 7}", "answer"),
            (
                "{\"question\": \"a\", \"answer\": \"b\", \"def_incorrect_predictions\": [\"The B!\"]}",
                "both",
            ),
            (
                "{\"id\": \"00001\", \"question\": \"a\", \"answer\": \"b\"}",
                "as in row 1",
            ),
            ("not JSON", "JSON"),
        ] {
            let error = load(&format!("{good}{bad}\n")).unwrap_err();
            let message = error.to_string();
            assert!(
                matches!(error, TuneError::Row { row: 2, .. }),
                "{bad}: {message}"
            );
            assert!(message.contains(says), "{bad}: {message}");
        }
    }
}
