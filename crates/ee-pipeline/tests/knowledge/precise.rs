//! The precision pipeline, stage by stage, with a cross-encoder that is easy to predict.

use std::sync::Arc;
use std::time::Duration;

use ee_embed::{EmbedError, LexicalEmbedder, PairScore, Reranker};
use ee_ingest::IngestConfig;
use ee_pipeline::{
    KnowledgeBase, KnowledgeParts, Origin, PipelineError, PreciseConfig, PrecisePipeline,
    Retrieval, SearchConfig, SearchRequest, SearchResponse, SearchSystem, Stage,
};

use crate::support::{DIMENSION, Place, anybody, parts};

const STAGES: [&str; 7] = [
    "scope_and_route",
    "candidates",
    "expand",
    "resolve",
    "rerank",
    "minimise",
    "frame",
];

/// Likes documents that hold a word, and takes its time.
struct Liking {
    word: &'static str,
    pause: Duration,
}

impl Reranker for Liking {
    fn model(&self) -> &'static str {
        "liking"
    }

    fn score(&self, _query: &str, documents: &[&str]) -> Result<Vec<PairScore>, EmbedError> {
        let score = |text: &&str| {
            std::thread::sleep(self.pause);
            let liked = text.contains(self.word);
            PairScore::of(if liked { 8.0 } else { -8.0 }, false)
        };
        Ok(documents.iter().map(score).collect())
    }
}

fn base(place: &Place, reranker: Option<Liking>, precise: PreciseConfig) -> KnowledgeBase {
    let parts = KnowledgeParts {
        reranker: reranker.map(|reranker| Arc::new(reranker) as Arc<dyn Reranker>),
        ..parts(place.path(), Arc::new(LexicalEmbedder::new(DIMENSION)))
    };
    let config = SearchConfig {
        precise,
        ..SearchConfig::default()
    };
    let base = KnowledgeBase::open(parts, IngestConfig::default(), config);
    let base = base.expect("a knowledge base");
    place.ingest(&base);
    base
}

fn liking(word: &'static str) -> Liking {
    let pause = Duration::ZERO;
    Liking { word, pause }
}

fn ask(base: &KnowledgeBase, query: &str) -> SearchResponse {
    base.search(&SearchRequest {
        query: query.to_owned(),
        k: 50,
        system: SearchSystem::Precise,
        scope: anybody(),
    })
    .expect("an answer")
}

fn sources(response: &SearchResponse) -> Vec<&str> {
    let hits = response.hits.iter();
    hits.map(|hit| hit.unit.unit.source.as_str()).collect()
}

fn note<'a>(response: &'a SearchResponse, stage: &str) -> &'a str {
    let found = response.stages.iter().find(|trace| trace.stage == stage);
    found.expect("the stage").notes.first().expect("a note")
}

fn pumps(place: &Place) {
    for (name, text) in [
        ("a.md", "The pump runs at night."),
        ("b.md", "The pump runs by day and costs 40 euros."),
        ("c.md", "The valve of the pump runs hot."),
        ("d.md", "Lunch is at noon."),
    ] {
        place.write(name, text);
    }
}

#[test]
fn every_stage_leaves_its_trace() {
    let place = Place::new();
    pumps(&place);
    let base = base(&place, None, PreciseConfig::default());
    let response = ask(&base, "When does the pump run?");
    let names: Vec<&str> = response.stages.iter().map(|trace| trace.stage).collect();
    assert_eq!(names, STAGES);
    for pair in response.stages.windows(2) {
        assert_eq!(pair[0].left, pair[1].entered);
    }
    assert!(note(&response, "rerank").contains("no cross-encoder"));
    assert!(
        response
            .hits
            .iter()
            .all(|hit| (0.0..=1.0).contains(&hit.score))
    );
    assert!(response.hits.is_sorted_by(|a, b| a.score >= b.score));
}

#[test]
fn the_cross_encoder_moves_what_it_recognises() {
    let place = Place::new();
    pumps(&place);
    let base = base(&place, Some(liking("euros")), PreciseConfig::default());
    let response = ask(&base, "pump night");
    assert_eq!(sources(&response)[0], "b.md");
    assert_eq!(
        response.hits[0]
            .evidence
            .and_then(|evidence| evidence.logit),
        Some(8.0)
    );
}

#[test]
fn a_budget_in_milliseconds_is_kept_and_told() {
    let place = Place::new();
    for number in 0..40 {
        place.write(
            &format!("{number}.md"),
            format!("Pump number {number} runs."),
        );
    }
    let config = PreciseConfig {
        reranked: 40,
        rerank_milliseconds: 50,
        ..PreciseConfig::default()
    };
    let slow = Liking {
        word: "pump",
        pause: Duration::from_millis(3),
    };
    let response = ask(&base(&place, Some(slow), config), "pump runs");
    let read = response
        .hits
        .iter()
        .filter_map(|hit| hit.evidence?.logit)
        .count();
    assert!((1..40).contains(&read), "{read}");
    let left = format!("{} were not read", 40 - read);
    assert!(
        note(&response, "rerank").contains(&left),
        "{:?}",
        response.stages
    );
}

#[test]
fn links_of_the_best_candidates_are_followed_but_not_to_what_is_hidden() {
    let place = Place::new();
    place.write(
        "rates.md",
        "# Rates\n\nSee [the list](list.md) and [the other](secret.md) for rates.",
    );
    place.write("list.md", "Zweiundvierzig Kronen.");
    place.write("secret.md", "---\nclearance: 3\n---\nGeheime Kronen.");
    for number in 0..5 {
        place.write(
            &format!("{number}.md"),
            "Something about something else entirely.",
        );
    }
    let config = PreciseConfig {
        candidates: 1,
        ..PreciseConfig::default()
    };
    let response = ask(&base(&place, None, config), "rates");
    assert_eq!(sources(&response), ["rates.md", "list.md"]);
    assert!(matches!(response.hits[1].origin, Origin::Link { .. }));
}

#[test]
fn repetitions_are_left_out() {
    let place = Place::new();
    place.write("one.md", "The pump runs at night.");
    place.write("two.md", "The pump runs at night.");
    let response = ask(&base(&place, None, PreciseConfig::default()), "pump");
    assert_eq!(response.hits.len(), 1);
    assert!(note(&response, "resolve").contains("its text stands among the candidates"));
}

#[test]
fn the_frame_holds_the_context_and_nothing_else() {
    let place = Place::new();
    pumps(&place);
    let base = base(&place, Some(liking("euros")), PreciseConfig::default());
    let response = ask(&base, "What does the pump cost?");
    let context = response.context.expect("a context");
    let prompt = response
        .frame
        .expect("a frame")
        .prompt("What does the pump cost?");
    for (place, hit) in response.hits.iter().enumerate() {
        let held = prompt.contains(&hit.unit.unit.content);
        assert_eq!(held, place < context.units, "{}", hit.unit.unit.content);
    }
    assert!(prompt.ends_with("Question: What does the pump cost?"));
}

/// Leaves nothing.
struct Nothing;

impl Stage for Nothing {
    fn name(&self) -> &'static str {
        "rerank"
    }

    fn run(&self, retrieval: &mut Retrieval<'_>) -> Result<Vec<String>, PipelineError> {
        retrieval.candidates.clear();
        Ok(vec!["nothing is good enough".to_owned()])
    }
}

#[test]
fn a_stage_can_be_replaced_and_an_empty_context_asks_for_the_fixed_answer() {
    let place = Place::new();
    pumps(&place);
    let pipeline = PrecisePipeline::new(&PreciseConfig::default()).replace(Box::new(Nothing));
    let base = base(&place, None, PreciseConfig::default()).with_pipeline(pipeline);
    let response = ask(&base, "pump");
    assert_eq!(note(&response, "rerank"), "nothing is good enough");
    assert!(response.hits.is_empty());
    let prompt = response.frame.expect("a frame").prompt("pump");
    assert!(prompt.contains("INSUFFICIENT DATA"), "{prompt}");
    let context = response.context.expect("a context");
    assert_eq!(context.units, 0);
}
