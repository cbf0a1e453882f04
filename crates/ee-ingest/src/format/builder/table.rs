//! Tables: rows of cells between bars, the first row the header.

use super::Builder;
use crate::document::BlockKind;
use crate::mapped::MappedText;

#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<MappedText>,
    row: MappedText,
    cells: usize,
}

impl Table {
    fn push(&mut self, cell: &MappedText) {
        self.cells += 1;
        self.row.append("| ", cell);
        self.row.push_glue(if cell.is_blank() { "" } else { " " });
    }
}

impl Builder {
    pub(in crate::format) fn start_table(&mut self) {
        self.close_paragraph();
        self.table = Some(Table::default());
    }

    /// A table begins unless one has.
    #[cfg(feature = "html")]
    pub(in crate::format) fn start_table_once(&mut self) {
        if self.table.is_none() {
            self.start_table();
        }
    }

    /// The text that was read is a cell.
    pub(in crate::format) fn end_cell(&mut self) {
        let (cell, _) = self.take_inline();
        self.cell(&cell);
    }

    /// A cell that was read elsewhere.
    pub(in crate::format) fn cell(&mut self, cell: &MappedText) {
        if let Some(table) = &mut self.table {
            table.push(cell);
        }
    }

    /// A row without cells is none.
    pub(in crate::format) fn end_row(&mut self) {
        if let Some(table) = &mut self.table
            && table.cells > 0
        {
            table.row.push_glue("|");
            table.cells = 0;
            table.rows.push(std::mem::take(&mut table.row));
        }
    }

    /// The rows so far of the table that is being read.
    pub(in crate::format) fn rows(&self) -> usize {
        self.table.as_ref().map_or(0, |table| table.rows.len())
    }

    pub(in crate::format) fn end_table(&mut self) {
        if let Some(table) = self.table.take() {
            let rows = table.rows.into_iter().map(|row| (row, 0));
            self.push_block(BlockKind::Table, rows.collect());
        }
    }
}
