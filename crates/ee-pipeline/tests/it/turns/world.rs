//! A knowledge base in a temporary folder, with everything a turn needs.

use std::sync::Arc;

use ee_embed::LexicalEmbedder;
use ee_ingest::{IngestConfig, Relations, SourceInput};
use ee_pipeline::{
    Cancellation, ChatSession, Engine, IngestProgress, IngestReport, KnowledgeBase, KnowledgeParts,
    PipelineError, SearchConfig, TurnConfig, TurnRequest, TurnResult,
};
use ee_store::{
    AuditStore, ConversationId, ConversationStore, SqliteStore, StoreConfig, StoredMessage,
    TantivyIndex, TurnRecord,
};
use km_core::{AccessScope, Administrator, Governance, Identity, SourceId, Timestamp};

/// Some pages of a handbook. Each becomes one unit or a few.
pub(super) const PAGES: [(&str, &str); 3] = [
    (
        "leave.md",
        "# Annual leave\n\nEvery employee has 28 days of annual leave. Unused leave \
      expires at the end of March.\n",
    ),
    (
        "travel.md",
        "# Travel\n\n| city | rate |\n|---|---|\n| Bonn | 90 euros |\n| Rome | 95 euros |\n",
    ),
    (
        "sick.md",
        "# Sick leave\n\nSick leave needs a certificate from the third day on. \
      Send the certificate to the office.\n",
    ),
];

pub(super) struct World {
    pub(super) engine: Engine,
    pub(super) knowledge: Arc<KnowledgeBase>,
    pub(super) store: Arc<SqliteStore>,
    _folder: tempfile::TempDir,
}

struct Silent;

impl IngestProgress for Silent {
    fn file(&self, _done: usize, _found: usize, _source: &str) {}
}

impl World {
    pub(super) fn new(pages: &[(&str, &str)]) -> Self {
        Self::with(pages, TurnConfig::default())
    }

    pub(super) fn with(pages: &[(&str, &str)], config: TurnConfig) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("eerag.db");
        let store = Arc::new(SqliteStore::open(&path, StoreConfig::default()).unwrap());
        let text =
            TantivyIndex::open(&store.text_index_folder(), &store.store_id().unwrap()).unwrap();
        let parts = KnowledgeParts {
            store: store.clone(),
            text: Arc::new(text),
            embedder: Arc::new(LexicalEmbedder::new(256)),
            reranker: None,
            vector_index_file: None,
        };
        let search = SearchConfig::default();
        let knowledge =
            Arc::new(KnowledgeBase::open(parts, IngestConfig::default(), search).unwrap());
        let engine = Engine::new(knowledge.clone(), store.clone(), config);
        let world = Self {
            engine,
            knowledge,
            store,
            _folder: folder,
        };
        world.ingest(pages);
        world
    }

    pub(super) fn ingest(&self, pages: &[(&str, &str)]) -> IngestReport {
        let mut sources = pages.iter().map(|(name, text)| SourceInput {
            source: SourceId::new(*name),
            bytes: text.as_bytes().to_vec(),
            governance: Governance::default(),
            relations: Relations::default(),
        });
        self.knowledge
            .ingest_sources(&mut sources, &Silent, &Cancellation::default())
            .unwrap()
    }

    /// Runs a turn; what was streamed must be the answer.
    pub(super) fn ask(&self, session: &dyn ChatSession, message: &str) -> TurnResult {
        let mut streamed = String::new();
        let result = self
            .try_ask(session, message, &mut |text| streamed.push_str(text))
            .unwrap();
        assert_eq!(streamed, result.answer, "what is streamed is what is kept");
        result
    }

    pub(super) fn try_ask(
        &self,
        session: &dyn ChatSession,
        message: &str,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<TurnResult, PipelineError> {
        let request = TurnRequest {
            message: message.to_owned(),
            conversation: Some(conversation()),
            scope: scope(),
        };
        self.engine
            .run(&request, session, on_text, &Cancellation::default())
    }

    pub(super) fn history(&self) -> Vec<StoredMessage> {
        let owner = scope().identity;
        self.store
            .messages(&owner, &conversation(), 0, usize::MAX)
            .unwrap()
    }

    pub(super) fn last_turn(&self) -> TurnRecord {
        self.store.latest_turns(&scope(), 1).unwrap().remove(0)
    }

    pub(super) fn units(&self) -> u64 {
        let stats = self.store.stats(Administrator::assume()).unwrap();
        stats.units
    }
}

pub(super) fn conversation() -> ConversationId {
    ConversationId::new("main")
}

pub(super) fn scope() -> AccessScope {
    AccessScope::new(Identity::default(), Timestamp::now())
}

/// The rank of the offered unit whose source is `source`.
pub(super) fn rank_of(header: &str, word: &str) -> usize {
    let line = header
        .lines()
        .find(|line| line.starts_with("[ID:") && line.contains(word));
    let line = line.unwrap_or_else(|| panic!("{word} is not offered in {header}"));
    let digits = line.trim_start_matches("[ID:").split(']').next().unwrap();
    digits.parse().unwrap()
}
