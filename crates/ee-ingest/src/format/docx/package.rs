//! The package: parts in a ZIP archive, unpacked within limits.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::SkipReason;

const FORMAT: &str = "DOCX";
/// Bytes that all parts which are read may unpack to.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// What the container of older and of encrypted Office files begins with.
const COMPOUND_FILE: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Bytes that may still be unpacked.
    left: u64,
}

impl<'a> Package<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, SkipReason> {
        if bytes.starts_with(&COMPOUND_FILE) {
            return Err(compound(bytes));
        }
        let archive = ZipArchive::new(Cursor::new(bytes));
        let archive = archive.map_err(|error| malformed(error.to_string()))?;
        Ok(Self {
            archive,
            left: MOST_BYTES,
        })
    }

    /// The text of a part; nothing where the package has no such part.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<String>, SkipReason> {
        let file = match self.archive.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::InvalidPassword) => return Err(protected()),
            Err(error) => return Err(malformed(format!("{name}: {error}"))),
        };
        let mut bytes = Vec::new();
        // The size that the archive states is not trusted.
        let read = file.take(self.left + 1).read_to_end(&mut bytes);
        read.map_err(|error| malformed(format!("{name}: {error}")))?;
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| SkipReason::UnpacksTooLarge {
            format: FORMAT.to_owned(),
            limit: MOST_BYTES,
        })?;
        let text = String::from_utf8(bytes);
        let text = text.map_err(|error| malformed(format!("{name}: {error}")))?;
        Ok(Some(text.trim_start_matches('\u{feff}').to_owned()))
    }
}

pub(super) fn malformed(message: String) -> SkipReason {
    SkipReason::Malformed {
        format: FORMAT.to_owned(),
        message,
    }
}

fn protected() -> SkipReason {
    SkipReason::Protected {
        format: FORMAT.to_owned(),
    }
}

/// An encrypted document holds a stream of this name, in UTF-16; others are of an older format.
fn compound(bytes: &[u8]) -> SkipReason {
    let name: Vec<u8> = "EncryptedPackage"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    if bytes.windows(name.len()).any(|part| part == name) {
        return protected();
    }
    malformed("this is the binary format of older programs; save it as DOCX".to_owned())
}
