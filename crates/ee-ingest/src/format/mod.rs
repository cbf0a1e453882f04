//! The formats, chosen by the ending of a source's name.

#[cfg(any(feature = "docx", feature = "html"))]
mod anchors;
mod builder;
mod chat_log;
mod code;
mod delimited;
#[cfg(feature = "docx")]
mod docx;
#[cfg(feature = "html")]
mod html;
mod json;
mod listing;
mod markdown;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "code")]
mod syntax;
mod tags;
mod text;

use crate::SkipReason;
use crate::decode::{DecodedText, decode};
use crate::document::Document;
use crate::offsets::OffsetMap;

/// A format whose files are text.
pub(crate) trait TextFormat: Sync {
    /// Parses canonical text; places in the blocks are bytes of it.
    fn parse(&self, text: &str) -> Result<Document, SkipReason>;
}

/// A format whose files hold their text packed or encoded, so that no stretch of the file is the
/// text itself.
#[cfg(any(feature = "docx", feature = "pdf"))]
pub(crate) trait BinaryFormat: Sync {
    /// Parses a file; places in the blocks order them and are no bytes of the file.
    fn parse(&self, bytes: &[u8]) -> Result<Document, SkipReason>;
}

/// Programming languages by file ending.
const LANGUAGES: [(&str, &str); 51] = [
    ("rs", "rust"),
    ("py", "python"),
    ("pyi", "python"),
    ("js", "javascript"),
    ("mjs", "javascript"),
    ("cjs", "javascript"),
    ("jsx", "javascript"),
    ("ts", "typescript"),
    ("mts", "typescript"),
    ("cts", "typescript"),
    ("tsx", "typescript"),
    ("go", "go"),
    ("java", "java"),
    ("kt", "kotlin"),
    ("scala", "scala"),
    ("c", "c"),
    ("h", "c"),
    ("cc", "cpp"),
    ("cpp", "cpp"),
    ("cxx", "cpp"),
    ("c++", "cpp"),
    ("hh", "cpp"),
    ("hpp", "cpp"),
    ("hxx", "cpp"),
    ("h++", "cpp"),
    ("inl", "cpp"),
    ("cs", "csharp"),
    ("rb", "ruby"),
    ("php", "php"),
    ("swift", "swift"),
    ("lua", "lua"),
    ("pl", "perl"),
    ("r", "r"),
    ("jl", "julia"),
    ("hs", "haskell"),
    ("ml", "ocaml"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("erl", "erlang"),
    ("clj", "clojure"),
    ("dart", "dart"),
    ("sh", "shell"),
    ("bash", "shell"),
    ("sql", "sql"),
    ("css", "css"),
    ("toml", "toml"),
    ("yaml", "yaml"),
    ("yml", "yaml"),
    ("ini", "ini"),
    ("proto", "protobuf"),
    ("zig", "zig"),
];

/// Parses a file into blocks, with the map from places in them to bytes of the file, where the
/// format has such places.
pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<(Document, Option<OffsetMap>), SkipReason> {
    let ending = ending(name);
    #[cfg(any(feature = "docx", feature = "pdf"))]
    if let Some(format) = binary_format(&ending) {
        return Ok((format.parse(bytes)?, None));
    }
    let DecodedText {
        text,
        offsets,
        mut notes,
    } = decode(bytes)?;
    let mut document = text_format(&ending, &text).parse(&text)?;
    notes.append(&mut document.notes);
    document.notes = notes;
    Ok((document, Some(offsets)))
}

/// What follows the last dot of the name's last part, in lower case.
fn ending(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    let ending = file.rsplit_once('.').map(|(_, ending)| ending);
    ending.unwrap_or_default().to_lowercase()
}

#[cfg(any(feature = "docx", feature = "pdf"))]
fn binary_format(ending: &str) -> Option<Box<dyn BinaryFormat>> {
    match ending {
        #[cfg(feature = "docx")]
        "docx" | "docm" | "dotx" => Some(Box::new(docx::Docx)),
        #[cfg(feature = "pdf")]
        "pdf" => Some(Box::new(pdf::Pdf)),
        _ => None,
    }
}

fn text_format(ending: &str, text: &str) -> Box<dyn TextFormat> {
    match ending {
        "md" | "markdown" | "mdown" | "mkd" | "mdx" => Box::new(markdown::Markdown),
        "csv" => Box::new(delimited::Delimited::guess(text)),
        "tsv" | "tab" => Box::new(delimited::Delimited::tabs()),
        "json" => Box::new(json::Json),
        "jsonl" | "ndjson" => Box::new(json::JsonLines),
        #[cfg(feature = "html")]
        "html" | "htm" | "xhtml" => Box::new(html::Html),
        _ => match LANGUAGES.iter().find(|(known, _)| *known == ending) {
            Some((ending, language)) => code_format(ending, language),
            None if chat_log::is_log(text) => Box::new(chat_log::ChatLog),
            None => Box::new(text::PlainText),
        },
    }
}

/// Source code by its syntax where its grammar is built in, else by its layout.
fn code_format(ending: &str, language: &'static str) -> Box<dyn TextFormat> {
    #[cfg(feature = "code")]
    if let Some(syntax) = syntax::Syntax::of(ending, language) {
        return Box::new(syntax);
    }
    let _ = ending;
    Box::new(code::Code { language })
}
