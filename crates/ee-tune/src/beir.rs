//! Datasets in the layout of BEIR: corpus, questions, judgements.
//!
//! `corpus.jsonl` rows `{_id, title, text, summary?}`, `queries.jsonl` rows `{_id, text}` (or
//! `queries_all.jsonl` with `expect_retrieval` and `hint`), `qrels.tsv` rows
//! `query-id corpus-id score` after a header. Thakur et al., "BEIR", `NeurIPS` 2021.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use ee_ingest::{Relations, SourceInput};
use km_core::{Governance, SourceId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::TuneError;
use crate::rows::{folder_name, json_lines, lines, row_error};

/// A labelled collection, checked: every judgement names a document of the corpus.
#[derive(Debug, Clone)]
pub struct BeirDataset {
    /// The folder's name.
    pub name: String,
    /// The documents, in file order.
    pub documents: Vec<Document>,
    /// The questions, sorted by id.
    pub questions: Vec<Question>,
    /// Graded relevance by question and document.
    pub judgements: Judgements,
}

/// Relevance grades (0 is not relevant) by question id and document id.
pub type Judgements = BTreeMap<String, BTreeMap<String, u32>>;

/// A document of the corpus.
#[derive(Debug, Clone, Deserialize)]
pub struct Document {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: String,
    /// Its title; may be empty.
    #[serde(default)]
    pub title: String,
    /// Its text.
    pub text: String,
    /// A summary that the dataset brings along.
    #[serde(default)]
    pub summary: Option<String>,
    /// The file that the document is, in a user's own dataset.
    #[serde(skip)]
    pub file: Option<SourceInput>,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Question {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: String,
    /// What is asked.
    pub text: String,
    /// Whether an answer needs anything from the corpus.
    #[serde(default = "expects_retrieval")]
    pub expect_retrieval: bool,
    /// A word that a right answer contains.
    #[serde(default)]
    pub hint: Option<String>,
}

impl Document {
    /// The document as a source to ingest: its file, or one record in JSON.
    pub fn source(&self) -> SourceInput {
        if let Some(file) = &self.file {
            return file.clone();
        }
        let record = json!({ "title": self.title, "text": self.text, "summary": self.summary });
        SourceInput {
            source: document_source(&self.id),
            bytes: record.to_string().into_bytes(),
            governance: Governance::default(),
            relations: Relations::default(),
        }
    }
}

/// The name of a document's source: its ending tells the format.
pub(crate) fn document_source(document: &str) -> SourceId {
    SourceId::new(format!("{document}{ENDING}"))
}

/// The document of a source.
pub(crate) fn document_id(source: &SourceId) -> &str {
    source
        .as_str()
        .strip_suffix(ENDING)
        .unwrap_or(source.as_str())
}

const ENDING: &str = ".json";

fn expects_retrieval() -> bool {
    true
}

/// Which file the questions are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionFile {
    /// `queries.jsonl`: questions with judgements.
    Queries,
    /// `queries_all.jsonl`: also questions that need no retrieval, with hints.
    QueriesAll,
}

impl QuestionFile {
    fn name(self) -> &'static str {
        match self {
            Self::Queries => "queries.jsonl",
            Self::QueriesAll => "queries_all.jsonl",
        }
    }
}

impl BeirDataset {
    /// Loads and checks a folder.
    ///
    /// # Errors
    /// [`TuneError::Read`] for a missing file, [`TuneError::Row`] with the row for bad content.
    pub fn load(folder: &Path, file: QuestionFile) -> Result<Self, TuneError> {
        let documents: Vec<Document> =
            distinct(&folder.join("corpus.jsonl"), |row: &Document| &row.id)?;
        let mut questions: Vec<Question> =
            distinct(&folder.join(file.name()), |row: &Question| &row.id)?;
        questions.sort_by(|a, b| a.id.cmp(&b.id));
        let known = documents
            .iter()
            .map(|document| document.id.as_str())
            .collect();
        let judgements = judgements(&folder.join("qrels.tsv"), &known)?;
        Ok(Self {
            name: folder_name(folder),
            documents,
            questions,
            judgements,
        })
    }

    /// The documents judged relevant (grade above 0) to a question.
    pub fn relevant(&self, question: &str) -> BTreeSet<&str> {
        let judged = self.judgements.get(question).into_iter().flatten();
        judged
            .filter(|(_, grade)| **grade > 0)
            .map(|(id, _)| id.as_str())
            .collect()
    }
}

/// The rows of a file; two with one id are refused, since the later would replace the earlier.
fn distinct<T: DeserializeOwned>(
    path: &Path,
    id: impl Fn(&T) -> &String,
) -> Result<Vec<T>, TuneError> {
    let rows: Vec<(usize, T)> = json_lines(path)?;
    let mut first_rows = HashMap::new();
    for (row, value) in &rows {
        if let Some(first) = first_rows.insert(id(value), *row) {
            let found = format!("`{}` again, as in row {first}", id(value));
            return Err(row_error(path, *row, "an `_id` of its own", &found));
        }
    }
    Ok(rows.into_iter().map(|(_, value)| value).collect())
}

fn judgements(path: &Path, known: &BTreeSet<&str>) -> Result<Judgements, TuneError> {
    let mut judged = Judgements::new();
    for (index, line) in lines(path)?.enumerate().skip(1) {
        let line = line.map_err(|source| TuneError::Read {
            path: path.to_owned(),
            source,
        })?;
        if line.trim().is_empty() {
            continue;
        }
        let (question, document, grade) = judgement(&line, path, index + 1)?;
        if !known.contains(document) {
            let expected = "a document of corpus.jsonl";
            return Err(row_error(path, index + 1, expected, document));
        }
        judged
            .entry(question.to_owned())
            .or_default()
            .insert(document.to_owned(), grade);
    }
    Ok(judged)
}

fn judgement<'a>(
    line: &'a str,
    path: &Path,
    row: usize,
) -> Result<(&'a str, &'a str, u32), TuneError> {
    let mut fields = line.trim_end_matches('\r').split('\t');
    let three = (fields.next(), fields.next(), fields.next(), fields.next());
    let (Some(question), Some(document), Some(grade), None) = three else {
        return Err(row_error(path, row, "three fields separated by tabs", line));
    };
    let grade = grade.trim().parse();
    let grade = grade.map_err(|_| row_error(path, row, "a grade of 0 or more", line))?;
    Ok((question, document, grade))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{BeirDataset, QuestionFile};
    use crate::TuneError;

    fn folder(qrels: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let corpus = "\u{feff}{\"_id\":\"d1\",\"title\":\"Ümlaut\",\"text\":\"知识\"}\r\n\r\n\
                      {\"_id\":\"d2\",\"text\":\"b\"}\r\n";
        fs::write(folder.path().join("corpus.jsonl"), corpus).unwrap();
        let queries = "{\"_id\":\"q2\",\"text\":\"x\"}\n{\"_id\":\"q1\",\"text\":\"y\"}\n";
        fs::write(folder.path().join("queries.jsonl"), queries).unwrap();
        fs::write(folder.path().join("qrels.tsv"), qrels).unwrap();
        folder
    }

    #[test]
    fn questions_are_sorted_and_grade_zero_is_not_relevant() {
        let folder = folder("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n");
        let data = BeirDataset::load(folder.path(), QuestionFile::Queries).unwrap();
        assert_eq!(data.documents.len(), 2);
        assert_eq!(data.questions[0].id, "q1");
        assert_eq!(data.relevant("q1").into_iter().collect::<Vec<_>>(), ["d1"]);
        assert!(data.relevant("q2").is_empty());
    }

    #[test]
    fn bad_rows_are_named() {
        for (qrels, row) in [
            ("h\nq1\td1\tx\n", 2),
            ("h\nq1\td1\t1\nq1 d1 1\n", 3),
            ("h\nq1\td9\t1", 2),
        ] {
            let folder = folder(qrels);
            match BeirDataset::load(folder.path(), QuestionFile::Queries) {
                Err(TuneError::Row { row: found, .. }) => assert_eq!(found, row, "{qrels:?}"),
                other => panic!("expected a row error, got {other:?}"),
            }
        }
    }

    #[test]
    fn an_id_that_comes_twice_is_refused_with_both_rows() {
        for (file, text) in [
            (
                "corpus.jsonl",
                "{\"_id\":\"d1\",\"text\":\"a\"}\n\n{\"_id\":\"d1\",\"text\":\"b\"}\n",
            ),
            (
                "queries.jsonl",
                "{\"_id\":\"q1\",\"text\":\"a\"}\n\n{\"_id\":\"q1\",\"text\":\"a\"}\n",
            ),
        ] {
            let folder = folder("h\n");
            fs::write(folder.path().join(file), text).unwrap();
            let error = BeirDataset::load(folder.path(), QuestionFile::Queries).unwrap_err();
            let message = error.to_string();
            assert!(
                message.contains(file) && message.contains("row 1") && message.contains('3'),
                "{message}"
            );
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = BeirDataset::load(folder.path(), QuestionFile::QueriesAll).unwrap_err();
        assert!(error.to_string().contains("corpus.jsonl"));
    }
}
