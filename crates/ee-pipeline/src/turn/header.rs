//! Layer 1, summary first: the header that shows what could be looked up.

use ee_store::OfferedUnit;

use super::escape;

/// How to ask for a note, for every model.
pub(crate) const INSTRUCTION: &str = "Notes are listed as [ID:n]. To read some, reply only \
RETRIEVE n or RETRIEVE n, m. If you need none, answer.";

/// The lines `[ID:n] summary`, one per offered unit, each on one line whatever its summary holds.
pub(crate) fn lines(offered: &[OfferedUnit]) -> String {
    offered
        .iter()
        .map(|unit| format!("[ID:{}] {}", unit.rank, escape::header_line(&unit.summary)))
        .collect::<Vec<_>>()
        .join("\n")
}
