//! The evidence behind a continuity decision, for explaining and for learning weights.

use crate::continuity::{self, FEATURES, Situation, candidates};
use crate::{Conversation, DcnId, DcsError, Incoming, MessageId, NewMessage, Ranking};

/// The evidence for one possible link of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The earlier message and its line of work; `None` for a new line of work.
    pub link: Option<(DcnId, MessageId)>,
    /// One value per name of [`Conversation::evidence_names`].
    pub values: Vec<f64>,
}

impl Conversation {
    /// Names of the evidence, in the order of [`Evidence::values`].
    pub fn evidence_names() -> &'static [&'static str] {
        FEATURES.as_slice()
    }

    /// The evidence for each link of a message that has not been registered.
    ///
    /// # Errors
    /// [`DcsError::Embedding`] as for [`Conversation::register`].
    pub fn evidence(&self, message: NewMessage<'_>) -> Result<Vec<Evidence>, DcsError> {
        let draft = self.draft(message)?;
        let candidates = candidates(&draft.terms, &self.history, &self.config.matching);
        let incoming = draft.incoming();
        let situation = self.situation(&incoming, &candidates);
        Ok(rows(&continuity::Evidence::new(&situation, None)))
    }

    /// The evidence for the last message and `answer` as one exchange: what the scorer sees on its
    /// second look. Empty when nothing has been said.
    ///
    /// # Errors
    /// [`DcsError::Embedding`] as for [`Conversation::register`].
    pub fn exchange_evidence(&self, answer: NewMessage<'_>) -> Result<Vec<Evidence>, DcsError> {
        let draft = self.draft(answer)?;
        let mut before = self.clone();
        let Some(question) = before.take_back() else {
            return Ok(Vec::new());
        };
        Ok(
            before.with_exchange(&question, &draft, |exchange, first, candidates| {
                let score = |dcn| first_score(first, dcn);
                let situation = before.situation(exchange, candidates);
                rows(&continuity::Evidence::new(&situation, Some(&score)))
            }),
        )
    }

    fn situation<'a>(&'a self, incoming: &'a Incoming<'a>, candidates: &[DcnId]) -> Situation<'a> {
        let history = &self.history;
        Situation::new(incoming, candidates, history, history.is_chat_room())
    }
}

/// One row per link, then that of a new line of work.
fn rows(evidence: &continuity::Evidence) -> Vec<Evidence> {
    let blank = vec![0.0; FEATURES.len() - evidence.new.len()];
    let links = evidence.lines.iter().flat_map(|line| {
        line.links.iter().map(|(message, values)| {
            let mut values = [&values[..], &line.values].concat();
            values.resize(FEATURES.len(), 0.0);
            Evidence {
                link: Some((line.dcn, *message)),
                values,
            }
        })
    });
    let new = Evidence {
        link: None,
        values: [&blank[..], &evidence.new].concat(),
    };
    links.chain([new]).collect()
}

/// Score of a line of work, or of a new one, at the first look.
pub(crate) fn first_score(first: &Ranking, dcn: Option<DcnId>) -> f64 {
    dcn.map_or(first.new_line, |dcn| first.score(dcn))
}
