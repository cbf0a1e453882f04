//! Damaged, locked and hostile files of the packed formats end in a reason.

use ee_ingest::SkipReason;
use proptest::prelude::*;

use crate::support::{fixture, try_parse};

fn refused(file: &str) -> SkipReason {
    let bytes = fixture(&format!("err/{file}"));
    try_parse(file, &bytes, 64).unwrap_err()
}

#[test]
fn damaged_files_are_malformed_with_a_reason() {
    for (file, reason) in [
        ("cut.docx", ""),
        ("no-document.docx", "no part `word/document.xml`"),
        ("broken-xml.docx", "expected"),
        ("entities.docx", "DTD"),
        ("older.docx", "save it as DOCX"),
        ("no-header.pdf", "no `%PDF-`"),
        ("cut.pdf", ""),
    ] {
        let SkipReason::Malformed { message, .. } = refused(file) else {
            panic!("{file}: {:?}", refused(file))
        };
        assert!(
            message.contains(reason) && !message.is_empty(),
            "{file}: {message}"
        );
    }
}

#[test]
fn files_that_unpack_without_end_are_refused() {
    for file in ["bomb.docx", "bomb.pdf"] {
        let reason = refused(file);
        let too_large = matches!(reason, SkipReason::UnpacksTooLarge { .. });
        assert!(too_large, "{file}: {reason:?}");
    }
}

#[test]
fn locked_and_scanned_files_are_told_apart() {
    for file in ["password.docx", "password.pdf"] {
        let reason = refused(file);
        assert!(
            matches!(reason, SkipReason::Protected { .. }),
            "{file}: {reason:?}"
        );
    }
    let reason = refused("scanned.pdf");
    assert!(matches!(reason, SkipReason::NoText { .. }), "{reason:?}");
}

#[test]
fn elements_inside_elements_without_end_do_not_exhaust_the_stack() {
    let nested = |open: &str, close: &str| open.repeat(100_000) + "x" + &close.repeat(100_000);
    for tag in ["div", "table><tr><td", "ul><li", "b", "nav"] {
        let html = nested(&format!("<{tag}>"), "");
        let _ = try_parse("a.html", html.as_bytes(), 64);
    }
    for (open, close) in [("[", "]"), ("<<", ">>"), ("(", ")"), ("q BT ", "ET Q ")] {
        let pdf = format!("%PDF-1.5\n1 0 obj\n{}\nendobj\n", nested(open, close));
        assert!(try_parse("a.pdf", pdf.as_bytes(), 64).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Bytes that are changed, and ends that are cut off.
    #[test]
    fn damage_anywhere_makes_no_parser_fall(
        file in 0usize..6,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        end in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let files = [
            "ok/handbook.pdf", "ok/chinese-stated.pdf", "ok/no-password.pdf", "same/travel.docx",
            "ok/report.docx", "ok/page.html",
        ];
        let name = files[file];
        let mut bytes = fixture(name);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(end) = end {
            bytes.truncate(end.index(bytes.len()));
        }
        if let Ok(parsed) = try_parse(name, &bytes, 32) {
            crate::laws::check(&parsed, &bytes, 32)?;
        }
    }
}
