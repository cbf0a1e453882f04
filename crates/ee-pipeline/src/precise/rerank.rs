//! The fifth stage: the cross-encoder, and one probability from all that is known.

use std::time::{Duration, Instant};

use ee_embed::Reranker;
use km_core::Unit;

use super::lead::follow;
use super::{BlendEvidence, Candidate, PreciseConfig, Retrieval, Stage};
use crate::PipelineError;

/// Pairs that are scored between two looks at the clock.
const PAIRS_AT_ONCE: usize = 8;

/// Lets the cross-encoder read the best candidates, estimates how likely each is to be relevant,
/// and ranks by that. Without a cross-encoder the estimate rests on the fusion score.
#[derive(Debug)]
pub struct Rerank {
    config: PreciseConfig,
}

impl Rerank {
    /// The stage under these settings.
    pub fn new(config: PreciseConfig) -> Self {
        Self { config }
    }

    /// Fills in logits and says what was read.
    fn read(
        &self,
        reranker: &dyn Reranker,
        query: &str,
        candidates: &mut [Candidate],
    ) -> Result<String, PipelineError> {
        let most = self.config.reranked.min(candidates.len());
        let (limit, start) = (self.config.rerank_milliseconds, Instant::now());
        let mut read = 0;
        for some in candidates
            .get_mut(..most)
            .unwrap_or_default()
            .chunks_mut(PAIRS_AT_ONCE)
        {
            if limit > 0 && start.elapsed() >= Duration::from_millis(limit) {
                break;
            }
            let texts: Vec<String> = some.iter().map(|one| pair_text(&one.unit.unit)).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            for (candidate, score) in some.iter_mut().zip(reranker.score(query, &texts)?) {
                candidate.logit = Some(score.logit);
            }
            read += some.len();
        }
        let all = candidates.len();
        let within = if read < most {
            format!(" within {limit} ms")
        } else {
            String::new()
        };
        let left = all - read;
        Ok(format!(
            "{} read {read} of {all}{within}, {left} were not read",
            reranker.model()
        ))
    }
}

impl Stage for Rerank {
    fn name(&self) -> &'static str {
        "rerank"
    }

    fn run(&self, retrieval: &mut Retrieval<'_>) -> Result<Vec<String>, PipelineError> {
        let query = &retrieval.request.query;
        let note = match &retrieval.knowledge.parts.reranker {
            Some(reranker) => self.read(reranker.as_ref(), query, &mut retrieval.candidates)?,
            None => "no cross-encoder: calibrated fusion scores".to_owned(),
        };
        let evidence: Vec<BlendEvidence> = retrieval.candidates.iter().map(evidence).collect();
        let probabilities = self.config.blend.probabilities(&evidence);
        let known = evidence.into_iter().zip(probabilities);
        for (candidate, (evidence, probability)) in retrieval.candidates.iter_mut().zip(known) {
            candidate.evidence = Some(evidence);
            candidate.probability = probability;
        }
        rank(retrieval, self.config.entity_log_odds);
        Ok(vec![note])
    }
}

/// Ranks by probability; a fact that a rule leads to stands before what is as probable.
fn rank(retrieval: &mut Retrieval<'_>, bonus: f64) {
    let followed = follow(retrieval, bonus);
    let candidates = std::mem::take(&mut retrieval.candidates);
    let mut ranked: Vec<(bool, Candidate)> = candidates
        .into_iter()
        .zip(followed)
        .map(|(candidate, followed)| {
            let probability = followed.probability;
            let candidate = Candidate {
                probability,
                ..candidate
            };
            (followed.led, candidate)
        })
        .collect();
    ranked.sort_by(|(led_a, a), (led_b, b)| {
        let better = b.probability.total_cmp(&a.probability);
        better
            .then(led_b.cmp(led_a))
            .then(a.unit.key.cmp(&b.unit.key))
    });
    retrieval.candidates = ranked.into_iter().map(|(_, candidate)| candidate).collect();
}

/// What the cross-encoder reads of a unit: title and headings on a line, then the text.
pub(crate) fn pair_text(unit: &Unit) -> String {
    let mut headings: Vec<&str> = Vec::new();
    let title = unit.metadata.title.iter();
    for heading in title.chain(&unit.metadata.section_path) {
        if !headings.contains(&heading.as_str()) {
            headings.push(heading);
        }
    }
    if headings.is_empty() {
        return unit.content.clone();
    }
    format!("{}\n{}", headings.join(" > "), unit.content)
}

fn evidence(candidate: &Candidate) -> BlendEvidence {
    BlendEvidence {
        fused: candidate.fused,
        cosine: candidate.cosine.unwrap_or_default(),
        logit: candidate.logit,
        context_logit: None,
    }
}
