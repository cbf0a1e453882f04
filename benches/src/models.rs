//! The default models, fetched where they are missing.

use std::path::PathBuf;

use anyhow::{Context, Result};
use ee_embed::{
    EmbedConfig, EmbedderFiles, FetchProgress, Fetcher, HubAccess, Models, OnnxEmbedder,
    OnnxReranker, registry, runtime_library,
};

/// The models folder of this machine.
///
/// # Errors
/// When there is no home folder.
pub fn folder() -> Result<Models> {
    let folder = Models::default_folder().context("no home folder: set EERAG_MODELS")?;
    Ok(Models::in_folder(folder))
}

/// Brings an embedder and the runtime library, and gives the embedder's files.
///
/// # Errors
/// When they are not here and cannot be fetched.
pub fn fetched(name: &str) -> Result<EmbedderFiles> {
    let models = folder()?;
    let mut fetcher = Fetcher::new(&models, HubAccess::from_environment(), &Steps);
    fetcher.asset(&registry::RUNTIME)?;
    fetcher.model(name)?;
    Ok(models.embedder(name)?)
}

/// The default embedder in its default settings.
///
/// # Errors
/// When the model is not here and cannot be fetched, or cannot be loaded.
pub fn default_embedder() -> Result<OnnxEmbedder> {
    let config = EmbedConfig::default();
    let files = fetched(&config.model)?;
    Ok(OnnxEmbedder::open(&files, &library()?, &config)?)
}

/// The default cross-encoder, over so many sessions of one thread each; 0 for one per core.
///
/// # Errors
/// When the model is not here and cannot be fetched, or cannot be loaded.
pub fn reranker(sessions: usize) -> Result<OnnxReranker> {
    let models = folder()?;
    let mut fetcher = Fetcher::new(&models, HubAccess::from_environment(), &Steps);
    fetcher.asset(&registry::RUNTIME)?;
    let name = EmbedConfig::default().reranker;
    fetcher.model(&name)?;
    let config = EmbedConfig {
        sessions,
        ..EmbedConfig::default()
    };
    Ok(OnnxReranker::open(
        &models.reranker(&name)?,
        &library()?,
        &config,
    )?)
}

fn library() -> Result<PathBuf> {
    Ok(runtime_library(None, folder()?.folder()))
}

/// Prints what takes a while.
struct Steps;

impl FetchProgress for Steps {
    fn bytes(&self, _file: &str, _done: u64, _all: Option<u64>) {}

    fn step(&self, what: &str) {
        eprintln!("{what}");
    }
}
