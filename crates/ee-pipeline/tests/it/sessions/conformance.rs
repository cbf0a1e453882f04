//! What every chat session must do, whichever model stands behind it.

use ee_pipeline::{
    Cancellation, ChatError, ChatMessage, ChatRequest, ChatRole, ChatSession, Evidence,
    EvidenceItem, ExtractiveSession, ScriptedSession,
};
use km_core::UnitId;

/// Runs the suite on a session that answers at least two more calls with some text.
pub(super) fn check(session: &dyn ChatSession) {
    assert!(!session.name().is_empty());
    what_is_streamed_is_what_is_returned(session);
    a_cancelled_call_says_so(session);
}

fn request(run: impl FnOnce(&ChatRequest<'_>)) {
    let messages = [
        ChatMessage::new(ChatRole::System, "Answer."),
        ChatMessage::new(ChatRole::User, "How long is the notice period? 休假 👩‍👩‍👧"),
    ];
    let evidence = Evidence {
        question: "How long is the notice period?".into(),
        items: vec![EvidenceItem {
            rank: 1,
            unit: UnitId::from_bytes([1; 16]),
            citation: "01010101".into(),
            text: "The notice period is four weeks. Lunch is at noon.".into(),
            relevance: 0.9,
        }],
        injected: true,
    };
    run(&ChatRequest {
        messages: &messages,
        tools: &[],
        evidence: Some(&evidence),
    });
}

fn what_is_streamed_is_what_is_returned(session: &dyn ChatSession) {
    request(|request| {
        let mut streamed = String::new();
        let reply = session
            .complete(
                request,
                &mut |text| streamed.push_str(text),
                &Cancellation::default(),
            )
            .unwrap();
        assert!(!reply.text.is_empty());
        assert_eq!(streamed, reply.text);
    });
}

fn a_cancelled_call_says_so(session: &dyn ChatSession) {
    request(|request| {
        let cancellation = Cancellation::default();
        cancellation.cancel();
        let error = session
            .complete(request, &mut |_| {}, &cancellation)
            .unwrap_err();
        assert!(matches!(error, ChatError::Cancelled), "{error}");
    });
}

#[test]
fn the_extractive_session_conforms() {
    check(&ExtractiveSession::default());
}

#[test]
fn the_scripted_session_conforms() {
    check(&ScriptedSession::new(["Grüße 休假", "more"]).in_chunks_of(1));
}

#[test]
fn a_script_ends_with_an_error() {
    let session = ScriptedSession::new(["only one"]);
    request(|request| {
        let call = || session.complete(request, &mut |_| {}, &Cancellation::default());
        call().unwrap();
        assert!(matches!(call(), Err(ChatError::ScriptEnded { replies: 1 })));
        assert_eq!(session.requests().len(), 2);
    });
}
