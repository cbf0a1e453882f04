//! What the sizes and distances of a document's lines say: which are headings, where paragraphs
//! end, and which lines run at the top or foot of every page.

use std::collections::HashMap;

use super::lines::Line;
use super::page::Page;

/// How much larger than the text a heading is set.
const HEADING_SCALE: f32 = 1.15;
/// A heading of more characters is set large for another reason.
const LONGEST_HEADING: usize = 200;
const LONGEST_BOLD_HEADING: usize = 100;
/// Levels of headings that sizes are told apart by.
const MOST_LEVELS: usize = 5;
/// How much farther than usual the next line of another paragraph is.
const PARAGRAPH_SCALE: f32 = 1.3;
/// The distance of lines where there are too few to measure, in sizes of the letters.
const USUAL_LEADING: f32 = 1.2;
/// Lines at either end of a page that may be running ones, and on how many pages they then are.
const RUNNING_LINES: usize = 2;
const FEWEST_RUNNING: usize = 3;

/// Measures of a document.
pub(super) struct Roles {
    /// The size most letters have.
    body: u32,
    /// Sizes of headings, the largest first.
    headings: Vec<u32>,
    /// The distance of lines in a paragraph, in sizes of the letters.
    leading: f32,
}

impl Roles {
    pub(super) fn of(pages: &[Page]) -> Self {
        let lines = || pages.iter().flat_map(|page| &page.lines);
        let mut letters: HashMap<u32, usize> = HashMap::new();
        for line in lines() {
            *letters.entry(half_points(line.size)).or_default() += line.text.chars().count();
        }
        let body = letters.iter().max_by_key(|(size, count)| (**count, **size));
        let body = body.map_or(0, |(size, _)| *size);
        let mut headings: Vec<u32> = lines()
            .filter(|line| is_large(line, body))
            .map(|line| half_points(line.size))
            .collect();
        headings.sort_unstable_by(|a, b| b.cmp(a));
        headings.dedup();
        headings.truncate(MOST_LEVELS);
        Self {
            body,
            headings,
            leading: leading(pages),
        }
    }

    /// The level of a heading, by its size or by standing apart in bold.
    pub(super) fn heading(
        &self,
        line: &Line,
        before: Option<&Line>,
        after: Option<&Line>,
    ) -> Option<u8> {
        if is_large(line, self.body) {
            let size = half_points(line.size);
            let level = self.headings.iter().position(|heading| size >= *heading);
            return Some(level.unwrap_or(MOST_LEVELS - 1) as u8 + 1);
        }
        let apart = |other: Option<&Line>, gap: &dyn Fn(&Line) -> bool| {
            other.is_none_or(|other| !other.is_bold || gap(other))
        };
        let stands = apart(before, &|before| self.parts(before, line))
            && apart(after, &|after| self.parts(line, after))
            && before.is_none_or(|before| {
                self.parts(before, line) || is_large(before, self.body) || ends_sentence(before)
            });
        let short = line.text.chars().count() <= LONGEST_BOLD_HEADING;
        let open = line
            .text
            .ends_with(['.', ',', ';', ':', '。', '，', '；', '：']);
        let letters = line.text.contains(char::is_alphabetic);
        let is_heading = line.is_bold && stands && short && !open && letters && after.is_some();
        is_heading.then(|| self.headings.len() as u8 + 1)
    }

    /// Whether a paragraph ends between two lines that follow each other on a page.
    pub(super) fn parts(&self, before: &Line, after: &Line) -> bool {
        let size = before.size.max(after.size).max(0.1);
        let gap = (before.y - after.y) / size;
        let resized = half_points(before.size).abs_diff(half_points(after.size)) > 2;
        let indented = after.x - before.x > size && ends_sentence(before);
        // A step up is a new column, in which a sentence may go on.
        let column = gap < 0.0 && ends_sentence(before);
        resized || indented || column || gap > self.leading * PARAGRAPH_SCALE
    }
}

/// Takes lines off that stand at the top or foot of most pages, page numbers aside the same.
pub(super) fn drop_running(pages: &mut [Page], notes: &mut Vec<String>) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for page in pages.iter() {
        let mut here: Vec<String> = edges(page).map(|at| running_text(page, at)).collect();
        here.sort_unstable();
        here.dedup();
        for text in here {
            *seen.entry(text).or_default() += 1;
        }
    }
    let fewest = FEWEST_RUNNING.max(pages.len() / 2 + 1);
    // A number alone is a page's own wherever several pages have one.
    seen.retain(|text, count| *count >= fewest || (text == "#" && *count >= FEWEST_RUNNING));
    if seen.is_empty() {
        return;
    }
    for page in pages {
        let running: Vec<usize> = edges(page)
            .filter(|at| seen.contains_key(&running_text(page, *at)))
            .collect();
        let mut at = 0;
        page.lines.retain(|_| {
            at += 1;
            !running.contains(&(at - 1))
        });
    }
    let mut texts: Vec<String> = seen.into_keys().map(|text| format!("`{text}`")).collect();
    texts.sort_unstable();
    notes.push(format!(
        "left out as running on most pages: {}",
        texts.join(", ")
    ));
}

/// Positions of the lines at either end of a page.
fn edges(page: &Page) -> impl Iterator<Item = usize> + use<> {
    let count = page.lines.len();
    (0..count).filter(move |at| *at < RUNNING_LINES || at + RUNNING_LINES >= count)
}

fn running_text(page: &Page, at: usize) -> String {
    let text = page.lines.get(at).map_or("", |line| line.text.as_str());
    let mut running = String::new();
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if running.ends_with('#') => {}
            true => running.push('#'),
            false => running.push(c),
        }
    }
    running
}

/// The usual distance of a line from the one above it, in sizes of the letters.
fn leading(pages: &[Page]) -> f32 {
    let mut gaps: Vec<f32> = Vec::new();
    for page in pages {
        for pair in page.lines.windows(2) {
            if let [before, after] = pair {
                let gap = (before.y - after.y) / after.size.max(0.1);
                let same = half_points(before.size) == half_points(after.size);
                gaps.extend((same && gap > 0.5 && gap < 3.0).then_some(gap));
            }
        }
    }
    gaps.sort_unstable_by(f32::total_cmp);
    // Of lines and of paragraphs there are gaps; those of lines are the smaller ones.
    let middle = gaps.get(gaps.len() / 3).copied();
    middle.unwrap_or(USUAL_LEADING)
}

fn is_large(line: &Line, body: u32) -> bool {
    let size = half_points(line.size) as f32;
    let short = line.text.chars().count() <= LONGEST_HEADING;
    let letters = line.text.contains(char::is_alphabetic);
    short && letters && body > 0 && size >= body as f32 * HEADING_SCALE
}

/// Whether a line ends as a sentence does.
fn ends_sentence(line: &Line) -> bool {
    line.text
        .ends_with(['.', '!', '?', ':', '。', '！', '？', '：', ')', '”'])
}

/// Sizes are compared in half points.
fn half_points(size: f32) -> u32 {
    (size * 2.0).round().clamp(0.0, 10_000.0) as u32
}
