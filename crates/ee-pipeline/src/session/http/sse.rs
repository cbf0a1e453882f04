//! Server-sent events from bytes that arrive in any pieces.

/// Collects bytes into events. Lines end in LF, CRLF or CR; comments and fields other than `data`
/// are passed over; bytes that are not UTF-8 become U+FFFD, but never because a character was
/// split between two pieces.
#[derive(Default)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    data: Option<String>,
    after_return: bool,
}

impl SseParser {
    /// Takes the next bytes and returns the data of the events that are now complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for &byte in bytes {
            let follows_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ => self.line.push(byte),
            }
        }
        events
    }

    /// The stream is at its end: an event without a closing blank line counts too.
    pub(crate) fn finish(&mut self) -> Option<String> {
        let complete = self.end_line();
        complete.or_else(|| self.data.take())
    }

    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.data.take();
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}');
        if let Some(value) = line.strip_prefix("data:") {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(pieces: &[&[u8]]) -> Vec<String> {
        let mut parser = SseParser::default();
        let mut events: Vec<String> = pieces.iter().flat_map(|piece| parser.push(piece)).collect();
        events.extend(parser.finish());
        events
    }

    #[test]
    fn events_in_every_spelling() {
        let text = "\u{feff}data: a\r\n\r\n: ping\n\nevent: x\nid: 1\ndata:b\ndata: c\n\ndata: 休\r\rdata: end";
        assert_eq!(parse(&[text.as_bytes()]), ["a", "b\nc", "休", "end"]);
        assert!(parse(&[b""]).is_empty());
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(
            text in "(data: |: |x|é休|\r|\n|\r\n){0,30}",
            cuts in proptest::collection::vec(1usize..5, 1..6),
        ) {
            let whole = parse(&[text.as_bytes()]);
            let mut pieces = Vec::new();
            let mut rest = text.as_bytes();
            let mut cuts = cuts.iter().cycle();
            while !rest.is_empty() {
                let (piece, after) = rest.split_at((*cuts.next().unwrap()).min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            prop_assert_eq!(parse(&pieces), whole);
        }
    }
}
