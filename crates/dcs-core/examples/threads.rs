//! Runs conversations through the core, for checks and for learning weights.
//!
//! `threads MESSAGES.jsonl OUT.jsonl [--embeddings FILE] [--part even|odd] [--weights FILE]
//! [--evidence message|exchange|selection]`
//!
//! Messages are rows `{file, idx, time, user, text, thread, kind?, annotated?}`; a time is RFC 3339
//! or, in chat logs, `HH:MM`, and a row without one has that of the row before. The embeddings are
//! 384 little-endian `f32` per row. Every message but system lines is registered in order, after
//! ten earlier annotated ones were selected for it; OUT gets `{file, idx, thread}` as the nodes
//! stand at the end, and the selection metrics go to standard output. With `--evidence` OUT gets
//! the evidence of every decision instead, for a learner, with the lines of work as the weights
//! place the messages. `--weights` uses the weights of a file for every kind of conversation.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use dcs_core::{
    ContinuityWeights, Conversation, ConversationConfig, DcnId, LearnedScorer, MessageId,
    NewMessage, PatternClassifier, Query, WeightSet,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

const DIMENSION: usize = 384;
const SELECTED: usize = 10;
/// Messages that are asked for where some of them do not count.
const SELECTED_WITH_OTHERS: usize = 100;
/// Earlier rows of its file that a measured message has at least.
const EARLIER_ROWS: usize = 5;

struct Row {
    file: String,
    idx: u64,
    speaker: String,
    text: String,
    at: Timestamp,
    thread: String,
    annotated: bool,
    system: bool,
    embedding: Option<Vec<f32>>,
}

impl Row {
    fn message(&self) -> NewMessage<'_> {
        NewMessage {
            speaker: &self.speaker,
            text: &self.text,
            at: self.at,
            tokens: 1,
            embedding: self.embedding.as_deref(),
        }
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).cloned()
    };
    let [input, output, ..] = arguments.as_slice() else {
        bail!("expected MESSAGES.jsonl OUT.jsonl");
    };
    let files = part(
        read(input, option("--embeddings"))?,
        option("--part").as_deref(),
    );
    let weights = option("--weights").map(fs::read_to_string).transpose()?;
    let weights = weights
        .map(|toml| ContinuityWeights::parse(&toml))
        .transpose()?;
    let mut out = BufWriter::new(fs::File::create(output)?);
    let mut totals = [0.0; 3];
    for rows in &files {
        let conversation = conversation(weights.as_ref())?;
        match option("--evidence").as_deref() {
            None => follow(rows, conversation, &mut out, &mut totals)?,
            Some(kind) => learn(rows, conversation, kind, &mut out)?,
        }
    }
    let [precision, recall, n] = totals;
    println!(
        "{}",
        json!({"precision@10": precision / n, "recall@10": recall / n, "n": n})
    );
    Ok(())
}

fn read(path: &str, embeddings: Option<String>) -> Result<Vec<Vec<Row>>> {
    let vectors = embeddings.map(fs::read).transpose()?;
    let mut files: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for (number, line) in fs::read_to_string(path)?.lines().enumerate() {
        let value: Value = serde_json::from_str(line)?;
        let text = |name: &str| {
            let text = value.get(name).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let rows = files.entry(text("file")).or_default();
        let before = rows.last().map_or(Timestamp::UNIX_EPOCH, |row| row.at);
        let annotated = value.get("annotated").and_then(Value::as_bool);
        rows.push(Row {
            file: text("file"),
            idx: value.get("idx").and_then(Value::as_u64).context("idx")?,
            speaker: text("user"),
            text: text("text"),
            at: time(&text("time"), before)?,
            thread: text("thread"),
            annotated: annotated.unwrap_or(true),
            system: text("kind") == "system",
            embedding: vectors.as_ref().map(|bytes| vector(bytes, number)),
        });
    }
    Ok(files.into_values().collect())
}

/// A time; an hour of the day far earlier than the one before belongs to the next day.
fn time(text: &str, before: Timestamp) -> Result<Timestamp> {
    let Some((hours, minutes)) = text.split_once(':').filter(|_| text.len() == 5) else {
        return if text.is_empty() {
            Ok(before)
        } else {
            Ok(text.parse()?)
        };
    };
    let of_day = SignedDuration::from_mins(hours.parse::<i64>()? * 60 + minutes.parse::<i64>()?);
    let day = SignedDuration::from_hours(24);
    let days = before.as_second().div_euclid(day.as_secs());
    let at = Timestamp::from_second(days * day.as_secs())? + of_day;
    let next_day = before.as_second() - at.as_second() > day.as_secs() / 2;
    Ok(if next_day { at + day } else { at })
}

fn vector(bytes: &[u8], row: usize) -> Vec<f32> {
    let start = row * DIMENSION * 4;
    let bytes = bytes.get(start..start + DIMENSION * 4).unwrap_or_default();
    let components = bytes.as_chunks::<4>().0.iter();
    components.map(|b| f32::from_le_bytes(*b)).collect()
}

fn part(files: Vec<Vec<Row>>, part: Option<&str>) -> Vec<Vec<Row>> {
    let keep = |index: usize| match part {
        Some("even") => index.is_multiple_of(2),
        Some("odd") => !index.is_multiple_of(2),
        _ => true,
    };
    let files = files.into_iter().enumerate();
    files.filter(|(i, _)| keep(*i)).map(|(_, f)| f).collect()
}

/// An empty conversation, with the built-in weights or the given ones.
fn conversation(weights: Option<&ContinuityWeights>) -> Result<Conversation> {
    let config = ConversationConfig::default();
    let Some(weights) = weights else {
        return Ok(Conversation::new(config)?);
    };
    let set = WeightSet::from(weights.clone());
    let scorer = LearnedScorer::new(&set, &set, vec!["assistant".to_owned()]);
    let classifier = Arc::new(PatternClassifier::built_in()?);
    Ok(Conversation::with_parts(
        config,
        classifier,
        Arc::new(scorer),
    )?)
}

/// Registers and selects; adds precision, recall and one to the totals per measured message.
fn follow(
    rows: &[Row],
    mut conversation: Conversation,
    out: &mut impl Write,
    totals: &mut [f64; 3],
) -> Result<()> {
    let mut said: Vec<&Row> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if row.system {
            let thread = format!("system {index}");
            writeln!(
                out,
                "{}",
                json!({"file": row.file, "idx": row.idx, "thread": thread})
            )?;
            continue;
        }
        let same = said.iter().filter(|other| related(row, other)).count();
        if index >= EARLIER_ROWS && same > 0 {
            let hits = select(&mut conversation, &said, row)?;
            totals[0] += hits / SELECTED as f64;
            totals[1] += hits / same as f64;
            totals[2] += 1.0;
        }
        conversation.register(row.message())?;
        said.push(row);
    }
    for (message, row) in conversation.history().messages().iter().zip(said) {
        let dcn = message.key.dcns.first().map(|dcn| dcn.number());
        writeln!(
            out,
            "{}",
            json!({"file": row.file, "idx": row.idx, "thread": dcn})
        )?;
    }
    Ok(())
}

/// Whether both are annotated as parts of one thread.
fn related(one: &Row, other: &Row) -> bool {
    one.annotated && other.annotated && one.thread == other.thread
}

/// How many of the ten best annotated messages belong to the thread of `row`.
fn select(conversation: &mut Conversation, said: &[&Row], row: &Row) -> Result<f64> {
    let all_count = said.iter().all(|other| other.annotated);
    let count = if all_count {
        SELECTED
    } else {
        SELECTED_WITH_OTHERS
    };
    let assembly = conversation.assemble(&query(row, count))?;
    let other = |id: MessageId| said.get(id.position() as usize);
    let mut best = assembly.messages;
    best.retain(|message| other(message.message).is_some_and(|other| other.annotated));
    best.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.message.cmp(&a.message)));
    let hit = |id: MessageId| other(id).is_some_and(|other| related(row, other));
    let best = best.iter().take(SELECTED);
    Ok(best.filter(|message| hit(message.message)).count() as f64)
}

fn query(row: &Row, max_messages: usize) -> Query<'_> {
    Query {
        speaker: &row.speaker,
        text: &row.text,
        at: row.at,
        embedding: row.embedding.as_deref(),
        max_messages,
        max_tokens: u64::MAX,
        found: &[],
    }
}

/// Registers, and writes the evidence of every decision with the messages that are right.
fn learn(
    rows: &[Row],
    mut conversation: Conversation,
    kind: &str,
    out: &mut impl Write,
) -> Result<()> {
    let mut said: Vec<&Row> = Vec::new();
    for row in rows.iter().filter(|row| !row.system) {
        if row.annotated {
            let evidence = evidence(&mut conversation, row, kind)?;
            emit(row, &said, &evidence, out)?;
        }
        conversation.register(row.message())?;
        said.push(row);
    }
    Ok(())
}

/// Evidence with the message that each row is about; `None` for a new line of work.
type EvidenceRows = Vec<(Option<MessageId>, Vec<f64>)>;

fn evidence(conversation: &mut Conversation, row: &Row, kind: &str) -> Result<EvidenceRows> {
    let answers = row.speaker == "assistant";
    let evidence = match kind {
        "selection" => {
            let evidence = conversation.selection_evidence(&query(row, SELECTED))?;
            let evidence = evidence.into_iter();
            return Ok(evidence.map(|(id, values)| (Some(id), values)).collect());
        }
        "exchange" if answers => conversation.exchange_evidence(row.message())?,
        "message" if !answers => conversation.evidence(row.message())?,
        _ => Vec::new(),
    };
    let message = |link: Option<(DcnId, MessageId)>| link.map(|(_, message)| message);
    Ok(evidence
        .into_iter()
        .map(|one| (message(one.link), one.values))
        .collect())
}

fn emit(
    row: &Row,
    said: &[&Row],
    evidence: &[(Option<MessageId>, Vec<f64>)],
    out: &mut impl Write,
) -> Result<()> {
    if evidence.is_empty() {
        return Ok(());
    }
    let other = |id: MessageId| said.get(id.position() as usize);
    let right = |id: MessageId| other(id).is_some_and(|other| related(row, other));
    let labels = evidence.iter().map(|(id, _)| id.is_some_and(right));
    let messages = evidence.iter().map(|(id, _)| {
        id.and_then(other)
            .filter(|other| other.annotated)
            .map(|other| other.idx)
    });
    let line = json!({
        "file": row.file,
        "idx": row.idx,
        "labels": labels.collect::<Vec<_>>(),
        "messages": messages.collect::<Vec<_>>(),
        "relevant": said.iter().filter(|other| related(row, other)).count(),
        "values": evidence.iter().map(|(_, values)| values.as_slice()).collect::<Vec<_>>(),
    });
    writeln!(out, "{line}")?;
    Ok(())
}
