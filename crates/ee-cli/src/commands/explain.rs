//! `eerag ingest --explain FILE`: what ingestion would make of a file, without storing it.

use std::path::Path;

use anyhow::{Result, anyhow};
use ee_pipeline::{ExplainedUnit, Explainer, Explanation};
use ee_store::SourceCatalogue;
use km_core::{Attributes, Governance, Unit, UnitId};

use crate::output::{Ending, WrongUsage, print_json, print_line};
use crate::workbench::Workbench;

/// Explains a file under the governance that flags give.
pub(crate) fn run(bench: &Workbench, file: &Path, governance: &Governance) -> Result<Ending> {
    if file.is_dir() {
        let wrong = anyhow!("--explain takes one file, {} is a folder", file.display());
        return Err(WrongUsage::blame(&wrong));
    }
    let embedder = bench.embedder()?;
    let database = bench.settings().database()?;
    let store = database.exists().then(|| bench.store()).transpose()?;
    let explainer = Explainer {
        config: &bench.settings().ingest,
        embedder: &*embedder,
        store: store.as_deref().map(|store| store as &dyn SourceCatalogue),
    };
    let explanation = explainer.explain(file, governance)?;
    if bench.json() {
        print_json(&explanation)?;
    } else {
        lines(&explanation).iter().try_for_each(print_line)?;
    }
    Ok(Ending::nothing_if(explanation.skipped.is_some()))
}

/// The explanation as text: facts of the source, then its units under their headings.
fn lines(explanation: &Explanation) -> Vec<String> {
    let source = &explanation.source;
    if let Some(reason) = &explanation.skipped {
        return vec![format!("{source}: skipped: {reason}")];
    }
    let units = &explanation.units;
    let tokens: usize = units.iter().map(|unit| unit.tokens).sum();
    let window = explanation.window_tokens;
    let mut lines = vec![format!(
        "{source}: {} units, {tokens} tokens, at most {window} in one",
        units.len()
    )];
    lines.extend(facts(explanation));
    let mut path: &[String] = &[];
    for (position, explained) in units.iter().enumerate() {
        let next = &explained.unit.metadata.section_path;
        lines.extend(new_headings(path, next));
        path = next;
        lines.extend(unit_lines(position, explained, units));
    }
    lines
}

/// What holds for the source as a whole.
fn facts(explanation: &Explanation) -> Vec<String> {
    let metadata = explanation.units.first().map(|first| &first.unit.metadata);
    let applies_to = metadata.map(|metadata| named_values(&metadata.applies_to));
    let tier_rules = metadata
        .into_iter()
        .flat_map(|metadata| &metadata.tier_rules);
    let tier_rules = tier_rules.map(|(tier, place)| format!("{tier} {place}"));
    let title = explanation.title.clone().into_iter().collect();
    let facts: [(&str, Vec<String>); 4] = [
        ("title", title),
        ("governance", differing(&explanation.governance)),
        ("applies to", applies_to.unwrap_or_default()),
        ("tier rule", tier_rules.collect()),
    ];
    let stated = facts.into_iter().filter(|(_, values)| !values.is_empty());
    let stated = stated.map(|(name, values)| (name, values.join("; ")));
    let notes = explanation.notes.iter().map(|note| ("note", note.clone()));
    let named = |(name, value): (&str, String)| format!("{:<11} {value}", format!("{name}:"));
    stated.chain(notes).map(named).collect()
}

/// Governance as far as it differs from what holds where nothing is said.
fn differing(governance: &Governance) -> Vec<String> {
    let name = |name: &str, value: Option<String>| value.map(|value| format!("{name} {value}"));
    let validity = &governance.validity;
    let clearance = Some(governance.clearance).filter(|clearance| *clearance > 0);
    let version = Some(governance.version.clone()).filter(|version| !version.is_empty());
    let supersedes = governance.supersedes.iter();
    let stated = [
        name("tenant", governance.tenant.clone()),
        name(
            "clearance",
            clearance.map(|clearance| clearance.to_string()),
        ),
        name(
            "domain",
            governance.domain.as_ref().map(ToString::to_string),
        ),
        name(
            "authority tier",
            governance.authority_tier.map(|tier| tier.to_string()),
        ),
        name("version", version),
        name("from", validity.effective_from.map(|from| from.to_string())),
        name("until", validity.expires_at.map(|until| until.to_string())),
    ];
    let stated = stated.into_iter().flatten();
    stated
        .chain(named_values(&governance.attributes))
        .chain(supersedes.map(|source| format!("supersedes {source}")))
        .collect()
}

fn named_values(attributes: &Attributes) -> Vec<String> {
    let named = attributes.iter().map(|(name, values)| {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        format!("{name} {}", values.join(" or "))
    });
    named.collect()
}

/// The headings that `next` has and the unit before had not, each as deep as it stands.
fn new_headings(before: &[String], next: &[String]) -> Vec<String> {
    let shared = before.iter().zip(next).take_while(|(a, b)| a == b).count();
    let new = next.iter().enumerate().skip(shared);
    new.map(|(depth, heading)| format!("{}{heading}", indent(depth)))
        .collect()
}

fn unit_lines(position: usize, explained: &ExplainedUnit, units: &[ExplainedUnit]) -> Vec<String> {
    let unit = &explained.unit;
    let margin = indent(unit.metadata.section_path.len());
    let mut facts = vec![format!("{} tokens", explained.tokens)];
    facts.extend(places(unit));
    facts.extend(links(unit, units));
    vec![
        format!("{margin}[{position}] {}: {}", unit.kind, facts.join(", ")),
        format!("{margin}    {}", unit.summary.replace('\n', " ")),
    ]
}

fn places(unit: &Unit) -> Vec<String> {
    let page = unit.metadata.page.map(|page| format!("page {page}"));
    let span = unit.metadata.span;
    let span = span.map(|span| format!("bytes {}..{}", span.start, span.end));
    page.into_iter().chain(span).collect()
}

/// Links inside the source by position, and those to other sources by name.
fn links(unit: &Unit, units: &[ExplainedUnit]) -> Vec<String> {
    let position = |id: UnitId| units.iter().position(|other| other.unit.id == id);
    let inner = unit.links.iter().filter_map(|link| {
        let target = position(link.target)?;
        Some(format!("{} [{target}]", link.kind))
    });
    let outer = unit.metadata.references.iter();
    inner
        .chain(outer.map(|name| format!("references {name}")))
        .collect()
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use ee_embed::LexicalEmbedder;
    use ee_ingest::IngestConfig;
    use ee_pipeline::Explainer;
    use km_core::Governance;

    use super::lines;

    const POLICY: &str = "---
title: Travel policy
version: 1.10
clearance: 2
attributes: {region: [APAC, EMEA]}
effective_from: 2024-01-01
supersedes: travel-2021.md
applies_to: {tier: L6}
tier_rule: {L5: rates.md#five}
author: Ada
---
# Travel

Flights are booked in the portal. See [the rates](rates.md).

## Meals

You must keep receipts. See [above](#travel).

| Meal | Limit |
|---|---|
| Lunch | 20 |
";

    fn explained(name: &str, text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        let explainer = Explainer {
            config: &IngestConfig::default(),
            embedder: &LexicalEmbedder::new(64),
            store: None,
        };
        let explanation = explainer.explain(&file, &Governance::default()).unwrap();
        lines(&explanation).join("\n")
    }

    #[test]
    fn units_stand_under_their_headings() {
        let shown = explained("travel.md", POLICY);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[0].starts_with("travel.md: 3 units, "), "{shown}");
        let facts = [
            "title:      Travel policy",
            "governance: clearance 2; version 1.10; from 2024-01-01T00:00:00Z; \
             region APAC or EMEA; supersedes travel-2021.md",
            "applies to: tier L6",
            "tier rule:  L5 rates.md#five",
            "note:       front matter field `author` is not used",
            "Travel",
        ];
        assert_eq!(lines[1..7], facts, "{shown}");
        let starts = [
            (7, "  [0] section: "),
            (9, "  Meals"),
            (10, "    [1] rule: "),
            (12, "    [2] table: "),
        ];
        for (at, start) in starts {
            assert!(lines[at].starts_with(start), "{start}: {shown}");
        }
        assert!(lines[7].ends_with("references rates.md"), "{shown}");
        assert!(lines[10].ends_with("references [0]"), "{shown}");
    }

    #[test]
    fn a_file_that_is_left_out_has_its_reason() {
        assert_eq!(explained("empty.md", " \n"), "empty.md: skipped: empty");
        assert!(explained("a.md", "---\nclearance: x\n---\nText.").contains("`clearance`"));
    }
}
