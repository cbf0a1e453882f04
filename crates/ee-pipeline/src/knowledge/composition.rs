//! The text that stands for a unit when it is embedded.
//!
//! The composition is: title, section path joined by ` > `, content, each on a line of its own and
//! each only when it says something that the next part does not begin with. Its SHA-256 is the key
//! under which the store shares embeddings, so that a unit keeps its vector when its source is
//! renamed. The composition must fit the embedder's window: title and path give way first, the
//! content is never cut here.

use ee_embed::{EmbedError, Embedder};
use km_core::Unit;
use sha2::{Digest, Sha256};

/// Text ready to be embedded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ComposedText {
    /// What the model sees.
    pub(super) text: String,
    /// SHA-256 of `text`.
    pub(super) sha256: [u8; 32],
    /// Tokens of `text`, special tokens included.
    pub(super) tokens: usize,
}

/// Composes the text of a unit, with as much of its context as the window has room for.
pub(super) fn compose(embedder: &dyn Embedder, unit: &Unit) -> Result<ComposedText, EmbedError> {
    let path = unit.metadata.section_path.join(" > ");
    let title = unit.metadata.title.as_deref().unwrap_or_default();
    let mut last = None;
    for context in [&[title, &path][..], &[path.as_str()], &[]] {
        let text = joined(context, &unit.content);
        let tokens = embedder.count_tokens(&text)?;
        let fits = tokens <= embedder.max_tokens();
        last = Some(ComposedText {
            sha256: Sha256::digest(&text).into(),
            text,
            tokens,
        });
        if fits {
            break;
        }
    }
    last.map_or_else(|| compose_bare(embedder, &unit.content), Ok)
}

fn compose_bare(embedder: &dyn Embedder, content: &str) -> Result<ComposedText, EmbedError> {
    Ok(ComposedText {
        text: content.to_owned(),
        sha256: Sha256::digest(content).into(),
        tokens: embedder.count_tokens(content)?,
    })
}

/// The parts on lines of their own, without those that repeat what follows.
fn joined(context: &[&str], content: &str) -> String {
    let mut parts: Vec<&str> = Vec::with_capacity(context.len() + 1);
    for (place, part) in context.iter().enumerate() {
        let next = context.get(place + 1).copied().unwrap_or_default();
        let repeated =
            next.starts_with(part) || content.trim_start_matches(['#', ' ']).starts_with(part);
        if !part.trim().is_empty() && !repeated {
            parts.push(part);
        }
    }
    parts.push(content);
    parts.join("\n")
}
