//! The embedders that need no model follow the common rules.

use ee_embed::conformance::check_embedder;
use ee_embed::{CachedEmbedder, DiskCachedEmbedder, EmbedConfig, LexicalEmbedder};

#[test]
fn the_lexical_embedder_and_its_caches_conform() {
    check_embedder(&LexicalEmbedder::new(256)).unwrap();
    let cached = CachedEmbedder::new(LexicalEmbedder::new(256), &EmbedConfig::default());
    check_embedder(&cached).unwrap();
    let folder = tempfile::tempdir().unwrap();
    check_embedder(&DiskCachedEmbedder::open(LexicalEmbedder::new(256), folder.path()).unwrap())
        .unwrap();
}
