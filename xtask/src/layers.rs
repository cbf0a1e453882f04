//! The layer check: dependencies between the crates of this workspace against ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

use crate::run::workspace_root;

/// What each crate may depend on, the same table as in ARCHITECTURE.md. Development dependencies
/// follow the same rule. A crate that is missing here may depend on nothing of the workspace.
const ALLOWED: &[(&str, &[&str])] = &[
    ("dcs-core", &[]),
    ("km-core", &[]),
    ("ee-embed", &[]),
    ("ee-index", &[]),
    ("ee-ingest", &["km-core"]),
    ("ee-store", &["dcs-core", "km-core"]),
    (
        "ee-pipeline",
        &[
            "dcs-core",
            "km-core",
            "ee-embed",
            "ee-index",
            "ee-ingest",
            "ee-store",
        ],
    ),
    (
        "ee-tune",
        &[
            "dcs-core",
            "km-core",
            "ee-embed",
            "ee-index",
            "ee-ingest",
            "ee-store",
            "ee-pipeline",
        ],
    ),
    (
        "ee-cli",
        &[
            "dcs-core",
            "km-core",
            "ee-embed",
            "ee-index",
            "ee-ingest",
            "ee-store",
            "ee-pipeline",
            "ee-tune",
        ],
    ),
    (
        "benches",
        &[
            "dcs-core",
            "km-core",
            "ee-embed",
            "ee-index",
            "ee-ingest",
            "ee-store",
            "ee-pipeline",
            "ee-tune",
        ],
    ),
    ("xtask", &["ee-embed", "ee-tune"]),
];

/// Fails on an edge that the table does not allow.
pub(crate) fn run() -> Result<()> {
    let metadata = MetadataCommand::new()
        .manifest_path(workspace_root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("`cargo metadata` failed; the layers cannot be checked")?;
    let wrong = forbidden_edges(&workspace_edges(&metadata));
    if !wrong.is_empty() {
        bail!("ARCHITECTURE.md does not allow:\n  {}", wrong.join("\n  "));
    }
    println!(
        "layers: {} crates depend only on what they may",
        metadata.packages.len()
    );
    Ok(())
}

type Edges = BTreeMap<String, BTreeSet<(String, &'static str)>>;

fn workspace_edges(metadata: &Metadata) -> Edges {
    let members: BTreeSet<String> = metadata
        .packages
        .iter()
        .map(|package| package.name.to_string())
        .collect();
    let edges_of = |package: &cargo_metadata::Package| {
        let inner = package
            .dependencies
            .iter()
            .filter(|edge| members.contains(&edge.name));
        inner
            .map(|edge| (edge.name.clone(), kind_name(edge.kind)))
            .collect()
    };
    metadata
        .packages
        .iter()
        .map(|p| (p.name.to_string(), edges_of(p)))
        .collect()
}

fn kind_name(kind: DependencyKind) -> &'static str {
    match kind {
        DependencyKind::Development => "in tests",
        DependencyKind::Build => "in its build script",
        _ => "in its code",
    }
}

fn forbidden_edges(edges: &Edges) -> Vec<String> {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let mut wrong = Vec::new();
    for (from, targets) in edges {
        let may = allowed.get(from.as_str()).copied().unwrap_or_default();
        let beyond = targets
            .iter()
            .filter(|(to, _)| to != from && !may.contains(&to.as_str()));
        wrong.extend(beyond.map(|(to, kind)| format!("{from} -> {to} ({kind})")));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::{Edges, forbidden_edges};

    fn edges(from: &str, to: &str) -> Edges {
        Edges::from([(from.to_owned(), [(to.to_owned(), "in its code")].into())])
    }

    #[test]
    fn an_allowed_edge_passes() {
        assert!(forbidden_edges(&edges("ee-store", "km-core")).is_empty());
    }

    #[test]
    fn a_forbidden_edge_is_named() {
        let wrong = forbidden_edges(&edges("km-core", "ee-store"));
        assert_eq!(wrong, ["km-core -> ee-store (in its code)"]);
    }

    #[test]
    fn an_unlisted_crate_may_depend_on_nothing() {
        assert_eq!(forbidden_edges(&edges("ee-new", "km-core")).len(), 1);
    }
}
