//! Made-up documents with the handbook's words, the same content in each format.

use std::fmt::Write;

use anyhow::{Context, Result};
use benches::SEED;
use benches::corpus::Corpus;

/// Sections of one document.
const SECTIONS: usize = 12;
const PARAGRAPHS: usize = 4;
const ITEMS: usize = 5;
const ROWS: usize = 6;
/// Words of a heading, an item and a cell; paragraphs are chunks of about 100 words.
const SHORT: usize = 3;
const ITEM: usize = 9;

/// One section: a heading, paragraphs, a numbered list and a table of two columns.
struct Section {
    heading: String,
    paragraphs: Vec<String>,
    items: Vec<String>,
    rows: Vec<(String, String)>,
}

/// A document that can be written in every format.
pub(crate) struct Document(Vec<Section>);

/// Documents whose words come from the fixtures.
pub(crate) fn documents(corpus: &Corpus, count: usize) -> Result<Vec<Document>> {
    let chunks = corpus.chunks(count * SECTIONS * (PARAGRAPHS + 1), SEED);
    let mut chunks = chunks.into_iter();
    let mut document = || -> Result<Document> {
        let sections = (0..SECTIONS).map(|number| section(number, &mut chunks));
        Ok(Document(sections.collect::<Option<_>>().context("chunks")?))
    };
    (0..count).map(|_| document()).collect()
}

fn section(number: usize, chunks: &mut impl Iterator<Item = String>) -> Option<Section> {
    let short = chunks.next()?;
    let mut words = short.split(' ').cycle();
    let mut take = |count| words.by_ref().take(count).collect::<Vec<_>>().join(" ");
    Some(Section {
        heading: plain(&format!("{} {number}", take(SHORT))),
        items: (0..ITEMS).map(|_| plain(&take(ITEM))).collect(),
        rows: (0..ROWS)
            .map(|_| (plain(&take(SHORT)), plain(&take(1))))
            .collect(),
        paragraphs: chunks.take(PARAGRAPHS).map(|text| plain(&text)).collect(),
    })
}

/// Without marks that a format takes for its own.
fn plain(text: &str) -> String {
    text.replace(
        ['|', '<', '>', '&', '"', '#', '*', '`', '_', '[', ']', '\\'],
        "",
    )
}

impl Document {
    pub(crate) fn markdown(&self) -> Result<String> {
        let mut text = String::from("# Handbook\n");
        for section in &self.0 {
            writeln!(text, "\n## {}", section.heading)?;
            for paragraph in &section.paragraphs {
                writeln!(text, "\n{paragraph}")?;
            }
            text.push('\n');
            for (number, item) in (1..).zip(&section.items) {
                writeln!(text, "{number}. {item}")?;
            }
            text.push_str("\n| Name | Value |\n|---|---|\n");
            for (name, value) in &section.rows {
                writeln!(text, "| {name} | {value} |")?;
            }
        }
        Ok(text)
    }

    pub(crate) fn html(&self) -> Result<String> {
        let mut text = String::from("<!doctype html><title>Handbook</title><h1>Handbook</h1>\n");
        for section in &self.0 {
            writeln!(text, "<h2>{}</h2>", section.heading)?;
            for paragraph in &section.paragraphs {
                writeln!(text, "<p>{paragraph}</p>")?;
            }
            text.push_str("<ol>\n");
            for item in &section.items {
                writeln!(text, "<li>{item}</li>")?;
            }
            text.push_str("</ol>\n<table><tr><th>Name</th><th>Value</th></tr>\n");
            for (name, value) in &section.rows {
                writeln!(text, "<tr><td>{name}</td><td>{value}</td></tr>")?;
            }
            text.push_str("</table>\n");
        }
        Ok(text)
    }

    /// A row per paragraph.
    pub(crate) fn csv(&self) -> Result<String> {
        let mut text = String::from("number,heading,text\n");
        for (number, section) in (1..).zip(&self.0) {
            for paragraph in &section.paragraphs {
                writeln!(text, "{number},\"{}\",\"{paragraph}\"", section.heading)?;
            }
        }
        Ok(text)
    }

    /// An object per section, its paragraphs in a list.
    pub(crate) fn json(&self) -> Result<String> {
        let sections = self.0.iter().map(|section| {
            serde_json::json!({
                "heading": section.heading,
                "paragraphs": section.paragraphs,
                "steps": section.items,
            })
        });
        let sections: Vec<serde_json::Value> = sections.collect();
        let document = serde_json::json!({ "title": "Handbook", "sections": sections });
        Ok(serde_json::to_string_pretty(&document)?)
    }
}
