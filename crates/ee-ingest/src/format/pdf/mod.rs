//! PDF: text by page, arranged by where it stands and how large it is set.
//!
//! A PDF says where glyphs go and seldom what they make up. Lines are put together from positions,
//! paragraphs from the distance between lines, headings from the size of their letters, lists from
//! their marks and tables from columns. Reading order is the order in which the page is drawn.
//! Running headers and footers are left out, and so is what the file itself marks as an artifact.
//!
//! The text is packed and encoded, so that no stretch of the file's bytes is a unit's text: units
//! have a page and no span.

mod fonts;
mod guard;
mod interpreter;
mod layout;
mod lines;
mod matrix;
mod page;
mod roles;

use lopdf::{DecompressError, Error, LoadOptions, Object, decode_text_string};

use super::BinaryFormat;
use crate::SkipReason;
use crate::document::{BlockKind, Document};

const FORMAT: &str = "PDF";
/// Titles that programs put in by themselves.
const NO_TITLES: [&str; 4] = [
    "untitled",
    "microsoft word - ",
    "microsoft powerpoint - ",
    "unknown",
];

pub(super) struct Pdf;

impl BinaryFormat for Pdf {
    fn parse(&self, bytes: &[u8]) -> Result<Document, SkipReason> {
        let file = load(bytes)?;
        let mut document = Document::default();
        let pages = page::pages(&file, &mut document.notes)?;
        document.blocks = layout::blocks(pages, &mut document.notes);
        if document.blocks.is_empty() {
            return Err(SkipReason::NoText {
                format: FORMAT.to_owned(),
            });
        }
        let has_first_heading = document
            .blocks
            .iter()
            .any(|block| block.kind == BlockKind::Heading { level: 1 });
        document.title = title(&file).filter(|_| !has_first_heading);
        Ok(document)
    }
}

/// Opens a file, with the empty password where it is encrypted.
fn load(bytes: &[u8]) -> Result<lopdf::Document, SkipReason> {
    guard::check(bytes)?;
    let options = LoadOptions {
        max_decompressed_size: Some(guard::MOST_STREAM_BYTES),
        ..LoadOptions::default()
    };
    let file =
        lopdf::Document::load_mem_with_options(bytes, options).map_err(|error| refused(&error))?;
    if file.is_encrypted() {
        return Err(protected());
    }
    Ok(file)
}

/// The title that the file states, where a person wrote it.
fn title(file: &lopdf::Document) -> Option<String> {
    let (_, info) = file.dereference(file.trailer.get(b"Info").ok()?).ok()?;
    let (_, title) = file
        .dereference(info.as_dict().ok()?.get(b"Title").ok()?)
        .ok()?;
    let title = match title {
        Object::String(..) => decode_text_string(title).ok()?,
        _ => return None,
    };
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = title.to_lowercase();
    let made = NO_TITLES.iter().any(|made| lower.starts_with(made));
    (!title.is_empty() && !made).then_some(title)
}

fn protected() -> SkipReason {
    SkipReason::Protected {
        format: FORMAT.to_owned(),
    }
}

fn refused(error: &Error) -> SkipReason {
    match error {
        Error::InvalidPassword | Error::Decryption(_) => protected(),
        Error::Decompress(DecompressError::MemoryLimitExceeded { .. }) => guard::too_large(),
        other => malformed(&explained(other)),
    }
}

/// An error with its causes.
fn explained(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message.push_str(": ");
        message.push_str(&cause.to_string());
        source = cause.source();
    }
    message
}

fn malformed(message: &str) -> SkipReason {
    SkipReason::Malformed {
        format: FORMAT.to_owned(),
        message: message.to_owned(),
    }
}
