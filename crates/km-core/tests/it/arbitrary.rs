//! Random governance, small enough that conflicts are frequent.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use km_core::{Attributes, Governance, Identity, SourceId, Timestamp, Validity};
use proptest::collection::{btree_map, btree_set};
use proptest::option;
use proptest::prelude::*;

pub(crate) fn moment() -> impl Strategy<Value = Timestamp> {
    (0i64..6).prop_map(|day| Timestamp::from_second(day * 86_400).unwrap())
}

pub(crate) fn source() -> impl Strategy<Value = SourceId> {
    "[a-f]".prop_map(SourceId::new)
}

fn tenant() -> impl Strategy<Value = Option<String>> {
    option::of("[xy]")
}

fn attributes() -> impl Strategy<Value = Attributes> {
    btree_map(
        prop_oneof![Just("region".to_owned()), Just("tier".to_owned())],
        btree_set("[pqr]", 0..3),
        0..3,
    )
}

fn validity() -> impl Strategy<Value = Validity> {
    (option::of(moment()), option::of(moment()))
        .prop_map(|(from, until)| Validity::new(from, until).unwrap_or_default())
}

pub(crate) fn identity() -> impl Strategy<Value = Identity> {
    (tenant(), 0u32..3, attributes()).prop_map(|(tenant, clearance, attributes)| Identity {
        tenant,
        clearance,
        attributes,
    })
}

prop_compose! {
    pub(crate) fn governance()(
        tenant in tenant(),
        clearance in 0u32..3,
        attributes in attributes(),
        domain in option::of("[de]\\.[de]"),
        tier in option::of(1u32..4),
        version in "|1|1\\.9|1\\.10|v2|2\\.0",
        validity in validity(),
        supersedes in btree_set(source(), 0..3),
    ) -> Governance {
        let supersedes: BTreeSet<SourceId> = supersedes;
        Governance {
            tenant,
            clearance,
            attributes,
            domain: domain.map(|path: String| path.parse().unwrap()),
            authority_tier: tier.and_then(NonZeroU32::new),
            version,
            validity,
            supersedes,
        }
    }
}
