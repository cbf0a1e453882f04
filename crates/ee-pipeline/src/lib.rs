//! The context engine: it decides for every turn which few facts and which earlier messages the
//! model sees, and leaves no trace of them in the conversation.
//!
//! [`KnowledgeBase`] is a store with its indexes and models: it ingests and searches.
//! [`Engine`] runs turns over it: summaries first, election, transient injection, isolation, audit.
//! [`ChatSession`] is the one trait a model is reached through. This crate prints nothing, serves
//! nothing, and makes no decision that is not in the audit.

mod config;
mod error;
mod knowledge;
mod logistic;
mod memory;
mod precise;
mod session;
mod turn;

pub use config::{PipelineConfig, SearchConfig, TurnConfig};
pub use error::PipelineError;
pub use knowledge::{
    BoostSet, ExplainedUnit, Explainer, Explanation, Fusion, FusionInput, FusionMethod,
    HealthFinding, HealthReport, IndexState, IndexedUnits, IngestProgress, IngestReport,
    IngestRequest, KnowledgeBase, KnowledgeParts, ReembedReport, RelevanceConfig, SearchHit,
    SearchRequest, SearchResponse, SearchSystem, SkippedFile, Vanished,
};
pub use memory::{
    ContextMessage, ContextReport, IndexedTurn, MemoryConfig, ReadTurn, TurnHit, TurnIndex,
    TurnReader, TurnSignals,
};
pub use precise::{
    BlendConfig, BlendEvidence, BlendRow, BlendWeights, CalibrationPoint, Candidate, Candidates,
    ContextFrame, Expand, Frame, Minimise, MinimumConfig, MinimumContext, Origin, PreciseConfig,
    PrecisePipeline, Rerank, Resolve, Retrieval, ScopeAndRoute, Stage, StageTrace,
};
#[cfg(feature = "http")]
pub use session::{
    AnthropicConfig, AnthropicSession, ApiKey, OpenAiConfig, OpenAiSession, RetryConfig,
    TimeoutConfig,
};
pub use session::{
    Cancellation, ChatError, ChatMessage, ChatReply, ChatRequest, ChatRole, ChatSession, Evidence,
    EvidenceItem, ExtractiveConfig, ExtractiveSession, RecordedRequest, ScriptedSession,
    TimeoutStage, TokenUsage, ToolCall, ToolSpec,
};
pub use turn::{
    AuditedUnit, DigestionMethod, Engine, INSUFFICIENT_DATA, TokenEstimator, TransientText,
    TurnRequest, TurnResult, resolve_tag,
};

/// The README's example, compiled and run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
