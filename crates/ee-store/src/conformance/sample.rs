//! Small sources, identities and vectors for the checks.

use std::collections::HashMap;
use std::sync::Arc;

use km_core::{
    AccessScope, Governance, Identity, SourceId, Timestamp, Unit, UnitId, UnitKind, UnitMetadata,
    canonical,
};
use sha2::{Digest, Sha256};

use crate::{SourceWrite, UnitWrite};

/// A vector of eight components, decided by the text alone. Not of unit length.
pub fn vector(text: &str) -> Arc<[f32]> {
    let values = hash(text).into_iter().take(8);
    values.map(|byte| f32::from(byte) / 97.0 - 1.0).collect()
}

/// SHA-256 of a text.
pub fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// A public source with one section per text, embeddings included.
pub fn source(name: &str, texts: &[&str]) -> SourceWrite {
    governed(name, &Governance::default(), texts)
}

/// A source under this governance with one section per text, embeddings included.
pub fn governed(name: &str, governance: &Governance, texts: &[&str]) -> SourceWrite {
    let source = SourceId::new(name);
    let mut occurrences: HashMap<&str, u64> = HashMap::new();
    let units = texts.iter().map(|text| {
        let occurrence = occurrences.entry(text).or_default();
        let id = UnitId::compute(
            governance.tenant.as_deref(),
            &source,
            &governance.version,
            &canonical(text),
            *occurrence,
        );
        *occurrence += 1;
        UnitWrite {
            unit: unit(id, &source, governance, text),
            embedded_sha256: hash(text),
            embedding: Some(vector(text)),
        }
    });
    SourceWrite {
        units: units.collect(),
        source,
        title: None,
        governance: governance.clone(),
        content_sha256: texts.concat(),
        recipe_sha256: String::new(),
        root: None,
    }
}

fn unit(id: UnitId, source: &SourceId, governance: &Governance, text: &str) -> Unit {
    Unit {
        id,
        source: source.clone(),
        kind: UnitKind::Section,
        content: text.to_owned(),
        summary: format!("on {text}"),
        metadata: UnitMetadata::default(),
        governance: governance.clone(),
        links: Vec::new(),
    }
}

/// An identity without attributes.
pub fn identity(tenant: Option<&str>, clearance: u32) -> Identity {
    Identity {
        tenant: tenant.map(str::to_owned),
        clearance,
        ..Identity::default()
    }
}

/// A scope at a second of 1970.
pub fn scope(identity: &Identity, second: i64) -> AccessScope {
    AccessScope::new(identity.clone(), Timestamp::from_second(second).unwrap())
}
