//! No unit of any format exceeds the embedder's window, and no word of a document is lost.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use proptest::collection::vec;
use proptest::prelude::*;
use zip::write::SimpleFileOptions;

use crate::laws::{check, words};
use crate::support::try_parse;

/// A part of a document, in words of letters alone.
#[derive(Debug, Clone)]
enum Part {
    Heading(String),
    Paragraph(String),
    List(bool, Vec<String>),
    Table(Vec<Vec<String>>),
    Code(Vec<String>),
}

fn phrase(range: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    vec("[a-zäü水泵]{1,9}", range).prop_map(|words| words.join(" "))
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        phrase(1..6).prop_map(Part::Heading),
        phrase(1..80).prop_map(Part::Paragraph),
        (any::<bool>(), vec(phrase(1..30), 1..6))
            .prop_map(|(ordered, items)| Part::List(ordered, items)),
        vec(vec(phrase(1..4), 3), 2..9).prop_map(Part::Table),
        vec(phrase(1..8), 1..12).prop_map(Part::Code),
    ]
}

fn markdown(parts: &[Part]) -> Vec<u8> {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Heading(words) => writeln!(text, "## {words}\n").unwrap(),
            Part::Paragraph(words) => writeln!(text, "{words}.\n").unwrap(),
            Part::List(ordered, items) => {
                let mark = if *ordered { "1." } else { "-" };
                for item in items {
                    writeln!(text, "{mark} {item}").unwrap();
                }
                text.push_str("\n<!-- end -->\n\n");
            }
            Part::Table(rows) => {
                for (at, row) in rows.iter().enumerate() {
                    writeln!(text, "| {} |", row.join(" | ")).unwrap();
                    text.push_str(if at == 0 { "|---|---|---|\n" } else { "" });
                }
                text.push('\n');
            }
            Part::Code(lines) => writeln!(text, "```\n{}\n```\n", lines.join("\n")).unwrap(),
        }
    }
    text.into_bytes()
}

fn html(parts: &[Part]) -> Vec<u8> {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Heading(words) => write!(text, "<h2>{words}</h2>").unwrap(),
            Part::Paragraph(words) => write!(text, "<p>{words}.</p>").unwrap(),
            Part::List(ordered, items) => {
                let name = if *ordered { "ol" } else { "ul" };
                write!(text, "<{name}><li>{}</{name}>", items.join("<li>")).unwrap();
            }
            Part::Table(rows) => {
                let rows = rows.iter().map(|row| row.join("<td>"));
                let rows: Vec<String> = rows.collect();
                write!(text, "<table><tr><td>{}</table>", rows.join("<tr><td>")).unwrap();
            }
            Part::Code(lines) => write!(text, "<pre>{}</pre>", lines.join("\n")).unwrap(),
        }
    }
    text.into_bytes()
}

fn docx(parts: &[Part]) -> Vec<u8> {
    let paragraph = |style: &str, words: &str| {
        format!("<w:p><w:pPr>{style}</w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>")
    };
    let mut body = String::new();
    for part in parts {
        match part {
            Part::Heading(words) => {
                body += &paragraph(r#"<w:pStyle w:val="Heading2"/>"#, words);
            }
            Part::Paragraph(words) => body += &paragraph("", &format!("{words}.")),
            Part::List(_, items) => {
                let list = r#"<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>"#;
                for item in items {
                    body += &paragraph(list, item);
                }
            }
            Part::Table(rows) => {
                body += "<w:tbl>";
                for row in rows {
                    let cell = |words: &String| format!("<w:tc>{}</w:tc>", paragraph("", words));
                    let cells: String = row.iter().map(cell).collect();
                    write!(body, "<w:tr>{cells}</w:tr>").unwrap();
                }
                body += "</w:tbl>";
            }
            Part::Code(lines) => {
                let style = r#"<w:pStyle w:val="SourceCode"/>"#;
                for line in lines {
                    body += &paragraph(style, line);
                }
            }
        }
    }
    let document = format!(r#"<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>"#);
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive
        .start_file("word/document.xml", SimpleFileOptions::default())
        .unwrap();
    archive.write_all(document.as_bytes()).unwrap();
    archive.finish().unwrap().into_inner()
}

/// Lines of up to forty characters on pages of fifty lines.
fn pdf(parts: &[Part]) -> Vec<u8> {
    let mut lines: Vec<(u32, String)> = Vec::new();
    for part in parts {
        let (size, texts) = match part {
            Part::Heading(words) => (20, vec![words.clone()]),
            Part::Paragraph(words) => (10, vec![format!("{words}.")]),
            Part::List(_, items) => (10, items.iter().map(|item| format!("- {item}")).collect()),
            Part::Table(rows) => (10, rows.iter().map(|row| row.join(" ")).collect()),
            Part::Code(lines) => (10, lines.clone()),
        };
        for text in texts {
            let letters: Vec<char> = text.chars().collect();
            // A line ends between words, as a program would set it.
            let mut line = String::new();
            for word in letters.split(|c| *c == ' ') {
                if line.chars().count() + word.len() > 40 {
                    lines.push((size, std::mem::take(&mut line)));
                }
                line.extend(word);
                line.push(' ');
            }
            lines.push((size, line));
        }
    }
    let mut file = b"%PDF-1.5\n".to_vec();
    let mut kids = String::new();
    for (page, lines) in lines.chunks(50).enumerate() {
        let number = 10 + page * 2;
        let mut content = String::from("BT 1 0 0 1 72 800 Tm ");
        for (size, line) in lines {
            let mut codes = String::new();
            for code in line.encode_utf16() {
                write!(codes, "{code:04x}").unwrap();
            }
            write!(content, "/F {size} Tf 0 -14 Td <{codes}> Tj ").unwrap();
        }
        content.push_str("ET");
        write!(
            file,
            "{number} 0 obj\n<< /Type /Page /Parent 2 0 R /Contents {} 0 R /Resources << /Font << /F 3 0 R >> >> >>\nendobj\n{} 0 obj\n<< /Length {} >>\nstream\n{content}\nendstream\nendobj\n",
            number + 1,
            number + 1,
            content.len(),
        )
        .unwrap();
        write!(kids, "{number} 0 R ").unwrap();
    }
    let pages = lines.len().div_ceil(50);
    write!(
        file,
        "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [{kids}] /Count {pages} >>\nendobj\n3 0 obj\n<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /UniGB-UCS2-H >>\nendobj\ntrailer\n<< /Root 1 0 R /Size 1000 >>\n%%EOF\n"
    )
    .unwrap();
    file
}

fn rows(parts: &[Part], line: impl Fn(&str, &str) -> String) -> Vec<u8> {
    let texts = parts.iter().flat_map(|part| match part {
        Part::Heading(words) | Part::Paragraph(words) => vec![words.clone()],
        Part::List(_, items) | Part::Code(items) => items.clone(),
        Part::Table(rows) => rows.concat(),
    });
    let lines: Vec<String> = texts.map(|text| line("ann", &text)).collect();
    lines.join("\n").into_bytes()
}

fn renderings(parts: &[Part]) -> Vec<(&'static str, Vec<u8>)> {
    let comment = |_: &str, text: &str| format!("# {text}\ndef f():\n    pass\n");
    let message = |who: &str, text: &str| format!(r#"{{"speaker":"{who}","text":"{text}"}}"#);
    vec![
        ("a.md", markdown(parts)),
        ("a.html", html(parts)),
        ("a.docx", docx(parts)),
        ("a.pdf", pdf(parts)),
        ("a.jsonl", rows(parts, message)),
        (
            "a.json",
            format!(
                "[{}]",
                String::from_utf8(rows(parts, message))
                    .unwrap()
                    .replace('\n', ",")
            )
            .into_bytes(),
        ),
        (
            "a.log",
            rows(parts, |who, text| format!("[10:02] {who}: {text}")),
        ),
        ("a.txt", rows(parts, |_, text| format!("{text}.\n"))),
        ("a.csv", rows(parts, |who, text| format!("{who},{text}"))),
        ("a.tsv", rows(parts, |who, text| format!("{who}\t{text}"))),
        ("a.py", rows(parts, comment)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn nothing_exceeds_the_window_and_no_word_is_lost(
        parts in vec(part(), 1..14),
        max_tokens in 16usize..200,
    ) {
        for (name, bytes) in renderings(&parts) {
            let parsed = try_parse(name, &bytes, max_tokens).unwrap();
            check(&parsed, &bytes, max_tokens)?;
            let mut kept = String::new();
            for unit in &parsed.units {
                writeln!(kept, "{}\n{}", unit.content, unit.metadata.section_path.join("\n")).unwrap();
            }
            let kept: HashSet<&str> = words(&kept).collect();
            for part in &parts {
                let said = String::from_utf8(rows(std::slice::from_ref(part), |_, text| text.to_owned())).unwrap();
                for word in words(&said) {
                    prop_assert!(kept.contains(word), "{name}: {word:?} of {part:?} in {kept:?}");
                }
            }
        }
    }
}
