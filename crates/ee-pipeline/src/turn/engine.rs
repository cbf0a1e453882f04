//! Runs turns: search, header, election, injection, answer, between two phases of audit.

use std::sync::Arc;

use ee_store::{AuditStore, ConversationStore, ElectedUnit, Outcome, Role, TurnId};

use super::calls::Calls;
use super::election::{self, Election};
use super::injection::Injection;
use super::offer::Offer;
use super::prompt::Prompts;
use super::reply::{Answer, Gate, GateOutcome, ReplyFilter};
use super::stopwatch::Stopwatch;
use super::tokens::TokenEstimator;
use super::{INSUFFICIENT_DATA, TurnRequest, TurnResult, digestion, history, tag};
use crate::{
    Cancellation, ChatMessage, ChatSession, KnowledgeBase, PipelineError, SearchRequest,
    SearchSystem, TurnConfig,
};

/// Runs turns over a knowledge base. Safe to share between threads.
pub struct Engine {
    knowledge: Arc<KnowledgeBase>,
    conversations: Arc<dyn ConversationStore>,
    audit: Arc<dyn AuditStore>,
    estimator: Arc<dyn TokenEstimator>,
    config: TurnConfig,
}

/// A turn under way.
struct Turn<'a> {
    request: &'a TurnRequest,
    offer: &'a Offer,
    prompts: Prompts<'a>,
    calls: Calls<'a>,
    watch: Stopwatch,
}

/// How the calls of a turn ended.
struct Ending {
    answer: Answer,
    injected: Vec<ElectedUnit>,
    refused: Vec<String>,
    unfit: Vec<usize>,
}

impl Engine {
    /// An engine over `knowledge` that keeps conversations and audit in the given stores.
    pub fn new(
        knowledge: Arc<KnowledgeBase>,
        conversations: Arc<dyn ConversationStore>,
        audit: Arc<dyn AuditStore>,
        config: TurnConfig,
    ) -> Self {
        let estimator = Arc::new(super::tokens::WordTokens);
        Self {
            knowledge,
            conversations,
            audit,
            estimator,
            config,
        }
    }

    /// Runs one turn. `on_text` sees the answer as it arrives, tags included, and never a
    /// RETRIEVE exchange.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails; the audit then holds the first phase and the failure.
    pub fn run(
        &self,
        request: &TurnRequest,
        session: &dyn ChatSession,
        on_text: &mut dyn FnMut(&str),
        cancellation: &Cancellation,
    ) -> Result<TurnResult, PipelineError> {
        let span = tracing::info_span!(target: "pipeline", "turn", session = session.name());
        let _entered = span.enter();
        let mut watch = Stopwatch::start();
        let offer = self.offer(request)?;
        watch.lap("search");
        let history = self.history(request)?;
        watch.lap("assemble");
        let scope = &request.scope;
        let turn = self.audit.begin_turn(
            scope,
            request.conversation.as_ref(),
            &request.message,
            &offer.units,
        )?;
        watch.lap("audit");
        let estimator = self.estimator.as_ref();
        let mut running = Turn {
            request,
            offer: &offer,
            prompts: Prompts {
                system: &self.config.system_prompt,
                history: &history,
                question: &request.message,
                estimator,
            },
            calls: Calls::new(session, cancellation, estimator),
            watch,
        };
        match self.converse(&mut running, on_text) {
            Ok(ending) => self.close(turn, running, ending, on_text),
            Err(error) => Err(self.record_failure(turn, request, error)),
        }
    }

    /// Layer 1: the candidates worth showing.
    fn offer(&self, request: &TurnRequest) -> Result<Offer, PipelineError> {
        let found = self.knowledge.search(&SearchRequest {
            query: request.message.clone(),
            k: self.config.top_k,
            system: SearchSystem::Hybrid,
            scope: request.scope.clone(),
        })?;
        Ok(Offer::new(found.hits))
    }

    fn history(&self, request: &TurnRequest) -> Result<Vec<ChatMessage>, PipelineError> {
        let Some(conversation) = &request.conversation else {
            return Ok(Vec::new());
        };
        let owner = &request.scope.identity;
        let messages = self
            .conversations
            .messages(owner, conversation, 0, usize::MAX)?;
        let budget = self.config.max_history_tokens;
        Ok(history::latest(&messages, budget, self.estimator.as_ref()))
    }

    /// Layers 2 to 5: one call when nothing is elected, a second one with what was.
    fn converse(
        &self,
        turn: &mut Turn<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Ending, PipelineError> {
        let election = match turn.ask(on_text)? {
            First::Answer(answer) => return Ok(Ending::direct(answer, Vec::new())),
            First::Election(election) => election,
        };
        if !election.refused.is_empty() {
            tracing::warn!(target: "pipeline", refused = ?election.refused, "ids that were not offered");
        }
        if election.ranks.is_empty() {
            return Ok(Ending::direct(Answer::empty(), election.refused));
        }
        let fitting = Injection::within(
            turn.offer.take(&election.ranks),
            self.config.max_injected_tokens,
            self.estimator.as_ref(),
        );
        let ranks: Vec<usize> = fitting.units.iter().map(|unit| unit.rank).collect();
        let unfit = fitting.unfit.clone();
        let injection = if self.config.silent_digestion {
            let method = self.config.digestion;
            let digested = digestion::digest(fitting, method, &turn.prompts, &mut turn.calls)?;
            turn.watch.lap("digest");
            digested
        } else {
            fitting
        };
        let answer = turn.answer(&injection, on_text)?;
        let injected = turn.offer.elected(&ranks);
        Ok(Ending {
            answer,
            injected,
            refused: election.refused,
            unfit,
        })
    }

    /// Writes the second phase, with the two messages that persist.
    fn close(
        &self,
        id: TurnId,
        mut turn: Turn<'_>,
        ending: Ending,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<TurnResult, PipelineError> {
        let answer = finish_answer(&ending, on_text);
        let (request, calls) = (turn.request, &turn.calls);
        let outcome = ending.outcome(calls);
        let history = [
            (Role::User, request.message.as_str()),
            (Role::Assistant, answer.as_str()),
        ];
        self.audit
            .end_turn(&request.scope, id, &outcome, &history)?;
        turn.watch.lap("audit");
        Ok(TurnResult {
            turn: id,
            declined: declines(&ending.answer.text),
            citations: turn.offer.cited(&ending.answer.cited),
            false_citations: ending.answer.false_citations,
            answer,
            offered: turn.offer.units.clone(),
            elected: ending.injected,
            refused: ending.refused,
            unfit: ending.unfit,
            calls: calls.count,
            context_tokens: calls.context_tokens,
            usage: calls.usage,
            timings: turn.watch.laps(),
        })
    }

    /// Notes the failure in the audit; the error itself is what the caller must learn.
    fn record_failure(
        &self,
        turn: TurnId,
        request: &TurnRequest,
        error: PipelineError,
    ) -> PipelineError {
        let outcome = Outcome::Failed {
            message: error.to_string(),
        };
        if let Err(second) = self.audit.end_turn(&request.scope, turn, &outcome, &[]) {
            tracing::error!(target: "pipeline", turn, %second, "the failure could not be recorded");
        }
        error
    }
}

/// What the first call comes to.
enum First {
    Answer(Answer),
    Election(Election),
}

impl Turn<'_> {
    /// The first call: the header, and a reply that is an answer or a request.
    fn ask(&mut self, on_text: &mut dyn FnMut(&str)) -> Result<First, PipelineError> {
        let offered = self.offer.units.len();
        let prompt = self.prompts.first(&self.offer.units);
        let evidence = self.offer.evidence(&self.request.message);
        let uses_tool = offered > 0 && self.calls.session().supports_tools();
        let tools = if uses_tool {
            vec![election::tool()]
        } else {
            Vec::new()
        };
        let filter = ReplyFilter::new(self.offer.citable.clone());
        let mut gate = Gate::new(filter, true, on_text);
        let reply = self.calls.make(&prompt, &tools, &evidence, &mut gate)?;
        self.watch.lap("first_call");
        if let Some(ids) = election::asked_by_tool(&reply.tool_calls) {
            if !gate.is_open() {
                return Ok(First::Election(Election::admit(ids, offered)));
            }
            tracing::warn!(target: "pipeline", "a tool call after a long text is not followed");
        }
        Ok(match gate.finish() {
            GateOutcome::Answer(answer) => First::Answer(answer),
            GateOutcome::Asked(ids) => First::Election(Election::admit(ids, offered)),
        })
    }

    /// The second call: the injected block, and the answer.
    fn answer(
        &mut self,
        injection: &Injection,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Answer, PipelineError> {
        let prompt = self.prompts.second(injection);
        let evidence = digestion::evidence(&self.request.message, injection);
        let filter = ReplyFilter::new(self.offer.citable.clone());
        let mut gate = Gate::new(filter, false, on_text);
        self.calls.make(&prompt, &[], &evidence, &mut gate)?;
        self.watch.lap("second_call");
        Ok(match gate.finish() {
            GateOutcome::Answer(answer) => answer,
            GateOutcome::Asked(_) => Answer::empty(),
        })
    }
}

impl Ending {
    /// An ending without injection.
    fn direct(answer: Answer, refused: Vec<String>) -> Self {
        Self {
            answer,
            injected: Vec::new(),
            refused,
            unfit: Vec::new(),
        }
    }

    fn outcome(&self, calls: &Calls<'_>) -> Outcome {
        Outcome::Answered {
            elected: self.injected.clone(),
            refused: self.refused.clone(),
            unfit: self.unfit.clone(),
            false_citations: self.answer.false_citations.clone(),
            calls: calls.count,
            prompt_tokens: calls.usage.prompt,
            completion_tokens: calls.usage.completion,
        }
    }
}

/// Completes what the client sees: the fixed answer where there is none, and the tags.
fn finish_answer(ending: &Ending, on_text: &mut dyn FnMut(&str)) -> String {
    let mut answer = ending.answer.text.clone();
    if answer.is_empty() {
        on_text(INSUFFICIENT_DATA);
        answer.push_str(INSUFFICIENT_DATA);
    }
    let mut tags: Vec<String> = Vec::new();
    for unit in &ending.injected {
        let tag = tag::bracketed(&unit.tag);
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if !tags.is_empty() {
        let tags = format!("\n{}", tags.join(" "));
        on_text(&tags);
        answer.push_str(&tags);
    }
    answer
}

/// Whether an answer is the fixed one, whatever its case and punctuation.
fn declines(answer: &str) -> bool {
    let words = answer
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    answer.is_empty()
        || words
            .map(str::to_uppercase)
            .eq(INSUFFICIENT_DATA.split(' '))
}
