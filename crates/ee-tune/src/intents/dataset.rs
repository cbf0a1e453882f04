//! Labelled utterances: a folder with `train.jsonl` and `val.jsonl`, rows
//! `{text, intent, domain}`. Larson et al., "An Evaluation Dataset for Intent Classification and
//! Out-of-Scope Prediction", EMNLP 2019.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::TuneError;
use crate::rows::{folder_name, json_lines};

/// Utterances to learn from and utterances to measure on, checked: every intent has one domain.
#[derive(Debug, Clone)]
pub struct IntentDataset {
    /// The folder's name.
    pub name: String,
    /// What a classifier learns from.
    pub train: Vec<Utterance>,
    /// What it is measured on, sorted by id.
    pub val: Vec<Utterance>,
}

/// A labelled utterance.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Utterance {
    /// The number of its row in the file, from `00001`.
    #[serde(skip)]
    pub id: String,
    /// What is said.
    pub text: String,
    /// Its intent.
    pub intent: String,
    /// The domain that its intent belongs to.
    pub domain: String,
}

impl IntentDataset {
    /// Loads and checks a folder.
    ///
    /// # Errors
    /// [`TuneError::Read`] for a missing file, [`TuneError::Row`] with the row for bad content.
    pub fn load(folder: &Path) -> Result<Self, TuneError> {
        let mut domains = BTreeMap::new();
        Ok(Self {
            name: folder_name(folder),
            train: utterances(folder.join("train.jsonl"), &mut domains)?,
            val: utterances(folder.join("val.jsonl"), &mut domains)?,
        })
    }
}

/// Reads a file, numbers its rows, and holds each row against the domains of the intents so far.
fn utterances(
    path: PathBuf,
    domains: &mut BTreeMap<String, String>,
) -> Result<Vec<Utterance>, TuneError> {
    let mut utterances = Vec::new();
    for (number, mut row) in json_lines::<Utterance>(&path)? {
        row.id = format!("{number:05}");
        let known = domains
            .entry(row.intent.clone())
            .or_insert_with(|| row.domain.clone());
        if *known != row.domain {
            return Err(TuneError::Row {
                path,
                row: number,
                expected: "the domain that earlier rows give to this intent",
                found: format!("{:?} for {:?}", row.domain, row.intent),
            });
        }
        utterances.push(row);
    }
    Ok(utterances)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::IntentDataset;
    use crate::TuneError;

    #[test]
    fn an_intent_with_two_domains_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let row =
            |domain: &str| format!("{{\"text\":\"a\",\"intent\":\"i\",\"domain\":\"{domain}\"}}\n");
        fs::write(folder.path().join("train.jsonl"), row("d")).unwrap();
        fs::write(folder.path().join("val.jsonl"), row("d")).unwrap();
        let data = IntentDataset::load(folder.path()).unwrap();
        assert_eq!((data.train.len(), data.val[0].id.as_str()), (1, "00001"));
        fs::write(folder.path().join("val.jsonl"), row("d") + &row("e")).unwrap();
        let refused = IntentDataset::load(folder.path());
        assert!(matches!(refused, Err(TuneError::Row { row: 2, .. })));
    }
}
