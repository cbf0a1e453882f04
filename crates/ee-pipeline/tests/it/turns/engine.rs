//! The five layers, seen from outside.

use ee_pipeline::{
    Cancellation, ChatError, ChatReply, ChatRole, DigestionMethod, ExtractiveConfig,
    ExtractiveSession, INSUFFICIENT_DATA, PipelineError, ScriptedSession, TokenUsage, ToolCall,
    TurnConfig, TurnRequest,
};
use ee_store::{Outcome, Role};

use super::world::{PAGES, World, rank_of, scope};

/// Elects the unit whose summary has `word` in it, then answers with `answer`.
pub(super) fn electing(word: &'static str, answer: &'static str) -> ScriptedSession {
    ScriptedSession::answering(move |request| {
        let evidence = request.evidence.unwrap();
        if evidence.injected {
            return Ok(ChatReply::text(
                answer.replace("{id}", &evidence.items[0].citation),
            ));
        }
        let rank = rank_of(&request.messages.last().unwrap().content, word);
        Ok(ChatReply::text(format!("RETRIEVE {rank}")))
    })
    .in_chunks_of(3)
}

#[test]
fn without_election_there_is_one_call() {
    let world = World::new(&PAGES);
    let session = ScriptedSession::new(["Hello there."]).in_chunks_of(2);
    let result = world.ask(&session, "Say hello about leave");
    assert_eq!((result.calls, result.answer.as_str()), (1, "Hello there."));
    assert!(result.elected.is_empty() && !result.declined && !result.offered.is_empty());
    assert_eq!(session.requests().len(), 1);
}

#[test]
fn an_elected_unit_is_injected_cited_and_tagged() {
    let world = World::new(&PAGES);
    let session = electing(
        "28 days",
        "You have 28 days [{id}], not 30 [deadbeef]. [RAG:00000000]",
    );
    let result = world.ask(&session, "How many days of annual leave?");
    let unit = &result.elected[0];
    let tag = &result.offered[unit.rank - 1].embedding_sha256[..8];
    let citation = &unit.unit.to_string()[..8];
    assert_eq!(
        result.answer,
        format!("You have 28 days [{citation}], not 30.\n[RAG:{tag}]")
    );
    assert_eq!(result.citations, [(citation.to_owned(), unit.rank)]);
    assert_eq!(result.false_citations, ["deadbeef"]);
    assert_eq!((result.calls, unit.tag.as_str()), (2, tag));
    let requests = session.requests();
    let second = &requests[1].messages.last().unwrap().content;
    assert!(second.contains("Unused leave expires") && !second.contains("[ID:"));
    assert!(
        !requests[0]
            .messages
            .last()
            .unwrap()
            .content
            .contains("<verified_context>")
    );
}

#[test]
fn only_offered_ids_count() {
    let world = World::new(&PAGES);
    let session = ScriptedSession::new(["RETRIEVE 77"]);
    let result = world.ask(&session, "How many days of annual leave?");
    assert_eq!(
        (result.calls, result.answer.as_str()),
        (1, INSUFFICIENT_DATA)
    );
    assert_eq!(result.refused, ["77"]);
    assert!(result.declined);
}

#[test]
fn a_tool_call_elects_too() {
    let world = World::new(&PAGES);
    let call = ToolCall {
        id: "a".into(),
        name: "retrieve".into(),
        arguments: "{\"ids\":[1]}".into(),
    };
    let asks = ChatReply {
        tool_calls: vec![call],
        ..ChatReply::text("Let me look.")
    };
    let session = ScriptedSession::with_outcomes(vec![Ok(asks), Ok(ChatReply::text("28 days."))])
        .with_tools();
    let result = world.ask(&session, "How many days of annual leave?");
    assert!(
        result.answer.starts_with("28 days.\n[RAG:"),
        "{}",
        result.answer
    );
    let requests = session.requests();
    assert_eq!(requests[0].tools[0].name, "retrieve");
    assert!(requests[1].tools.is_empty());
    assert!(
        requests[1]
            .messages
            .iter()
            .all(|message| message.tool_calls.is_empty())
    );
}

#[test]
fn a_second_request_is_not_followed_and_not_shown() {
    let world = World::new(&PAGES);
    let session = ScriptedSession::new(["RETRIEVE 1", "RETRIEVE 2"]).in_chunks_of(1);
    let result = world.ask(&session, "How many days of annual leave?");
    assert!(result.answer.starts_with(INSUFFICIENT_DATA) && result.declined);
    assert_eq!(result.calls, 2);
}

#[test]
fn what_does_not_fit_is_told() {
    let config = TurnConfig {
        max_injected_tokens: 3,
        ..TurnConfig::default()
    };
    let world = World::with(&PAGES, config);
    let session = ScriptedSession::new(["RETRIEVE 1", "INSUFFICIENT DATA"]);
    let result = world.ask(&session, "How many days of annual leave?");
    assert_eq!(result.unfit, [1]);
    assert!(result.elected.is_empty() && result.declined);
    let second = session.requests()[1]
        .messages
        .last()
        .unwrap()
        .content
        .clone();
    assert!(second.contains("<omitted ids=\"1\""), "{second}");
}

#[test]
fn digestion_injects_the_distillate_only() {
    let config = TurnConfig {
        silent_digestion: true,
        ..TurnConfig::default()
    };
    let world = World::with(&PAGES, config);
    let session = ScriptedSession::new(["RETRIEVE 1", "Leave: 28 days.", "28 days."]);
    let result = world.ask(&session, "How many days of annual leave?");
    assert_eq!(result.calls, 3);
    let requests = session.requests();
    assert!(
        requests[1]
            .messages
            .last()
            .unwrap()
            .content
            .contains("Unused leave")
    );
    let last = &requests[2].messages.last().unwrap().content;
    assert!(
        last.contains("Leave: 28 days.") && !last.contains("Unused leave"),
        "{last}"
    );
    assert!(
        world
            .history()
            .iter()
            .all(|message| !message.text.contains("Leave: 28"))
    );
}

#[test]
fn extractive_digestion_needs_no_call_to_the_model() {
    let config = TurnConfig {
        silent_digestion: true,
        digestion: DigestionMethod::Extractive,
        ..TurnConfig::default()
    };
    let world = World::with(&PAGES, config);
    let session = ScriptedSession::new(["RETRIEVE 1", "28 days."]);
    world.ask(&session, "How many days of annual leave?");
    let last = session.requests()[1]
        .messages
        .last()
        .unwrap()
        .content
        .clone();
    assert!(
        last.contains("28 days") && !last.contains("Unused leave"),
        "{last}"
    );
}

#[test]
fn the_extractive_session_answers_from_the_store() {
    let world = World::new(&PAGES);
    // Whatever the relevance of a lexical embedder is worth: the words of the question decide.
    let config = ExtractiveConfig {
        min_relevance: 0.0,
        margin: 1.0,
        max_elected: 3,
        ..ExtractiveConfig::default()
    };
    let session = ExtractiveSession::new(config).unwrap();
    let result = world.ask(&session, "What is the travel rate in Rome?");
    assert!(
        result.answer.contains("| Rome | 95 euros |"),
        "{}",
        result.answer
    );
    assert!(!result.citations.is_empty());
    let strict = ExtractiveConfig {
        min_relevance: 1.0,
        ..ExtractiveConfig::default()
    };
    let result = world.ask(&ExtractiveSession::new(strict).unwrap(), "Who won the cup?");
    assert!(result.declined && result.calls == 1);
}

#[test]
fn a_failed_call_leaves_the_first_phase_and_the_failure() {
    let world = World::new(&PAGES);
    let session = ScriptedSession::with_outcomes(vec![
        Ok(ChatReply::text("RETRIEVE 1")),
        Err(ChatError::ScriptEnded { replies: 0 }),
    ]);
    let error = world
        .try_ask(&session, "How many days?", &mut |_| {})
        .unwrap_err();
    assert!(matches!(
        error,
        PipelineError::Chat(ChatError::ScriptEnded { .. })
    ));
    let turn = world.last_turn();
    assert_eq!(turn.question, "How many days?");
    assert!(!turn.offered.is_empty());
    assert!(matches!(turn.outcome, Some(Outcome::Failed { .. })));
    assert!(world.history().is_empty());
}

#[test]
fn the_first_phase_is_readable_during_the_call() {
    let world = World::new(&PAGES);
    let store = world.store.clone();
    let session = ScriptedSession::answering(move |_| {
        let turns = ee_store::AuditStore::latest_turns(&*store, &scope(), 1).unwrap();
        assert!(turns[0].outcome.is_none() && !turns[0].offered.is_empty());
        Ok(ChatReply::text("seen"))
    });
    assert_eq!(world.ask(&session, "How many days?").answer, "seen");
}

#[test]
fn a_cancelled_turn_fails_and_says_so() {
    let world = World::new(&PAGES);
    let cancellation = Cancellation::default();
    cancellation.cancel();
    let request = TurnRequest {
        message: "leave".into(),
        conversation: None,
        scope: scope(),
    };
    let session = ScriptedSession::new(["never"]);
    let error = world
        .engine
        .run(&request, &session, &mut |_| {}, &cancellation)
        .unwrap_err();
    assert!(matches!(error, PipelineError::Chat(ChatError::Cancelled)));
    assert!(session.requests().is_empty());
    assert!(matches!(
        world.last_turn().outcome,
        Some(Outcome::Failed { .. })
    ));
}

#[test]
fn what_persists_is_question_and_tagged_answer() {
    let world = World::new(&PAGES);
    let result = world.ask(
        &electing("28 days", "28 days."),
        "How many days of annual leave?",
    );
    let history = world.history();
    let kept: Vec<_> = history
        .iter()
        .map(|message| (message.role, &*message.text))
        .collect();
    assert_eq!(
        kept,
        [
            (Role::User, "How many days of annual leave?"),
            (Role::Assistant, &*result.answer)
        ]
    );
}

#[test]
fn earlier_messages_are_in_the_prompt_and_the_decision_is_told() {
    let world = World::new(&PAGES);
    world.ask(&ScriptedSession::new(["Noted."]), "My name is Ada.");
    let session = ScriptedSession::new(["Ada."]);
    let result = world.ask(&session, "What is my name?");
    let roles: Vec<_> = session.requests()[0]
        .messages
        .iter()
        .map(|message| message.role)
        .collect();
    assert_eq!(
        roles,
        [
            ChatRole::System,
            ChatRole::User,
            ChatRole::Assistant,
            ChatRole::User
        ]
    );
    assert!(result.selection.is_some());
}

#[test]
fn usage_is_the_server_s_where_it_counts_and_estimated_otherwise() {
    let world = World::new(&PAGES);
    let counted = ChatReply {
        usage: Some(TokenUsage {
            prompt: 1000,
            completion: 7,
        }),
        ..ChatReply::text("Hello.")
    };
    let session = ScriptedSession::with_outcomes(vec![Ok(counted), Ok(ChatReply::text("Hello."))]);
    assert_eq!(
        world.ask(&session, "leave?").usage,
        TokenUsage {
            prompt: 1000,
            completion: 7
        }
    );
    let estimated = world.ask(&session, "leave?");
    assert!(estimated.usage.prompt > estimated.context_tokens && estimated.usage.completion > 0);
}

#[test]
fn nothing_found_says_so_in_the_prompt() {
    let world = World::new(&[]);
    let session = ScriptedSession::new(["INSUFFICIENT DATA."]);
    let result = world.ask(&session, "How many days?");
    assert!(result.declined && result.offered.is_empty());
    assert!(
        session.requests()[0].messages[0]
            .content
            .contains("No notes match")
    );
}
