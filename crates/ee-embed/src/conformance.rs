//! What every embedder must do, as checks that a test calls.

use crate::{EmbedError, Embedder};

/// Checks an embedder; panics with the broken rule.
///
/// # Errors
/// [`EmbedError`] when the embedder itself fails.
#[allow(clippy::missing_panics_doc, clippy::panic)]
pub fn check_embedder(embedder: &dyn Embedder) -> Result<(), EmbedError> {
    let texts = [
        "A token is valid for one hour.",
        "",
        "Die Reisekostenrichtlinie gilt für alle Übernachtungen.",
        "知识地图由单元组成。",
        "👩‍🔬 measures 📏",
        "two\r\nlines",
        "\u{feff}with a mark",
        " \t\n",
        "A token is valid for one hour.",
    ];
    let together = embedder.embed_documents(&texts)?;
    assert_eq!(together.len(), texts.len(), "one embedding per text");
    for (text, embedding) in texts.iter().zip(&together) {
        assert_eq!(
            embedding.vector.len(),
            embedder.fingerprint().dimension,
            "{text:?}"
        );
        let length: f32 = embedding.vector.iter().map(|value| value * value).sum();
        let expected = if text.trim().is_empty() { 0.0 } else { 1.0 };
        assert!(
            (length - expected).abs() < 1e-3,
            "{text:?} has length {length}"
        );
        assert!(!embedding.tokens.truncated(), "{text:?} fits the window");
        let alone = embedder.embed_documents(&[text])?;
        let cosine = alone
            .first()
            .map_or(0.0, |alone| dot(&alone.vector, &embedding.vector));
        assert!(
            (cosine - expected).abs() < 1e-3,
            "{text:?} depends on its batch: {cosine}"
        );
    }
    assert_eq!(
        together.first(),
        together.last(),
        "equal texts have equal vectors"
    );
    assert!(
        embedder.embed_documents(&[])?.is_empty(),
        "no text, no embedding"
    );
    let long = "word ".repeat(embedder.max_tokens() * 2);
    for embedding in embedder
        .embed_documents(&[&long])?
        .iter()
        .chain([&embedder.embed_query(&long)?])
    {
        assert!(embedding.tokens.truncated(), "a cut is reported");
        assert!(
            embedding.tokens.seen <= embedder.max_tokens(),
            "the window holds"
        );
    }
    let counted = embedder.count_tokens(&long)?;
    assert!(counted > embedder.max_tokens(), "counting does not cut");
    Ok(())
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
