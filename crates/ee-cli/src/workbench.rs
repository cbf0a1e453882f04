//! What commands work with: settings, store, knowledge, engine and session, opened on demand.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use ee_embed::{
    CachedEmbedder, EmbedConfig, EmbedError, Embedder, Models, OnnxEmbedder, OnnxReranker,
    Reranker, runtime_library,
};
use ee_pipeline::{
    AnthropicSession, ApiKey, Cancellation, ChatSession, Engine, ExtractiveSession, KnowledgeBase,
    KnowledgeParts, OpenAiSession, SearchConfig, SearchSystem, TurnConfig,
};
use ee_store::{SqliteStore, TantivyIndex};
use km_core::AccessScope;

use crate::arguments::{GlobalFlags, SessionFlags, SessionKind};
use crate::identity::IdentityFlags;
use crate::settings::Settings;

/// Settings and what is opened from them.
pub(crate) struct Workbench {
    flags: GlobalFlags,
    settings: Settings,
    cancellation: Cancellation,
}

impl Workbench {
    /// Layers the settings. An interrupt then cancels what is under way; a second one ends the
    /// program at once.
    pub(crate) fn new(flags: GlobalFlags) -> Result<Self> {
        let settings = Settings::load(&flags)?;
        let cancellation = Cancellation::default();
        cancel_on_interrupt(cancellation.clone())?;
        Ok(Self {
            flags,
            settings,
            cancellation,
        })
    }

    /// Whether output is JSON.
    pub(crate) fn json(&self) -> bool {
        self.flags.json
    }

    /// Whether progress is not shown.
    pub(crate) fn hides_progress(&self) -> bool {
        self.flags.quiet || self.flags.json
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The configuration file that was named, if one was.
    pub(crate) fn configuration_file(&self) -> Option<&Path> {
        self.flags.config.as_deref()
    }

    /// The settings as they would be without one of their files.
    pub(crate) fn settings_without(&self, file: &Path) -> Result<Settings> {
        Settings::load_without(&self.flags, Some(file))
    }

    pub(crate) fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// On whose behalf a command reads.
    pub(crate) fn scope(&self, flags: &IdentityFlags) -> AccessScope {
        flags.scope(&self.settings.identity)
    }

    /// The database.
    pub(crate) fn store(&self) -> Result<Arc<SqliteStore>> {
        let path = self.settings.database()?;
        Ok(Arc::new(open_store(&path, &self.settings)?))
    }

    /// The database with its indexes and the configured model.
    pub(crate) fn knowledge(&self) -> Result<KnowledgeBase> {
        Ok(self.knowledge_over(self.parts()?)?)
    }

    /// The same with the cross-encoder, where the ranking asks for one.
    pub(crate) fn knowledge_for(&self, system: SearchSystem) -> Result<KnowledgeBase> {
        let mut parts = self.parts()?;
        parts.reranker = self.reranker_for(system)?;
        Ok(self.knowledge_over(parts)?)
    }

    /// The cross-encoder for a ranking that reads candidates with one. Where its files are not
    /// here the pipeline goes without, and a warning says so.
    fn reranker_for(&self, system: SearchSystem) -> Result<Option<Arc<dyn Reranker>>> {
        if system != SearchSystem::Precise {
            return Ok(None);
        }
        match self.reranker() {
            Ok(reranker) => Ok(reranker.map(|reranker| Arc::new(reranker) as _)),
            Err(error) if is_missing_model(&error) => {
                eprintln!("warning: without the cross-encoder: {error}");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The configured cross-encoder, where one is configured.
    pub(crate) fn reranker(&self) -> Result<Option<OnnxReranker>> {
        let settings = &self.settings;
        let name = settings.embed.reranker.as_str();
        if name.is_empty() {
            return Ok(None);
        }
        let models = settings.models()?;
        let library = self.runtime_library(&models);
        let files = models.reranker(name)?;
        Ok(Some(OnnxReranker::open(&files, &library, &settings.embed)?))
    }

    /// What a knowledge base is made of.
    pub(crate) fn parts(&self) -> Result<KnowledgeParts> {
        self.parts_of(|| self.store())
    }

    /// The parts of a store, which is opened while the model is loaded.
    fn parts_of(&self, store: impl FnOnce() -> Result<Arc<SqliteStore>>) -> Result<KnowledgeParts> {
        std::thread::scope(|scope| {
            let embedder = scope.spawn(|| self.embedder());
            let opened = store().and_then(|store| Ok((text_index(&store)?, store)));
            let embedder = embedder.join().unwrap_or_else(|panic| resume_unwind(panic));
            let (text, store) = opened?;
            Ok(parts(store, text, embedder?))
        })
    }

    /// A knowledge base over given parts.
    pub(crate) fn knowledge_over(
        &self,
        parts: KnowledgeParts,
    ) -> Result<KnowledgeBase, ee_pipeline::PipelineError> {
        KnowledgeBase::open(
            parts,
            self.settings.ingest.clone(),
            SearchConfig {
                index: self.settings.index.clone(),
                precise: self.settings.precise.clone(),
                ..self.settings.search.clone()
            },
        )
    }

    /// The engine over the database.
    pub(crate) fn engine(&self, flags: &SessionFlags) -> Result<Engine> {
        let store = self.store()?;
        let config = self.turn_config(flags);
        let mut parts = self.parts_of(|| Ok(Arc::clone(&store)))?;
        parts.reranker = self.reranker_for(config.system)?;
        let knowledge = Arc::new(self.knowledge_over(parts)?);
        Ok(Engine::new(knowledge, store, config))
    }

    /// Settings of a turn, under the flags.
    pub(crate) fn turn_config(&self, flags: &SessionFlags) -> TurnConfig {
        let mut config = self.settings.turn.clone();
        config.memory = self.settings.memory.clone();
        config.silent_digestion |= flags.silent;
        config.system = flags.system.map_or(config.system, SearchSystem::from);
        config
    }

    /// The configured embedder, cached in memory.
    pub(crate) fn embedder(&self) -> Result<Arc<dyn Embedder>> {
        let config = &self.settings.embed;
        Ok(Arc::new(CachedEmbedder::new(
            self.onnx_embedder(config)?,
            config,
        )))
    }

    /// The configured embedder itself.
    pub(crate) fn onnx_embedder(&self, config: &EmbedConfig) -> Result<OnnxEmbedder> {
        let models = self.settings.models()?;
        let library = self.runtime_library(&models);
        Ok(OnnxEmbedder::open(
            &models.embedder(&config.model)?,
            &library,
            config,
        )?)
    }

    /// Where the ONNX Runtime library is.
    pub(crate) fn runtime_library(&self, models: &Models) -> PathBuf {
        runtime_library(
            self.settings.paths.runtime_library.as_deref(),
            models.folder(),
        )
    }

    /// Who answers: the flag's session, else the configured one.
    pub(crate) fn session(&self, flags: &SessionFlags) -> Result<Box<dyn ChatSession>> {
        let model = flags.model.clone();
        Ok(match flags.session.unwrap_or(self.settings.session.kind) {
            SessionKind::Extractive => {
                Box::new(ExtractiveSession::new(self.settings.extractive.clone())?)
            }
            SessionKind::Openai => {
                let mut config = self.settings.openai.clone();
                config.model = model.unwrap_or(config.model);
                config.base_url = variable("OPENAI_BASE_URL").unwrap_or(config.base_url);
                Box::new(OpenAiSession::new(
                    config,
                    variable("OPENAI_API_KEY").map(ApiKey::new),
                )?)
            }
            SessionKind::Anthropic => {
                let mut config = self.settings.anthropic.clone();
                config.model = model.unwrap_or(config.model);
                let key = variable("ANTHROPIC_API_KEY")
                    .context("the Anthropic session needs a key in ANTHROPIC_API_KEY")?;
                Box::new(AnthropicSession::new(config, ApiKey::new(key))?)
            }
        })
    }
}

fn is_missing_model(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(EmbedError::MissingModel { .. }))
}

/// Opens a database, creating it and its folder if need be.
pub(crate) fn open_store(path: &Path, settings: &Settings) -> Result<SqliteStore> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    Ok(SqliteStore::open(path, settings.store.clone())?)
}

/// The text index beside a store.
pub(crate) fn text_index(store: &SqliteStore) -> Result<TantivyIndex> {
    let folder = store.text_index_folder();
    Ok(TantivyIndex::open(&folder, &store.store_id()?)?)
}

/// A store with its text index and vector index beside it.
pub(crate) fn parts(
    store: Arc<SqliteStore>,
    text: TantivyIndex,
    embedder: Arc<dyn Embedder>,
) -> KnowledgeParts {
    KnowledgeParts {
        vector_index_file: Some(store.path().with_extension("vectors")),
        text: Arc::new(text),
        store,
        embedder,
        reranker: None,
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name)
        .ok()
        .filter(|value| !value.trim().is_empty())
}

fn cancel_on_interrupt(cancellation: Cancellation) -> Result<()> {
    ctrlc::set_handler(move || {
        if cancellation.is_cancelled() {
            std::process::exit(130);
        }
        cancellation.cancel();
    })
    .context("cannot listen for interrupts")
}
