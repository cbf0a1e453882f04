//! Progress bars, on standard error and only where a person is looking.

use std::time::Duration;

use ee_embed::FetchProgress;
use ee_pipeline::IngestProgress;
use ee_tune::{SuiteProgress, TuningProgress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar of files done among files found so far.
pub(crate) struct FileBar(ProgressBar);

impl FileBar {
    /// A bar, invisible when `hidden` or when standard error is not a terminal.
    pub(crate) fn new(hidden: bool) -> Self {
        Self(bar(
            hidden,
            "{spinner} {pos}/{len} files, {elapsed} {wide_msg}",
        ))
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl IngestProgress for FileBar {
    fn file(&self, done: usize, found: usize, source: &str) {
        self.0.set_length(found as u64);
        self.0.set_position(done as u64);
        self.0.set_message(source.to_owned());
    }

    fn embedded(&self, done: usize, all: usize) {
        let of = format!("{done} of {all} texts embedded");
        self.0.set_message(of);
    }
}

/// A bar of `template`, in the style all commands share.
pub(crate) fn bar(hidden: bool, template: &str) -> ProgressBar {
    let target = if hidden {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let bar = ProgressBar::with_draw_target(Some(0), target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A bar of bytes fetched.
pub(crate) struct FetchBar(ProgressBar);

impl FetchBar {
    /// A bar, invisible when `hidden` or when standard error is not a terminal.
    pub(crate) fn new(hidden: bool) -> Self {
        Self(bar(
            hidden,
            "{spinner} {msg} {bytes}/{total_bytes} {bytes_per_sec}",
        ))
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl FetchProgress for FetchBar {
    fn bytes(&self, file: &str, done: u64, all: Option<u64>) {
        self.0.set_message(file.to_owned());
        self.0.set_length(all.unwrap_or(done));
        self.0.set_position(done);
    }

    fn step(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }
}

/// A bar of questions with their running score.
pub(crate) struct QuestionBar(ProgressBar);

impl QuestionBar {
    /// A bar, invisible when `hidden` or when standard error is not a terminal.
    pub(crate) fn new(hidden: bool) -> Self {
        Self(bar(
            hidden,
            "{spinner} {pos}/{len} questions, {eta} left, {msg}",
        ))
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl SuiteProgress for QuestionBar {
    fn question(&self, done: usize, all: usize, score: f64) {
        self.0.set_length(all as u64);
        self.0.set_position(done as u64);
        self.0.set_message(format!("score {score:.3}"));
    }
}

/// A bar of trials with the best score so far.
pub(crate) struct TrialBar(ProgressBar);

impl TrialBar {
    /// A bar, invisible when `hidden` or when standard error is not a terminal.
    pub(crate) fn new(hidden: bool) -> Self {
        Self(bar(
            hidden,
            "{spinner} {pos}/{len} trials, {eta} left, {msg}",
        ))
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl TuningProgress for TrialBar {
    fn trial(&self, done: usize, all: usize, best: f64) {
        self.0.set_length(all as u64);
        self.0.set_position(done as u64);
        self.0.set_message(format!("best {best:.4}"));
    }
}
