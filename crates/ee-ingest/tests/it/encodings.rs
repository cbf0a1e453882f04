//! Byte-order marks, line ends, UTF-16, invalid bytes, binary files.

use ee_ingest::SkipReason;

use crate::support::{parse, span, try_parse};

const TEXT: &str = "# Über 水泵\n\nDer Motor läuft. 🦀 läuft auch.\n\nZweiter Absatz.\n";

fn utf16(text: &str, little: bool) -> Vec<u8> {
    let bytes = |unit: u16| {
        if little {
            unit.to_le_bytes()
        } else {
            unit.to_be_bytes()
        }
    };
    text.encode_utf16().flat_map(bytes).collect()
}

fn contents(bytes: &[u8]) -> Vec<String> {
    parse("a.md", bytes)
        .units
        .into_iter()
        .map(|unit| unit.content)
        .collect()
}

#[test]
fn the_same_text_in_any_encoding_gives_the_same_ids() {
    let plain: Vec<_> = parse("a.md", TEXT)
        .units
        .iter()
        .map(|unit| unit.id)
        .collect();
    let windows = TEXT.replace('\n', "\r\n");
    let decomposed = TEXT.replace('ä', "a\u{308}").replace('Ü', "U\u{308}");
    for bytes in [
        [b"\xef\xbb\xbf".as_slice(), TEXT.as_bytes()].concat(),
        windows.as_bytes().to_vec(),
        TEXT.replace('\n', "\r").into_bytes(),
        decomposed.into_bytes(),
        [b"\xff\xfe".as_slice(), &utf16(TEXT, true)].concat(),
        [b"\xfe\xff".as_slice(), &utf16(TEXT, false)].concat(),
        utf16(TEXT, true),
        utf16(&windows, false),
    ] {
        let ids: Vec<_> = parse("a.md", bytes)
            .units
            .iter()
            .map(|unit| unit.id)
            .collect();
        assert_eq!(ids, plain);
    }
}

#[test]
fn spans_count_bytes_of_the_original_file() {
    let bytes = [b"\xff\xfe".as_slice(), &utf16(TEXT, true)].concat();
    let unit = &parse("a.md", &bytes).units[0];
    assert_eq!(
        unit.content,
        "Der Motor läuft. 🦀 läuft auch.\n\nZweiter Absatz."
    );
    let expected = utf16("Der Motor läuft. 🦀 läuft auch.\n\nZweiter Absatz.", true);
    assert_eq!(span(unit, &bytes), expected);
}

#[test]
fn chinese_utf16_without_a_mark_is_recognised() {
    let text = "员工必须提前两周申请年假。病假需要医生证明。\n第二段在这里。";
    for little in [true, false] {
        let parsed = parse("a.txt", utf16(text, little));
        assert!(parsed.units[0].content.starts_with("员工必须"), "{little}");
    }
}

#[test]
fn mixed_line_ends_are_one_line_end() {
    assert_eq!(
        contents(b"One.\r\n\r\nTwo.\r\rThree.\n\nFour.\n"),
        ["One.\n\nTwo.\n\nThree.\n\nFour."]
    );
}

#[test]
fn invalid_bytes_are_replaced_and_noted() {
    let bytes = b"The pump \xff\xfe runs well and long. It stops.";
    let parsed = parse("a.txt", bytes);
    assert!(parsed.units[0].content.contains("\u{fffd}\u{fffd} runs"));
    assert_eq!(parsed.notes.len(), 1);
    assert!(parsed.notes[0].contains("2 bytes"), "{}", parsed.notes[0]);
    let tail = &parsed.units.last().unwrap().metadata.span.unwrap();
    assert_eq!(tail.end, bytes.len() as u64);
}

#[test]
fn binary_files_are_skipped() {
    let png =
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00";
    for bytes in [
        png.to_vec(),
        vec![0; 4096],
        (0..=255).cycle().take(9001).collect(),
    ] {
        assert_eq!(try_parse("a.txt", &bytes, 128), Err(SkipReason::Binary));
    }
}

#[test]
fn empty_and_blank_files_are_skipped() {
    for bytes in ["", "\u{feff}", " \r\n\t\n", "\u{200b}\n"] {
        assert_eq!(
            try_parse("a.md", bytes.as_bytes(), 128),
            Err(SkipReason::Empty),
            "{bytes:?}"
        );
    }
}
