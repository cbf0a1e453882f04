//! The plain rule, validity, and governance as JSON.

use km_core::{AccessScope, DomainPath, Governance, Identity, KnowledgeError, Timestamp, Validity};
use proptest::prelude::*;

use crate::arbitrary;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

#[test]
fn a_unit_holds_from_its_first_instant_until_just_before_its_expiry() {
    let validity = Validity::new(Some(at(10)), Some(at(20))).unwrap();
    let inside: Vec<bool> = [9, 10, 19, 20].map(|s| validity.contains(at(s))).into();
    assert_eq!(inside, [false, true, true, false]);
    assert!(Validity::default().contains(at(-1)));
}

#[test]
fn an_interval_that_ends_before_it_starts_is_refused() {
    for until in [at(5), at(10)] {
        let error = Validity::new(Some(at(10)), Some(until)).unwrap_err();
        assert!(
            matches!(error, KnowledgeError::InvertedInterval { .. }),
            "{error}"
        );
    }
}

#[test]
fn an_empty_allow_list_admits_nobody() {
    let governance = Governance {
        attributes: [("region".to_owned(), [].into())].into(),
        ..Governance::default()
    };
    let caller = Identity {
        clearance: u32::MAX,
        attributes: [("region".to_owned(), ["APAC".to_owned()].into())].into(),
        ..Identity::default()
    };
    assert!(!caller.may_see(&governance));
}

#[test]
fn the_default_caller_sees_what_is_public_and_only_that() {
    let caller = Identity::default();
    assert!(caller.may_see(&Governance::default()));
    for hidden in [
        Governance {
            tenant: Some("acme".to_owned()),
            ..Governance::default()
        },
        Governance {
            tenant: Some(String::new()),
            ..Governance::default()
        },
        Governance {
            clearance: 1,
            ..Governance::default()
        },
    ] {
        assert!(!caller.may_see(&hidden), "{hidden:?}");
    }
}

#[test]
fn malformed_domains_are_refused() {
    assert!("finance.travel-2.méal_差旅".parse::<DomainPath>().is_ok());
    for wrong in ["", ".", "a..b", "a.", "a b", "a/b"] {
        assert!(wrong.parse::<DomainPath>().is_err(), "{wrong:?}");
    }
}

proptest! {
    /// The rule as the specification words it, written apart from the implementation.
    #[test]
    fn a_scope_admits_exactly_what_the_rule_allows(
        governance in arbitrary::governance(),
        identity in arbitrary::identity(),
        at in arbitrary::moment(),
    ) {
        let foreign = governance.tenant.as_ref().is_some_and(|t| Some(t) != identity.tenant.as_ref());
        let secret = identity.clearance < governance.clearance;
        let mut lacking = false;
        for (name, allowed) in &governance.attributes {
            lacking |= match identity.attributes.get(name) {
                Some(held) => allowed.is_disjoint(held),
                None => true,
            };
        }
        let early = governance.validity.effective_from.is_some_and(|from| at < from);
        let late = governance.validity.expires_at.is_some_and(|until| until <= at);
        prop_assert_eq!(
            AccessScope::new(identity, at).admits(&governance),
            !(foreign || secret || lacking || early || late)
        );
    }

    #[test]
    fn governance_survives_json(governance in arbitrary::governance()) {
        let json = serde_json::to_string(&governance).unwrap();
        prop_assert_eq!(serde_json::from_str::<Governance>(&json).unwrap(), governance);
    }
}
