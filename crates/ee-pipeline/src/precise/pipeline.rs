//! The stages in order.

use std::time::{Duration, Instant};

use ee_store::VisibleUnits;
use km_core::Attributes;

use super::{
    Candidates, Expand, Frame, Minimise, PreciseConfig, Rerank, Resolve, Retrieval, ScopeAndRoute,
    StageTrace,
};
use crate::{BoostSet, KnowledgeBase, PipelineError, SearchRequest};

/// One step of the precision pipeline.
pub trait Stage: Send + Sync {
    /// Its name, in traces and for [`PrecisePipeline::replace`].
    fn name(&self) -> &'static str;

    /// Does its step and says what it decided.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails.
    fn run(&self, retrieval: &mut Retrieval<'_>) -> Result<Vec<String>, PipelineError>;
}

/// The precision pipeline: scope and route, candidates, expand, resolve, rerank, minimise, frame.
pub struct PrecisePipeline {
    stages: Vec<Box<dyn Stage>>,
}

impl PrecisePipeline {
    /// The standard stages.
    pub fn new(config: &PreciseConfig) -> Self {
        let config = || config.clone();
        Self {
            stages: vec![
                Box::new(ScopeAndRoute),
                Box::new(Candidates::new(config())),
                Box::new(Expand::new(config())),
                Box::new(Resolve),
                Box::new(Rerank::new(config())),
                Box::new(Minimise::new(config())),
                Box::new(Frame),
            ],
        }
    }

    /// Puts `stage` in the place of the one of its name, or at the end where there is none.
    #[must_use]
    pub fn replace(mut self, stage: Box<dyn Stage>) -> Self {
        let name = stage.name();
        match self.stages.iter_mut().find(|known| known.name() == name) {
            Some(known) => *known = stage,
            None => self.stages.push(stage),
        }
        self
    }

    /// Runs every stage.
    ///
    /// # Errors
    /// [`PipelineError`] when a stage fails.
    pub fn run<'a>(
        &self,
        knowledge: &'a KnowledgeBase,
        request: &'a SearchRequest,
        boosts: &'a BoostSet,
    ) -> Result<(Retrieval<'a>, Vec<StageTrace>), PipelineError> {
        let mut retrieval = Retrieval {
            request,
            boosts,
            knowledge,
            embedding: Vec::new(),
            embedding_time: Duration::ZERO,
            visible: VisibleUnits::Only(std::sync::Arc::default()),
            held: Attributes::new(),
            entities: Vec::new(),
            candidates: Vec::new(),
            context: None,
            frame: None,
        };
        let mut traces = Vec::with_capacity(self.stages.len());
        for stage in &self.stages {
            traces.push(traced(stage.as_ref(), &mut retrieval)?);
        }
        Ok((retrieval, traces))
    }
}

fn traced(stage: &dyn Stage, retrieval: &mut Retrieval<'_>) -> Result<StageTrace, PipelineError> {
    let name = stage.name();
    let span = tracing::info_span!(target: "pipeline", "stage", name);
    let _entered = span.enter();
    let (entered, start) = (retrieval.count(), Instant::now());
    let notes = stage.run(retrieval)?;
    let trace = StageTrace {
        stage: name,
        entered,
        left: retrieval.count(),
        milliseconds: start.elapsed().as_secs_f64() * 1e3,
        notes,
    };
    tracing::debug!(target: "pipeline", entered, left = trace.left, notes = ?trace.notes);
    Ok(trace)
}

impl std::fmt::Debug for PrecisePipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.stages.iter().map(|stage| stage.name());
        f.debug_list().entries(names).finish()
    }
}
