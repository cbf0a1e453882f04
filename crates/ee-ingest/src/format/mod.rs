//! The formats, chosen by the ending of a source's name.

mod code;
mod delimited;
mod json;
mod markdown;
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

/// Programming languages by file ending.
const LANGUAGES: [(&str, &str); 44] = [
    ("rs", "rust"),
    ("py", "python"),
    ("pyi", "python"),
    ("js", "javascript"),
    ("mjs", "javascript"),
    ("cjs", "javascript"),
    ("jsx", "javascript"),
    ("ts", "typescript"),
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
    ("hpp", "cpp"),
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

/// Parses a file into blocks, with the map from places in them to bytes of the file.
pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<(Document, OffsetMap), SkipReason> {
    let DecodedText {
        text,
        offsets,
        mut notes,
    } = decode(bytes)?;
    let mut document = text_format(&ending(name), &text).parse(&text)?;
    notes.append(&mut document.notes);
    document.notes = notes;
    Ok((document, offsets))
}

/// What follows the last dot of the name's last part, in lower case.
fn ending(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    let ending = file.rsplit_once('.').map(|(_, ending)| ending);
    ending.unwrap_or_default().to_lowercase()
}

fn text_format(ending: &str, text: &str) -> Box<dyn TextFormat> {
    match ending {
        "md" | "markdown" | "mdown" | "mkd" | "mdx" => Box::new(markdown::Markdown),
        "csv" => Box::new(delimited::Delimited::guess(text)),
        "tsv" | "tab" => Box::new(delimited::Delimited::tabs()),
        "json" => Box::new(json::Json),
        "jsonl" | "ndjson" => Box::new(json::JsonLines),
        _ => match LANGUAGES.iter().find(|(known, _)| *known == ending) {
            Some((_, language)) => Box::new(code::Code { language }),
            None => Box::new(text::PlainText),
        },
    }
}
