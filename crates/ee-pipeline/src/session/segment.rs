//! Cuts a unit's text into what an answer can quote: sentences, table rows, blocks of code.

use unicode_segmentation::UnicodeSegmentation;

/// Something an answer can quote whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// A sentence, a heading or a list item, on one line.
    Sentence(String),
    /// A table row; quoted below its header.
    Row {
        /// The header as it stands, with its rule line where it has one.
        header: String,
        /// The row as it stands.
        row: String,
    },
    /// A fenced block, fences included.
    Code(String),
}

impl Segment {
    /// The text that a question is compared with.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Sentence(text) | Self::Code(text) => text,
            Self::Row { row, .. } => row,
        }
    }
}

/// Cuts `text` into segments, in order.
pub(crate) fn segments(text: &str) -> Vec<Segment> {
    let lines: Vec<&str> = text.lines().collect();
    if let Some(rows) = delimited(&lines) {
        return rows;
    }
    let mut found = Vec::new();
    let mut rest = lines.as_slice();
    while let Some(line) = rest.first() {
        let taken = if is_fence(line) {
            code(rest, &mut found)
        } else if is_row(line) {
            table(rest, &mut found)
        } else {
            paragraph(rest, &mut found)
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    found
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let bullet = ["- ", "* ", "+ ", "#"]
        .iter()
        .any(|mark| line.starts_with(mark));
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    bullet || (digits.len() < line.len() && (digits.starts_with(". ") || digits.starts_with(") ")))
}

/// Takes a fenced block and returns how many lines it has.
fn code(lines: &[&str], found: &mut Vec<Segment>) -> usize {
    let body = lines.iter().skip(1).take_while(|line| !is_fence(line));
    let taken = (body.count() + 2).min(lines.len());
    found.push(Segment::Code(
        lines
            .iter()
            .take(taken)
            .copied()
            .collect::<Vec<_>>()
            .join("\n"),
    ));
    taken
}

/// Takes the rows of a Markdown table and returns how many lines it has.
fn table(lines: &[&str], found: &mut Vec<Segment>) -> usize {
    let rows: Vec<&str> = lines
        .iter()
        .copied()
        .take_while(|line| is_row(line))
        .collect();
    let header = match rows.get(1) {
        Some(second) if is_rule(second) => 2,
        // Units of ingested tables repeat their header and have no rule line.
        Some(_) => 1,
        None => 0,
    };
    let (header, body) = rows.split_at(header);
    let header = header.join("\n");
    found.extend(body.iter().map(|row| Segment::Row {
        header: header.clone(),
        row: (*row).to_owned(),
    }));
    rows.len()
}

fn is_rule(line: &str) -> bool {
    line.contains('-')
        && line
            .chars()
            .all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// Takes lines up to the next blank line, list item, table or fence, and cuts them at sentence
/// ends, which Unicode's rules find in languages without spaces too.
fn paragraph(lines: &[&str], found: &mut Vec<Segment>) -> usize {
    let goes_on = |line: &&&str| {
        !line.trim().is_empty() && !is_item(line) && !is_row(line) && !is_fence(line)
    };
    let taken = 1 + lines.iter().skip(1).take_while(goes_on).count();
    let joined = join(lines.iter().take(taken).map(|line| line.trim()));
    let sentences = joined.split_sentence_bounds().map(str::trim);
    found.extend(
        sentences
            .filter(|sentence| sentence.chars().any(char::is_alphanumeric))
            .map(|sentence| Segment::Sentence(sentence.to_owned())),
    );
    taken
}

/// Joins lines with a space, except between characters of scripts without spaces.
fn join<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut joined = String::new();
    for line in lines {
        let wide = |c: Option<char>| c.is_none_or(|c| ('\u{2e80}'..='\u{ffef}').contains(&c));
        if !(wide(joined.chars().last()) && wide(line.chars().next())) {
            joined.push(' ');
        }
        joined.push_str(line);
    }
    joined.trim().to_owned()
}

/// Rows of comma- or tab-separated text: at least two lines, all with equally many separators.
fn delimited(lines: &[&str]) -> Option<Vec<Segment>> {
    let (header, rows) = lines.split_first().filter(|(_, rows)| !rows.is_empty())?;
    let separator = ['\t', ',', ';'].into_iter().find(|separator| {
        let columns = header.matches(*separator).count();
        columns > 0
            && rows
                .iter()
                .all(|row| row.matches(*separator).count() == columns)
    })?;
    let prose = separator == ',' && header.trim_end().ends_with(['.', '。', '!', '?', ':']);
    (!prose).then(|| {
        rows.iter()
            .map(|row| Segment::Row {
                header: (*header).to_owned(),
                row: (*row).to_owned(),
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        segments(text).iter().map(|s| s.text().to_owned()).collect()
    }

    #[test]
    fn sentences_end_where_they_end_in_each_language() {
        assert_eq!(
            texts("Pi is about 3.14 here. It goes\non. Wirklich? Ja!"),
            ["Pi is about 3.14 here.", "It goes on.", "Wirklich?", "Ja!"]
        );
        assert_eq!(
            texts("年假为十天。病假须有\n证明。"),
            ["年假为十天。", "病假须有证明。"]
        );
    }

    #[test]
    fn a_row_keeps_its_header() {
        let rows = segments("Rates:\n\n| city | rate |\n|---|---|\n| Bonn | 90 |\n| Rome | 95 |\n");
        assert_eq!(
            rows[2],
            Segment::Row {
                header: "| city | rate |\n|---|---|".into(),
                row: "| Rome | 95 |".into()
            }
        );
        assert_eq!(
            texts("city,rate\r\nBonn,90\r\nRome,95"),
            ["Bonn,90", "Rome,95"]
        );
    }

    #[test]
    fn code_stays_whole_and_items_apart() {
        assert_eq!(
            texts("Run:\n```sh\na. B\nc. D\n```\n- one\n- two"),
            ["Run:", "```sh\na. B\nc. D\n```", "- one", "- two"]
        );
        assert_eq!(texts("```\nunclosed"), ["```\nunclosed"]);
    }
}
