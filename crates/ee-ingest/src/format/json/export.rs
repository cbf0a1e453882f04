//! Exports of conversations: trees of messages, as `ChatGPT` writes them, and numbered sessions,
//! as the `LoCoMo` data has them.

use std::collections::{HashMap, HashSet};

use km_core::Timestamp;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::document::Reader;
use super::fields::text_of;
use super::message::block;
use super::time::moment;
use crate::document::BlockKind;

const TREE: &str = "mapping";
const SESSION: &str = "session_";

/// Whether an object is such an export.
pub(super) fn is_export(fields: &Map<String, Value>) -> bool {
    is_tree(fields)
        || fields
            .iter()
            .any(|(name, value)| session(name, value).is_some())
}

fn is_tree(fields: &Map<String, Value>) -> bool {
    fields.get(TREE).is_some_and(Value::is_object)
}

/// The number of a session's list of turns.
fn session(name: &str, value: &Value) -> Option<u32> {
    let number = name.strip_prefix(SESSION)?.parse().ok()?;
    value.is_array().then_some(number)
}

impl<'a> Reader<'a> {
    /// Reads an export; `false` where the object is none.
    pub(super) fn export(
        &mut self,
        raw: &'a RawValue,
        fields: &Map<String, Value>,
        raws: &HashMap<String, &'a RawValue>,
        depth: u8,
    ) -> serde_json::Result<bool> {
        if !is_export(fields) {
            return Ok(false);
        }
        if let (true, Some(tree)) = (is_tree(fields), raws.get(TREE)) {
            let current = fields.get("current_node").and_then(Value::as_str);
            self.tree(tree, current)?;
            return Ok(true);
        }
        self.sessions(raw, fields, raws, depth)?;
        Ok(true)
    }

    /// The messages from the first to the one that was shown last; those of other branches are
    /// noted.
    fn tree(&mut self, tree: &'a RawValue, current: Option<&str>) -> serde_json::Result<()> {
        let raws: HashMap<String, &'a RawValue> = serde_json::from_str(tree.get())?;
        let mut nodes: HashMap<&str, Map<String, Value>> = HashMap::new();
        for (id, raw) in &raws {
            nodes.insert(id, serde_json::from_str(raw.get())?);
        }
        let last = current.filter(|id| nodes.contains_key(id));
        let last = last.or_else(|| latest(&nodes));
        let path = path_to(last, &nodes);
        for id in &path {
            if let (Some(node), Some(raw)) = (nodes.get(id.as_str()), raws.get(id)) {
                let place = self.place(raw);
                self.document.blocks.extend(said(node).and_then(|said| {
                    let kind = BlockKind::Message {
                        speaker: Some(said.speaker),
                        said_at: said.at,
                    };
                    block(kind, &said.text, place)
                }));
            }
        }
        let others = nodes
            .iter()
            .filter(|(id, node)| !path.iter().any(|kept| kept == *id) && said(node).is_some());
        match others.count() {
            0 => {}
            count => self.document.notes.push(format!(
                "messages of branches that were not shown last are left out: {count}"
            )),
        }
        Ok(())
    }

    /// Sessions in their order, each with the time at which it began.
    fn sessions(
        &mut self,
        raw: &'a RawValue,
        fields: &Map<String, Value>,
        raws: &HashMap<String, &'a RawValue>,
        depth: u8,
    ) -> serde_json::Result<()> {
        let named = fields.iter();
        let mut sessions: Vec<(u32, &str)> = named
            .filter_map(|(name, value)| Some((session(name, value)?, name.as_str())))
            .collect();
        sessions.sort_unstable();
        let times: Vec<String> = sessions
            .iter()
            .map(|(_, name)| format!("{name}_date_time"))
            .collect();
        let mut without: Vec<&str> = sessions.iter().map(|(_, name)| *name).collect();
        without.extend(times.iter().map(String::as_str));
        self.rest(fields, &without, raw, depth);
        for ((_, name), time) in sessions.iter().zip(&times) {
            let said_at = fields.get(time).and_then(moment);
            let Some(session) = raws.get(*name) else {
                continue;
            };
            let is_open = self.open(name, session, depth);
            for turn in serde_json::from_str::<Vec<&'a RawValue>>(session.get())? {
                let value = serde_json::from_str(turn.get())?;
                let place = self.place(turn);
                self.write_row(&value, place, said_at);
            }
            self.close(is_open);
        }
        Ok(())
    }
}

/// What a node of the tree says.
struct Said {
    speaker: String,
    text: String,
    at: Option<Timestamp>,
}

fn said(node: &Map<String, Value>) -> Option<Said> {
    let message = node.get("message")?.as_object()?;
    let speaker = message.get("author")?.get("role")?.as_str()?;
    let content = message.get("content")?;
    let parts = content.get("parts").or_else(|| content.get("text"))?;
    let text = text_of(parts);
    (!text.trim().is_empty()).then(|| Said {
        speaker: speaker.to_owned(),
        text,
        at: message.get("create_time").and_then(moment),
    })
}

/// The node that was written last.
fn latest<'n>(nodes: &HashMap<&'n str, Map<String, Value>>) -> Option<&'n str> {
    let time = |node: &Map<String, Value>| {
        let time = node.get("message")?.get("create_time")?;
        time.as_f64()
    };
    let timed = nodes
        .iter()
        .map(|(id, node)| (time(node).unwrap_or(f64::MIN), *id));
    let latest = timed.max_by(|(a, id_a), (b, id_b)| a.total_cmp(b).then(id_a.cmp(id_b)));
    latest.map(|(_, id)| id)
}

/// The ids from the root down to `last`; a circle ends where it began.
fn path_to(last: Option<&str>, nodes: &HashMap<&str, Map<String, Value>>) -> Vec<String> {
    let mut path = Vec::new();
    let mut seen = HashSet::new();
    let mut next = last;
    while let Some(id) = next.filter(|id| seen.insert((*id).to_owned())) {
        path.push(id.to_owned());
        let node = nodes.get(id);
        next = node.and_then(|node| node.get("parent")?.as_str());
    }
    path.reverse();
    path
}
