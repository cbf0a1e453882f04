//! A missing or wrong library or model is an error that says what to do.
//!
//! A program of its own: a process loads one library, and the other tests load the right one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what fails here ends the test"
)]

use ee_embed::{EmbedConfig, EmbedError, Models, OnnxEmbedder};

/// A models folder that has every file by name; none is usable.
fn folder_of_nonsense() -> (tempfile::TempDir, Models) {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("all-MiniLM-L6-v2");
    std::fs::create_dir_all(model.join("1_Pooling")).unwrap();
    for name in ["model.safetensors", "tokenizer.json"] {
        std::fs::write(model.join(name), b"nonsense").unwrap();
    }
    std::fs::write(model.join("1_Pooling/config.json"), b"{}").unwrap();
    std::fs::write(model.join("sentence_bert_config.json"), b"{}").unwrap();
    let models = Models::in_folder(folder.path());
    (folder, models)
}

#[test]
fn a_missing_model_names_the_command_that_brings_it() {
    let folder = tempfile::tempdir().unwrap();
    let error = Models::in_folder(folder.path())
        .embedder("all-MiniLM-L6-v2")
        .unwrap_err();
    assert!(matches!(error, EmbedError::MissingModel { .. }));
    assert!(error.to_string().contains("eerag models fetch"), "{error}");
}

#[test]
fn an_unknown_model_lists_the_known_ones() {
    let error = Models::in_folder("models").embedder("gpt-9").unwrap_err();
    assert!(matches!(&error, EmbedError::UnknownModel { known, .. } if known.contains("MiniLM")));
}

#[test]
fn a_missing_or_wrong_library_is_an_error_not_a_panic() {
    let (folder, models) = folder_of_nonsense();
    let files = models.embedder("all-MiniLM-L6-v2").unwrap();
    let missing = folder.path().join("nowhere.so");
    let error = OnnxEmbedder::open(&files, &missing, &EmbedConfig::default())
        .err()
        .unwrap();
    assert!(
        matches!(error, EmbedError::MissingRuntime { .. }),
        "{error}"
    );
    let wrong = folder.path().join("libonnxruntime.so");
    std::fs::write(&wrong, b"not a library").unwrap();
    let error = OnnxEmbedder::open(&files, &wrong, &EmbedConfig::default())
        .err()
        .unwrap();
    assert!(matches!(error, EmbedError::BadRuntime { .. }), "{error}");
    assert!(
        error.to_string().contains("cargo xtask fetch-model"),
        "{error}"
    );
}

/// A library that is one, but far too old: built here from a few lines of C.
#[cfg(target_os = "linux")]
#[test]
fn a_library_that_is_too_old_is_named_with_its_version() {
    let (folder, models) = folder_of_nonsense();
    let files = models.embedder("all-MiniLM-L6-v2").unwrap();
    let (source, library) = (folder.path().join("old.c"), folder.path().join("old.so"));
    std::fs::write(
        &source,
        "static const char *version(void) { return \"1.16.3\"; }\n\
         static const void *api(unsigned v) { (void)v; return 0; }\n\
         struct base { const void *(*get)(unsigned); const char *(*version)(void); };\n\
         static const struct base b = { api, version };\n\
         const struct base *OrtGetApiBase(void) { return &b; }\n",
    )
    .unwrap();
    let mut compiler = std::process::Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(&source);
    assert!(
        compiler.status().unwrap().success(),
        "cc is needed, as for the bundled SQLite"
    );
    let error = OnnxEmbedder::open(&files, &library, &EmbedConfig::default())
        .err()
        .unwrap();
    assert!(matches!(error, EmbedError::BadRuntime { .. }), "{error}");
    assert!(error.to_string().contains("1.16.3"), "{error}");
}
