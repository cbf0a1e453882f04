//! Settings in layers: defaults < configuration file < environment < flags.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ee_embed::{EmbedConfig, Models};
use ee_index::IndexConfig;
use ee_ingest::IngestConfig;
use ee_pipeline::{
    AnthropicConfig, ExtractiveConfig, MemoryConfig, OpenAiConfig, PreciseConfig, SearchConfig,
    TurnConfig,
};
use ee_store::StoreConfig;
use ee_tune::TunableSettings;
use etcetera::{BaseStrategy, choose_base_strategy};
use figment::Figment;
use figment::providers::{Format, Serialized, Toml};
use km_core::Identity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arguments::{GlobalFlags, SessionKind};
use crate::blame;
use crate::layers;
use crate::output::WrongUsage;

/// Everything that can be set, one section per concern.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// Where data and models are kept.
    pub(crate) paths: PathSettings,
    /// Models, threads and the cache of embeddings.
    pub(crate) embed: EmbedConfig,
    /// The vector index.
    pub(crate) index: IndexConfig,
    /// The database and its writer queue.
    pub(crate) store: StoreConfig,
    /// Files to units.
    pub(crate) ingest: IngestConfig,
    /// Candidates and their fusion.
    pub(crate) search: SearchConfig,
    /// The precision pipeline.
    pub(crate) precise: PreciseConfig,
    /// The five layers.
    pub(crate) turn: TurnConfig,
    /// The search among a conversation's own turns.
    pub(crate) memory: MemoryConfig,
    /// Who answers, unless a flag says otherwise.
    pub(crate) session: SessionSettings,
    /// The session that needs no model.
    pub(crate) extractive: ExtractiveConfig,
    /// OpenAI-compatible servers; `OPENAI_API_KEY` and `OPENAI_BASE_URL` are read too.
    pub(crate) openai: OpenAiConfig,
    /// Anthropic's interface; `ANTHROPIC_API_KEY` is read too.
    pub(crate) anthropic: AnthropicConfig,
    /// On whose behalf commands read.
    pub(crate) identity: Identity,
}

/// Who answers, unless a flag says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SessionSettings {
    /// The session's kind.
    pub(crate) kind: SessionKind,
}

/// Where data and models are kept. Absent paths are the XDG folders'.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PathSettings {
    /// The database; indexes lie beside it.
    pub(crate) database: Option<PathBuf>,
    /// The folder of models and the ONNX Runtime library.
    pub(crate) models: Option<PathBuf>,
    /// The ONNX Runtime library itself, over the one in the models folder.
    pub(crate) runtime_library: Option<PathBuf>,
    /// The folder in which `eerag eval` keeps embeddings between runs.
    pub(crate) evaluation_cache: Option<PathBuf>,
}

impl Settings {
    /// Layers defaults, files, environment and flags, and checks the result once.
    ///
    /// # Errors
    /// When a file is missing or malformed, a key is unknown, or a value is out of range.
    pub(crate) fn load(flags: &GlobalFlags) -> Result<Self> {
        Self::load_without(flags, None)
    }

    /// The same, as if one of the files were not there.
    ///
    /// # Errors
    /// As [`Settings::load`].
    pub(crate) fn load_without(flags: &GlobalFlags, left_out: Option<&Path>) -> Result<Self> {
        let left_out = left_out.and_then(|file| file.canonicalize().ok());
        let mut layers = Figment::from(Serialized::defaults(Self::default()));
        for file in configuration_files(flags.config.as_deref())? {
            if left_out.is_some() && file.canonicalize().ok() == left_out {
                continue;
            }
            layers = layers.merge(Toml::file_exact(file));
        }
        layers = layers.merge(layers::environment());
        let settings = Self::extract(&layers, flags)?;
        if flags.set.is_empty() {
            return Ok(settings);
        }
        // Everything below the flags is sound: what is wrong now was typed.
        Self::assign(layers, flags).map_err(|error| WrongUsage::blame(&error))
    }

    /// The settings under the assignments of `--set`.
    fn assign(mut layers: Figment, flags: &GlobalFlags) -> Result<Self> {
        for assignment in &flags.set {
            layers = layers.merge(layers::assignment(assignment)?);
        }
        Self::extract(&layers, flags)
    }

    fn extract(layers: &Figment, flags: &GlobalFlags) -> Result<Self> {
        let mut settings: Self = layers.extract().map_err(blame::misshapen)?;
        if let Some(database) = &flags.db {
            settings.paths.database = Some(database.clone());
        }
        settings.validate(layers)?;
        Ok(settings)
    }

    fn validate(&self, layers: &Figment) -> Result<()> {
        let within = |section, outcome: Result<()>| {
            outcome.map_err(|error| blame::out_of_range(error, section, layers))
        };
        within("embed", self.embed.validate().map_err(Into::into))?;
        within("index", self.index.validate().map_err(Into::into))?;
        within("store", self.store.validate().map_err(Into::into))?;
        within("ingest", self.ingest.validate().map_err(Into::into))?;
        within("search", self.search.validate().map_err(Into::into))?;
        within("precise", self.precise.validate().map_err(Into::into))?;
        within("turn", self.turn.validate().map_err(Into::into))?;
        within("memory", self.memory.validate().map_err(Into::into))?;
        within("extractive", self.extractive.validate().map_err(Into::into))?;
        within("openai", self.openai.validate().map_err(Into::into))?;
        within("anthropic", self.anthropic.validate().map_err(Into::into))
    }

    /// The sections that can be tuned.
    pub(crate) fn tunable(&self) -> TunableSettings {
        TunableSettings {
            embed: self.embed.clone(),
            index: self.index.clone(),
            ingest: self.ingest.clone(),
            search: self.search.clone(),
            precise: self.precise.clone(),
            turn: self.turn.clone(),
            memory: self.memory.clone(),
            extractive: self.extractive.clone(),
            openai: self.openai.clone(),
        }
    }

    /// The database file.
    pub(crate) fn database(&self) -> Result<PathBuf> {
        match &self.paths.database {
            Some(path) => Ok(path.clone()),
            None => Ok(folders()?.data_dir().join("eerag").join("eerag.db")),
        }
    }

    /// The models folder.
    pub(crate) fn models(&self) -> Result<Models> {
        let folder = self.paths.models.clone().or_else(Models::default_folder);
        Ok(Models::in_folder(folder.context(
            "cannot find the home folder: set paths.models",
        )?))
    }

    /// The folder of evaluation embeddings.
    pub(crate) fn evaluation_cache(&self) -> Result<PathBuf> {
        match &self.paths.evaluation_cache {
            Some(path) => Ok(path.clone()),
            None => Ok(folders()?.cache_dir().join("eerag").join("evaluation")),
        }
    }
}

/// The XDG folders.
fn folders() -> Result<impl BaseStrategy> {
    choose_base_strategy().context("cannot find the home folder: set HOME, or name --db FILE")
}

/// The file that `eerag tune` writes and every command reads, in the folder it runs in.
pub(crate) const TUNED_FILE: &str = "eerag.tuned.toml";

/// A person's own file in the folder that commands run in.
pub(crate) const OWN_FILE: &str = "eerag.toml";

/// The files that are read, weakest first. A file that was named must exist.
fn configuration_files(named: Option<&Path>) -> Result<Vec<PathBuf>> {
    if let Some(file) = named {
        if file.is_dir() {
            bail!(
                "{} is a folder, and the configuration is a file: name one, for example --config {}",
                file.display(),
                file.join("config.toml").display()
            );
        }
        if !file.exists() {
            bail!("there is no configuration file {}", file.display());
        }
        return Ok(vec![file.to_owned()]);
    }
    let mut files = vec![PathBuf::from(OWN_FILE), PathBuf::from(TUNED_FILE)];
    if let Ok(folders) = folders() {
        files.insert(0, folders.config_dir().join("eerag").join("config.toml"));
    }
    files.retain(|file| file.is_file());
    Ok(files)
}
