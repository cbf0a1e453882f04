//! Chat rooms: who speaks to whom tells lines of work apart.

use dcs_core::{Conversation, ConversationConfig, DcnId};

use crate::conversation::message;

/// The lines of work of messages that are said one after the other.
fn lines(said: &[(&'static str, &'static str)]) -> Vec<Option<DcnId>> {
    let mut room = Conversation::new(ConversationConfig::default()).unwrap();
    for (minutes, (speaker, text)) in said.iter().enumerate() {
        let message = message(speaker, text, minutes as i64);
        room.register(message).unwrap();
    }
    let messages = room.history().messages().iter();
    messages.map(|m| m.key.dcns.first().copied()).collect()
}

const OPENING: [(&str, &str); 5] = [
    ("carl", "good evening"),
    (
        "adalbert",
        "hi, how do I mount a usb drive from the console?",
    ),
    (
        "brunhilde",
        "does anyone know why the sound card stays silent after the upgrade?",
    ),
    ("carl", "adalbert: run mount with the device name"),
    ("dora", "brunhilde: is the mixer muted?"),
];

#[test]
fn answers_join_the_line_of_work_of_the_one_they_address() {
    let lines = lines(&OPENING);
    assert_ne!(lines[1], lines[2]);
    assert_eq!([lines[3], lines[4]], [lines[1], lines[2]]);
}

#[test]
fn the_start_of_a_name_addresses_too() {
    let said = [&OPENING[..], &[("carl", "brun: look at the volume keys")]].concat();
    let lines = lines(&said);
    assert_eq!(lines[5], lines[2]);
}
