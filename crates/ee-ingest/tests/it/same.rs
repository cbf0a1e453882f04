//! The same content in Markdown, HTML and DOCX gives the same tree of units.

use ee_ingest::ParsedSource;

use crate::support::{fixture, parse};

/// Kinds, section paths, contents, and the units that links lead to.
fn shape(parsed: &ParsedSource) -> Vec<String> {
    let position = |id| parsed.units.iter().position(|unit| unit.id == id).unwrap();
    let units = parsed.units.iter().map(|unit| {
        let links: Vec<String> = unit
            .links
            .iter()
            .map(|link| format!("{} {}", link.kind, position(link.target)))
            .collect();
        format!(
            "{} | {} | {}\n{}\n=> {}",
            unit.kind,
            unit.metadata.section_path.join(" > "),
            links.join(", "),
            unit.content,
            unit.summary
        )
    });
    let title = parsed.title.clone();
    let references = parsed.references.iter().map(|reference| {
        let from = position(reference.from);
        format!("{from} refers to {}", reference.source)
    });
    title.into_iter().chain(units).chain(references).collect()
}

#[test]
fn markdown_html_and_docx_give_the_same_tree() {
    let shape_of = |name: &str| shape(&parse(name, fixture(&format!("same/{name}"))));
    let markdown = shape_of("travel.md");
    assert!(markdown.len() > 10, "{markdown:#?}");
    assert_eq!(shape_of("travel.html"), markdown);
    assert_eq!(shape_of("travel.docx"), markdown);
}
