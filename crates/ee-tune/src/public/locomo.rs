//! `LoCoMo`: a list of conversations, each with numbered sessions of turns and a list of questions.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::dataset::Parts;

/// What the numbers of question categories mean.
const CATEGORIES: [&str; 5] = [
    "multi-hop",
    "temporal",
    "open-domain",
    "single-hop",
    "adversarial",
];

/// Turns and questions as rows. Evidence that names no turn is left out: the original has
/// misspelt ids, and several ids in one string.
pub(super) fn parts(conversations: &[u8]) -> Result<Parts, String> {
    let parsed = serde_json::from_slice(conversations);
    let conversations: Vec<Value> = parsed.map_err(|error| error.to_string())?;
    let (mut turns, mut questions) = (String::new(), String::new());
    for conversation in &conversations {
        let id = text(conversation, "sample_id").ok_or("a conversation without `sample_id`")?;
        let rows = turn_rows(id, conversation)?;
        let known = rows.iter().filter_map(|row| text(row, "dia_id")).collect();
        let asked = question_rows(id, conversation, &known)?;
        push(&mut turns, &rows);
        push(&mut questions, &asked);
    }
    Ok(vec![
        ("turns.jsonl", turns.into_bytes()),
        ("questions.jsonl", questions.into_bytes()),
    ])
}

fn push(text: &mut String, rows: &[Value]) {
    for row in rows {
        text.push_str(&row.to_string());
        text.push('\n');
    }
}

fn turn_rows(id: &str, conversation: &Value) -> Result<Vec<Value>, String> {
    let sessions = conversation.get("conversation").and_then(Value::as_object);
    let sessions = sessions.ok_or_else(|| format!("{id} without `conversation`"))?;
    let mut numbers: Vec<u64> = sessions.keys().filter_map(|key| number(key)).collect();
    numbers.sort_unstable();
    let mut rows = Vec::new();
    for session in numbers {
        let turns = sessions
            .get(&format!("session_{session}"))
            .and_then(Value::as_array);
        for (position, turn) in turns.into_iter().flatten().enumerate() {
            rows.push(turn_row(id, session, position, turn, sessions)?);
        }
    }
    Ok(rows)
}

/// The number of `session_7`; none for `session_7_date_time`.
fn number(key: &str) -> Option<u64> {
    key.strip_prefix("session_")?.parse().ok()
}

fn turn_row(
    id: &str,
    session: u64,
    position: usize,
    turn: &Value,
    sessions: &Map<String, Value>,
) -> Result<Value, String> {
    let field = |name: &str| {
        text(turn, name).ok_or_else(|| format!("{id}, session {session}: a turn without `{name}`"))
    };
    let mut row = json!({
        "conv_id": id, "session": session, "pos": position,
        "dia_id": field("dia_id")?, "speaker": field("speaker")?,
    });
    if let Some(fields) = row.as_object_mut() {
        if let Some(at) = sessions.get(&format!("session_{session}_date_time")) {
            fields.insert("datetime".to_owned(), at.clone());
        }
        fields.insert("text".to_owned(), Value::from(field("text")?));
        if let Some(caption) = turn.get("blip_caption") {
            fields.insert("caption".to_owned(), caption.clone());
        }
    }
    Ok(row)
}

fn question_rows(
    id: &str,
    conversation: &Value,
    known: &HashSet<&str>,
) -> Result<Vec<Value>, String> {
    let questions = conversation.get("qa").and_then(Value::as_array);
    let questions = questions.ok_or_else(|| format!("{id} without `qa`"))?;
    let rows = questions.iter().enumerate().map(|(place, question)| {
        let asked = text(question, "question");
        let asked = asked.ok_or_else(|| format!("{id}: question {place} without `question`"))?;
        let category = question
            .get("category")
            .and_then(Value::as_u64)
            .unwrap_or_default();
        let name = usize::try_from(category)
            .ok()
            .and_then(|at| CATEGORIES.get(at.checked_sub(1)?));
        let name = name.ok_or_else(|| format!("{id}: question {place} of category {category}"))?;
        Ok(json!({
            "q_id": format!("{id}-q{place}"), "conv_id": id, "question": asked,
            "answer": question.get("answer"), "category": category, "category_name": name,
            "evidence": evidence(question, known),
        }))
    });
    rows.collect()
}

/// The turns that hold the answer, each once, in their order.
fn evidence<'a>(question: &'a Value, known: &HashSet<&str>) -> Vec<&'a str> {
    let named = question.get("evidence").and_then(Value::as_array);
    let texts = named.into_iter().flatten().filter_map(Value::as_str);
    let mut ids = Vec::new();
    for id in texts.flat_map(|text| text.split([';', ',', ' '])) {
        if known.contains(id) && !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn sessions_come_in_order_and_evidence_is_mended() {
        let source = r#"[{"sample_id": "conv-1",
            "conversation": {"speaker_a": "Ada", "session_10": [{"speaker": "Ada", "dia_id": "D10:1", "text": "later"}],
              "session_2_date_time": "1:56 pm on 8 May, 2023",
              "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "look", "blip_caption": "a dog"}]},
            "qa": [{"question": "what?", "answer": 2022, "evidence": ["D2:1; D10:1", "D:9"], "category": 2}]}]"#;
        let found = parts(source.as_bytes()).unwrap();
        let rows = |at: usize| -> Vec<serde_json::Value> {
            let text = std::str::from_utf8(&found[at].1).unwrap();
            text.lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect()
        };
        let (turns, questions) = (rows(0), rows(1));
        assert_eq!(
            (turns[0]["dia_id"].as_str(), turns[1]["dia_id"].as_str()),
            (Some("D2:1"), Some("D10:1"))
        );
        assert_eq!(
            (turns[0]["caption"].as_str(), turns[0]["session"].as_u64()),
            (Some("a dog"), Some(2))
        );
        assert_eq!(
            questions[0]["evidence"],
            serde_json::json!(["D2:1", "D10:1"])
        );
        assert_eq!(questions[0]["category_name"], "temporal");
        assert_eq!(questions[0]["q_id"], "conv-1-q0");
    }
}
