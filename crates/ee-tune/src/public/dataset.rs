//! The datasets that can be fetched.

use std::fs;
use std::path::Path;

use super::{beir_archive, clinc, locomo};
use crate::{BeirDataset, IntentDataset, MemoryDataset, QaDataset, QuestionFile, TuneError};

/// A public dataset.
#[derive(Debug)]
pub struct PublicDataset {
    /// Its name, also the name of its folder.
    pub name: &'static str,
    /// What it is, and the suite that reads it.
    pub about: &'static str,
    /// Its licence, with what it forbids.
    pub licence: &'static str,
    /// Where it is described.
    pub home: &'static str,
    /// What is downloaded.
    pub files: &'static [PublicFile],
    /// How it is packed.
    pub layout: PublicLayout,
}

/// A file to download.
#[derive(Debug)]
pub struct PublicFile {
    /// Its address.
    pub url: &'static str,
    /// Its SHA-256, where it is known; otherwise the first download's is kept.
    pub sha256: Option<&'static str>,
}

/// How a dataset is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublicLayout {
    /// An archive in the layout of BEIR; of its judgements, this part is taken.
    BeirArchive(&'static str),
    /// `LoCoMo`'s one JSON file of conversations.
    Locomo,
    /// CLINC150's JSON files of utterances and of domains.
    Clinc,
    /// `EfficientQA`'s JSON Lines, which need no change.
    EfficientQa,
}

/// The datasets that can be fetched.
pub const PUBLIC_DATASETS: &[PublicDataset] = &[
    PublicDataset {
        name: "scifact",
        about: "300 scientific claims over 5,183 abstracts; `eerag eval retrieval`",
        licence: "CC BY-NC 2.0: not for commercial use",
        home: "https://github.com/allenai/scifact",
        files: &[PublicFile {
            url: "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/scifact.zip",
            sha256: Some("536e14446a0ba56ed1398ab1055f39fe852686ecad24a6306c80c490fa8e0165"),
        }],
        layout: PublicLayout::BeirArchive("test"),
    },
    PublicDataset {
        name: "nfcorpus",
        about: "323 questions on nutrition over 3,633 abstracts; `eerag eval retrieval`",
        licence: "for academic use only, see its home page",
        home: "https://www.cl.uni-heidelberg.de/statnlpgroup/nfcorpus/",
        files: &[PublicFile {
            url: "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/nfcorpus.zip",
            sha256: None,
        }],
        layout: PublicLayout::BeirArchive("test"),
    },
    PublicDataset {
        name: "arguana",
        about: "1,406 arguments and their counterarguments; `eerag eval retrieval`",
        licence: "CC BY 4.0",
        home: "http://argumentation.bplaced.net/arguana/data",
        files: &[PublicFile {
            url: "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/arguana.zip",
            sha256: None,
        }],
        layout: PublicLayout::BeirArchive("test"),
    },
    PublicDataset {
        name: "locomo",
        about: "10 long conversations with 1,986 questions; `eerag eval memory`",
        licence: "CC BY-NC 4.0: not for commercial use",
        home: "https://github.com/snap-research/locomo",
        files: &[PublicFile {
            url: "https://raw.githubusercontent.com/snap-research/locomo/main/data/locomo10.json",
            sha256: Some("79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"),
        }],
        layout: PublicLayout::Locomo,
    },
    PublicDataset {
        name: "clinc150",
        about: "18,000 utterances of 150 intents in 10 domains; `eerag eval intents`",
        licence: "CC BY 3.0",
        home: "https://github.com/clinc/oos-eval",
        files: &[
            PublicFile {
                url: "https://raw.githubusercontent.com/clinc/oos-eval/master/data/data_full.json",
                sha256: None,
            },
            PublicFile {
                url: "https://raw.githubusercontent.com/clinc/oos-eval/master/data/domains.json",
                sha256: None,
            },
        ],
        layout: PublicLayout::Clinc,
    },
    PublicDataset {
        name: "efficientqa",
        about: "1,800 questions with accepted, possible and rejected answers; `eerag eval qa`",
        licence: "CC BY-SA 3.0",
        home: "https://efficientqa.github.io",
        files: &[PublicFile {
            url: "https://raw.githubusercontent.com/google-research-datasets/natural-questions/\
                  master/nq_open/NQ-open.efficientqa.test.1.1.jsonl",
            sha256: None,
        }],
        layout: PublicLayout::EfficientQa,
    },
];

impl PublicDataset {
    /// The dataset of this name.
    ///
    /// # Errors
    /// [`TuneError::UnknownDataset`] with the names that there are.
    pub fn named(name: &str) -> Result<&'static Self, TuneError> {
        let found = PUBLIC_DATASETS.iter().find(|one| one.name == name);
        found.ok_or_else(|| TuneError::UnknownDataset {
            name: name.to_owned(),
            known: PUBLIC_DATASETS.iter().map(|one| one.name).collect(),
        })
    }

    /// Turns downloaded files, in the order of [`files`](Self::files), into a folder that a suite
    /// reads, and reads it once.
    ///
    /// # Errors
    /// [`TuneError::Download`] when a file is not what its layout promises, [`TuneError::Write`]
    /// when the folder cannot be written.
    pub fn unpack(&self, downloaded: &[Vec<u8>], folder: &Path) -> Result<(), TuneError> {
        let unexpected = |found: String| TuneError::Download {
            name: self.name,
            found,
        };
        let parts = match (self.layout, downloaded) {
            (PublicLayout::BeirArchive(part), [archive]) => beir_archive::parts(archive, part),
            (PublicLayout::Locomo, [conversations]) => locomo::parts(conversations),
            (PublicLayout::Clinc, [utterances, domains]) => clinc::parts(utterances, domains),
            (PublicLayout::EfficientQa, [questions]) => {
                Ok(vec![("questions.jsonl", questions.clone())])
            }
            _ => Err(format!("{} files", downloaded.len())),
        };
        let failed = |source| TuneError::Write {
            path: folder.to_owned(),
            source,
        };
        fs::create_dir_all(folder).map_err(failed)?;
        for (name, bytes) in parts.map_err(unexpected)? {
            let path = folder.join(name);
            let failed = |source| TuneError::Write {
                path: path.clone(),
                source,
            };
            fs::write(&path, bytes).map_err(failed)?;
        }
        self.read(folder)
    }

    /// Reads the folder as its suite does.
    fn read(&self, folder: &Path) -> Result<(), TuneError> {
        match self.layout {
            PublicLayout::BeirArchive(_) => {
                BeirDataset::load(folder, QuestionFile::Queries).map(drop)
            }
            PublicLayout::Locomo => MemoryDataset::load(folder).map(drop),
            PublicLayout::Clinc => IntentDataset::load(folder).map(drop),
            PublicLayout::EfficientQa => QaDataset::load(folder).map(drop),
        }
    }
}

/// Files of a dataset's folder: name and content.
pub(super) type Parts = Vec<(&'static str, Vec<u8>)>;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{PUBLIC_DATASETS, PublicDataset};
    use crate::TuneError;

    #[test]
    fn names_are_unique_and_sums_are_sums() {
        let names: BTreeSet<&str> = PUBLIC_DATASETS.iter().map(|one| one.name).collect();
        assert_eq!(names.len(), PUBLIC_DATASETS.len());
        for file in PUBLIC_DATASETS.iter().flat_map(|one| one.files) {
            assert!(file.url.starts_with("https://") && !file.url.contains(' '));
            let is_sum = |sum: &str| sum.len() == 64 && sum.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(file.sha256.is_none_or(is_sum));
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = PublicDataset::named("sifact").unwrap_err();
        assert!(error.to_string().contains("scifact, nfcorpus"), "{error}");
    }

    #[test]
    fn a_file_of_something_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for one in PUBLIC_DATASETS {
            let downloaded = vec![b"<html>not found</html>".to_vec(); one.files.len()];
            let refused = one.unpack(&downloaded, folder.path());
            assert!(
                matches!(
                    refused,
                    Err(TuneError::Download { .. } | TuneError::Row { .. })
                ),
                "{}: {refused:?}",
                one.name
            );
        }
    }
}
