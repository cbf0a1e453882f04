//! Texts on one line: what a table or a piece of code is about.

/// On one line, with single spaces and without the marks of list items.
pub(super) fn flat(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    for line in text.lines().map(str::trim) {
        let line = line.strip_prefix("- ").unwrap_or(line);
        if line.is_ascii() {
            append_words(&mut flat, line.split_ascii_whitespace());
        } else {
            append_words(&mut flat, line.split_whitespace());
        }
    }
    flat
}

fn append_words<'a>(text: &mut String, words: impl Iterator<Item = &'a str>) {
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
}

/// The columns of a table and the keys of its rows.
pub(super) fn table_gist(content: &str) -> String {
    let mut rows = content.lines().map(cells);
    let header = rows.next().unwrap_or_default();
    let columns: Vec<&str> = header.into_iter().filter(|cell| !cell.is_empty()).collect();
    let keys: Vec<&str> = rows
        .filter_map(|row| row.into_iter().find(|cell| !cell.is_empty()))
        .collect();
    if keys.is_empty() {
        return columns.join(", ");
    }
    format!("{} for {}", columns.join(", "), keys.join(", "))
}

fn cells(row: &str) -> Vec<&str> {
    row.trim()
        .trim_matches('|')
        .split('|')
        .map(str::trim)
        .collect()
}

/// The first line that is code, then the first that explains it.
pub(super) fn code_gist(content: &str) -> String {
    let lines = || {
        content
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    let signature = lines().find(|line| comment(line).is_none() && !line.starts_with(['@', '[']));
    let explanation = lines().find_map(|line| comment(line).filter(|text| !text.is_empty()));
    match (signature, explanation) {
        (Some(signature), Some(explanation)) => format!(
            "{}: {explanation}",
            signature.trim_end_matches(['{', ':', ' '])
        ),
        (Some(only), None) => only.trim_end_matches(['{', ' ']).to_owned(),
        (None, Some(only)) => only.to_owned(),
        (None, None) => flat(content),
    }
}

/// The text of a comment line.
fn comment(line: &str) -> Option<&str> {
    const MARKS: [&str; 12] = [
        "///", "//!", "//", "/**", "/*", "*/", "* ", "#!", "# ", "--", "\"\"\"", "'''",
    ];
    let mark = MARKS.iter().find(|mark| line.starts_with(**mark))?;
    let text = line.strip_prefix(mark)?;
    Some(
        text.trim()
            .trim_end_matches("*/")
            .trim_end_matches("\"\"\"")
            .trim(),
    )
}
