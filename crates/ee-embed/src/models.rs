//! A folder of models: one sub-folder each, in the layout the registry describes.

use std::path::{Path, PathBuf};

use crate::registry::{AssetSpec, EmbedderSpec, FileSpec, RerankerSpec, embedder, reranker};
use crate::{EmbedError, Fingerprint, Pooling};

/// A folder of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Models {
    folder: PathBuf,
}

/// The files of an embedder that is there.
#[derive(Debug, Clone)]
pub struct EmbedderFiles {
    /// What the model is.
    pub spec: &'static EmbedderSpec,
    /// How token states become one vector, from the model's own settings.
    pub pooling: Pooling,
    /// The most tokens of a text, from the model's own settings.
    pub window_tokens: usize,
    /// The weights.
    pub weights: WeightsFile,
    /// The tokenizer, as the `tokenizers` library reads it.
    pub tokenizer: PathBuf,
}

/// Where the weights are, and in which form.
#[derive(Debug, Clone)]
pub enum WeightsFile {
    /// An exported graph.
    Onnx(PathBuf),
    /// Bare weights, from which the graph is built.
    Safetensors(PathBuf),
}

/// The files of a cross-encoder that is there.
#[derive(Debug, Clone)]
pub struct RerankerFiles {
    /// What the model is.
    pub spec: &'static RerankerSpec,
    /// The exported graph.
    pub model: PathBuf,
    /// The tokenizer, as the `tokenizers` library reads it.
    pub tokenizer: PathBuf,
}

impl Models {
    /// The models in `folder`, which need not exist yet.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// `$EERAG_MODELS`, else `eerag/models` in the user's cache folder (`$XDG_CACHE_HOME`, else
    /// `.cache` in the home folder). Absent when there is no home folder.
    pub fn default_folder() -> Option<PathBuf> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        if let Some(folder) = variable("EERAG_MODELS") {
            return Some(folder.into());
        }
        let caches = variable("XDG_CACHE_HOME").map(PathBuf::from);
        let home = || std::env::home_dir().map(|home| home.join(".cache"));
        caches
            .or_else(home)
            .map(|caches| caches.join("eerag").join("models"))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The files of an embedder.
    ///
    /// # Errors
    /// [`EmbedError::UnknownModel`], or [`EmbedError::MissingModel`] when files are not there.
    pub fn embedder(&self, name: &str) -> Result<EmbedderFiles, EmbedError> {
        let spec = embedder(name)?;
        let weights = spec.weights.iter().find(|file| self.holds(spec.name, file));
        let weights = weights.ok_or_else(|| self.missing(spec.name))?;
        self.need(spec.name, spec.files)?;
        let path = self.path(spec.name, weights);
        let onnx = path.extension().is_some_and(|ending| ending == "onnx");
        let own = OwnSettings::read(&self.folder.join(spec.name))?;
        Ok(EmbedderFiles {
            spec,
            pooling: own.pooling.unwrap_or(spec.pooling),
            window_tokens: own.window_tokens.unwrap_or(spec.window_tokens),
            weights: if onnx {
                WeightsFile::Onnx(path)
            } else {
                WeightsFile::Safetensors(path)
            },
            tokenizer: self.folder.join(spec.name).join("tokenizer.json"),
        })
    }

    /// The files of a cross-encoder.
    ///
    /// # Errors
    /// [`EmbedError::UnknownModel`], or [`EmbedError::MissingModel`] when files are not there.
    pub fn reranker(&self, name: &str) -> Result<RerankerFiles, EmbedError> {
        let spec = reranker(name)?;
        self.need(spec.name, spec.files)?;
        let folder = self.folder.join(spec.name);
        let (model, tokenizer) = (folder.join("model.onnx"), folder.join("tokenizer.json"));
        Ok(RerankerFiles {
            spec,
            model,
            tokenizer,
        })
    }

    /// The folder of an asset whose files are all there.
    ///
    /// # Errors
    /// [`EmbedError::MissingModel`] when files are not there.
    pub fn asset(&self, spec: &AssetSpec) -> Result<PathBuf, EmbedError> {
        self.need(spec.name, spec.files)?;
        Ok(self.folder.join(spec.name))
    }

    pub(crate) fn path(&self, model: &str, file: &FileSpec) -> PathBuf {
        self.folder.join(model).join(file.name)
    }

    fn holds(&self, model: &str, file: &FileSpec) -> bool {
        self.path(model, file).is_file()
    }

    fn need(&self, model: &str, files: &[FileSpec]) -> Result<(), EmbedError> {
        let all = files.iter().all(|file| self.holds(model, file));
        if all {
            Ok(())
        } else {
            Err(self.missing(model))
        }
    }

    fn missing(&self, model: &str) -> EmbedError {
        EmbedError::MissingModel {
            model: model.to_owned(),
            folder: self.folder.clone(),
        }
    }
}

impl EmbedderFiles {
    /// What identifies the model's vectors. The same weights have the same fingerprint, whether
    /// they come as an exported graph or as bare weights: their vectors agree to six digits.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint {
            model: self.spec.name.to_owned(),
            weights_sha256: self.spec.weights_sha256.to_owned(),
            dimension: self.spec.dimension,
            pooling: self.pooling,
        }
    }
}

/// What a model says about itself in the files of sentence-transformers.
#[derive(Debug, Default)]
struct OwnSettings {
    pooling: Option<Pooling>,
    window_tokens: Option<usize>,
}

impl OwnSettings {
    fn read(folder: &Path) -> Result<Self, EmbedError> {
        let pooling = json(&folder.join("1_Pooling").join("config.json"))?;
        let window = json(&folder.join("sentence_bert_config.json"))?;
        let says = |key: &str| pooling.get(key).and_then(serde_json::Value::as_bool);
        let pooling = match (
            says("pooling_mode_mean_tokens"),
            says("pooling_mode_cls_token"),
        ) {
            (Some(true), _) => Some(Pooling::Mean),
            (_, Some(true)) => Some(Pooling::Cls),
            _ => None,
        };
        let window_tokens = window
            .get("max_seq_length")
            .and_then(serde_json::Value::as_u64);
        Ok(Self {
            pooling,
            window_tokens: window_tokens.map(|tokens| tokens as usize),
        })
    }
}

/// A settings file; null when there is none.
fn json(file: &Path) -> Result<serde_json::Value, EmbedError> {
    let Ok(bytes) = std::fs::read(file) else {
        return Ok(serde_json::Value::Null);
    };
    serde_json::from_slice(&bytes).map_err(|error| EmbedError::BadModelFile {
        path: file.to_owned(),
        needed: "a settings file in JSON".to_owned(),
        found: error.to_string(),
    })
}
