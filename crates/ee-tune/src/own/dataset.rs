//! A folder of documents with questions: `documents/` in any format that ingestion reads, and
//! `questions.jsonl` as [`QaDataset`] reads it. Without `documents/` the questions are about what
//! a store holds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ee_ingest::{Found, IngestConfig, SkipReason, SourceInput, read_source, walk};
use km_core::{Governance, SourceId};

use crate::beir::document_id;
use crate::qa::question_file;
use crate::rows::row_error;
use crate::{BeirDataset, Document, QaDataset, QaQuestion, Question, TuneError};

/// The folder of documents.
const DOCUMENTS: &str = "documents";

/// A user's own labelled set.
#[derive(Debug, Clone)]
pub struct OwnDataset {
    /// The questions.
    pub questions: QaDataset,
    /// The documents; absent when the questions are about a store.
    pub documents: Option<Vec<SourceInput>>,
    file: PathBuf,
}

impl OwnDataset {
    /// Whether a path is one of these and not a folder in the layout of BEIR.
    pub fn is_at(path: &Path) -> bool {
        question_file(path).is_file() && !path.join("corpus.jsonl").exists()
    }

    /// Loads and checks a folder, or a file of questions alone.
    ///
    /// # Errors
    /// [`TuneError::Read`] for a missing file, [`TuneError::Row`] with the row for bad content or
    /// a source that is no document, [`TuneError::Document`] for a document that cannot be read.
    pub fn load(path: &Path, config: &IngestConfig) -> Result<Self, TuneError> {
        let folder = path.join(DOCUMENTS);
        let documents = folder.is_dir().then(|| read_folder(&folder, config));
        let dataset = Self {
            questions: QaDataset::load(path)?,
            documents: documents.transpose()?,
            file: question_file(path),
        };
        if let Some(documents) = &dataset.documents {
            let known = documents.iter().map(|one| one.source.as_str()).collect();
            dataset.check_sources(&known)?;
        }
        Ok(dataset)
    }

    /// Refuses a question that names a source which is not among these.
    ///
    /// # Errors
    /// [`TuneError::Row`] with the row.
    pub fn check_sources(&self, known: &BTreeSet<&str>) -> Result<(), TuneError> {
        for question in &self.questions.questions {
            let unknown = question
                .sources
                .iter()
                .find(|one| !known.contains(one.as_str()));
            if let Some(source) = unknown {
                let expected = "`sources` that are documents";
                return Err(row_error(&self.file, question.row, expected, source));
            }
        }
        Ok(())
    }

    /// The same as a collection with judgements: every source of a question is relevant to it, and
    /// the first accepted answer is its hint. A question without sources needs no retrieval.
    pub fn collection(&self) -> BeirDataset {
        let questions = &self.questions.questions;
        BeirDataset {
            name: self.questions.name.clone(),
            documents: self.documents.iter().flatten().map(document).collect(),
            questions: questions.iter().map(worded).collect(),
            judgements: questions.iter().map(judged).collect(),
        }
    }
}

fn document(input: &SourceInput) -> Document {
    Document {
        id: document_id(&input.source).to_owned(),
        title: String::new(),
        text: String::new(),
        summary: None,
        file: Some(input.clone()),
    }
}

fn worded(question: &QaQuestion) -> Question {
    Question {
        id: question.id.clone(),
        text: question.text.clone(),
        expect_retrieval: !question.sources.is_empty(),
        hint: question.accepted.first().cloned(),
    }
}

fn judged(question: &QaQuestion) -> (String, BTreeMap<String, u32>) {
    let sources = question.sources.iter().map(SourceId::new);
    let grades = sources.map(|source| (document_id(&source).to_owned(), 1));
    (question.id.clone(), grades.collect())
}

fn read_folder(folder: &Path, config: &IngestConfig) -> Result<Vec<SourceInput>, TuneError> {
    walk(folder, config)
        .map(|found| read(found, config))
        .collect()
}

fn read(found: Found, config: &IngestConfig) -> Result<SourceInput, TuneError> {
    let failed = |path, reason: SkipReason| TuneError::Document { path, reason };
    match found {
        Found::Skipped { path, reason } => Err(failed(path, reason)),
        Found::File { path, source } => read_source(&path, source, Governance::default(), config)
            .map_err(|reason| failed(path, reason)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use ee_ingest::IngestConfig;

    use super::OwnDataset;
    use crate::TuneError;

    fn folder(questions: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("documents/policies")).unwrap();
        fs::write(
            folder.path().join("documents/policies/leave.md"),
            "# Leave\n\n30 days.",
        )
        .unwrap();
        fs::write(
            folder.path().join("documents/rates.json"),
            "{\"text\": \"x\"}",
        )
        .unwrap();
        fs::write(folder.path().join("questions.jsonl"), questions).unwrap();
        folder
    }

    #[test]
    fn sources_become_judgements() {
        let row = "{\"question\": \"How long?\", \"answer\": \"30 days\", \
            \"sources\": [\"policies/leave.md\", \"rates.json\"]}\n\
            {\"question\": \"Hello?\", \"answer\": \"hello\"}\n";
        let folder = folder(row);
        assert!(OwnDataset::is_at(folder.path()));
        let own = OwnDataset::load(folder.path(), &IngestConfig::default()).unwrap();
        let collection = own.collection();
        let relevant: Vec<&str> = collection.relevant("00001").into_iter().collect();
        assert_eq!(relevant, ["policies/leave.md", "rates"]);
        let ids: Vec<&str> = collection
            .documents
            .iter()
            .map(|one| one.id.as_str())
            .collect();
        assert_eq!(ids, relevant);
        assert_eq!(
            collection.documents[1].source().source.as_str(),
            "rates.json"
        );
        assert!(!collection.questions[1].expect_retrieval);
    }

    #[test]
    fn a_source_that_is_no_document_is_named_with_its_row() {
        let folder =
            folder("\n{\"question\": \"a\", \"answer\": \"b\", \"sources\": [\"c.md\"]}\n");
        let error = OwnDataset::load(folder.path(), &IngestConfig::default()).unwrap_err();
        assert!(
            matches!(&error, TuneError::Row { row: 2, found, .. } if found == "c.md"),
            "{error}"
        );
    }

    #[test]
    fn a_corpus_makes_it_another_layout() {
        let folder = folder("");
        fs::write(folder.path().join("corpus.jsonl"), "").unwrap();
        assert!(!OwnDataset::is_at(folder.path()));
    }
}
