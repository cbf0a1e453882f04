//! Fingerprints of the functions in a message's code.

use crate::terms::fnv1a;

/// Lines that a block of code must have to count as a function.
const LEAST_LINES: usize = 3;

/// Fingerprints of the functions in the fenced code of a message, in order, without repeats.
///
/// A function is a run of code lines without a blank line at the outermost level: fenced code is
/// cut where a blank line is followed by an unindented one. White space and comment lines do not
/// count, so that the same function indented or commented differently is the same.
pub fn fingerprints(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    for block in fenced_blocks(text) {
        for function in split_functions(&block) {
            if let Some(print) = fingerprint(&function).filter(|print| !found.contains(print)) {
                found.push(print);
            }
        }
    }
    found
}

/// The lines of each fenced code block.
fn fenced_blocks(text: &str) -> Vec<Vec<&str>> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, Vec<&str>)> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        open = match open.take() {
            Some((fence, lines)) if trimmed.starts_with(fence) => {
                blocks.push(lines);
                None
            }
            Some((fence, mut lines)) => {
                lines.push(line);
                Some((fence, lines))
            }
            None => fence_of(trimmed).map(|fence| (fence, Vec::new())),
        };
    }
    blocks.extend(open.map(|(_, lines)| lines));
    blocks
}

fn fence_of(line: &str) -> Option<&'static str> {
    ["```", "~~~"]
        .into_iter()
        .find(|fence| line.starts_with(fence))
}

/// Cuts code where an unindented line that opens something follows a blank line.
fn split_functions<'a>(lines: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut functions = vec![Vec::new()];
    let mut blank_before = false;
    for line in lines {
        let unindented = line.starts_with(|c: char| !c.is_whitespace());
        if blank_before && unindented {
            functions.push(Vec::new());
        }
        blank_before = line.trim().is_empty();
        if let Some(function) = functions.last_mut() {
            function.push(*line);
        }
    }
    functions
}

/// Hash of the code without white space and comment lines; `None` when it is too short.
fn fingerprint(lines: &[&str]) -> Option<u64> {
    let code = || {
        let trimmed = lines.iter().map(|line| strip_comment(line).trim());
        trimmed.filter(|line| !line.is_empty())
    };
    if code().count() < LEAST_LINES {
        return None;
    }
    let visible = code().flat_map(str::chars).filter(|c| !c.is_whitespace());
    let mut buffer = [0; 4];
    let bytes = visible.flat_map(|c| c.encode_utf8(&mut buffer).bytes().collect::<Vec<_>>());
    Some(fnv1a(bytes))
}

/// Drops a comment that begins the line or follows a blank: `//`, `#`, `--`, and block comments on
/// one line. `#include`, `#[…]` and `#!` are code.
fn strip_comment(line: &str) -> &str {
    let code_signs = ["#include", "#[", "#!", "#define", "#if", "#end"];
    let trimmed = line.trim_start();
    if code_signs.iter().any(|sign| trimmed.starts_with(sign)) {
        return line;
    }
    if ["//", "#", "--", "/*", "*/", "* "]
        .iter()
        .any(|sign| trimmed.starts_with(sign))
    {
        return "";
    }
    [" //", " # ", " -- "]
        .iter()
        .filter_map(|sign| line.split_once(sign).map(|(code, _)| code))
        .min_by_key(|code| code.len())
        .unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_and_comments_do_not_count() {
        let one = "```rust\nfn add(a: i32) -> i32 {\n    // adds\n    a + 1\n}\n```";
        let two = "Look:\n```\nfn add(a: i32) -> i32 {\n  a  +  1 // one more\n}\n\nfn b() {\n  1\n}\n```";
        let (one, two) = (fingerprints(one), fingerprints(two));
        assert_eq!((one.len(), two.len()), (1, 2));
        assert_eq!(one[0], two[0]);
    }

    #[test]
    fn prose_and_short_snippets_have_none() {
        assert!(fingerprints("no code at all\n\nhere").is_empty());
        assert!(fingerprints("```\nls -l\n```").is_empty());
    }
}
