//! The prompts of a turn, as the model gets them.

use ee_pipeline::{RecordedRequest, ScriptedSession};

use super::world::{PAGES, World};

fn shown(request: &RecordedRequest) -> String {
    let message = |message: &ee_pipeline::ChatMessage| {
        format!("--- {:?}\n{}\n", message.role, message.content)
    };
    request.messages.iter().map(message).collect()
}

#[test]
fn the_prompts_of_a_turn() {
    let world = World::new(&PAGES);
    let session = ScriptedSession::new(["RETRIEVE 1", "28 days."]);
    world.ask(&session, "How many days of annual leave?");
    let requests = session.requests();
    insta::assert_snapshot!("first_call", shown(&requests[0]));
    insta::assert_snapshot!("second_call", shown(&requests[1]));
}

#[test]
fn the_prompt_without_candidates() {
    let session = ScriptedSession::new(["Hello."]);
    World::new(&[]).ask(&session, "Hello?");
    insta::assert_snapshot!("nothing_found", shown(&session.requests()[0]));
}
