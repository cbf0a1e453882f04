//! The basic scorer: topic Jaccard times recency.

use crate::continuity::{ContinuityScorer, Incoming, RankedDcn, Ranking, Signal};
use crate::{Dcn, DcnId, History, MatchingConfig, Topics, age_hours, recency_weight};

/// Topic Jaccard × recency, and topic Jaccard alone for merging.
#[derive(Debug, Clone)]
pub struct BasicScorer {
    config: MatchingConfig,
}

impl BasicScorer {
    /// A scorer with these settings.
    pub fn new(config: MatchingConfig) -> Self {
        Self { config }
    }

    fn score(&self, incoming: &Incoming<'_>, dcn: &Dcn) -> RankedDcn {
        let topics = Topics {
            intents: incoming.key.intents.clone(),
            domains: incoming.key.domains.clone(),
        };
        let jaccard = topics.jaccard(&dcn.topics);
        let age = age_hours(dcn.last_referenced, incoming.at);
        let recency = recency_weight(age, self.config.tau_hours);
        RankedDcn {
            dcn: dcn.id,
            score: jaccard * recency,
            signals: [Signal {
                name: "topic_jaccard".into(),
                value: jaccard,
                weight: recency,
            }]
            .into(),
        }
    }
}

impl ContinuityScorer for BasicScorer {
    fn name(&self) -> &'static str {
        "basic"
    }

    fn rank(&self, incoming: &Incoming<'_>, candidates: &[DcnId], history: &History) -> Ranking {
        let known = candidates.iter().filter_map(|id| history.dcn(*id));
        let scored = known.map(|dcn| self.score(incoming, dcn)).collect();
        Ranking::new(scored, self.config.basic_threshold)
    }

    fn affinity(&self, left: &Dcn, right: &Dcn, _history: &History) -> f64 {
        left.topics.jaccard(&right.topics)
    }

    fn merge_threshold(&self) -> f64 {
        self.config.basic_merge_threshold
    }
}
