//! Fonts: from the codes of a string to text, and how far they advance.

use std::collections::HashMap;
use std::rc::Rc;

use encoding_rs::{BIG5, EUC_JP, EUC_KR, GB18030, SHIFT_JIS, UTF_16BE};
use lopdf::{Dictionary, Document, Encoding, Object, ObjectId};

use super::guard::MOST_STREAM_BYTES;

/// The advance of a glyph whose font does not state it, in ems.
const USUAL_ADVANCE: f32 = 0.5;
/// Entries of a table of advances that are read.
const MOST_ADVANCES: usize = 70_000;
const THOUSANDTH: f32 = 0.001;

/// The predefined maps from codes to characters, by a part of their name (ISO 32000-1, table 118).
const PREDEFINED: [(&str, &encoding_rs::Encoding); 12] = [
    ("UCS2", UTF_16BE),
    ("UTF16", UTF_16BE),
    ("GBK", GB18030),
    ("GBpc", GB18030),
    ("GB-EUC", GB18030),
    ("B5", BIG5),
    ("ETen", BIG5),
    ("RKSJ", SHIFT_JIS),
    ("KSC", EUC_KR),
    ("EUC-H", EUC_JP),
    ("EUC-V", EUC_JP),
    ("HKscs", BIG5),
];

/// A font as the text needs it.
pub(super) struct Font<'a> {
    decoder: Decoder<'a>,
    advances: Advances,
    pub(super) is_bold: bool,
}

enum Decoder<'a> {
    /// Per code of one byte its text.
    Simple(Vec<String>),
    /// Codes of more bytes, by the file's own map.
    Mapped(Encoding<'a>),
    /// Codes of one or more bytes, by a map that readers know.
    Predefined(&'static encoding_rs::Encoding),
    /// Codes without meaning.
    Unknown,
}

/// Advances in ems.
struct Advances {
    by_code: HashMap<u32, f32>,
    other: f32,
    /// Bytes of a code.
    code_bytes: usize,
}

/// The fonts of a file, each read once.
pub(super) struct Fonts<'a> {
    file: &'a Document,
    /// Per font that states what its codes mean a dictionary that says so in the way that is
    /// understood, whatever other encoding the font has.
    stated: &'a HashMap<ObjectId, Dictionary>,
    known: HashMap<ObjectId, Option<Rc<Font<'a>>>>,
}

/// See [`Fonts::stated`].
pub(super) fn stated(file: &Document) -> HashMap<ObjectId, Dictionary> {
    let fonts = file.objects.iter().filter_map(|(id, object)| {
        let font = object.as_dict().ok()?;
        let map = font.get(b"ToUnicode").ok()?;
        let mut stated = Dictionary::new();
        stated.set("Type", Object::Name(b"Font".to_vec()));
        stated.set("ToUnicode", map.clone());
        Some((*id, stated))
    });
    fonts.collect()
}

impl<'a> Fonts<'a> {
    pub(super) fn new(file: &'a Document, stated: &'a HashMap<ObjectId, Dictionary>) -> Self {
        Self {
            file,
            stated,
            known: HashMap::new(),
        }
    }

    /// The font that resources call `name`.
    pub(super) fn get(&mut self, resources: &'a Dictionary, name: &[u8]) -> Option<Rc<Font<'a>>> {
        let fonts = dictionary(self.file, resources.get(b"Font").ok()?)?;
        let object = fonts.get(name).ok()?;
        let Ok(id) = object.as_reference() else {
            let font = self.read(object.as_dict().ok()?, None);
            return Some(Rc::new(font));
        };
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let font = dictionary(self.file, object).map(|font| Rc::new(self.read(font, Some(id))));
        self.known.insert(id, font.clone());
        font
    }

    fn read(&self, font: &'a Dictionary, id: Option<ObjectId>) -> Font<'a> {
        let stated = id.and_then(|id| self.stated.get(&id));
        let stated = stated.and_then(|stated| self.encoding(stated));
        // A map that cannot be read comes back as an encoding that would misread the codes.
        let stated = stated.filter(|stated| matches!(stated, Encoding::UnicodeMapEncoding(_)));
        let name = |dictionary: &Dictionary, key: &[u8]| {
            let name = dictionary.get_deref(key, self.file).ok()?.as_name().ok()?;
            Some(String::from_utf8_lossy(name).into_owned())
        };
        let is_bold = name(font, b"BaseFont").is_some_and(|name| is_bold(&name));
        if name(font, b"Subtype").as_deref() == Some("Type0") {
            let predefined = name(font, b"Encoding").and_then(|name| predefined(&name));
            let decoder = match (stated, predefined) {
                (Some(encoding), _) => Decoder::Mapped(encoding),
                (None, Some(map)) => Decoder::Predefined(map),
                (None, None) => Decoder::Unknown,
            };
            let advances = self.composite_advances(font);
            return Font {
                decoder,
                advances,
                is_bold,
            };
        }
        Font {
            decoder: Decoder::Simple(self.simple_table(font, stated.as_ref())),
            advances: self.simple_advances(font),
            is_bold,
        }
    }

    fn encoding(&self, font: &'a Dictionary) -> Option<Encoding<'a>> {
        font.get_font_encoding_with_limit(self.file, MOST_STREAM_BYTES)
            .ok()
    }

    /// Per code its text: what the font states, else what its encoding says.
    fn simple_table(&self, font: &'a Dictionary, stated: Option<&Encoding<'a>>) -> Vec<String> {
        let encoding = self.encoding(font);
        let read = |encoding: Option<&Encoding<'a>>, code: u8| {
            let text = encoding?.bytes_to_string(&[code]).ok()?;
            (!text.is_empty() && !text.contains('\u{fffd}')).then_some(text)
        };
        let text = |code| {
            let text = read(stated, code).or_else(|| read(encoding.as_ref(), code));
            text.unwrap_or_default()
        };
        (0..=u8::MAX).map(text).collect()
    }

    fn simple_advances(&self, font: &Dictionary) -> Advances {
        let number = |key: &[u8]| font.get_deref(key, self.file).ok()?.as_float().ok();
        let first = number(b"FirstChar").unwrap_or(0.0).max(0.0) as u32;
        let scale = font
            .get_deref(b"FontMatrix", self.file)
            .ok()
            .and_then(|matrix| matrix.as_array().ok()?.first()?.as_float().ok())
            .unwrap_or(THOUSANDTH);
        let widths = font.get_deref(b"Widths", self.file).ok();
        let widths = widths.and_then(|widths| widths.as_array().ok());
        let widths = widths.into_iter().flatten().take(MOST_ADVANCES);
        let width = |object: &Object| {
            let (_, object) = self.file.dereference(object).ok()?;
            object.as_float().ok().filter(|width| *width > 0.0)
        };
        let by_code = widths
            .enumerate()
            .filter_map(|(at, object)| Some((first + at as u32, width(object)? * scale)));
        Advances {
            by_code: by_code.collect(),
            other: USUAL_ADVANCE,
            code_bytes: 1,
        }
    }

    /// The advances of a composite font: `W` holds `first [w …]` and `first last w`.
    fn composite_advances(&self, font: &Dictionary) -> Advances {
        let mut advances = Advances {
            by_code: HashMap::new(),
            other: 1.0,
            code_bytes: 2,
        };
        let descendant = font.get_deref(b"DescendantFonts", self.file).ok();
        let descendant = descendant.and_then(|fonts| fonts.as_array().ok()?.first());
        let Some(descendant) = descendant.and_then(|font| dictionary(self.file, font)) else {
            return advances;
        };
        let other = descendant.get_deref(b"DW", self.file).ok();
        if let Some(other) = other.and_then(|other| other.as_float().ok()) {
            advances.other = other * THOUSANDTH;
        }
        let widths = descendant.get_deref(b"W", self.file).ok();
        if let Some(widths) = widths.and_then(|widths| widths.as_array().ok()) {
            self.read_widths(widths, &mut advances);
        }
        advances
    }

    fn read_widths(&self, widths: &[Object], advances: &mut Advances) {
        let resolved = widths
            .iter()
            .filter_map(|object| Some(self.file.dereference(object).ok()?.1));
        let mut objects = resolved;
        while let (Some(first), Some(next)) = (objects.next(), objects.next()) {
            let Ok(first) = first.as_float() else { return };
            let first = first.max(0.0) as u32;
            if let Ok(list) = next.as_array() {
                let widths = list.iter().filter_map(|width| width.as_float().ok());
                let coded = widths.enumerate().map(|(at, width)| {
                    let code = first.saturating_add(at as u32);
                    (code, width * THOUSANDTH)
                });
                advances.by_code.extend(coded.take(MOST_ADVANCES));
            } else if let (Ok(last), Some(Ok(width))) =
                (next.as_float(), objects.next().map(Object::as_float))
            {
                let last = (last.max(0.0) as u32).min(u32::from(u16::MAX));
                let codes = (first..=last).map(|code| (code, width * THOUSANDTH));
                advances.by_code.extend(codes);
            }
            if advances.by_code.len() > MOST_ADVANCES {
                return;
            }
        }
    }
}

impl Font<'_> {
    /// The text of a string's codes.
    pub(super) fn decode(&self, bytes: &[u8]) -> String {
        match &self.decoder {
            Decoder::Simple(table) => bytes
                .iter()
                .filter_map(|code| table.get(usize::from(*code)))
                .map(String::as_str)
                .collect(),
            Decoder::Mapped(encoding) => encoding.bytes_to_string(bytes).unwrap_or_default(),
            Decoder::Predefined(map) => map.decode_without_bom_handling(bytes).0.into_owned(),
            Decoder::Unknown => String::new(),
        }
    }

    /// Whether nothing tells what the codes mean.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self.decoder, Decoder::Unknown)
    }

    /// The advance of each code of a string in ems, and whether the code is a single-byte space.
    pub(super) fn advances<'b>(
        &'b self,
        bytes: &'b [u8],
    ) -> impl Iterator<Item = (f32, bool)> + 'b {
        let single = self.advances.code_bytes == 1;
        bytes.chunks(self.advances.code_bytes).map(move |code| {
            let number = code
                .iter()
                .fold(0_u32, |number, byte| (number << 8) | u32::from(*byte));
            let advance = self.advances.by_code.get(&number);
            let advance = advance.copied().unwrap_or(self.advances.other);
            (advance, single && number == 32)
        })
    }
}

fn predefined(name: &str) -> Option<&'static encoding_rs::Encoding> {
    let mut maps = PREDEFINED.iter();
    let found = maps.find(|(part, _)| name.contains(part));
    found.map(|(_, map)| *map)
}

fn is_bold(name: &str) -> bool {
    ["Bold", "bold", "Black", "Heavy", "Semibold", "Demi"]
        .iter()
        .any(|weight| name.contains(weight))
}

/// The dictionary that an object is or leads to.
pub(super) fn dictionary<'a>(file: &'a Document, object: &'a Object) -> Option<&'a Dictionary> {
    let (_, object) = file.dereference(object).ok()?;
    match object {
        Object::Dictionary(dictionary) => Some(dictionary),
        Object::Stream(stream) => Some(&stream.dict),
        _ => None,
    }
}
