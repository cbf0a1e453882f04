//! Runs turns: search, header, election, injection, answer, between two phases of audit.

use std::sync::Arc;

use dcs_core::{Decision, SelectionDecision};
use ee_store::{ConversationId, ElectedUnit, Outcome, Role, TurnId, TurnStore};
use km_core::Identity;

use super::calls::Calls;
use super::election::{self, Election};
use super::injection::Injection;
use super::offer::Offer;
use super::prompt::Prompts;
use super::reply::{Answer, Gate, GateOutcome, ReplyFilter};
use super::stopwatch::Stopwatch;
use super::tokens::{EmbedderTokens, TokenEstimator};
use super::{INSUFFICIENT_DATA, TurnRequest, TurnResult, digestion, tag};
use crate::memory::{Asked, Budget, Purpose, Threads};
use crate::{
    BoostSet, Cancellation, ChatMessage, ChatRole, ChatSession, ContextReport, KnowledgeBase,
    PipelineError, SearchHit, SearchRequest, SearchSystem, TurnConfig,
};

/// How many units the precision pipeline may offer.
const MOST_PRECISE: usize = 50;

/// How much wider than the header the search is that looks for units to move up.
const WIDER: usize = 4;

/// Runs turns over a knowledge base. Safe to share between threads.
pub struct Engine {
    knowledge: Arc<KnowledgeBase>,
    store: Arc<dyn TurnStore>,
    estimator: Arc<dyn TokenEstimator>,
    threads: Threads,
    config: TurnConfig,
}

/// A turn under way.
struct Turn<'a> {
    request: &'a TurnRequest,
    offer: &'a Offer,
    prompts: Prompts<'a>,
    calls: Calls<'a>,
    watch: Stopwatch,
    selection: Option<SelectionDecision>,
}

/// How the calls of a turn ended.
struct Ending {
    answer: Answer,
    injected: Vec<ElectedUnit>,
    refused: Vec<String>,
    unfit: Vec<usize>,
}

impl Engine {
    /// An engine over `knowledge` that keeps conversations and audit in `store`.
    pub fn new(
        knowledge: Arc<KnowledgeBase>,
        store: Arc<dyn TurnStore>,
        config: TurnConfig,
    ) -> Self {
        let estimator = Arc::new(EmbedderTokens(Arc::clone(&knowledge)));
        let threads = Threads::new(
            config.context.clone(),
            config.memory.clone(),
            Arc::clone(&store),
            Arc::clone(&knowledge),
            estimator.clone(),
        );
        Self {
            knowledge,
            store,
            estimator,
            threads,
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
        let context = self.selection(request, Purpose::Turn)?;
        let history = prompt_messages(&context);
        watch.lap("assemble");
        let offer = self.offer(request, &history)?;
        watch.lap("search");
        let scope = &request.scope;
        let turn = self.store.begin_turn(
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
            selection: context.decision,
        };
        match self.converse(&mut running, on_text) {
            Ok(ending) => self.close(turn, running, ending, on_text),
            Err(error) => Err(self.record_failure(turn, request, error)),
        }
    }

    /// Layer 1: the candidates worth showing. Those that were elected in the selected part of the
    /// conversation move up.
    fn offer(
        &self,
        request: &TurnRequest,
        history: &[ChatMessage],
    ) -> Result<Offer, PipelineError> {
        let search = SearchRequest {
            query: request.message.clone(),
            k: self.most_offered(),
            system: self.config.system,
            scope: request.scope.clone(),
        };
        let boosts = self.boosts(&search, history)?;
        let response = self.knowledge.search_boosted(&search, &boosts)?;
        let mut hits = response.hits;
        if let Some(context) = response.context {
            hits.truncate(context.units);
        } else {
            let best = hits.iter().map(|hit| hit.relevance).fold(0.0, f32::max);
            hits.retain(|hit| hit.relevance >= best * self.config.header_share);
        }
        Ok(Offer::new(hits, response.stages))
    }

    /// The precision pipeline decides itself how many units make the context.
    fn most_offered(&self) -> usize {
        match self.config.system {
            SearchSystem::Precise => MOST_PRECISE.max(self.config.top_k),
            _ => self.config.top_k,
        }
    }

    /// The candidates whose tags stand in the history.
    fn boosts(
        &self,
        search: &SearchRequest,
        history: &[ChatMessage],
    ) -> Result<BoostSet, PipelineError> {
        let messages = history.iter();
        let tags: Vec<&str> = messages
            .flat_map(|message| tag::tags_in(&message.content))
            .collect();
        if tags.is_empty() {
            return Ok(BoostSet::default());
        }
        let wide = SearchRequest {
            k: search.k.saturating_mul(WIDER),
            system: SearchSystem::Hybrid,
            ..search.clone()
        };
        let hits = self.knowledge.search(&wide)?.hits;
        let known = |hit: &&SearchHit| {
            tags.iter()
                .any(|tag| hit.unit.embedding_sha256.starts_with(tag))
        };
        Ok(BoostSet::new(
            hits.iter().filter(known).map(|hit| (hit.unit.key, 1.0)),
        ))
    }

    /// The earlier messages of the conversation that matter for this one, as [`Engine::run`]
    /// would give them to the model. Nothing is answered, so nothing is logged.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails.
    pub fn context(&self, request: &TurnRequest) -> Result<ContextReport, PipelineError> {
        self.selection(request, Purpose::Preview)
    }

    fn selection(
        &self,
        request: &TurnRequest,
        purpose: Purpose,
    ) -> Result<ContextReport, PipelineError> {
        let Some(conversation) = &request.conversation else {
            return Ok(ContextReport::default());
        };
        let scope = &request.scope;
        let asked = Asked {
            text: &request.message,
            at: scope.at,
        };
        let budget = Budget {
            messages: self.config.max_history_messages,
            tokens: self.config.max_history_tokens as u64,
        };
        self.threads
            .select(&scope.identity, conversation, asked, budget, purpose)
    }

    /// The latest decisions about a conversation's messages, latest first.
    ///
    /// # Errors
    /// [`PipelineError`] when the store fails, or holds what is no decision.
    pub fn decisions(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
        limit: usize,
    ) -> Result<Vec<Decision>, PipelineError> {
        let stored = self.store.decisions(owner, conversation, limit)?;
        let parsed = stored.iter().map(|decision| serde_json::from_str(decision));
        let parsed: Result<Vec<Decision>, _> = parsed.collect();
        parsed.map_err(|source| PipelineError::ThreadRecord { source })
    }

    /// Files the turn's messages under their lines of work. The turn itself has succeeded: what
    /// fails here is done by the next one.
    fn note(&self, request: &TurnRequest) {
        let Some(conversation) = &request.conversation else {
            return;
        };
        if let Err(error) = self.threads.note(&request.scope.identity, conversation) {
            tracing::warn!(target: "register", %error, "messages are filed with the next turn");
        }
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
        self.store
            .end_turn(&request.scope, id, &outcome, &history)?;
        turn.watch.lap("audit");
        self.note(request);
        Ok(TurnResult {
            turn: id,
            declined: declines(&ending.answer.text),
            citations: turn.offer.cited(&ending.answer.cited),
            false_citations: ending.answer.false_citations,
            answer,
            offered: turn.offer.units.clone(),
            stages: turn.offer.stages.clone(),
            elected: ending.injected,
            refused: ending.refused,
            unfit: ending.unfit,
            selection: turn.selection,
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
        if let Err(second) = self.store.end_turn(&request.scope, turn, &outcome, &[]) {
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

/// The selected messages as a prompt carries them. Answers whose question was not selected are
/// left out at the beginning, since some servers want the user to speak first.
fn prompt_messages(context: &ContextReport) -> Vec<ChatMessage> {
    let selected = context.messages.iter();
    let from_user = selected.skip_while(|message| message.role == Role::Assistant);
    from_user
        .map(|message| {
            let role = match message.role {
                Role::User => ChatRole::User,
                Role::Assistant => ChatRole::Assistant,
            };
            ChatMessage::new(role, message.text.as_str())
        })
        .collect()
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
