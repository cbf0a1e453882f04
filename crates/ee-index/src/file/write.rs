//! Writing an index file.

use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::Contents;
use super::header::{FORMAT_VERSION, HEADER_BYTES, Header};
use super::layout::Layout;
use crate::IndexError;

const BUFFER_BYTES: usize = 1 << 20;

/// Writes beside the target and renames, so that a reader sees the old or the new file.
pub(crate) fn save(path: &Path, contents: &Contents<'_>) -> Result<(), IndexError> {
    write(path, contents).map_err(|source| IndexError::File {
        action: "written",
        path: path.to_owned(),
        source,
    })
}

fn write(path: &Path, contents: &Contents<'_>) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(&[0; HEADER_BYTES])?;
    let body_checksum = write_body(file.as_file_mut(), contents)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header(contents, body_checksum).to_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn header(contents: &Contents<'_>, body_checksum: u32) -> Header {
    Header {
        version: FORMAT_VERSION,
        dimension: contents.dimension as u32,
        count: contents.keys.len() as u64,
        sequence: contents.sequence,
        fingerprint: contents.fingerprint,
        finder_bytes: contents.finder.len() as u64,
        body_checksum,
    }
}

/// Keys, vectors and the finder's part; returns the checksum of all.
fn write_body(file: impl Write, contents: &Contents<'_>) -> io::Result<u32> {
    let checked = Checked {
        inner: file,
        checksum: crc32fast::Hasher::new(),
    };
    let mut body = BufWriter::with_capacity(BUFFER_BYTES, checked);
    for key in contents.keys {
        body.write_all(&key.to_le_bytes())?;
    }
    body.write_all(padding(contents))?;
    for component in contents.components.parts().into_iter().flatten() {
        body.write_all(&component.to_le_bytes())?;
    }
    body.write_all(contents.finder)?;
    let checked = body.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(checked.checksum.finalize())
}

/// What stands between the keys and the vectors.
fn padding(contents: &Contents<'_>) -> &'static [u8] {
    let layout = Layout::of(&header(contents, 0));
    layout.map_or(&[], |layout| layout.padding())
}

/// Takes the checksum of what passes through.
struct Checked<W> {
    inner: W,
    checksum: crc32fast::Hasher,
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.checksum
            .update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
