//! Governance from a file's own metadata.

use ee_ingest::{IngestConfig, SkipReason, SourceInput, parse_source};
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
