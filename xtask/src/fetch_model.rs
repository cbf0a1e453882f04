//! Bringing models and the ONNX Runtime library, as `eerag models fetch` does.

use anyhow::{Context, Result};
use clap::Args;
use ee_embed::registry::{EMBEDDERS, RERANKERS, RUNTIME, TEST_ASSETS};
use ee_embed::{FetchProgress, Fetcher, HubAccess, Models};
use indicatif::{ProgressBar, ProgressStyle};

/// Options of `cargo xtask fetch-model`.
#[derive(Args)]
pub(crate) struct Options {
    /// Which model; the default embedder without one. May be repeated
    #[arg(long)]
    model: Vec<String>,
    /// Also the small chat model and its server, which the tests talk to
    #[arg(long)]
    chat: bool,
}

/// Brings what the options name.
pub(crate) fn run(options: &Options) -> Result<()> {
    let default = EMBEDDERS.first().map(|spec| spec.name.to_owned());
    let named = if options.model.is_empty() {
        default.into_iter().collect()
    } else {
        options.model.clone()
    };
    fetch(&named, options.chat)
}

/// What the quickstart needs: the default embedder.
pub(crate) fn fetch_for_quickstart() -> Result<()> {
    run(&Options {
        model: Vec::new(),
        chat: false,
    })
}

/// What a sweep over the chat model of the tests needs: the default embedder, the model and its
/// server.
pub(crate) fn fetch_chat() -> Result<()> {
    run(&Options {
        model: Vec::new(),
        chat: true,
    })
}

/// What the tests need: every model, the small chat model and its server.
pub(crate) fn fetch_for_tests() -> Result<()> {
    let embedders = EMBEDDERS.iter().map(|spec| spec.name);
    let names = embedders.chain(RERANKERS.iter().map(|spec| spec.name));
    fetch(&names.map(str::to_owned).collect::<Vec<_>>(), true)
}

fn fetch(names: &[String], chat: bool) -> Result<()> {
    let folder = Models::default_folder();
    let models = Models::in_folder(folder.context("cannot find the home folder: set HOME")?);
    let bar = Bar::new();
    let mut fetcher = Fetcher::new(&models, HubAccess::from_environment(), &bar);
    fetcher.asset(&RUNTIME)?;
    names.iter().try_for_each(|name| fetcher.model(name))?;
    if chat {
        TEST_ASSETS
            .iter()
            .try_for_each(|asset| fetcher.asset(asset))?;
    }
    bar.0.finish_and_clear();
    eprintln!(
        "{} and {} in the models folder",
        RUNTIME.name,
        names.join(", ")
    );
    Ok(())
}

/// A bar of bytes; invisible where standard error is not a terminal.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::new(0);
        let template = "{spinner} {msg} {bytes}/{total_bytes} {bytes_per_sec}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(std::time::Duration::from_millis(200));
        Self(bar)
    }
}

impl FetchProgress for Bar {
    fn bytes(&self, file: &str, done: u64, all: Option<u64>) {
        self.0.set_message(file.to_owned());
        self.0.set_length(all.unwrap_or(done));
        self.0.set_position(done);
    }

    fn step(&self, what: &str) {
        self.0.set_message(what.to_owned());
        if self.0.is_hidden() {
            eprintln!("{what}");
        }
    }
}
