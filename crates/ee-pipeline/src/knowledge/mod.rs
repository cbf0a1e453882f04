//! A store with its indexes and models: ingestion and search.

mod base;
mod composition;
mod following;
mod fusion;
mod health;
mod ingest;
mod reembed;
mod relevance;
mod report;
mod request;
mod search;
mod vectors;

pub use base::{IndexedUnits, KnowledgeBase, KnowledgeParts};
pub(crate) use fusion::best_first;
pub use fusion::{Fusion, FusionInput, FusionMethod};
pub use health::{HealthFinding, HealthReport, IndexState};
pub use ingest::{ExplainedUnit, Explainer, Explanation};
pub use reembed::ReembedReport;
pub use relevance::RelevanceConfig;
pub use report::{IngestProgress, IngestReport, IngestRequest, SkippedFile, Vanished};
pub use request::{BoostSet, SearchHit, SearchRequest, SearchResponse, SearchSystem};
pub(crate) use search::FoundUnits;
