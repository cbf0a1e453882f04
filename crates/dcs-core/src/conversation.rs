//! A conversation: the one type that callers hold.

use std::sync::Arc;

use crate::{
    BasicScorer, Classifier, ContinuityScorer, ConversationConfig, CueWords, DcsError, Decision,
    DecisionLog, History, LearnedScorer, MessageId, PatternClassifier, Pending, Ranking,
    ScorerKind,
};

/// One conversation: its messages, its lines of work, and the decisions taken in it.
///
/// It reads no clock and no file: time and text are passed in, and the same calls give the same
/// results.
#[derive(Clone)]
pub struct Conversation {
    pub(crate) config: ConversationConfig,
    pub(crate) classifier: Arc<dyn Classifier>,
    pub(crate) cue_words: Arc<CueWords>,
    pub(crate) scorer: Arc<dyn ContinuityScorer>,
    pub(crate) history: History,
    pub(crate) log: DecisionLog,
    pub(crate) pending: Pending,
    /// The ranking by which the last message was placed; found again when it is not there.
    pub(crate) last_ranking: Option<(MessageId, Ranking)>,
}

impl Conversation {
    /// An empty conversation with the built-in patterns and the default scorer.
    ///
    /// # Errors
    /// [`DcsError::Setting`] for a setting outside its range.
    pub fn new(config: ConversationConfig) -> Result<Self, DcsError> {
        let classifier = Arc::new(PatternClassifier::built_in()?);
        let scorer: Arc<dyn ContinuityScorer> = match config.matching.scorer {
            ScorerKind::Learned => Arc::new(LearnedScorer::built_in()?),
            ScorerKind::Basic => Arc::new(BasicScorer::new(config.matching.clone())),
        };
        Self::with_parts(config, classifier, scorer)
    }

    /// An empty conversation with a classifier and a scorer of the caller's, which several
    /// conversations may share.
    ///
    /// # Errors
    /// [`DcsError::Setting`] for a setting outside its range.
    pub fn with_parts(
        config: ConversationConfig,
        classifier: Arc<dyn Classifier>,
        scorer: Arc<dyn ContinuityScorer>,
    ) -> Result<Self, DcsError> {
        config.validate()?;
        Ok(Self {
            log: DecisionLog::new(config.log.max_entries),
            config,
            classifier,
            cue_words: Arc::new(CueWords::built_in()?),
            scorer,
            history: History::default(),
            pending: Pending::default(),
            last_ranking: None,
        })
    }

    /// The settings in force.
    pub fn config(&self) -> &ConversationConfig {
        &self.config
    }

    /// What the conversation remembers.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The latest decisions.
    pub fn log(&self) -> &DecisionLog {
        &self.log
    }

    pub(crate) fn record(&mut self, decision: Decision) {
        let decision = Arc::new(decision);
        self.pending.decisions.push_back(Arc::clone(&decision));
        if self.pending.decisions.len() > self.config.log.max_entries {
            self.pending.decisions.pop_front();
        }
        self.log.push(decision);
    }
}
