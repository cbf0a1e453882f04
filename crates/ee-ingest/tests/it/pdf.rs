//! PDF files.

use crate::support::{fixture, parse, tree};

#[test]
fn a_handbook_keeps_its_structure() {
    let parsed = parse("handbook.pdf", fixture("ok/handbook.pdf"));
    insta::assert_snapshot!(tree(&parsed));
}

#[test]
fn chinese_is_read_by_predefined_and_by_stated_maps() {
    let stated = parse("a.pdf", fixture("ok/chinese-stated.pdf"));
    let predefined = parse("a.pdf", fixture("ok/chinese-predefined.pdf"));
    assert_eq!(stated.units, predefined.units);
    insta::assert_snapshot!(tree(&stated));
}

#[test]
fn every_unit_has_its_page_and_no_span() {
    let parsed = parse("handbook.pdf", fixture("ok/handbook.pdf"));
    for unit in &parsed.units {
        assert!(unit.metadata.span.is_none());
        let path = unit.metadata.section_path.last().map(String::as_str);
        let page = match path {
            Some("Booking a trip" | "Terms") => 2,
            Some("Contact") => 3,
            _ => 1,
        };
        assert_eq!(unit.metadata.page, Some(page), "{unit:?}");
    }
}

#[test]
fn a_heading_without_text_has_its_page_too() {
    let parsed = parse("a.pdf", fixture("ok/headings.pdf"));
    let pages: Vec<Option<u32>> = parsed.units.iter().map(|unit| unit.metadata.page).collect();
    assert_eq!(pages, [Some(1), Some(2)]);
    assert_eq!(parsed.units[1].content, "Last words");
}

#[test]
fn a_file_that_is_encrypted_without_a_password_is_read() {
    let parsed = parse("a.pdf", fixture("ok/no-password.pdf"));
    let content = &parsed.units[0].content;
    assert_eq!(content, "The pump stops when the tank is empty.");
}
