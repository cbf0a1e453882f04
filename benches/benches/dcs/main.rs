//! A long conversation: how long a message takes to register, how long a context takes to
//! assemble, and how much memory a message needs.
//!
//! `dcs [MESSAGES]` registers a made-up conversation of a million messages, or as many as named,
//! without embeddings, and assembles a context for a further question after every thousandth.
//! Times are those of the processor, and of the clock beside them: on a busy machine only the
//! former say what the work costs. Memory is what the process gained, every index included.

mod talk;

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use benches::statistics::Sample;
use benches::{SEED, is_measuring, machine};
use dcs_core::{Assembly, Conversation, ConversationConfig, NewMessage, Query};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use talk::{Said, Talk};

const MESSAGES: usize = 1_000_000;
/// Messages that are registered between two assemblies, and whose time is taken together.
const BATCH: usize = 1_000;
const MOST_MESSAGES: usize = 20;
const MOST_TOKENS: u64 = 2_000;
const TOKENS: u32 = 20;

fn main() -> Result<()> {
    if !is_measuring() {
        return Ok(());
    }
    let named = std::env::args().find_map(|argument| argument.parse().ok());
    let messages: usize = named.unwrap_or(MESSAGES);
    let machine = machine::describe();
    let before = machine::resident_bytes();
    let mut run = Run::new()?;
    for _ in 0..messages.div_ceil(BATCH) {
        run.batch()?;
    }
    let gained = before.zip(machine::resident_bytes());
    let bytes = gained.map(|(before, after)| {
        after.saturating_sub(before) as f64 / run.conversation.history().len() as f64
    });
    run.print_table(bytes);
    println!("{}", run.report(bytes, &machine));
    Ok(())
}

/// What was spent on something.
#[derive(Clone, Copy)]
struct Spent {
    clock: Duration,
    /// Time on the processor; that of the clock where the system does not tell.
    processor: Duration,
}

/// Does something, and says what was spent on it.
fn spent<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Spent)> {
    let (start, before) = (Instant::now(), machine::processor_time());
    let done = work()?;
    let clock = start.elapsed();
    let pair = before.zip(machine::processor_time());
    let processor = pair.map_or(clock, |(before, after)| after.saturating_sub(before));
    Ok((done, Spent { clock, processor }))
}

/// The conversation and what was measured.
struct Run {
    conversation: Conversation,
    talk: Talk,
    /// The line of work of each message, as it was made up.
    topics: Vec<u64>,
    registered: Vec<Spent>,
    assembled: Vec<Spent>,
    /// Of each assembly, the share of messages from the question's own line of work.
    precisions: Vec<f64>,
}

impl Run {
    fn new() -> Result<Self> {
        Ok(Self {
            conversation: Conversation::new(ConversationConfig::default())?,
            talk: Talk::new(SEED),
            topics: Vec::new(),
            registered: Vec::new(),
            assembled: Vec::new(),
            precisions: Vec::new(),
        })
    }

    /// Registers some questions and answers, and assembles a context for one question more.
    fn batch(&mut self) -> Result<()> {
        let pairs = (0..BATCH / 2).flat_map(|_| [self.talk.question(), self.talk.answer()]);
        let said: Vec<Said> = pairs.collect();
        let first = self.topics.len();
        let conversation = &mut self.conversation;
        let ((), time) = spent(|| {
            let mut all = said.iter().enumerate();
            all.try_for_each(|(index, said)| register(conversation, said, first + index))
        })?;
        self.registered.push(time);
        self.topics.extend(said.iter().map(|said| said.topic));
        self.conversation.take_changes();
        let question = self.talk.question();
        let (now, conversation) = (self.topics.len(), &mut self.conversation);
        let (assembly, time) = spent(|| assemble(conversation, &question, now))?;
        self.assembled.push(time);
        self.precisions.push(self.precision(&assembly, &question));
        Ok(())
    }

    fn precision(&self, assembly: &Assembly, question: &Said) -> f64 {
        let positions = assembly.messages.iter().map(|one| one.message.position());
        let topics = positions.filter_map(|position| self.topics.get(position as usize));
        let same = topics.filter(|topic| **topic == question.topic).count();
        same as f64 / assembly.messages.len().max(1) as f64
    }

    fn print_table(&self, bytes: Option<f64>) {
        let messages = self.conversation.history().len();
        println!("{messages} messages; on the processor, then by the clock");
        for (name, unit, sample) in [
            (
                "register, mean",
                "µs",
                Self::register_means(&self.registered),
            ),
            (
                "assemble, p50",
                "ms",
                Self::assemble_at(&self.assembled, 50.0),
            ),
            (
                "assemble, p99",
                "ms",
                Self::assemble_at(&self.assembled, 99.0),
            ),
        ] {
            let [processor, clock] = sample;
            println!("{name:>15} {processor:>8.2} {clock:>8.2} {unit}");
        }
        println!(
            "{:>15} {:>8.0}",
            "bytes a message",
            bytes.unwrap_or(f64::NAN)
        );
        let precision = Sample::new(self.precisions.iter().copied()).mean();
        println!("{precision:.3} of the selected messages are of the question's line of work");
    }

    /// Mean microseconds per message, on the processor and by the clock.
    fn register_means(times: &[Spent]) -> [f64; 2] {
        both(times, |times| times.mean() * 1e6 / BATCH as f64)
    }

    /// A percentile in milliseconds, on the processor and by the clock.
    fn assemble_at(times: &[Spent], percent: f64) -> [f64; 2] {
        both(times, |times| times.percentile(percent) * 1e3)
    }

    fn report(&self, bytes: Option<f64>, machine: &Value) -> Value {
        let tenth = self.registered.len().div_ceil(10);
        let registered = [
            first(&self.registered, tenth),
            last(&self.registered, tenth),
        ];
        let assembled = [first(&self.assembled, tenth), last(&self.assembled, tenth)];
        let pair = |[processor, clock]: [f64; 2]| json!({"processor": processor, "clock": clock});
        json!({
            "benchmark": "dcs",
            "messages": self.conversation.history().len(),
            "lines_of_work": self.conversation.history().dcns().count(),
            "register_mean_microseconds": pair(Self::register_means(&self.registered)),
            "register_mean_microseconds_first_and_last_tenth":
                registered.map(|times| pair(Self::register_means(times))),
            "assemble_p50_milliseconds": pair(Self::assemble_at(&self.assembled, 50.0)),
            "assemble_p99_milliseconds": pair(Self::assemble_at(&self.assembled, 99.0)),
            "assemble_p50_milliseconds_first_and_last_tenth":
                assembled.map(|times| pair(Self::assemble_at(times, 50.0))),
            "bytes_per_message": bytes,
            "selected_of_the_same_topic": Sample::new(self.precisions.iter().copied()).mean(),
            "seed": SEED,
            "version": env!("CARGO_PKG_VERSION"),
            "machine": machine,
        })
    }
}

/// A figure of both kinds of time, in seconds.
fn both(times: &[Spent], figure: impl Fn(&Sample) -> f64) -> [f64; 2] {
    let of = |time: fn(&Spent) -> Duration| {
        figure(&Sample::new(
            times.iter().map(|spent| time(spent).as_secs_f64()),
        ))
    };
    [of(|spent| spent.processor), of(|spent| spent.clock)]
}

fn first(times: &[Spent], count: usize) -> &[Spent] {
    times.get(..count).unwrap_or(times)
}

fn last(times: &[Spent], count: usize) -> &[Spent] {
    let start = times.len().saturating_sub(count);
    times.get(start..).unwrap_or(times)
}

fn at(number: usize) -> Result<Timestamp> {
    let minutes = i64::try_from(number).context("too many messages")?;
    Ok(Timestamp::UNIX_EPOCH.checked_add(SignedDuration::from_mins(minutes))?)
}

fn register(conversation: &mut Conversation, said: &Said, number: usize) -> Result<()> {
    conversation.register(NewMessage {
        speaker: said.speaker,
        text: &said.text,
        at: at(number)?,
        tokens: TOKENS,
        embedding: None,
    })?;
    Ok(())
}

fn assemble(conversation: &mut Conversation, question: &Said, number: usize) -> Result<Assembly> {
    Ok(conversation.assemble(&Query {
        speaker: question.speaker,
        text: &question.text,
        at: at(number)?,
        embedding: None,
        max_messages: MOST_MESSAGES,
        max_tokens: MOST_TOKENS,
        found: &[],
    })?)
}
