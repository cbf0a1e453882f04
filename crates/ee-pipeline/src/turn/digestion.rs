//! Layer 5, silent digestion: elected units are distilled, and only the distillate is injected.

use serde::{Deserialize, Serialize};

use super::INSUFFICIENT_DATA;
use super::calls::Calls;
use super::injection::{Injected, Injection, TransientText};
use super::prompt::Prompts;
use super::reply::{Gate, GateOutcome, ReplyFilter};
use crate::{ChatError, ChatSession, Evidence, EvidenceItem, ExtractiveSession};

/// Who distils.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DigestionMethod {
    /// The turn's model, in a call of its own for each elected unit.
    #[default]
    Model,
    /// The sentences that fit the question best; no call to the model.
    Extractive,
}

/// The structured side of the second call.
pub(crate) fn evidence(question: &str, injection: &Injection) -> Evidence {
    let items = injection.units.iter().map(|unit| EvidenceItem {
        rank: unit.rank,
        unit: unit.unit,
        citation: unit.citation.clone(),
        text: unit.text.expose_to_session(),
        relevance: unit.relevance,
    });
    Evidence {
        question: question.to_owned(),
        items: items.collect(),
        injected: true,
    }
}

/// Replaces each unit's text by what it says about the question. A unit that says nothing about
/// it is left out.
pub(crate) fn digest(
    injection: Injection,
    method: DigestionMethod,
    prompts: &Prompts<'_>,
    calls: &mut Calls<'_>,
) -> Result<Injection, ChatError> {
    let extractive = ExtractiveSession::default();
    let session = match method {
        DigestionMethod::Model => calls.session(),
        DigestionMethod::Extractive => &extractive,
    };
    let unfit = injection.unfit;
    let mut digested = Injection {
        units: Vec::new(),
        unfit,
    };
    for unit in injection.units {
        let alone = Injection {
            units: vec![unit],
            unfit: Vec::new(),
        };
        let text = distil(&alone, session, prompts, calls)?;
        let says_nothing = text.is_empty() || text.starts_with(INSUFFICIENT_DATA);
        let units = alone.units.into_iter().filter(|_| !says_nothing);
        digested.units.extend(units.map(|unit| Injected {
            text: TransientText::new(text.clone()),
            ..unit
        }));
    }
    Ok(digested)
}

/// What one unit says about the question, without commands and citations.
fn distil(
    unit: &Injection,
    session: &dyn ChatSession,
    prompts: &Prompts<'_>,
    calls: &mut Calls<'_>,
) -> Result<String, ChatError> {
    let evidence = evidence(prompts.question, unit);
    let mut unseen = |_: &str| {};
    let mut gate = Gate::new(ReplyFilter::new(Vec::new()), false, &mut unseen);
    calls.make_with(session, &prompts.digest(unit), &[], &evidence, &mut gate)?;
    Ok(match gate.finish() {
        GateOutcome::Answer(answer) => answer.text,
        GateOutcome::Asked(_) => String::new(),
    })
}
