//! The suite `threads`: lines of work against labelled threads, and selection from them.

use std::time::Instant;

use dcs_core::{Conversation, ConversationConfig, MessageId, NewMessage, Query};
use ee_embed::Embedder;
use ee_pipeline::Cancellation;
use serde::Serialize;

use crate::{
    CaseRow, SuiteReport, SuiteRun, ThreadDataset, ThreadMessage, ThreadPoint, TuneError,
    score_threads,
};

/// Messages that are selected for a message.
const SELECTED: usize = 10;

/// Messages that are asked for where some of them do not count.
const SELECTED_WITH_CONTEXT: usize = 100;

/// Earlier messages of its file that a measured message has at least.
const EARLIER: usize = 5;

/// What is measured.
#[derive(Clone, Copy)]
pub struct ThreadSubject<'a> {
    /// Settings of the conversations.
    pub conversation: &'a ConversationConfig,
    /// Embeds messages; without one, words alone tell lines of work apart.
    pub embedder: Option<&'a dyn Embedder>,
}

/// The line of work of a message at the end of its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AssignedThread {
    /// The file.
    pub file: String,
    /// The message's number in the file.
    pub idx: u64,
    /// Its line of work; system lines have one of their own.
    pub thread: String,
}

/// Selection for one message.
pub(crate) struct Selection {
    file: String,
    idx: u64,
    text: String,
    selected: Vec<String>,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
}

/// Runs the suite. `run.part` chooses files, by half and by name.
///
/// # Errors
/// [`TuneError`] when nothing is selected, a model fails, or the run is cancelled.
pub fn run_threads(
    subject: ThreadSubject<'_>,
    dataset: &ThreadDataset,
    run: SuiteRun<'_>,
) -> Result<(SuiteReport, Vec<AssignedThread>), TuneError> {
    let start = Instant::now();
    let files: Vec<(&String, &Vec<ThreadMessage>)> = dataset.files.iter().collect();
    run.part
        .check_files(dataset.files.keys().map(String::as_str), &dataset.name)?;
    let mut chosen = run.part.select_files(&files, |(name, _)| name);
    chosen.truncate(run.part.limit.unwrap_or(usize::MAX));
    let (mut assigned, mut points, mut selections) = (Vec::new(), Vec::new(), Vec::new());
    for (done, (file, messages)) in chosen.iter().enumerate() {
        let vectors = subject
            .embedder
            .map(|embedder| embedded(embedder, messages));
        let vectors = vectors.transpose()?;
        let (threads, selected) = follow_file(
            subject.conversation,
            file,
            messages,
            vectors.as_deref(),
            run.cancellation,
        )?;
        selections.extend(selected);
        points.extend(points_of(messages, &threads));
        assigned.extend(threads);
        let recalls: Vec<f64> = selections
            .iter()
            .map(|one: &Selection| one.recall)
            .collect();
        run.progress.question(
            done + 1,
            chosen.len(),
            crate::report::rounded_mean(&recalls),
        );
    }
    if points.is_empty() {
        let (what, data) = (run.part.to_string(), dataset.name.clone());
        return Err(TuneError::NothingSelected { what, data });
    }
    let mut report = SuiteReport::new("threads", &dataset.name, run.setup, points.len());
    for (name, value) in score_threads(&points).named() {
        report.add_value(name, value);
    }
    let column = |value: fn(&Selection) -> f64| selections.iter().map(value).collect::<Vec<f64>>();
    report.add_mean("precision@10", &column(|one| one.precision));
    report.add_mean("recall@10", &column(|one| one.recall));
    report.rows = selections.into_iter().map(Selection::into_row).collect();
    run.cases.keep(&report.rows)?;
    report.seconds = start.elapsed().as_secs_f64();
    Ok((report, assigned))
}

impl Selection {
    fn into_row(self) -> CaseRow {
        let metrics = [("precision@10", self.precision), ("recall@10", self.recall)];
        CaseRow {
            id: format!("{}:{}", self.file, self.idx),
            question: self.text,
            metrics: metrics.map(|(name, value)| (name.to_owned(), value)).into(),
            offered: self.selected,
            ..CaseRow::default()
        }
    }
}

/// The embeddings of messages.
pub(crate) fn embedded(
    embedder: &dyn Embedder,
    messages: &[ThreadMessage],
) -> Result<Vec<Vec<f32>>, TuneError> {
    let texts: Vec<&str> = messages.iter().map(|one| one.text.as_str()).collect();
    let embeddings = embedder.embed_documents(&texts)?;
    Ok(embeddings.into_iter().map(|one| one.vector).collect())
}

/// Follows a file through a conversation of its own: the line of work of each row at the end, and
/// what was selected for each message that counts.
///
/// # Errors
/// [`TuneError`] when the conversation refuses a setting or a message, or the run is cancelled.
pub(crate) fn follow_file(
    config: &ConversationConfig,
    file: &str,
    messages: &[ThreadMessage],
    vectors: Option<&[Vec<f32>]>,
    cancellation: &Cancellation,
) -> Result<(Vec<AssignedThread>, Vec<Selection>), TuneError> {
    let mut followed = Followed {
        file,
        messages,
        vectors,
        conversation: Conversation::new(config.clone())?,
        registered: Vec::with_capacity(messages.len()),
    };
    let selections = followed.follow(cancellation)?;
    Ok((followed.threads(), selections))
}

/// A file on its way through a conversation.
struct Followed<'a> {
    file: &'a str,
    messages: &'a [ThreadMessage],
    vectors: Option<&'a [Vec<f32>]>,
    conversation: Conversation,
    /// The row of each registered message, by its position.
    registered: Vec<&'a ThreadMessage>,
}

impl Followed<'_> {
    /// Selects for and registers every message that somebody wrote, in order.
    fn follow(&mut self, cancellation: &Cancellation) -> Result<Vec<Selection>, TuneError> {
        let mut selections = Vec::new();
        for (index, message) in self.messages.iter().enumerate() {
            if cancellation.is_cancelled() {
                return Err(TuneError::Cancelled);
            }
            if message.system {
                continue;
            }
            selections.extend(self.select(index, message)?);
            let embedding = vector(self.vectors, index);
            self.conversation.register(NewMessage {
                speaker: &message.speaker,
                text: &message.text,
                at: message.at,
                tokens: 1,
                embedding,
            })?;
            self.registered.push(message);
        }
        Ok(selections)
    }

    /// The ten messages selected for this one, among those that count; `None` when it does not.
    fn select(
        &mut self,
        index: usize,
        message: &ThreadMessage,
    ) -> Result<Option<Selection>, TuneError> {
        let earlier = self.registered.iter().filter(|other| other.annotated);
        let same = earlier
            .filter(|other| other.thread == message.thread)
            .count();
        if !message.annotated || index < EARLIER || same == 0 {
            return Ok(None);
        }
        let all_count = self.registered.iter().all(|other| other.annotated);
        let embedding = vector(self.vectors, index);
        let assembly = self.conversation.assemble(&Query {
            speaker: &message.speaker,
            text: &message.text,
            at: message.at,
            embedding,
            max_messages: if all_count {
                SELECTED
            } else {
                SELECTED_WITH_CONTEXT
            },
            max_tokens: u64::MAX,
            found: &[],
        })?;
        let row = |id: MessageId| self.registered.get(id.position() as usize);
        let counting = assembly.messages.iter();
        let mut counting: Vec<_> = counting
            .filter(|selected| row(selected.message).is_some_and(|row| row.annotated))
            .collect();
        counting.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.message.cmp(&a.message)));
        let same_thread = |id| row(id).is_some_and(|row| row.thread == message.thread);
        counting.truncate(SELECTED);
        let hits = counting.iter();
        let hits = hits
            .filter(|selected| same_thread(selected.message))
            .count() as f64;
        let selected = counting.iter().filter_map(|selected| row(selected.message));
        Ok(Some(Selection {
            file: self.file.to_owned(),
            idx: message.idx,
            text: message.text.clone(),
            selected: selected.map(|row| row.idx.to_string()).collect(),
            precision: hits / SELECTED as f64,
            recall: hits / same as f64,
        }))
    }

    /// Lines of work as they stand now, for every row of the file.
    fn threads(&self) -> Vec<AssignedThread> {
        let mut records = self.conversation.history().messages().iter();
        let mut threads = Vec::with_capacity(self.messages.len());
        for message in self.messages {
            let dcn = if message.system {
                None
            } else {
                records.next().and_then(|record| record.key.dcns.first())
            };
            threads.push(AssignedThread {
                file: self.file.to_owned(),
                idx: message.idx,
                thread: dcn.map_or_else(|| format!("alone-{}", message.idx), ToString::to_string),
            });
        }
        threads
    }
}

/// A message's embedding; none for a text without words, whose embedding has no direction.
fn vector(vectors: Option<&[Vec<f32>]>, index: usize) -> Option<&[f32]> {
    let vector = vectors?.get(index)?;
    let has_direction = vector.iter().any(|value| value.abs() > 0.0);
    has_direction.then_some(vector)
}

/// The messages that count, with labelled and predicted thread.
pub(crate) fn points_of<'a>(
    messages: &'a [ThreadMessage],
    threads: &'a [AssignedThread],
) -> impl Iterator<Item = ThreadPoint> + 'a {
    let both = messages.iter().zip(threads);
    both.filter(|(message, _)| message.annotated)
        .map(|(message, assigned)| ThreadPoint {
            file: assigned.file.clone(),
            gold: message.thread.clone().unwrap_or_default(),
            predicted: assigned.thread.clone(),
            system: message.system,
        })
}
