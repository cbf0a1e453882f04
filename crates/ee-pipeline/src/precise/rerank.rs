//! The fifth stage: the cross-encoder, and one probability from all that is known.

use std::num::NonZero;
use std::time::{Duration, Instant};

use ee_embed::Reranker;

use super::lead::{follow, leaders};
use super::pair::pair_texts;
use super::{BlendEvidence, Candidate, PreciseConfig, Retrieval, Stage};
use crate::PipelineError;

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
        texts: &[String],
        candidates: &mut [Candidate],
    ) -> Result<String, PipelineError> {
        let most = self.config.reranked.min(candidates.len());
        let texts: Vec<&str> = texts.iter().take(most).map(String::as_str).collect();
        let mut budget = Budget::start(self.config.rerank_milliseconds);
        let at_once = budget.pairs_at_once(most);
        let some = candidates.get_mut(..most).unwrap_or_default();
        let pairs = some.chunks_mut(at_once).zip(texts.chunks(at_once));
        let mut read = 0;
        for (some, texts) in pairs {
            if !budget.allows_more() {
                break;
            }
            for (candidate, score) in some.iter_mut().zip(reranker.score(query, texts)?) {
                candidate.logit = Some(score.logit);
            }
            read += some.len();
        }
        let all = candidates.len();
        let within = match budget.limit {
            Some(limit) if read < most => format!(" within {} ms", limit.as_millis()),
            _ => String::new(),
        };
        let left = all - read;
        Ok(format!(
            "{} read {read} of {all}{within}, {left} were not read",
            reranker.model()
        ))
    }
}

/// The time that the cross-encoder may take.
struct Budget {
    limit: Option<Duration>,
    start: Instant,
    last_look: Option<Duration>,
    longest_round: Duration,
}

impl Budget {
    /// Starts the clock; 0 sets no limit.
    fn start(milliseconds: u64) -> Self {
        Self {
            limit: (milliseconds > 0).then(|| Duration::from_millis(milliseconds)),
            start: Instant::now(),
            last_look: None,
            longest_round: Duration::ZERO,
        }
    }

    /// How many pairs are scored between two looks at the clock: under a limit two for each core.
    fn pairs_at_once(&self, all: usize) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        if self.limit.is_some() {
            2 * cores
        } else {
            all.max(1)
        }
    }

    /// Whether a further round is likely to end within the limit. The first one always may begin.
    fn allows_more(&mut self) -> bool {
        let now = self.start.elapsed();
        let Some(before) = self.last_look.replace(now) else {
            return true;
        };
        self.longest_round = self.longest_round.max(now.saturating_sub(before));
        self.limit
            .is_none_or(|limit| now + self.longest_round <= limit)
    }
}

impl Stage for Rerank {
    fn name(&self) -> &'static str {
        "rerank"
    }

    fn run(&self, retrieval: &mut Retrieval<'_>) -> Result<Vec<String>, PipelineError> {
        let query = &retrieval.request.query;
        let leaders = leaders(retrieval);
        let note = match &retrieval.knowledge.parts.reranker {
            Some(reranker) => {
                let texts = pair_texts(&retrieval.candidates, &leaders, &retrieval.held);
                self.read(reranker.as_ref(), query, &texts, &mut retrieval.candidates)?
            }
            None => "no cross-encoder: calibrated fusion scores".to_owned(),
        };
        let evidence: Vec<BlendEvidence> = retrieval.candidates.iter().map(evidence).collect();
        let probabilities = self.config.blend.probabilities(&evidence);
        let known = evidence.into_iter().zip(probabilities);
        for (candidate, (evidence, probability)) in retrieval.candidates.iter_mut().zip(known) {
            candidate.evidence = Some(evidence);
            candidate.probability = probability;
        }
        rank(retrieval, &leaders, self.config.entity_log_odds);
        Ok(vec![note])
    }
}

/// Ranks by probability; a fact that a rule leads to stands before what is as probable.
fn rank(retrieval: &mut Retrieval<'_>, leaders: &[Option<usize>], bonus: f64) {
    let followed = follow(retrieval, leaders, bonus);
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

fn evidence(candidate: &Candidate) -> BlendEvidence {
    BlendEvidence {
        fused: candidate.fused,
        cosine: candidate.cosine.unwrap_or_default(),
        logit: candidate.logit,
        context_logit: None,
    }
}
