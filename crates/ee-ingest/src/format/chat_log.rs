//! Plain chat logs: lines such as `[10:02] name: text`, `10:02 <name> text`, or
//! `12/03/2024, 10:02 - name: text`.
//!
//! A line without a time goes on with the message before it. A time without a date gives no moment,
//! since the day is not known; that is noted.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use km_core::Timestamp;

use super::TextFormat;
use crate::SkipReason;
use crate::document::{Block, BlockKind, Document};
use crate::mapped::MappedText;

/// Lines of the text that are looked at to tell whether it is a log.
const SAMPLE_LINES: usize = 200;
/// Messages that a log has at least.
const FEWEST_MESSAGES: usize = 2;
/// A name of more characters is none.
const LONGEST_NAME: usize = 60;
/// Forms of a date in front of a time. Day and month of `12/03/2024` are told by the file: where
/// any first number exceeds 12, days come first; they do so too where nothing tells.
const DATES: [&str; 3] = ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y"];

pub(super) struct ChatLog;

/// A line that begins a message.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    date: Option<&'a str>,
    time: &'a str,
    speaker: Option<&'a str>,
    text: &'a str,
}

/// Whether more than half of the lines, and the first, begin a message.
pub(super) fn is_log(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let starts = lines
        .clone()
        .next()
        .is_some_and(|line| read(line).is_some());
    let (mut all, mut messages) = (0_usize, 0_usize);
    for line in lines.by_ref().take(SAMPLE_LINES) {
        all += 1;
        messages += usize::from(read(line).is_some_and(|line| line.speaker.is_some()));
    }
    starts && messages >= FEWEST_MESSAGES && messages * 2 > all
}

impl TextFormat for ChatLog {
    fn parse(&self, text: &str) -> Result<Document, SkipReason> {
        let month_first = month_first(text);
        let mut document = Document::default();
        let mut undated = 0_usize;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let from = at;
            at += line.len();
            let trimmed = line.trim_end();
            let last = document.blocks.last_mut();
            match (
                read(trimmed),
                last.and_then(|block| block.parts.first_mut()),
            ) {
                (Some(message), _) => {
                    undated += usize::from(message.date.is_none());
                    document
                        .blocks
                        .extend(block(&message, trimmed, from, month_first));
                }
                (None, Some(before)) if !trimmed.trim().is_empty() => {
                    before.append("\n", &MappedText::verbatim(trimmed, from));
                }
                (None, None) if !trimmed.trim().is_empty() => {
                    let text = MappedText::verbatim(trimmed, from);
                    document
                        .blocks
                        .push(Block::new(BlockKind::Paragraph, vec![text]));
                }
                _ => {}
            }
        }
        if undated > 0 {
            document.notes.push(format!(
                "times are left out that have no date (messages: {undated})"
            ));
        }
        Ok(document)
    }
}

/// A message as it is said; what the log reports, such as who joined, is a message of nobody.
fn block(message: &Line<'_>, line: &str, start: usize, month_first: bool) -> Option<Block> {
    let said_at = message
        .date
        .and_then(|date| moment(date, message.time, month_first));
    let offset = line.len() - message.text.len();
    let mut text = MappedText::default();
    text.push(message.text, start + offset..start + line.len());
    let kind = BlockKind::Message {
        speaker: message.speaker.map(str::to_owned),
        said_at,
    };
    (!text.is_blank()).then(|| Block::new(kind, vec![text]))
}

/// Splits a line into time, speaker and text; `None` for one that begins with no time.
fn read(line: &str) -> Option<Line<'_>> {
    let line = line.trim_start_matches(['\u{200e}', '\u{feff}', ' ']);
    let (stamp, rest) = match line.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => split_stamp(line)?,
    };
    let (date, time) = parts(stamp)?;
    let rest = rest.trim_start().trim_start_matches("- ").trim();
    let (speaker, text) = match speaker(rest) {
        Some((speaker, text)) => (Some(speaker), text),
        None => (None, rest),
    };
    Some(Line {
        date,
        time,
        speaker,
        text,
    })
}

/// Who speaks and what: `<name> text` or `name: text`.
fn speaker(rest: &str) -> Option<(&str, &str)> {
    let (name, text) = match rest.strip_prefix('<') {
        Some(inner) => inner.split_once('>')?,
        None => rest.split_once(':')?,
    };
    let name = name
        .trim()
        .trim_start_matches(['@', '+', '~', '\u{200e}', ' ']);
    let is_name = !name.is_empty() && name.chars().count() <= LONGEST_NAME;
    let text = text.trim_start_matches(['\u{200e}', ' ', '\t']);
    (is_name && !name.contains("://")).then_some((name, text))
}

/// The time that a line without brackets begins with, and what follows it.
fn split_stamp(line: &str) -> Option<(&str, &str)> {
    let digits = |c: char| c.is_ascii_digit() || "/.-:,TZ ".contains(c);
    if !line.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let end = line.find(|c| !digits(c)).unwrap_or(line.len());
    let after = line.get(end..)?;
    let half = ["AM", "PM", "am", "pm", "a.m.", "p.m."];
    let half = half.iter().find(|half| after.starts_with(**half));
    let end = end + half.map_or(0, |half| half.len());
    let stamp = line.get(..end)?;
    let stamp = stamp.trim_end_matches([' ', '-']);
    Some((stamp, line.get(stamp.len()..)?))
}

/// Date and time of a stamp.
fn parts(stamp: &str) -> Option<(Option<&str>, &str)> {
    let stamp = stamp.trim_matches([' ', '\u{200e}']);
    let colon = stamp.find(':')?;
    let before = stamp.get(..colon)?;
    let hour = before.len() - before.bytes().rev().take_while(u8::is_ascii_digit).count();
    let date = stamp.get(..hour)?.trim_end_matches([' ', ',', 'T']);
    let time = stamp.get(hour..)?;
    let is_time = clock(time).is_some();
    let is_date = date.is_empty() || date.bytes().filter(u8::is_ascii_digit).count() >= 3;
    (is_time && is_date && date.len() < 12).then_some(((!date.is_empty()).then_some(date), time))
}

/// The time of day.
fn clock(time: &str) -> Option<Time> {
    let time = time.trim().trim_end_matches('Z');
    let upper = time.to_uppercase().replace(['.', '\u{202f}', ' '], "");
    let (digits, half) = match upper.strip_suffix("PM") {
        Some(digits) => (digits.to_owned(), Some(12)),
        None => match upper.strip_suffix("AM") {
            Some(digits) => (digits.to_owned(), Some(0)),
            None => (upper, None),
        },
    };
    let mut numbers = digits.split(':').map(str::parse::<i8>);
    let hour = numbers.next()?.ok()?;
    let minute = numbers.next()?.ok()?;
    let second = numbers.next().transpose().ok()?.unwrap_or(0);
    let hour = half.map_or(hour, |half| hour % 12 + half);
    Time::new(hour, minute, second, 0)
        .ok()
        .filter(|_| numbers.next().is_none())
}

/// Date and time, taken as UTC.
fn moment(date: &str, time: &str, month_first: bool) -> Option<Timestamp> {
    let slashed = if month_first { "%m/%d/%Y" } else { "%d/%m/%Y" };
    let short = if month_first { "%m/%d/%y" } else { "%d/%m/%y" };
    let forms = DATES.into_iter().chain([slashed, short, "%d.%m.%y"]);
    let date = forms.into_iter().find_map(|form| {
        let date = Date::strptime(form, date).ok()?;
        (date.year() > 1900).then_some(date)
    })?;
    let moment = date.to_datetime(clock(time)?);
    TimeZone::UTC.to_timestamp(moment).ok()
}

/// Whether dates such as `12/31/24` put the month first: no first number is above 12, and a second
/// one is.
fn month_first(text: &str) -> bool {
    let (mut first, mut second) = (0_u32, 0_u32);
    for date in text.lines().filter_map(|line| read(line)?.date) {
        let mut numbers = date.split('/').map(|number| number.parse().unwrap_or(0));
        first = first.max(numbers.next().unwrap_or(0));
        second = second.max(numbers.next().unwrap_or(0));
    }
    first <= 12 && second > 12
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(line: &str) -> Option<(Option<&str>, &str, Option<&str>, &str)> {
        let line = read(line)?;
        Some((line.date, line.time, line.speaker, line.text))
    }

    #[test]
    fn the_forms_of_log_lines_are_told_apart() {
        assert_eq!(
            line("[10:02] Ann: Hello: you"),
            Some((None, "10:02", Some("Ann"), "Hello: you"))
        );
        assert_eq!(
            line("10:02 <@ben> moin"),
            Some((None, "10:02", Some("ben"), "moin"))
        );
        assert_eq!(
            line("12/03/2024, 10:02 - Ann Lee: Hi"),
            Some((Some("12/03/2024"), "10:02", Some("Ann Lee"), "Hi"))
        );
        assert_eq!(
            line("[2024-03-12 10:02:33] 安娜: 你好"),
            Some((Some("2024-03-12"), "10:02:33", Some("安娜"), "你好"))
        );
        assert_eq!(
            line("[3/12/24, 9:02:33 PM] Ann: Hi"),
            Some((Some("3/12/24"), "9:02:33 PM", Some("Ann"), "Hi"))
        );
        assert_eq!(
            line("[10:05] === carl joined"),
            Some((None, "10:05", None, "=== carl joined"))
        );
        for text in [
            "Ann: Hello",
            "1:2:3:4",
            "[note] Ann: x",
            "3 apples: four",
            "",
        ] {
            assert_eq!(line(text), None, "{text}");
        }
    }

    #[test]
    fn day_and_month_are_told_by_the_file() {
        assert!(month_first(
            "03/12/24, 10:02 - A: x\n03/31/24, 10:02 - A: y\n"
        ));
        assert!(!month_first(
            "12/03/24, 10:02 - A: x\n31/03/24, 10:02 - A: y\n"
        ));
        assert_eq!(
            moment("12/03/2024", "9:02 PM", false).unwrap().to_string(),
            "2024-03-12T21:02:00Z"
        );
    }
}
