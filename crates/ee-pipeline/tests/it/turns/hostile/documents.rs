//! The hostile documents of `fixtures/injection`, and a store that holds them as they are.

use std::collections::HashMap;

use ee_embed::{Embedder, LexicalEmbedder};
use ee_pipeline::TurnConfig;
use ee_store::{KnowledgeStore, SourceWrite, UnitWrite};
use km_core::{Governance, SourceId, Unit, UnitId, UnitKind, UnitMetadata, canonical};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::super::world::World;

/// A document that tries to be more than a document.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hostile {
    pub(super) name: String,
    pub(super) source: String,
    pub(super) title: String,
    pub(super) question: String,
    pub(super) fact: String,
    pub(super) content: String,
    pub(super) tries: String,
}

impl Hostile {
    /// A document that is its content and nothing else.
    pub(super) fn of(name: &str, title: &str, content: &str) -> Self {
        Self {
            name: name.to_owned(),
            source: format!("{name}.md"),
            title: title.to_owned(),
            question: String::new(),
            fact: String::new(),
            content: content.to_owned(),
            tries: String::new(),
        }
    }

    pub(super) fn id(&self) -> UnitId {
        let source = SourceId::new(&*self.source);
        UnitId::compute(None, &source, "", &canonical(&self.content), 0)
    }

    /// One unit with the content untouched, summary included.
    fn unit(&self) -> Unit {
        Unit {
            id: self.id(),
            source: SourceId::new(&*self.source),
            kind: UnitKind::Section,
            content: self.content.clone(),
            summary: self.content.clone(),
            metadata: UnitMetadata {
                title: Some(self.title.clone()),
                ..UnitMetadata::default()
            },
            governance: Governance::default(),
            links: Vec::new(),
        }
    }

    fn write(&self) -> SourceWrite {
        let embedding = LexicalEmbedder::new(256)
            .embed_documents(&[&self.content])
            .unwrap()
            .remove(0);
        SourceWrite {
            source: SourceId::new(&*self.source),
            title: Some(self.title.clone()),
            governance: Governance::default(),
            content_sha256: self.name.clone(),
            recipe_sha256: String::new(),
            root: None,
            units: vec![UnitWrite {
                unit: self.unit(),
                embedded_sha256: Sha256::digest(&self.content).into(),
                embedding: Some(embedding.vector.into()),
            }],
        }
    }
}

/// All hostile documents, in the order of the file.
pub(super) fn all() -> Vec<Hostile> {
    let lines = include_str!("../../../../../../fixtures/injection/hostile.jsonl").lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A world that holds these documents, none of which went through a parser. They are much alike,
/// so all are offered.
pub(super) fn world(documents: &[Hostile]) -> World {
    let config = TurnConfig {
        top_k: 100,
        max_injected_tokens: 100_000,
        header_share: 0.0,
        ..TurnConfig::default()
    };
    let world = World::with(&[], config);
    for document in documents {
        world.store.replace_source(&document.write()).unwrap();
    }
    world
}

/// Documents by the unit that each of them became.
pub(super) fn by_unit(documents: &[Hostile]) -> HashMap<UnitId, &Hostile> {
    documents
        .iter()
        .map(|document| (document.id(), document))
        .collect()
}
