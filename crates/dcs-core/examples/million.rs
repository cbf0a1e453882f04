//! Measures the core on a long conversation: how long a message takes to register, how long a
//! context takes to assemble, and how much memory a message needs.
//!
//! `million [MESSAGES]` registers a made-up conversation of a million messages (or as many as
//! named) between a user and an assistant, without embeddings, and assembles a context after
//! every thousandth. The text comes from a fixed seed. Words follow Zipf's law, and work moves
//! between lines of work in bursts, with a new one now and then. One line of JSON goes to standard
//! output. Memory is what the process gained, so it includes every index; it is `null` where the
//! system does not tell.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use dcs_core::{Conversation, ConversationConfig, NewMessage, Query};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

const MESSAGES: u64 = 1_000_000;
const BETWEEN_ASSEMBLIES: u64 = 1_000;
/// Distinct words of the whole conversation.
const WORDS: f64 = 60_000.0;
/// Words that one line of work likes to use.
const TOPIC_WORDS: u64 = 40;
const PAGE_BYTES: u64 = 4096;

/// Text from a fixed seed (`SplitMix64`, <https://prng.di.unimi.it/splitmix64.c>).
struct Talk {
    state: u64,
    topics: u64,
    topic: u64,
}

impl Talk {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A question or an answer; a question may take up another line of work.
    fn say(&mut self, question: bool) -> String {
        if question {
            self.turn();
        }
        let count = 6 + self.next() % if question { 8 } else { 20 };
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        let end = if question { "?" } else { "." };
        format!("{}{end}", words.join(" "))
    }

    fn turn(&mut self) {
        match self.next() % 16 {
            0 => {
                self.topic = self.topics;
                self.topics += 1;
            }
            1..=3 => self.topic = self.topics - 1 - self.next() % self.topics.min(12),
            _ => {}
        }
    }

    fn word(&mut self) -> String {
        if self.next().is_multiple_of(3) {
            return format!("topic{}", self.topic * 7 + self.next() % TOPIC_WORDS);
        }
        format!("word{}", WORDS.powf(self.unit()) as u64)
    }
}

fn main() -> Result<()> {
    let messages = std::env::args()
        .nth(1)
        .map_or(Ok(MESSAGES), |n| n.parse())?;
    let mut conversation = Conversation::new(ConversationConfig::default())?;
    let mut talk = Talk {
        state: 3,
        topics: 1,
        topic: 0,
    };
    let before = resident_bytes();
    let mut registering = Duration::ZERO;
    let mut assembling = Vec::new();
    for number in 0..messages {
        let question = number.is_multiple_of(2);
        let text = talk.say(question);
        registering += register(&mut conversation, &text, number, question)?;
        if number % BETWEEN_ASSEMBLIES == BETWEEN_ASSEMBLIES - 1 {
            conversation.take_changes();
            assembling.push(assemble(&mut conversation, &talk.say(true), number)?);
        }
    }
    let bytes = before
        .zip(resident_bytes())
        .map(|(a, b)| b.saturating_sub(a) / messages.max(1));
    assembling.sort_unstable();
    println!(
        "{}",
        json!({
            "messages": messages,
            "lines_of_work": conversation.history().dcns().count(),
            "register_mean_microseconds": registering.as_secs_f64() * 1e6 / messages.max(1) as f64,
            "assemble_p50_milliseconds": percentile(&assembling, 50),
            "assemble_p99_milliseconds": percentile(&assembling, 99),
            "bytes_per_message": bytes,
        })
    );
    Ok(())
}

fn at(number: u64) -> Result<Timestamp> {
    let minutes = i64::try_from(number).context("too many messages")?;
    Ok(Timestamp::UNIX_EPOCH.checked_add(SignedDuration::from_mins(minutes))?)
}

fn register(
    conversation: &mut Conversation,
    text: &str,
    number: u64,
    question: bool,
) -> Result<Duration> {
    let message = NewMessage {
        speaker: if question { "user" } else { "assistant" },
        text,
        at: at(number)?,
        tokens: 20,
        embedding: None,
    };
    let start = Instant::now();
    conversation.register(message)?;
    Ok(start.elapsed())
}

fn assemble(conversation: &mut Conversation, text: &str, number: u64) -> Result<Duration> {
    let query = Query {
        speaker: "user",
        text,
        at: at(number)?,
        embedding: None,
        max_messages: 20,
        max_tokens: 2_000,
        found: &[],
    };
    let start = Instant::now();
    conversation.assemble(&query)?;
    Ok(start.elapsed())
}

/// The nearest-rank percentile in milliseconds of sorted times.
fn percentile(sorted: &[Duration], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).map(|time| time.as_secs_f64() * 1e3)
}

/// Memory of this process in use, from Linux's `/proc/self/statm`.
fn resident_bytes() -> Option<u64> {
    let pages = fs::read_to_string("/proc/self/statm").ok()?;
    pages
        .split(' ')
        .nth(1)?
        .parse::<u64>()
        .ok()?
        .checked_mul(PAGE_BYTES)
}
