//! Rankings in TREC's run format: `question Q0 document rank score tag`.

use std::io::{self, Write};

use crate::RetrievalRun;

/// Writes a run, one line per ranked document, ranks from 1. White space inside ids, which the
/// format cannot hold, becomes `_`.
///
/// # Errors
/// What `out` gives.
pub fn write_trec_run(run: &RetrievalRun, tag: &str, out: &mut impl Write) -> io::Result<()> {
    for (question, ranked) in &run.rankings {
        for (place, document) in ranked.iter().enumerate() {
            let (question, id) = (one_word(question), one_word(&document.id));
            writeln!(
                out,
                "{question} Q0 {id} {} {:.6} {tag}",
                place + 1,
                document.score
            )?;
        }
    }
    Ok(())
}

fn one_word(id: &str) -> String {
    id.replace(char::is_whitespace, "_")
}
