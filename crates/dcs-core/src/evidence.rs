//! The evidence behind a continuity decision, for explaining and for learning weights.

use crate::continuity::{FEATURES, Row, candidates, rows};
use crate::{Conversation, DcnId, DcsError, MessageId, NewMessage, Ranking};

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
        &FEATURES
    }

    /// The evidence for each link of a message that has not been registered.
    ///
    /// # Errors
    /// [`DcsError::Embedding`] as for [`Conversation::register`].
    pub fn evidence(&self, message: NewMessage<'_>) -> Result<Vec<Evidence>, DcsError> {
        let draft = self.draft(message)?;
        let candidates = candidates(&draft.terms, &self.history, &self.config.matching);
        let rows = rows(&draft.incoming(), &candidates, &self.history, None);
        Ok(rows.into_iter().map(Evidence::from).collect())
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
        let found = before.with_exchange(&question, &draft, |exchange, first, candidates| {
            let score = |dcn| first_score(first, dcn);
            rows(exchange, candidates, &before.history, Some(&score))
        });
        Ok(found.into_iter().map(Evidence::from).collect())
    }
}

/// Score of a line of work, or of a new one, at the first look.
pub(crate) fn first_score(first: &Ranking, dcn: Option<DcnId>) -> f64 {
    dcn.map_or(first.new_line, |dcn| first.score(dcn))
}

impl From<Row> for Evidence {
    fn from(row: Row) -> Self {
        Self {
            link: row.link,
            values: row.values,
        }
    }
}
