//! Natural order of versions.

use std::cmp::Ordering;

use km_core::compare_versions;
use proptest::prelude::*;

#[test]
fn versions_rise_in_the_order_people_read_them() {
    let rising = [
        "",
        "0.9",
        "1",
        "1.9",
        "1.10",
        "1.10-b",
        "1.10.1",
        "2.0",
        "v2.0.1",
        "2024-9",
        "2024-10",
        "123456789012345678901234567890123456789012345678901",
        "draft",
        "Édition 2",
        "édition 10",
        "第3版",
    ];
    for (place, earlier) in rising.iter().enumerate() {
        for later in &rising[place + 1..] {
            assert_eq!(
                compare_versions(earlier, later),
                Ordering::Less,
                "{earlier:?} < {later:?}"
            );
            assert_eq!(
                compare_versions(later, earlier),
                Ordering::Greater,
                "{later:?}"
            );
        }
    }
}

#[test]
fn spellings_of_one_version_are_equal() {
    for (left, right) in [
        ("v1.0", "1.0"),
        ("1.01", "1.1"),
        ("V3", "v3"),
        (" 2 ", "2"),
        ("RC", "rc"),
    ] {
        assert_eq!(
            compare_versions(left, right),
            Ordering::Equal,
            "{left:?} {right:?}"
        );
    }
}

#[test]
fn a_v_that_is_a_word_of_its_own_counts() {
    assert_ne!(compare_versions("v", ""), Ordering::Equal);
    assert_ne!(compare_versions("vista", "ista"), Ordering::Equal);
}

proptest! {
    #[test]
    fn the_order_is_antisymmetric_and_transitive(
        a in "[v0-9.a-cé第]{0,6}", b in "[v0-9.a-cé第]{0,6}", c in "[v0-9.a-cé第]{0,6}",
    ) {
        prop_assert_eq!(compare_versions(&a, &a), Ordering::Equal);
        prop_assert_eq!(compare_versions(&a, &b), compare_versions(&b, &a).reverse());
        if compare_versions(&a, &b).is_le() && compare_versions(&b, &c).is_le() {
            prop_assert!(compare_versions(&a, &c).is_le());
        }
    }

    #[test]
    fn whole_numbers_compare_by_value(a: u64, b: u64) {
        prop_assert_eq!(compare_versions(&a.to_string(), &b.to_string()), a.cmp(&b));
    }

    #[test]
    fn any_two_strings_can_be_compared(a: String, b: String) {
        prop_assert_eq!(compare_versions(&a, &b), compare_versions(&b, &a).reverse());
    }
}
