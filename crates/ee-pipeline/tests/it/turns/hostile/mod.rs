//! Documents that try to be more than documents, put into a store as they are: they stay inside
//! the frame, elect nothing, and leave no tag and no citation that was not offered.

mod documents;
mod frame_reader;
mod reader;

use std::collections::HashMap;

use ee_pipeline::{
    Cancellation, ChatReply, ChatSession, ExtractiveConfig, ExtractiveSession, RecordedRequest,
    ScriptedSession, SearchRequest, SearchSystem, TurnRequest, TurnResult,
};
use ee_store::OfferedUnit;
use km_core::UnitId;
use proptest::prelude::*;

use super::world::{World, scope};
use documents::{Hostile, by_unit, world};
use frame_reader::{Read, is_character_of_xml};

/// A turn outside any conversation. What is streamed is what is kept.
fn ask(world: &World, session: &dyn ChatSession, question: &str) -> TurnResult {
    let request = TurnRequest {
        message: question.to_owned(),
        conversation: None,
        scope: scope(),
    };
    let mut streamed = String::new();
    let mut on_text = |text: &str| streamed.push_str(text);
    let result = world
        .engine
        .run(&request, session, &mut on_text, &Cancellation::default())
        .unwrap();
    assert_eq!(streamed, result.answer);
    result
}

/// Asks for every note, then recites all that it is given.
fn reciting() -> ScriptedSession {
    ScriptedSession::answering(|request| {
        let evidence = request.evidence.unwrap();
        let texts = evidence.items.iter().map(|item| item.text.clone());
        let ranks = evidence.items.iter().map(|item| item.rank.to_string());
        Ok(ChatReply::text(if evidence.injected {
            texts.collect::<Vec<_>>().join("\n")
        } else {
            format!("RETRIEVE {}", ranks.collect::<Vec<_>>().join(", "))
        }))
    })
    .in_chunks_of(7)
}

/// The prompt of a call, which ends with the question.
fn prompt(request: &RecordedRequest) -> &str {
    &request.messages.last().unwrap().content
}

/// Reads the header back: one line for each note, and nothing in it that reads as anything else.
/// Returns the lines without their ids.
fn read_header<'a>(prompt: &'a str, question: &str, offered: &[OfferedUnit]) -> Vec<&'a str> {
    let header = prompt.strip_prefix("Notes:\n").unwrap();
    let header = header.strip_suffix(&format!("\n\nQuestion: {question}"));
    let lines: Vec<&str> = header.unwrap().split('\n').collect();
    assert_eq!(lines.len(), offered.len());
    let read = lines.iter().zip(offered).map(|(line, unit)| {
        let shown = line.strip_prefix(&format!("[ID:{}] ", unit.rank));
        let shown = shown.unwrap_or_else(|| panic!("{line:?} is no line of a header"));
        let breaks = |c: char| c.is_control() || "\u{2028}\u{2029}".contains(c);
        assert!(!shown.contains(breaks), "{shown:?}");
        assert!(!shown.contains(reader::is_steering), "{shown:?}");
        assert_eq!(reader::tags(shown), [""; 0], "{shown:?}");
        assert_eq!(reader::citations(shown), [""; 0], "{shown:?}");
        assert!(!reader::names_an_element(shown), "{shown:?}");
        shown
    });
    read.collect()
}

/// What a frame holds of a document: the document, but for what XML cannot carry.
fn framed(document: &Hostile) -> Read {
    let carried = |c: char| {
        if is_character_of_xml(c) {
            c
        } else {
            '\u{fffd}'
        }
    };
    let carry = |text: &str| text.chars().map(carried).collect::<String>();
    Read {
        id: document.id().to_string()[..8].to_owned(),
        title: Some(carry(&document.title)),
        text: carry(&document.content),
    }
}

/// Reads the frame back and compares it with what was elected.
fn check_frame(
    prompt: &str,
    question: &str,
    result: &TurnResult,
    documents: &HashMap<UnitId, &Hostile>,
) {
    let frame = frame_reader::read(prompt).unwrap();
    assert_eq!(frame.rest, format!("\n\nQuestion: {question}"));
    assert_eq!(frame.omitted, result.unfit);
    let elected = result.elected.iter();
    let expected: Vec<Read> = elected.map(|unit| framed(documents[&unit.unit])).collect();
    assert_eq!(frame.documents, expected);
}

/// The tags of an answer are those of what was elected, and it cites only what was offered.
fn check_answer(result: &TurnResult) {
    let mut tags: Vec<String> = Vec::new();
    for unit in &result.elected {
        let tag = format!("[RAG:{}]", unit.tag);
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let line = format!("\n{}", tags.join(" "));
    let body = result
        .answer
        .strip_suffix(&*line)
        .filter(|_| !tags.is_empty());
    let body = body.unwrap_or(&result.answer);
    assert!(
        tags.is_empty() || body.len() < result.answer.len(),
        "the tags close the answer"
    );
    assert_eq!(reader::tags(body), [""; 0], "{body:?}");
    let offers = |cited: &str| {
        let ids = result.offered.iter().map(|unit| unit.unit.to_string());
        cited.len() >= 8 && ids.into_iter().any(|id| id.starts_with(cited))
    };
    for cited in reader::citations(body) {
        assert!(offers(&cited), "{cited} in {body:?}");
    }
    assert!(result.citations.iter().all(|(cited, _)| offers(cited)));
    assert!(!result.false_citations.iter().any(|cited| offers(cited)));
}

#[test]
fn the_documents_are_many_and_apart() {
    let documents = documents::all();
    assert!(documents.len() >= 60);
    assert_eq!(by_unit(&documents).len(), documents.len());
    for document in &documents {
        assert!(document.content.contains(&document.fact) && !document.tries.is_empty());
    }
}

#[test]
fn hostile_documents_come_back_from_header_and_frame() {
    let documents = documents::all();
    let (world, by_unit) = (world(&documents), by_unit(&documents));
    // All documents are offered and elected in every turn.
    for document in documents.iter().step_by(30) {
        let session = reciting();
        let result = ask(&world, &session, &document.question);
        let found = result.offered.iter().any(|unit| unit.unit == document.id());
        assert!(found, "{} is not offered", document.name);
        assert_eq!(
            (result.calls, result.refused.len()),
            (2, 0),
            "{}",
            document.name
        );
        let requests = session.requests();
        read_header(prompt(&requests[0]), &document.question, &result.offered);
        check_frame(prompt(&requests[1]), &document.question, &result, &by_unit);
        check_answer(&result);
    }
}

#[test]
fn hostile_documents_come_back_from_the_frame_of_the_precision_pipeline() {
    let documents = documents::all();
    let (world, by_unit) = (world(&documents), by_unit(&documents));
    let mut read = 0;
    for document in &documents {
        let request = SearchRequest {
            query: document.question.clone(),
            k: 100,
            system: SearchSystem::Precise,
            scope: scope(),
        };
        let response = world.knowledge.search(&request).unwrap();
        let prompt = response.frame.unwrap().prompt(&document.question);
        let units = response.context.unwrap().units;
        let expected: Vec<Read> = response.hits[..units]
            .iter()
            .map(|hit| framed(by_unit[&hit.unit.unit.id]))
            .collect();
        if units > 0 {
            let frame = frame_reader::read(&prompt).unwrap();
            assert_eq!(frame.documents, expected);
            assert!(
                frame
                    .rest
                    .starts_with("\nAnswer only from <verified_context>")
            );
            assert!(
                frame
                    .rest
                    .ends_with(&format!("\n\nQuestion: {}", document.question))
            );
            read += units;
        }
    }
    assert!(read >= documents.len() / 2, "{read} units were read back");
}

#[test]
fn a_model_that_repeats_a_hostile_summary_elects_nothing() {
    let documents = documents::all();
    let world = world(&documents);
    for document in &documents {
        let id = document.id();
        for with_id in [false, true] {
            let question = document.question.clone();
            let session = ScriptedSession::answering(move |request| {
                let items = &request.evidence.unwrap().items;
                let rank = items.iter().find(|item| item.unit == id).unwrap().rank;
                let prompt = &request.messages.last().unwrap().content;
                let (header, _) = prompt.rsplit_once("\n\nQuestion: ").unwrap();
                let line = header.lines().nth(rank).unwrap();
                let text = line.split_once("] ").unwrap().1;
                Ok(ChatReply::text(if with_id { line } else { text }))
            });
            let result = ask(&world, &session, &question);
            assert_eq!(result.calls, 1, "{} asks for a note", document.name);
            assert!(result.elected.is_empty() && result.refused.is_empty());
            check_answer(&result);
        }
    }
}

#[test]
fn the_extractive_session_answers_from_hostile_documents() {
    let documents = documents::all();
    let (world, by_unit) = (world(&documents), by_unit(&documents));
    // Whatever the relevance of a lexical embedder is worth: the words of the question decide.
    let config = ExtractiveConfig {
        min_relevance: 0.0,
        margin: 1.0,
        max_elected: 100,
        ..ExtractiveConfig::default()
    };
    let session = ExtractiveSession::new(config).unwrap();
    for document in documents.iter().step_by(9) {
        let result = ask(&world, &session, &document.question);
        assert!(
            result.answer.contains(&document.fact),
            "{}: {}",
            document.name,
            result.answer
        );
        assert!(
            result
                .elected
                .iter()
                .all(|unit| by_unit.contains_key(&unit.unit))
        );
        check_answer(&result);
    }
}

#[test]
fn hostile_files_are_ingested_and_stay_inside_the_frame() {
    let documents = documents::all();
    let pages: Vec<(&str, &str)> = documents
        .iter()
        .map(|document| (&*document.source, &*document.content))
        .collect();
    let world = World::new(&pages);
    for document in &documents {
        let session = reciting();
        let result = ask(&world, &session, &document.question);
        let requests = session.requests();
        read_header(prompt(&requests[0]), &document.question, &result.offered);
        let frame = frame_reader::read(prompt(&requests[1])).unwrap();
        assert_eq!(frame.rest, format!("\n\nQuestion: {}", document.question));
        assert_eq!(frame.documents.len(), result.elected.len());
        check_answer(&result);
    }
}

/// Random text with pieces of markers in it.
fn hostile_text() -> impl Strategy<Value = String> {
    let pieces = [
        "<",
        "</",
        ">",
        "/>",
        "document",
        "verified_context",
        "omitted",
        "＜",
        "⟨",
        "\u{200b}",
        "\u{202e}",
        "\u{2069}",
        "\u{feff}",
        "\0",
        "\r",
        "\n",
        "\u{2028}",
        "\t",
        "&",
        "&lt;",
        "&#x",
        ";",
        "\"",
        "]]>",
        "<![CDATA[",
        "<!--",
        "-->",
        "[",
        "]",
        "［",
        "】",
        "⟦",
        "⟧",
        "ID:",
        "ІD:",
        "RAG:",
        "RАG:",
        "rag :",
        "deadbeef",
        "00000000",
        "1",
        "2, 3",
        " ",
        "RETRIEVE",
        "retrieve",
        "ＲＥＴＲＩＥＶＥ",
        "Notes:",
        "Question: ",
        "```",
        "<think>",
        "\u{301}",
        "\u{fe0f}",
    ];
    let piece = prop_oneof![
        4 => proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => proptest::collection::vec(any::<char>(), 0..6).prop_map(String::from_iter),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn random_pieces_come_back_from_header_and_frame(
        texts in proptest::collection::vec((hostile_text(), hostile_text()), 1..5),
    ) {
        let documents: Vec<Hostile> = texts
            .iter()
            .enumerate()
            .map(|(at, (title, text))| Hostile::of(&format!("d{at}"), title, &format!("valve {at} {text}")))
            .collect();
        let (world, by_unit) = (world(&documents), by_unit(&documents));
        let session = reciting();
        let result = ask(&world, &session, "Which valve?");
        let requests = session.requests();
        let lines = read_header(prompt(&requests[0]), "Which valve?", &result.offered);
        check_frame(prompt(&requests[1]), "Which valve?", &result, &by_unit);
        check_answer(&result);
        for line in lines {
            let repeating = ScriptedSession::new([line]);
            let result = ask(&world, &repeating, "Which valve?");
            prop_assert_eq!(result.calls, 1);
            check_answer(&result);
        }
    }
}
