//! Content streams: from drawing operators to runs of text with their places (ISO 32000-1, 9.4).

use std::rc::Rc;

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object};

use super::fonts::{Font, Fonts, dictionary};
use super::matrix::Matrix;
use super::page::Budget;

/// Forms that are drawn inside forms.
const DEEPEST_FORM: usize = 8;
/// Graphics states that are saved one inside the other.
const DEEPEST_STATE: usize = 256;

/// Text that one operator shows, in the page's own coordinates turned upright.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) x: f32,
    pub(super) y: f32,
    /// Where the next letter would stand.
    pub(super) end: f32,
    /// Size of the letters.
    pub(super) size: f32,
    pub(super) is_bold: bool,
}

/// What holds for the text that is shown next.
#[derive(Clone)]
struct State<'a> {
    page: Matrix,
    font: Option<Rc<Font<'a>>>,
    size: f32,
    letter_space: f32,
    word_space: f32,
    stretch: f32,
    leading: f32,
    rise: f32,
}

impl State<'_> {
    fn new(page: Matrix) -> Self {
        Self {
            page,
            font: None,
            size: 0.0,
            letter_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

/// Reads the content of a page and of the forms it draws.
pub(super) struct Interpreter<'a, 'b> {
    file: &'a Document,
    fonts: &'b mut Fonts<'a>,
    budget: &'b mut Budget,
    pub(super) runs: Vec<Run>,
    /// Whether text was met whose codes nothing explains.
    pub(super) has_unknown: bool,
    depth: usize,
    state: State<'a>,
    saved: Vec<State<'a>>,
    text: Matrix,
    line: Matrix,
    /// Per marked content that is open whether it is an artifact.
    marked: Vec<bool>,
}

impl<'a, 'b> Interpreter<'a, 'b> {
    pub(super) fn new(
        file: &'a Document,
        fonts: &'b mut Fonts<'a>,
        budget: &'b mut Budget,
    ) -> Self {
        Self {
            file,
            fonts,
            budget,
            runs: Vec::new(),
            has_unknown: false,
            depth: 0,
            state: State::new(Matrix::IDENTITY),
            saved: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            marked: Vec::new(),
        }
    }

    /// Reads a content stream; what follows an operator that cannot be read is not there.
    pub(super) fn read(&mut self, content: &[u8], resources: &'a Dictionary) {
        for operation in Content::decode_iter(content) {
            match operation {
                Ok(operation) => self.operation(&operation, resources),
                Err(_) => return,
            }
        }
    }

    fn operation(&mut self, operation: &Operation, resources: &'a Dictionary) {
        let operands = operation.operands.as_slice();
        match operation.operator.as_str() {
            "q" if self.saved.len() < DEEPEST_STATE => self.saved.push(self.state.clone()),
            "Q" => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            "cm" => {
                if let Some(matrix) = Matrix::from_numbers(&numbers(operands)) {
                    self.state.page = matrix.then(&self.state.page);
                }
            }
            "Do" => self.draw(operands, resources),
            "BMC" | "BDC" => self.marked.push(name(operands) == Some(b"Artifact")),
            "EMC" => drop(self.marked.pop()),
            operator => self.text_operation(operator, operands, resources),
        }
    }

    fn text_operation(&mut self, operator: &str, operands: &[Object], resources: &'a Dictionary) {
        let number = |at: usize| operands.get(at).and_then(|object| object.as_float().ok());
        let first = number(0).unwrap_or(0.0);
        match operator {
            "BT" => self.start_line(Matrix::IDENTITY),
            "Tf" => {
                self.state.font = name(operands).and_then(|name| self.fonts.get(resources, name));
                self.state.size = number(1).unwrap_or(0.0);
            }
            "Tc" => self.state.letter_space = first,
            "Tw" => self.state.word_space = first,
            "Tz" => self.state.stretch = first / 100.0,
            "TL" => self.state.leading = first,
            "Ts" => self.state.rise = first,
            "Td" => self.move_line(first, number(1).unwrap_or(0.0)),
            "TD" => {
                self.state.leading = -number(1).unwrap_or(0.0);
                self.move_line(first, number(1).unwrap_or(0.0));
            }
            "Tm" => {
                if let Some(matrix) = Matrix::from_numbers(&numbers(operands)) {
                    self.start_line(matrix);
                }
            }
            "T*" => self.next_line(),
            "Tj" => self.show_first(operands),
            "'" => {
                self.next_line();
                self.show_first(operands);
            }
            "\"" => {
                self.state.word_space = first;
                self.state.letter_space = number(1).unwrap_or(0.0);
                self.next_line();
                self.show_first(operands.get(2..).unwrap_or_default());
            }
            "TJ" => self.show_spaced(operands),
            _ => {}
        }
    }

    fn start_line(&mut self, matrix: Matrix) {
        self.line = matrix;
        self.text = matrix;
    }

    fn move_line(&mut self, x: f32, y: f32) {
        self.start_line(Matrix::shift(x, y).then(&self.line));
    }

    fn next_line(&mut self) {
        self.move_line(0.0, -self.state.leading);
    }

    fn show_first(&mut self, operands: &[Object]) {
        if let Some(Ok(bytes)) = operands.first().map(Object::as_str) {
            self.show(bytes);
        }
    }

    /// Strings with adjustments between them, in thousandths of the font's size to the left.
    fn show_spaced(&mut self, operands: &[Object]) {
        let Some(Ok(parts)) = operands.first().map(Object::as_array) else {
            return;
        };
        for part in parts {
            if let Ok(bytes) = part.as_str() {
                self.show(bytes);
            } else if let Ok(adjustment) = part.as_float() {
                let shift = -adjustment / 1000.0 * self.state.size * self.state.stretch;
                self.text = Matrix::shift(shift, 0.0).then(&self.text);
            }
        }
    }

    fn show(&mut self, bytes: &[u8]) {
        let Some(font) = self.state.font.clone() else {
            return;
        };
        let text = font.decode(bytes);
        self.has_unknown |= font.is_unknown() && !bytes.is_empty();
        let state = &self.state;
        let shift: f32 = font
            .advances(bytes)
            .map(|(advance, is_space)| {
                let space = if is_space { state.word_space } else { 0.0 };
                (advance * state.size + state.letter_space + space) * state.stretch
            })
            .sum();
        let start = self.placed();
        let size = state.size * start.vertical_scale();
        self.text = Matrix::shift(shift, 0.0).then(&self.text);
        let (x, y) = start.upright_origin();
        let end = x + shift * start.horizontal_scale();
        let is_artifact = self.marked.contains(&true);
        let is_placed = x.is_finite() && y.is_finite() && end.is_finite() && size.is_finite();
        if !text.is_empty() && !is_artifact && is_placed && self.budget.spend(text.len()) {
            self.runs.push(Run {
                text,
                x,
                y,
                end,
                size: size.abs(),
                is_bold: font.is_bold,
            });
        }
    }

    /// From text to the page.
    fn placed(&self) -> Matrix {
        Matrix::shift(0.0, self.state.rise)
            .then(&self.text)
            .then(&self.state.page)
    }

    /// Draws a form: a content stream with resources of its own.
    fn draw(&mut self, operands: &[Object], resources: &'a Dictionary) {
        let Some(form) = self.form(operands, resources) else {
            return;
        };
        if self.depth >= DEEPEST_FORM {
            return;
        }
        let Ok(content) = form.get_plain_content_with_limit(self.budget.left()) else {
            return;
        };
        if !self.budget.spend(content.len()) {
            return;
        }
        let own = form.dict.get(b"Resources").ok();
        let own = own.and_then(|own| dictionary(self.file, own));
        let matrix = form.dict.get_deref(b"Matrix", self.file).ok();
        let matrix = matrix.and_then(|matrix| matrix.as_array().ok());
        let matrix = matrix.and_then(|matrix| Matrix::from_numbers(&numbers(matrix)));
        let state = self.state.clone();
        let (text, line) = (self.text, self.line);
        let saved = std::mem::take(&mut self.saved);
        self.state.page = matrix.unwrap_or(Matrix::IDENTITY).then(&self.state.page);
        self.depth += 1;
        self.read(&content, own.unwrap_or(resources));
        self.depth -= 1;
        self.saved = saved;
        (self.text, self.line) = (text, line);
        self.state = state;
    }

    fn form(&self, operands: &[Object], resources: &'a Dictionary) -> Option<&'a lopdf::Stream> {
        let objects = dictionary(self.file, resources.get(b"XObject").ok()?)?;
        let (_, object) = self
            .file
            .dereference(objects.get(name(operands)?).ok()?)
            .ok()?;
        let stream = object.as_stream().ok()?;
        let kind = stream.dict.get(b"Subtype").and_then(Object::as_name);
        (kind.ok()? == b"Form").then_some(stream)
    }
}

fn numbers(operands: &[Object]) -> Vec<f32> {
    let numbers = operands.iter().filter_map(|object| object.as_float().ok());
    numbers.collect()
}

fn name(operands: &[Object]) -> Option<&[u8]> {
    operands.first()?.as_name().ok()
}
