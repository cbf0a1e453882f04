//! From runs of text to lines, by where they stand.

use super::interpreter::Run;
use crate::patterns::is_unspaced;

/// Distances, in sizes of the letters. A gap of a word and one of a column:
const WORD_GAP: f32 = 0.17;
const COLUMN_GAP: f32 = 1.8;
/// How far a run may stand above or below its line, as raised letters do.
const LINE_SHIFT: f32 = 0.5;
/// How far back a run may begin, as accents and tight letters do.
const BACK_STEP: f32 = 1.0;
/// How near a letter stands that is drawn twice to look bold.
const DOUBLE_SHIFT: f32 = 0.12;

/// A line of text as it stands on the page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    /// The text by columns, one where there are no gaps.
    pub(super) cells: Vec<String>,
    pub(super) x: f32,
    pub(super) y: f32,
    end: f32,
    pub(super) size: f32,
    pub(super) is_bold: bool,
    /// Where the last run began.
    last_x: f32,
    last: String,
}

/// Puts runs that stand side by side into lines.
pub(super) fn lines(runs: Vec<Run>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for run in runs {
        match lines.last_mut() {
            Some(line) if line.repeats(&run) => {}
            Some(line) if line.takes(&run) => line.append(&run),
            _ => lines.push(Line::new(run)),
        }
    }
    lines.retain(|line| !line.text.trim().is_empty());
    for line in &mut lines {
        line.text = squeezed(&line.text);
        line.cells = line.cells.iter().map(|cell| squeezed(cell)).collect();
        line.cells.retain(|cell| !cell.is_empty());
    }
    lines
}

/// The text without control characters and with single spaces.
fn squeezed(text: &str) -> String {
    let clean = text.replace(|c: char| c.is_control(), " ");
    let words: Vec<&str> = clean.split_whitespace().collect();
    words.join(" ")
}

impl Line {
    fn new(run: Run) -> Self {
        Self {
            cells: vec![run.text.clone()],
            x: run.x,
            y: run.y,
            end: run.end,
            size: run.size,
            is_bold: run.is_bold,
            last_x: run.x,
            last: run.text.clone(),
            text: run.text,
        }
    }

    fn repeats(&self, run: &Run) -> bool {
        let near = |a: f32, b: f32| (a - b).abs() < DOUBLE_SHIFT * run.size;
        self.last == run.text && near(self.last_x, run.x) && near(self.y, run.y)
    }

    fn takes(&self, run: &Run) -> bool {
        let size = self.size.max(run.size);
        (self.y - run.y).abs() < LINE_SHIFT * size && run.x > self.end - BACK_STEP * size
    }

    fn append(&mut self, run: &Run) {
        let gap = (run.x - self.end) / run.size.max(0.1);
        if self.text.trim().is_empty() {
            let text = std::mem::take(&mut self.text);
            *self = Self::new(run.clone());
            self.text.insert_str(0, &text);
            return;
        }
        let before = self.text.chars().next_back();
        let after = run.text.chars().next();
        let spaced = [before, after]
            .iter()
            .any(|c| c.is_some_and(char::is_whitespace));
        let unspaced = [before, after].iter().all(|c| c.is_some_and(is_unspaced));
        if gap > COLUMN_GAP && !run.text.trim().is_empty() {
            self.text.push(' ');
            self.cells.push(String::new());
        } else if gap > WORD_GAP && !spaced && !unspaced {
            self.text.push(' ');
            self.push_cell(" ");
        }
        self.text.push_str(&run.text);
        self.push_cell(&run.text);
        self.end = self.end.max(run.end);
        self.size = self.size.max(run.size);
        self.is_bold &= run.is_bold || run.text.trim().is_empty();
        self.last_x = run.x;
        self.last.clone_from(&run.text);
    }

    fn push_cell(&mut self, text: &str) {
        if let Some(cell) = self.cells.last_mut() {
            cell.push_str(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, x: f32, y: f32, end: f32) -> Run {
        Run {
            text: text.to_owned(),
            x,
            y,
            end,
            size: 10.0,
            is_bold: false,
        }
    }

    #[test]
    fn gaps_make_words_and_columns() {
        let found = lines(vec![
            run("Re", 0.0, 100.0, 10.0),
            run("gion", 10.2, 100.0, 30.0),
            run("of", 33.0, 100.0, 40.0),
            run("12", 80.0, 100.0, 90.0),
            run("next", 0.0, 88.0, 20.0),
        ]);
        let texts: Vec<&str> = found.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["Region of 12", "next"]);
        assert_eq!(found.first().unwrap().cells, ["Region of", "12"]);
    }

    #[test]
    fn letters_drawn_twice_are_read_once() {
        let found = lines(vec![
            run("Bold", 0.0, 100.0, 20.0),
            run("Bold", 0.4, 100.0, 20.4),
        ]);
        assert_eq!(found.first().unwrap().text, "Bold");
    }
}
