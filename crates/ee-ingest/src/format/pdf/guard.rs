//! What is checked before a file is opened: that it is a PDF, and that the parts which opening it
//! unpacks are not made to fill the memory.

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::FORMAT;
use crate::SkipReason;

/// A single stream that unpacks to more is refused.
pub(super) const MOST_STREAM_BYTES: usize = 16 * 1024 * 1024;
/// All streams together that are unpacked to open a file.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Where the header must begin, as common readers have it.
const HEADER_WITHIN: usize = 1024;
/// How far before its data a stream's dictionary may begin.
const LONGEST_DICTIONARY: usize = 4096;
const BUFFER_BYTES: usize = 64 * 1024;

/// Checks the header, and the sizes of the object and cross-reference streams.
pub(super) fn check(bytes: &[u8]) -> Result<(), SkipReason> {
    let head = bytes
        .get(..HEADER_WITHIN.min(bytes.len()))
        .unwrap_or_default();
    if find(head, b"%PDF-").is_none() {
        return Err(SkipReason::Malformed {
            format: FORMAT.to_owned(),
            message: "no `%PDF-` at its beginning".to_owned(),
        });
    }
    let mut left = MOST_BYTES;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| find(rest, b"stream")) {
        let keyword = at + found;
        at = keyword + b"stream".len();
        if let Some(dictionary) = eager_dictionary(bytes, keyword) {
            let unpacked = unpacked(dictionary, bytes.get(at..).unwrap_or_default(), left);
            left = left.checked_sub(unpacked).ok_or_else(too_large)?;
        }
    }
    Ok(())
}

pub(super) fn too_large() -> SkipReason {
    SkipReason::UnpacksTooLarge {
        format: FORMAT.to_owned(),
        limit: MOST_BYTES,
    }
}

/// The dictionary before a stream's data, where the stream is unpacked on opening.
fn eager_dictionary(bytes: &[u8], keyword: usize) -> Option<&[u8]> {
    let before = bytes.get(keyword.saturating_sub(LONGEST_DICTIONARY)..keyword)?;
    if !before.trim_ascii_end().ends_with(b">>") {
        return None;
    }
    let start = rfind(before, b"obj").unwrap_or(0);
    let dictionary = before.get(start..)?;
    let eager = [b"/ObjStm".as_slice(), b"/XRef"];
    let eager = eager.iter().any(|kind| find(dictionary, kind).is_some());
    eager.then_some(dictionary)
}

/// The size of a stream's unpacked data, counted up to just over `left`. Packed in a way that is
/// not measured here, it counts as the most that a stream may have.
fn unpacked(dictionary: &[u8], data: &[u8], left: u64) -> u64 {
    let count = |name: &[u8]| {
        dictionary
            .windows(name.len())
            .filter(|part| *part == name)
            .count()
    };
    let flate = count(b"/FlateDecode") + count(b"/Fl ");
    if flate == 1 && count(b"Decode").saturating_sub(count(b"/DecodeParms")) <= 1 {
        let data = data.strip_prefix(b"\r").unwrap_or(data);
        let data = data.strip_prefix(b"\n").unwrap_or(data);
        return measured(ZlibDecoder::new(data), left);
    }
    match count(b"/Filter") {
        0 => 0,
        _ => MOST_STREAM_BYTES as u64,
    }
}

/// How many bytes come before the end or the first fault, counted up to just over `most`.
fn measured(mut data: impl Read, most: u64) -> u64 {
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut bytes = 0;
    while bytes <= most {
        match data.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(read) => bytes += read as u64,
        }
    }
    bytes
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|part| part == wanted)
}

fn rfind(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).rposition(|part| part == wanted)
}
