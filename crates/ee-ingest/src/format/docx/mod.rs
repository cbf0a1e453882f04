//! DOCX (Office Open XML, ECMA-376): headings, lists, tables, code and links by their styles.
//!
//! Deleted text, comments, running headers and tables of contents are left out; inserted text is
//! read. The text is packed, so that no stretch of the file's bytes is a unit's text: units have
//! no span. They have no page either, since a page begins where a program puts it.

mod body;
mod numbering;
mod package;
mod paragraph;
mod runs;
mod styles;
mod xml;

use super::BinaryFormat;
use crate::SkipReason;
use crate::document::{BlockKind, Document};
use body::Reader;
use numbering::Numbering;
use package::Package;
use styles::Styles;
use xml::{Relations, child, parse};

pub(super) struct Docx;

impl BinaryFormat for Docx {
    fn parse(&self, bytes: &[u8]) -> Result<Document, SkipReason> {
        let mut package = Package::open(bytes)?;
        let main = main_part(&mut package)?;
        let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = |name: &str| match folder {
            "" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        };
        let Some(body) = package.part(&main)? else {
            return Err(package::malformed(format!("no part `{main}`")));
        };
        let file = main.rsplit('/').next().unwrap_or(&main);
        let relations = package.part(&beside(&format!("_rels/{file}.rels")))?;
        let styles = package.part(&beside("styles.xml"))?;
        let numbering = package.part(&beside("numbering.xml"))?;
        let footnotes = package.part(&beside("footnotes.xml"))?;
        let endnotes = package.part(&beside("endnotes.xml"))?;

        let mut reader = Reader::new(
            Relations::read(relations.as_deref())?,
            Styles::read(styles.as_deref())?,
            Numbering::read(numbering.as_deref())?,
        );
        reader.body(&body)?;
        reader.notes(footnotes.as_deref())?;
        reader.notes(endnotes.as_deref())?;
        let mut document = Document::default();
        let title = reader.finish(&mut document);
        let has_first_heading = document
            .blocks
            .iter()
            .any(|block| block.kind == BlockKind::Heading { level: 1 });
        let core = package.part("docProps/core.xml")?;
        let stated = || core_title(core.as_deref()).filter(|_| !has_first_heading);
        document.title = title.or_else(stated);
        if document.blocks.is_empty() {
            return Err(SkipReason::Empty);
        }
        Ok(document)
    }
}

/// The part that the package names as its document.
fn main_part(package: &mut Package<'_>) -> Result<String, SkipReason> {
    let relations = package.part("_rels/.rels")?;
    let relations = Relations::read(relations.as_deref())?;
    let target = relations.of_kind("officeDocument");
    let target = target.unwrap_or("word/document.xml");
    Ok(target.trim_start_matches('/').to_owned())
}

/// The title in the document's properties.
fn core_title(core: Option<&str>) -> Option<String> {
    let document = parse(core?).ok()?;
    let title = child(document.root_element(), "title")?.text()?;
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then_some(title)
}
