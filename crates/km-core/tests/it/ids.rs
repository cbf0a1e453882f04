//! Canonical form and stable ids.

use km_core::{SourceId, UnitId, canonical};
use proptest::prelude::*;

fn id(tenant: Option<&str>, source: &str, version: &str, content: &str, occurrence: u64) -> UnitId {
    let source = SourceId::new(source);
    UnitId::compute(tenant, &source, version, &canonical(content), occurrence)
}

/// Computed apart from this crate, from the definition in the documentation of [`UnitId`].
#[test]
fn ids_keep_their_published_values() {
    let leave = ("handbook/leave.md", "You have 30 days of leave.");
    let cases = [
        (id(None, "", "", "", 0), "56bd9cf23d3b38f0af12bfcc16117d5c"),
        (
            id(None, leave.0, "", leave.1, 0),
            "4f72920db964c43c228ff3ffa4e8daa7",
        ),
        (
            id(Some("acme"), leave.0, "2024.1", leave.1, 0),
            "2264ad3e7517d8835a577926e570cffb",
        ),
        (
            id(Some(""), leave.0, "2024.1", leave.1, 0),
            "5b797e532a756a7c1df7b0d373bec5c7",
        ),
        (
            id(
                None,
                "handbuch/urlaub.md",
                "",
                "Übung macht\nden Meister 🦀",
                1,
            ),
            "51f0efe457200f7d72913db4538bf88c",
        ),
        (
            id(None, "手册/请假.md", "三", "每年三十天。", u64::MAX),
            "53bddbc075ebbf96f6c3027199c58a2b",
        ),
    ];
    for (computed, published) in cases {
        assert_eq!(computed.to_string(), published);
        assert_eq!(published.parse::<UnitId>().unwrap(), computed);
    }
}

#[test]
fn the_same_text_from_two_systems_has_the_same_id() {
    let unix = id(None, "a", "", "Übung\nmacht\nden Meister", 0);
    let windows = id(
        None,
        "a",
        "",
        "\u{feff}U\u{308}bung\r\nmacht\rden Meister",
        0,
    );
    assert_eq!(unix, windows);
}

#[test]
fn what_is_not_an_id_is_refused_with_the_text_that_came() {
    let upper = "4F72920DB964C43C228FF3FFA4E8DAA7";
    assert_eq!(
        upper.parse::<UnitId>().unwrap().to_string(),
        upper.to_lowercase()
    );
    for wrong in [
        "",
        "4f72",
        "4f72920db964c43c228ff3ffa4e8daa7a",
        "+f72920db964c43c228ff3ffa4e8daa7",
        "第三",
    ] {
        let error = wrong.parse::<UnitId>().unwrap_err().to_string();
        assert!(
            error.contains("32 hexadecimal digits") && error.contains(wrong),
            "{error}"
        );
    }
}

proptest! {
    #[test]
    fn canonical_form_is_idempotent(text in "(\u{feff}|\r|\n|\r\n|u\u{308}|ü|e\u{301}|.){0,40}") {
        let once = canonical(&text);
        prop_assert!(!once.as_str().contains('\r'));
        prop_assert_eq!(canonical(once.as_str()), once);
    }

    #[test]
    fn an_id_differs_when_any_field_differs(
        a in ("[ab]{0,2}", "[ab]{0,2}", "[ab]{0,2}", 0u64..2),
        b in ("[ab]{0,2}", "[ab]{0,2}", "[ab]{0,2}", 0u64..2),
    ) {
        let of = |x: &(String, String, String, u64)| id(None, &x.0, &x.1, &x.2, x.3);
        prop_assert_eq!(of(&a) == of(&b), a == b);
        prop_assert_ne!(of(&a), id(Some(""), &a.0, &a.1, &a.2, a.3));
    }

    #[test]
    fn text_bytes_and_json_bring_an_id_back(bytes: [u8; 16]) {
        let id = UnitId::from_bytes(bytes);
        prop_assert_eq!(UnitId::from_bytes(*id.as_bytes()), id);
        prop_assert_eq!(id.to_string().parse::<UnitId>().unwrap(), id);
        let json = serde_json::to_string(&id).unwrap();
        prop_assert_eq!(serde_json::from_str::<UnitId>(&json).unwrap(), id);
    }
}
