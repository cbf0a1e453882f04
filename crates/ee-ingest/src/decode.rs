//! Bytes to canonical text: byte-order marks, UTF-8, UTF-16, line ends, Unicode composition.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_segmentation::UnicodeSegmentation;

use crate::SkipReason;
use crate::offsets::OffsetMap;

/// How much of a file is looked at to tell its encoding.
const SAMPLE_BYTES: usize = 8192;
/// Share of control and replacement characters above which a file counts as binary, in percent.
const MOST_STRAY_PERCENT: usize = 10;

/// A file as canonical text, see [`km_core::canonical`].
#[derive(Debug)]
pub(crate) struct DecodedText {
    pub(crate) text: String,
    pub(crate) offsets: OffsetMap,
    /// What a reader of the report should know.
    pub(crate) notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16(Endian),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Endian {
    Little,
    Big,
}

/// Decodes a whole file.
pub(crate) fn decode(bytes: &[u8]) -> Result<DecodedText, SkipReason> {
    let (encoding, mark) = detect(bytes);
    let body = bytes.get(mark..).unwrap_or_default();
    let mut writer = Writer::starting_at(mark);
    match encoding {
        Encoding::Utf8 => decode_utf8(body, &mut writer),
        Encoding::Utf16(endian) => decode_utf16(body, endian, &mut writer),
    }
    let decoded = writer.finish();
    let characters = decoded.text.chars().count();
    if characters == 0 || decoded.text.chars().all(is_blank) {
        return Err(SkipReason::Empty);
    }
    let stray = decoded.text.chars().filter(|c| is_stray(*c)).count();
    if stray * 100 > characters * MOST_STRAY_PERCENT {
        return Err(SkipReason::Binary);
    }
    Ok(decoded)
}

/// White space, and marks that show nothing.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}')
}

fn is_stray(c: char) -> bool {
    c == '\u{fffd}' || (c.is_control() && !matches!(c, '\n' | '\t' | '\u{c}' | '\u{1b}'))
}

/// The encoding and the length of the byte-order mark.
fn detect(bytes: &[u8]) -> (Encoding, usize) {
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => (Encoding::Utf8, 3),
        [0xff, 0xfe, ..] => (Encoding::Utf16(Endian::Little), 2),
        [0xfe, 0xff, ..] => (Encoding::Utf16(Endian::Big), 2),
        _ => (guess(bytes), 0),
    }
}

/// Text without a mark is UTF-8 unless it cannot be and makes good UTF-16.
fn guess(bytes: &[u8]) -> Encoding {
    let sample = bytes
        .get(..SAMPLE_BYTES.min(bytes.len()))
        .unwrap_or_default();
    let cut = match std::str::from_utf8(sample) {
        Ok(_) => false,
        Err(error) => error.error_len().is_none() && bytes.len() > sample.len(),
    };
    let valid = std::str::from_utf8(sample).is_ok() || cut;
    if (valid && !sample.contains(&0)) || bytes.len() % 2 == 1 {
        return Encoding::Utf8;
    }
    let score = |endian| (utf16_score(sample, endian), endian);
    let (little, big) = (score(Endian::Little), score(Endian::Big));
    let (best, endian) = if big.0 > little.0 { big } else { little };
    match best {
        Some(_) => Encoding::Utf16(endian),
        None => Encoding::Utf8,
    }
}

/// How many spaces, line ends and common marks the sample has when read as UTF-16; `None` when
/// more than one character in twenty is none that ordinary text has.
fn utf16_score(sample: &[u8], endian: Endian) -> Option<usize> {
    let units = code_units(sample, endian);
    let (mut all, mut plausible, mut common) = (0_usize, 0_usize, 0_usize);
    for c in char::decode_utf16(units) {
        let c = c.unwrap_or('\u{fffd}');
        all += 1;
        plausible += usize::from(is_plausible(c));
        common +=
            usize::from(c.is_ascii_whitespace() || matches!(c, ',' | '.' | '，' | '。' | '、'));
    }
    (all > 0 && plausible * 20 >= all * 19).then_some(common)
}

/// Characters of the scripts most text is written in.
fn is_plausible(c: char) -> bool {
    c.is_ascii_graphic()
        || c.is_ascii_whitespace()
        || matches!(c,
            '\u{a0}'..='\u{24f}' | '\u{370}'..='\u{6ff}' | '\u{900}'..='\u{dff}'
            | '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}' | '\u{ff00}'..='\u{ffef}' | '\u{10000}'..='\u{1ffff}')
}

fn code_units(bytes: &[u8], endian: Endian) -> impl Iterator<Item = u16> + '_ {
    bytes.chunks_exact(2).filter_map(move |pair| {
        let pair: [u8; 2] = pair.try_into().ok()?;
        Some(match endian {
            Endian::Little => u16::from_le_bytes(pair),
            Endian::Big => u16::from_be_bytes(pair),
        })
    })
}

fn decode_utf8(bytes: &[u8], writer: &mut Writer) {
    for chunk in bytes.utf8_chunks() {
        writer.push_text(chunk.valid());
        writer.push_replaced(chunk.invalid().len());
    }
}

fn decode_utf16(bytes: &[u8], endian: Endian, writer: &mut Writer) {
    let mut line = String::new();
    for decoded in char::decode_utf16(code_units(bytes, endian)) {
        if let Ok(c) = decoded {
            line.push(c);
            if c == '\n' {
                writer.push_wide(&line);
                line.clear();
            }
        } else {
            writer.push_wide(&line);
            line.clear();
            writer.push_replaced(2);
        }
    }
    writer.push_wide(&line);
    writer.push_replaced(bytes.len() % 2);
}

/// Writes canonical text and keeps the map in step.
struct Writer {
    text: String,
    offsets: OffsetMap,
    replaced_bytes: usize,
    after_carriage_return: bool,
}

impl Writer {
    fn starting_at(original: usize) -> Self {
        Self {
            text: String::new(),
            offsets: OffsetMap::starting_at(original),
            replaced_bytes: 0,
            after_carriage_return: false,
        }
    }

    /// Text that stands in the original as UTF-8.
    fn push_text(&mut self, text: &str) {
        self.push(text, str::len);
    }

    /// Text that stands in the original as UTF-16.
    fn push_wide(&mut self, text: &str) {
        self.push(text, |part| {
            part.chars().map(char::len_utf16).sum::<usize>() * 2
        });
    }

    /// Bytes that are not text: one replacement character stands for each broken sequence.
    fn push_replaced(&mut self, original: usize) {
        if original > 0 {
            self.after_carriage_return = false;
            self.replaced_bytes += original;
            self.text.push('\u{fffd}');
            self.offsets.push_changed('\u{fffd}'.len_utf8(), original);
        }
    }

    fn push(&mut self, text: &str, original: impl Fn(&str) -> usize) {
        let mut rest = text;
        if std::mem::take(&mut self.after_carriage_return)
            && let Some(after) = rest.strip_prefix('\n')
        {
            self.offsets.push_changed(0, original("\n"));
            rest = after;
        }
        while let Some(at) = rest.find('\r') {
            let (before, from) = rest.split_at(at);
            self.push_composed(before, &original);
            let end = if from.starts_with("\r\n") {
                "\r\n"
            } else {
                "\r"
            };
            self.after_carriage_return = from.len() == 1;
            self.text.push('\n');
            self.offsets.push_changed(1, original(end));
            rest = from.strip_prefix(end).unwrap_or_default();
        }
        self.push_composed(rest, &original);
    }

    /// Text without carriage returns, brought to NFC.
    fn push_composed(&mut self, text: &str, original: &impl Fn(&str) -> usize) {
        if text.is_empty() {
            return;
        }
        self.after_carriage_return = false;
        if is_nfc_quick(text.chars()) == IsNormalized::Yes {
            return self.push_same(text, original);
        }
        for line in text.split_inclusive('\n') {
            if is_nfc_quick(line.chars()) == IsNormalized::Yes {
                self.push_same(line, original);
            } else {
                self.push_clusters(line, original);
            }
        }
    }

    /// Composition never reaches beyond a grapheme cluster, so that each can be mapped by itself.
    fn push_clusters(&mut self, line: &str, original: &impl Fn(&str) -> usize) {
        for cluster in line.graphemes(true) {
            if is_nfc_quick(cluster.chars()) == IsNormalized::Yes {
                self.push_same(cluster, original);
            } else {
                let before = self.text.len();
                self.text.extend(cluster.nfc());
                let written = self.text.len() - before;
                self.offsets.push_changed(written, original(cluster));
            }
        }
    }

    fn push_same(&mut self, text: &str, original: &impl Fn(&str) -> usize) {
        self.text.push_str(text);
        if original(text) == text.len() && original("a") == 1 {
            return self.offsets.push_equal(text.len());
        }
        let mut buffer = [0; 4];
        for c in text.chars() {
            let written = c.len_utf8();
            self.offsets
                .push_changed(written, original(c.encode_utf8(&mut buffer)));
        }
    }

    fn finish(self) -> DecodedText {
        let mut notes = Vec::new();
        if self.replaced_bytes > 0 {
            notes.push(format!(
                "{} bytes are not valid text and were replaced by U+FFFD",
                self.replaced_bytes
            ));
        }
        DecodedText {
            text: self.text,
            offsets: self.offsets,
            notes,
        }
    }
}
