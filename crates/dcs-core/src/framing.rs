//! The assembled messages as text for a model: objective, lines of work, and how they relate.

use std::fmt::Write;

use crate::{Assembly, Conversation, DcnId, MessageId, Strategy};

impl Conversation {
    /// Renders an assembly with a short frame: the objective, the lines of work involved, and the
    /// messages in order, each with its line of work and speaker.
    ///
    /// `text_of` gives the text of a message, which this crate does not keep; a message without
    /// text is left out.
    pub fn frame(
        &self,
        objective: &str,
        assembly: &Assembly,
        text_of: impl Fn(MessageId) -> Option<String>,
    ) -> String {
        let mut frame = format!("Objective: {}\n", one_line(objective));
        if assembly.strategy == Strategy::Selective {
            let (chosen, all) = (assembly.messages.len(), self.history.len());
            push_line(
                &mut frame,
                format_args!("Context: {chosen} of {all} earlier messages"),
            );
        }
        for (dcn, score) in &assembly.lines_of_work {
            self.push_line_of_work(&mut frame, *dcn, *score);
        }
        for selected in &assembly.messages {
            if let Some(text) = text_of(selected.message) {
                self.push_message(&mut frame, selected.message, &text);
            }
        }
        frame
    }

    fn push_line_of_work(&self, frame: &mut String, dcn: DcnId, score: f64) {
        let continued = if score > 0.0 { ", may continue" } else { "" };
        let count = self.history.members(dcn).len();
        push_line(
            frame,
            format_args!("Line of work {dcn}: {count} messages{continued}"),
        );
    }

    fn push_message(&self, frame: &mut String, id: MessageId, text: &str) {
        let Some(message) = self.history.message(id) else {
            return;
        };
        let lines: Vec<String> = message.key.dcns.iter().map(ToString::to_string).collect();
        let speaker = if message.speaker.is_empty() {
            "?"
        } else {
            &message.speaker
        };
        let (at, lines) = (message.at, lines.join(","));
        push_line(
            frame,
            format_args!("[{id}] {at} {speaker} (line of work {lines}): {text}"),
        );
    }
}

fn push_line(frame: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(frame, "{line}");
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
