//! Runs conversations through the core, for checks and for learning weights.
//!
//! `threads MESSAGES.jsonl OUT.jsonl [--embeddings FILE] [--part even|odd] [--weights FILE]
//! [--evidence message|exchange]`
//!
//! Messages are rows `{file, idx, time, user, text, thread}` with RFC 3339 times. The embeddings
//! are 384 little-endian `f32` per row. Without `--evidence` every message is registered in order,
//! after ten earlier ones were selected for it; OUT gets `{file, idx, thread}` as the nodes stand
//! at the end, and the selection metrics go to standard output. With `--evidence` the messages are
//! linked as `thread` says, and OUT gets the evidence of every decision, for a learner.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use dcs_core::{
    ContinuityWeights, Conversation, ConversationConfig, DcnId, Evidence, LearnedScorer, MessageId,
    NewMessage, PatternClassifier, Query,
};
use serde_json::{Value, json};

const DIMENSION: usize = 384;
const SELECTED: usize = 10;

struct Row {
    file: String,
    idx: u64,
    speaker: String,
    text: String,
    at: jiff::Timestamp,
    thread: String,
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
        match option("--evidence").as_deref() {
            None => follow(rows, weights.as_ref(), &mut out, &mut totals)?,
            Some(stage) => learn(rows, weights.as_ref(), stage == "exchange", &mut out)?,
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
            value
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let row = Row {
            file: text("file"),
            idx: value.get("idx").and_then(Value::as_u64).context("idx")?,
            speaker: text("user"),
            text: text("text"),
            at: text("time").parse()?,
            thread: text("thread"),
            embedding: vectors.as_ref().map(|bytes| vector(bytes, number)),
        };
        files.entry(row.file.clone()).or_default().push(row);
    }
    Ok(files.into_values().collect())
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
    let scorer = LearnedScorer::new(weights, weights, vec!["assistant".to_owned()]);
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
    weights: Option<&ContinuityWeights>,
    out: &mut impl Write,
    totals: &mut [f64; 3],
) -> Result<()> {
    let mut conversation = conversation(weights)?;
    for (index, row) in rows.iter().enumerate() {
        let earlier = rows.iter().take(index);
        let same = earlier.filter(|other| other.thread == row.thread).count();
        if index >= 5 && same > 0 {
            let hits = select(&mut conversation, rows, row)?;
            totals[0] += hits / SELECTED as f64;
            totals[1] += hits / same as f64;
            totals[2] += 1.0;
        }
        conversation.register(row.message())?;
    }
    for (message, row) in conversation.history().messages().iter().zip(rows) {
        let dcn = message.key.dcns.first().map(|dcn| dcn.number());
        writeln!(
            out,
            "{}",
            json!({"file": row.file, "idx": row.idx, "thread": dcn})
        )?;
    }
    Ok(())
}

fn select(conversation: &mut Conversation, rows: &[Row], row: &Row) -> Result<f64> {
    let assembly = conversation.assemble(&Query {
        speaker: &row.speaker,
        text: &row.text,
        at: row.at,
        embedding: row.embedding.as_deref(),
        max_messages: SELECTED,
        max_tokens: u64::MAX,
    })?;
    let thread = |id: MessageId| rows.get(id.position() as usize).map(|other| &other.thread);
    let hit = |id: MessageId| thread(id) == Some(&row.thread);
    let hits = assembly.messages.iter().filter(|m| hit(m.message));
    Ok(hits.count() as f64)
}

/// Links as labelled, and writes the evidence of every decision with the labelled links.
fn learn(
    rows: &[Row],
    weights: Option<&ContinuityWeights>,
    exchange: bool,
    out: &mut impl Write,
) -> Result<()> {
    let mut conversation = conversation(weights)?;
    let mut dcns: BTreeMap<&str, DcnId> = BTreeMap::new();
    for row in rows {
        let answers = row.speaker == "assistant";
        if exchange && answers {
            emit(
                rows,
                row,
                &conversation.exchange_evidence(row.message())?,
                out,
            )?;
        } else if !exchange && !answers {
            emit(rows, row, &conversation.evidence(row.message())?, out)?;
        }
        let next = conversation.history().dcns().count() as u32 + 1;
        let known = dcns.get(row.thread.as_str()).copied();
        match known {
            Some(dcn) => conversation.register_linked(row.message(), &[dcn])?,
            None => conversation.register_new(row.message())?,
        };
        dcns.entry(&row.thread).or_insert(DcnId::new(next));
    }
    Ok(())
}

fn emit(rows: &[Row], row: &Row, evidence: &[Evidence], out: &mut impl Write) -> Result<()> {
    let same = |id: MessageId| {
        let other = rows.get(id.position() as usize);
        other.is_some_and(|other| other.thread == row.thread)
    };
    let gold = |one: &Evidence| one.link.is_some_and(|(_, id)| same(id));
    let any = evidence.iter().any(gold);
    let labels: Vec<bool> = evidence
        .iter()
        .map(|one| if any { gold(one) } else { one.link.is_none() })
        .collect();
    let values: Vec<&[f64]> = evidence.iter().map(|one| one.values.as_slice()).collect();
    writeln!(
        out,
        "{}",
        json!({"file": row.file, "idx": row.idx, "labels": labels, "values": values})
    )?;
    Ok(())
}
