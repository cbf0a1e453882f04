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
        let caller = &request.scope.identity.attributes;
        retrieval.held = held(caller, &named(&request.query, &known), &known);
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

/// What the caller holds, spelt as the graph spells it, and in its place what the question names.
fn held(caller: &Attributes, named: &[Entity], known: &[Entity]) -> Attributes {
    let spelt = |held: Entity| {
        let same = |entity: &&Entity| {
            entity.attribute.to_lowercase() == held.attribute.to_lowercase()
                && entity.value.to_lowercase() == held.value.to_lowercase()
        };
        let known: Vec<Entity> = known.iter().filter(same).cloned().collect();
        if known.is_empty() { vec![held] } else { known }
    };
    let asked = |entity: &Entity| named.iter().any(|one| one.attribute == entity.attribute);
    let callers = Entity::all(caller).flat_map(spelt);
    let callers = callers.filter(|entity| !asked(entity));
    let mut held = Attributes::new();
    for entity in callers.chain(named.iter().cloned()) {
        held.entry(entity.attribute)
            .or_default()
            .insert(entity.value);
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(attribute: &str, value: &str) -> Entity {
        Entity {
            attribute: attribute.to_owned(),
            value: value.to_owned(),
        }
    }

    fn attributes(pairs: &[(&str, &str)]) -> Attributes {
        let mut attributes = Attributes::new();
        for (name, value) in pairs {
            let values = attributes.entry((*name).to_owned()).or_default();
            values.insert((*value).to_owned());
        }
        attributes
    }

    #[test]
    fn what_the_question_names_replaces_what_the_caller_holds() {
        let known = [
            entity("region", "APAC"),
            entity("region", "EMEA"),
            entity("tier", "L5"),
        ];
        let caller = attributes(&[("region", "APAC"), ("tier", "L5")]);
        let named = named("What holds in EMEA?", &known);
        let expected = attributes(&[("region", "EMEA"), ("tier", "L5")]);
        assert_eq!(held(&caller, &named, &known), expected);
    }

    #[test]
    fn spelling_does_not_matter_and_unknown_values_stay() {
        let known = [entity("region", "APAC"), entity("tier", "L5")];
        let caller = attributes(&[("Region", "apac"), ("tier", "l9")]);
        let expected = attributes(&[("region", "APAC"), ("tier", "l9")]);
        assert_eq!(held(&caller, &[], &known), expected);
    }
}
