//! Lines of work survive restarts, kills and other processes.

use dcs_core::Reason;
use ee_pipeline::{
    ContextReport, Engine, ExtractiveConfig, ExtractiveSession, TurnConfig, TurnRequest,
};
use ee_store::{ConversationStore, Role, ThreadStateStore};
use km_core::{AccessScope, Identity, Timestamp};

use super::world::{PAGES, World, conversation, scope};

const SAID: [&str; 6] = [
    "How many days of annual leave do I have?",
    "Unser Deployment mit Docker ist kaputt, der Server antwortet nicht.",
    "And when does unused leave expire?",
    "那个部署脚本 deploy.sh 报错了。",
    "What is the rate for Rome?",
    "Der Docker-Server startet jetzt, aber die Datenbank fehlt.",
];

/// Selects little, so that selections differ when something else was remembered.
fn narrow() -> TurnConfig {
    TurnConfig {
        max_history_messages: 4,
        ..TurnConfig::default()
    }
}

fn talked() -> World {
    let world = World::with(&PAGES, narrow());
    let session = ExtractiveSession::new(ExtractiveConfig::default()).unwrap();
    for message in SAID {
        world.ask(&session, message);
    }
    world
}

fn context(engine: &Engine, message: &str) -> ContextReport {
    let at: Timestamp = "2027-01-01T00:00:00Z".parse().unwrap();
    let request = TurnRequest {
        message: message.to_owned(),
        conversation: Some(conversation()),
        scope: AccessScope::new(Identity::default(), at),
    };
    engine.context(&request).unwrap()
}

fn second_engine(world: &World) -> Engine {
    Engine::new(world.knowledge.clone(), world.store.clone(), narrow())
}

#[test]
fn a_restart_decides_as_before() {
    let world = talked();
    let restarted = context(&second_engine(&world), "Is the Docker server up?");
    let running = context(&world.engine, "Is the Docker server up?");
    assert_eq!(restarted, running);
    assert_eq!(running.messages.len(), 4);
    assert!(
        running
            .frame
            .contains("Objective: Is the Docker server up?")
    );
}

#[test]
fn nothing_but_the_messages_is_needed_for_the_same_decision() {
    let world = talked();
    let killed_before_saving = World::with(&PAGES, narrow());
    let history = world.history();
    let said: Vec<_> = history
        .iter()
        .map(|m| (m.role, m.text.as_str(), m.at))
        .collect();
    let owner = scope().identity;
    // A kill may come after any message.
    for part in said.chunks(5) {
        killed_before_saving
            .store
            .append(&owner, &conversation(), part)
            .unwrap();
        context(&second_engine(&killed_before_saving), "anything");
    }
    assert_eq!(
        context(&killed_before_saving.engine, "Is the Docker server up?"),
        context(&world.engine, "Is the Docker server up?"),
    );
}

#[test]
fn two_engines_on_one_conversation_lose_nothing() {
    let world = World::with(&PAGES, narrow());
    let other = second_engine(&world);
    let session = ExtractiveSession::new(ExtractiveConfig::default()).unwrap();
    for (turn, message) in SAID.into_iter().enumerate() {
        let engine = if turn % 2 == 0 { &world.engine } else { &other };
        let request = TurnRequest {
            message: message.to_owned(),
            conversation: Some(conversation()),
            scope: scope(),
        };
        let (mut ignore, go_on) = (|_: &str| {}, ee_pipeline::Cancellation::default());
        engine.run(&request, &session, &mut ignore, &go_on).unwrap();
    }
    let fresh = context(&second_engine(&world), "Is the Docker server up?");
    assert_eq!(context(&world.engine, "Is the Docker server up?"), fresh);
    let state = world.store.thread_state(&scope().identity, &conversation());
    let messages = state
        .unwrap()
        .records
        .iter()
        .filter(|r| r.kind == ee_store::ThreadRecordKind::Message)
        .count();
    assert_eq!(messages, 2 * SAID.len());
}

#[test]
fn decisions_are_kept_latest_first_and_go_with_the_conversation() {
    let world = talked();
    let owner = scope().identity;
    let engine = second_engine(&world);
    let all = engine.decisions(&owner, &conversation(), 100).unwrap();
    assert!(
        all.len() >= 2 * SAID.len(),
        "one for every message: {}",
        all.len()
    );
    assert!(all.is_sorted_by(|a, b| a.at() >= b.at()));
    assert_eq!(
        engine.decisions(&owner, &conversation(), 3).unwrap(),
        all[..3]
    );
    world.store.forget(&owner, &conversation()).unwrap();
    assert!(
        engine
            .decisions(&owner, &conversation(), 100)
            .unwrap()
            .is_empty()
    );
    assert!(
        context(&world.engine, "Is the Docker server up?")
            .messages
            .is_empty()
    );
}

#[test]
fn a_preview_is_not_logged() {
    let world = talked();
    let owner = scope().identity;
    let logged = || {
        let decisions = world.engine.decisions(&owner, &conversation(), 1000);
        decisions.unwrap().len()
    };
    let before = logged();
    let preview = context(&world.engine, "Is the Docker server up?");
    assert!(preview.decision.is_some());
    assert_eq!(logged(), before);
}

#[test]
fn a_state_that_cannot_be_read_is_built_anew() {
    let world = talked();
    let expected = context(&world.engine, "Is the Docker server up?");
    let owner = scope().identity;
    let mut state = world.store.thread_state(&owner, &conversation()).unwrap();
    state.records[3].content = "{damaged".to_owned();
    let update = ee_store::ThreadUpdate {
        revision: state.revision,
        format: state.format,
        model: &state.model,
        start_over: true,
        records: &state.records,
        decisions: &[],
        decisions_kept: 100,
    };
    world
        .store
        .update_threads(&owner, &conversation(), update)
        .unwrap();
    let found = context(&second_engine(&world), "Is the Docker server up?");
    assert_eq!(found, expected);
    let mended = world.store.thread_state(&owner, &conversation()).unwrap();
    assert_ne!(mended.records[3].content, "{damaged");
}

#[test]
fn an_old_turn_with_its_answer_comes_back_when_it_is_asked_about() {
    let world = World::with(&[], narrow());
    let owner = scope().identity;
    let at: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let mut said = vec![
        (Role::User, "My sister's wedding is in Ravenna.".to_owned()),
        (Role::Assistant, "Lovely! When is it?".to_owned()),
        (Role::User, "On the third of May.".to_owned()),
    ];
    for n in 0..60 {
        said.push((
            Role::User,
            format!("Deployment step {n} fails with code {n}."),
        ));
        said.push((Role::Assistant, format!("Run step {n} again.")));
    }
    let said: Vec<_> = said
        .iter()
        .map(|(role, text)| (*role, text.as_str(), at))
        .collect();
    world.store.append(&owner, &conversation(), &said).unwrap();
    let report = context(&world.engine, "Where is the wedding of my sister?");
    let found: Vec<u64> = report
        .messages
        .iter()
        .map(|message| message.position)
        .collect();
    assert!(found.contains(&0), "{found:?}");
    let first = &report.messages[0];
    assert!(
        first
            .reasons
            .iter()
            .any(|reason| matches!(reason, Reason::Found { .. }))
    );
}
