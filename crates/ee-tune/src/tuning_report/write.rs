//! Reports as files.

use std::io::{self, Write};

use super::TuningReport;
use super::html::page;

/// Writes a report as one HTML file that refers to nothing outside itself.
///
/// # Errors
/// What `out` gives.
pub fn write_html(report: &TuningReport, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(page(report).into_string().as_bytes())
}

/// Writes a report as one JSON document.
///
/// # Errors
/// What `out` gives.
pub fn write_json(report: &TuningReport, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    out.write_all(b"\n")
}
