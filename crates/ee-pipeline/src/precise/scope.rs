//! The first stage: what the scope sees, and the entities that lead on.

use std::time::Instant;

use ee_store::query_terms;
use km_core::{Attributes, Entity};

use super::{Retrieval, Stage};
use crate::PipelineError;

/// Takes up the scope, embeds the question, and looks up which entities of the graph it names or
/// the caller holds. What the question names of an attribute replaces what the caller holds of it.
#[derive(Debug)]
pub struct ScopeAndRoute;

impl Stage for ScopeAndRoute {
    fn name(&self) -> &'static str {
        "scope_and_route"
    }

    fn run(&self, retrieval: &mut Retrieval<'_>) -> Result<Vec<String>, PipelineError> {
        let (knowledge, request) = (retrieval.knowledge, retrieval.request);
        let store = &knowledge.parts.store;
        let start = Instant::now();
        retrieval.embedding = knowledge.parts.embedder.embed_query(&request.query)?.vector;
        retrieval.embedding_time = start.elapsed();
        knowledge.catch_up()?;
        retrieval.visible = store.visible(&request.scope)?;
        let known = store.entities(&request.scope)?;
        retrieval.held = held(
            &request.scope.identity.attributes,
            &named(&request.query, &known),
        );
        let held = |entity: &Entity| {
            let values = retrieval.held.get(&entity.attribute);
            values.is_some_and(|values| values.contains(&entity.value))
        };
        retrieval.entities = known.into_iter().filter(held).collect();
        let notes = retrieval
            .entities
            .iter()
            .map(|entity| format!("entity {entity}"));
        Ok(notes.collect())
    }
}

/// The entities whose value the question names, all terms of it.
fn named(query: &str, known: &[Entity]) -> Vec<Entity> {
    let terms = query_terms(query);
    let is_named = |entity: &&Entity| {
        let value = query_terms(&entity.value);
        !value.is_empty() && value.iter().all(|term| terms.contains(term))
    };
    known.iter().filter(is_named).cloned().collect()
}

fn held(caller: &Attributes, named: &[Entity]) -> Attributes {
    let mut held = caller.clone();
    for entity in named {
        held.remove(&entity.attribute);
    }
    for entity in named {
        let values = held.entry(entity.attribute.clone()).or_default();
        values.insert(entity.value.clone());
    }
    held
}
