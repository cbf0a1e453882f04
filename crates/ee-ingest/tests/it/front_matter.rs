//! Governance from a file's own metadata.

use ee_ingest::{
    Found, IngestConfig, Relations, SkipReason, SourceInput, parse_source, read_source, walk,
};
use km_core::{Governance, SourceId};

use crate::support::{Pieces, fixture, parse, try_parse};

#[test]
fn stated_governance_reaches_source_and_units() {
    let parsed = parse("handbook.md", fixture("ok/handbook.md"));
    let governance = &parsed.governance;
    assert_eq!(governance.version, "1.10");
    assert_eq!(
        governance.domain.as_ref().unwrap().as_str(),
        "finance.travel"
    );
    assert_eq!(governance.authority_tier.unwrap().get(), 1);
    assert_eq!(
        governance.validity.effective_from.unwrap().to_string(),
        "2024-01-01T00:00:00Z"
    );
    assert_eq!(
        governance.attributes["region"],
        ["APAC".to_owned(), "EMEA".to_owned()].into()
    );
    assert_eq!(
        governance.supersedes,
        [SourceId::new("travel-2021.md")].into()
    );
    assert!(
        parsed
            .units
            .iter()
            .all(|unit| unit.governance == *governance)
    );
    assert!(
        parsed
            .notes
            .iter()
            .any(|note| note.contains("`author` is not used"))
    );
}

#[test]
fn what_is_given_holds_where_the_file_says_nothing() {
    let given = Governance {
        tenant: Some("acme".to_owned()),
        clearance: 2,
        ..Governance::default()
    };
    let with = |text: &str| {
        let input = SourceInput {
            source: SourceId::new("a.md"),
            bytes: text.as_bytes().to_vec(),
            governance: given.clone(),
            relations: Relations::default(),
        };
        parse_source(&input, &IngestConfig::default(), &Pieces { max_tokens: 64 }).unwrap()
    };
    assert_eq!(with("Text.").unwrap().governance, given);
    let raised = with("---\nclearance: 3\n---\nText.").unwrap().governance;
    assert_eq!(
        (raised.tenant.as_deref(), raised.clearance),
        (Some("acme"), 3)
    );
    assert!(matches!(
        with("---\ntenant: rival\n---\nText."),
        Err(SkipReason::Malformed { .. })
    ));
}

#[test]
fn what_cannot_be_read_is_refused_with_its_reason() {
    for (file, reason) in [
        (
            "bad-date.md",
            "`effective_from` must be a date such as 2024-01-31",
        ),
        ("inverted-interval.md", "cannot expire at 2024-01-01"),
        ("misspelt-field.md", "did you mean `clearance`?"),
        ("negative-clearance.md", "whole number from 0 on, got `-1`"),
        ("bad-domain.md", "a segment is empty"),
        ("tier-zero.md", "whole number from 1 on, got `0`"),
        ("broken-yaml.md", "not valid YAML"),
        ("truncated.json", "line 1"),
        ("no-json.jsonl", "line 1"),
    ] {
        let skipped = try_parse(file, &fixture(&format!("err/{file}")), 64).unwrap_err();
        let SkipReason::Malformed { message, .. } = &skipped else {
            panic!("{file}: {skipped}")
        };
        assert!(message.contains(reason), "{file}: {message}");
    }
    for file in ["blank.txt", "empty.md", "no-text.md"] {
        let skipped = try_parse(file, &fixture(&format!("err/{file}")), 64);
        assert_eq!(skipped, Err(SkipReason::Empty), "{file}");
    }
}

#[test]
fn a_thematic_break_is_no_front_matter() {
    let parsed = parse(
        "a.md",
        "---\n\nJust a text, with: a colon.\n\n---\n\nMore.\n",
    );
    assert!(parsed.units[0].content.contains("Just a text"));
}

#[test]
fn folders_and_sidecars_refine_what_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let write = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
    std::fs::create_dir_all(root.join("hr/pay")).unwrap();
    write(".eerag.yaml", "clearance: 1\nattributes:\n  region: EMEA\n");
    write("hr/.eerag.yaml", "clearance: 2\n");
    write("hr/pay/bands.md", "Text.");
    write(
        "hr/pay/bands.md.eerag.yaml",
        "domain: hr.pay\nversion: 2.10\n",
    );
    write("hr/pay/open.md", "---\nclearance: 0\n---\nText.");
    let config = IngestConfig::default();
    let mut found = Vec::new();
    for file in walk(root, &config) {
        let Found::File { path, source } = file else {
            panic!("{file:?}")
        };
        let input = read_source(&path, source, Governance::default(), &config).unwrap();
        let parsed = parse_source(&input, &config, &Pieces { max_tokens: 64 })
            .unwrap()
            .unwrap();
        found.push((parsed.source.to_string(), parsed.governance));
    }
    assert_eq!(found.len(), 2, "{found:?}");
    let (bands, open) = (&found[0].1, &found[1].1);
    assert_eq!((bands.clearance, bands.version.as_str()), (2, "2.10"));
    assert_eq!(bands.domain.as_ref().unwrap().as_str(), "hr.pay");
    assert_eq!(open.clearance, 0);
    for governance in [bands, open] {
        assert_eq!(governance.attributes["region"], ["EMEA".to_owned()].into());
    }
}

#[test]
fn a_malformed_sidecar_keeps_its_file_out() {
    for (yaml, reason) in [
        ("clearance: high", "whole number from 0 on, got `high`"),
        ("colour: red", "unknown field `colour`"),
        ("clearence: 3", "did you mean `clearance`?"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        std::fs::write(&path, "Text.").unwrap();
        std::fs::write(folder.path().join("a.md.eerag.yaml"), yaml).unwrap();
        let config = IngestConfig::default();
        let skipped = read_source(&path, SourceId::new("a.md"), Governance::default(), &config);
        let message = skipped.unwrap_err().to_string();
        assert!(
            message.contains("a.md.eerag.yaml") && message.contains(reason),
            "{message}"
        );
    }
}

#[test]
fn stated_relations_reach_every_unit() {
    let text = "---\napplies_to:\n  region: [APAC, EMEA]\n  tier: L6\ntier_rule:\n  L5: rates.md#Staff-Level-5\n  L6: '#managers'\n  7: ../limits.md\n---\n# A\n\nText.\n\n# Managers\n\nMore.\n";
    let parsed = parse("hr/pay.md", text);
    assert_eq!(parsed.units.len(), 2);
    for unit in &parsed.units {
        let metadata = &unit.metadata;
        assert_eq!(
            metadata.applies_to,
            [
                (
                    "region".to_owned(),
                    ["APAC".to_owned(), "EMEA".to_owned()].into()
                ),
                ("tier".to_owned(), ["L6".to_owned()].into()),
            ]
            .into()
        );
        assert_eq!(
            metadata.tier_rules,
            [
                ("7", "limits.md"),
                ("L5", "hr/rates.md#staff-level-5"),
                ("L6", "hr/pay.md#managers"),
            ]
            .map(|(tier, place)| (tier.to_owned(), place.to_owned()))
            .into()
        );
        assert!(
            unit.governance.attributes.is_empty(),
            "they restrict nobody"
        );
    }
}

#[test]
fn relations_of_folders_are_relative_to_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let write = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
    std::fs::create_dir_all(root.join("hr/pay")).unwrap();
    write(
        ".eerag.yaml",
        "applies_to: {region: EMEA}\ntier_rule: {L5: general.md}\n",
    );
    write(
        "hr/.eerag.yaml",
        "applies_to: {region: APAC}\ntier_rule: {L6: 'rates.md#six', L7: '#top'}\n",
    );
    let path = root.join("hr/pay/bands.md");
    write(
        "hr/pay/bands.md",
        "---\napplies_to: {unit: sales}\n---\nText.",
    );
    write("hr/pay/bands.md.eerag.yaml", "tier_rule: {L8: eight.md}\n");
    let config = IngestConfig::default();
    let source = SourceId::new("hr/pay/bands.md");
    let input = read_source(&path, source, Governance::default(), &config).unwrap();
    let parsed = parse_source(&input, &config, &Pieces { max_tokens: 64 });
    let metadata = parsed.unwrap().unwrap().units[0].metadata.clone();
    let values = |name: &str| {
        metadata.applies_to[name]
            .iter()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (values("region"), values("unit")),
        (vec!["APAC".to_owned()], vec!["sales".to_owned()])
    );
    assert_eq!(
        metadata.tier_rules,
        [
            ("L5", "general.md"),
            ("L6", "hr/rates.md#six"),
            ("L7", "hr/pay/bands.md#top"),
            ("L8", "hr/pay/eight.md"),
        ]
        .map(|(tier, place)| (tier.to_owned(), place.to_owned()))
        .into()
    );
}

#[test]
fn relations_of_the_wrong_shape_are_refused_by_name() {
    for (yaml, reason) in [
        (
            "applies_to: APAC",
            "field `applies_to` must be `name: value`",
        ),
        (
            "applies_to: {region: {a: b}}",
            "field `applies_to.region` must be a text",
        ),
        (
            "attributes: {region: {a: b}}",
            "field `attributes.region` must be a text",
        ),
        (
            "tier_rule: rates.md",
            "field `tier_rule` must be `tier: source#anchor`",
        ),
        (
            "tier_rule:\n  L6: #managers",
            "field `tier_rule.L6` must be a source",
        ),
        (
            "tier_rule: {L6: [a.md, b.md]}",
            "field `tier_rule.L6` must be a source",
        ),
        (
            "tier_rule: {L6: ../../b.md}",
            "field `tier_rule.L6` must be a place inside the ingested folder, got `../../b.md`",
        ),
        ("tier_rules: {L6: b.md}", "did you mean `tier_rule`?"),
    ] {
        let text = format!("---\n{yaml}\n---\nText.");
        let skipped = try_parse("hr/a.md", text.as_bytes(), 64).unwrap_err();
        assert!(skipped.to_string().contains(reason), "{yaml}: {skipped}");
    }
}
