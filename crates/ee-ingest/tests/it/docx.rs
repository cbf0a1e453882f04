//! DOCX files.

use crate::support::{fixture, parse, tree};

#[test]
fn a_report_keeps_its_structure() {
    let parsed = parse("report.docx", fixture("ok/report.docx"));
    insta::assert_snapshot!(tree(&parsed));
}

#[test]
fn units_have_no_span_and_the_file_keeps_its_title() {
    let parsed = parse("report.docx", fixture("ok/report.docx"));
    assert_eq!(parsed.title.as_deref(), Some("Pump report"));
    assert!(parsed.units.iter().all(|unit| unit.metadata.span.is_none()));
}
