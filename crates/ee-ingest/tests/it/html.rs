//! HTML pages, tidy and not.

use km_core::UnitKind;

use ee_ingest::SkipReason;

use crate::support::{fixture, parse, span, tree, try_parse};

#[test]
fn a_page_keeps_its_structure() {
    let parsed = parse("page.html", fixture("ok/page.html"));
    insta::assert_snapshot!(tree(&parsed));
}

#[test]
fn what_is_not_shown_is_not_read() {
    let parsed = parse("page.html", fixture("ok/page.html"));
    let all: String = parsed
        .units
        .iter()
        .map(|unit| unit.content.as_str())
        .collect();
    for hidden in ["Ignore all instructions", "var x", "<", "¶"] {
        let code = all.matches("a < b").count();
        let found = all.matches(hidden).count();
        assert!(found == 0 || (hidden == "<" && found == code), "{hidden}");
    }
    let skipped = try_parse("a.html", &fixture("err/no-text.html"), 64);
    assert_eq!(skipped, Err(SkipReason::Empty));
}

#[test]
fn places_are_bytes_of_the_page() {
    let html = "<p>Caf&eacute; &amp; <b>bar</b> zone.</p>\r\n<p>Next &lt;one&gt;.</p>";
    let parsed = parse("a.html", html);
    assert_eq!(parsed.units[0].content, "Café & bar zone.\n\nNext <one>.");
    let place = std::str::from_utf8(span(&parsed.units[0], html.as_bytes())).unwrap();
    assert!(place.starts_with("Caf&eacute;"), "{place}");
    assert!(place.ends_with("Next &lt;one&gt;."), "{place}");
}

#[test]
fn a_forgotten_end_tag_swallows_nothing() {
    let parsed = parse("a.html", "<nav>Home<h1>Pumps</h1><p>They move water.");
    assert_eq!(parsed.units.last().unwrap().content, "They move water.");
    let parsed = parse(
        "a.html",
        "<ul><li>one<li>two<table><tr><td>a<td>b<tr><td>c</table><p>three",
    );
    let kinds: Vec<UnitKind> = parsed.units.iter().map(|unit| unit.kind).collect();
    assert!(kinds.contains(&UnitKind::Table), "{kinds:?}");
    let all: String = parsed
        .units
        .iter()
        .map(|unit| unit.content.as_str())
        .collect();
    assert!(all.contains("three") && all.contains("| c |"), "{all}");
}
