//! The suite `threads` as a search measures it: embeddings once, conversations at every trial.

use ee_embed::Embedder;
use ee_pipeline::Cancellation;

use super::{Case, Measure, TuningSubject};
use crate::bootstrap::mean;
use crate::space::TunableSettings;
use crate::thread_suite::{Selection, embedded, follow_file, points_of};
use crate::{ThreadDataset, ThreadMessage, TuneError, WorstQuestion, score_threads};

/// The metrics, the deciding one first; each is a mean over files.
const METRICS: [&str; 3] = ["precision@10", "recall@10", "ari"];

/// What is searched unless other settings are named.
const SEARCHED: [&str; 7] = [
    "turn.context.key.dcns",
    "turn.context.assembly.eligibility_threshold",
    "turn.context.assembly.recency_exponent",
    "turn.context.assembly.link_threshold",
    "turn.context.assembly.max_per_dcn",
    "turn.context.matching.tau_hours",
    "turn.context.matching.recent_candidates",
];

/// Files of messages with their embeddings.
pub struct ThreadTuning {
    name: String,
    files: Vec<EmbeddedFile>,
    cases: Vec<Case>,
}

struct EmbeddedFile {
    name: String,
    messages: Vec<ThreadMessage>,
    vectors: Vec<Vec<f32>>,
}

impl ThreadTuning {
    /// Embeds every message.
    ///
    /// # Errors
    /// [`TuneError::Embed`] when the embedder fails.
    pub fn prepare(embedder: &dyn Embedder, dataset: ThreadDataset) -> Result<Self, TuneError> {
        let mut files = Vec::with_capacity(dataset.files.len());
        for (name, messages) in dataset.files {
            let vectors = embedded(embedder, &messages)?;
            files.push(EmbeddedFile {
                name,
                messages,
                vectors,
            });
        }
        let case = |file: &EmbeddedFile| Case {
            id: file.name.clone(),
            group: file.name.clone(),
        };
        let cases = files.iter().map(case).collect();
        Ok(Self {
            name: dataset.name,
            files,
            cases,
        })
    }
}

impl EmbeddedFile {
    fn measure(&self, settings: &TunableSettings) -> Result<Measure, TuneError> {
        let (config, vectors) = (&settings.turn.context, Some(self.vectors.as_slice()));
        let running = Cancellation::default();
        let (threads, selections) =
            follow_file(config, &self.name, &self.messages, vectors, &running)?;
        let points: Vec<_> = points_of(&self.messages, &threads).collect();
        let column = |value: fn(&Selection) -> f64| {
            mean(&selections.iter().map(value).collect::<Vec<f64>>())
        };
        let (precision, recall) = (column(|one| one.precision), column(|one| one.recall));
        let metrics = vec![precision, recall, score_threads(&points).ari];
        Ok(Measure {
            metrics,
            tokens: None,
            work: None,
        })
    }
}

impl TuningSubject for ThreadTuning {
    fn suite(&self) -> &'static str {
        "threads"
    }

    fn data(&self) -> &str {
        &self.name
    }

    fn metrics(&self) -> &[&'static str] {
        &METRICS
    }

    fn cases(&self) -> &[Case] {
        &self.cases
    }

    fn searched(&self) -> &[&'static str] {
        &SEARCHED
    }

    fn reads(&self, key: &str) -> bool {
        // What a search found is handed to assembly by turns alone.
        key.starts_with("turn.context.") && key != "turn.context.assembly.found_share"
    }

    fn measure(
        &self,
        settings: &TunableSettings,
        places: &[usize],
    ) -> Result<Vec<Measure>, TuneError> {
        let files = places.iter().filter_map(|place| self.files.get(*place));
        files.map(|file| file.measure(settings)).collect()
    }

    fn show(&self, _: &TunableSettings, place: usize) -> Result<WorstQuestion, TuneError> {
        let file = self
            .files
            .get(place)
            .ok_or_else(|| TuneError::NothingSelected {
                what: format!("case {place}"),
                data: self.name.clone(),
            })?;
        Ok(WorstQuestion {
            id: file.name.clone(),
            question: format!("the lines of work of {} messages", file.messages.len()),
            score: 0.0,
            expected: Vec::new(),
            offered: Vec::new(),
            elected: Vec::new(),
            answer: String::new(),
        })
    }
}
