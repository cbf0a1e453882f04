//! Writing everything a store holds.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use km_core::Administrator;
use rusqlite::Connection;

use super::TransferReport;
use super::record::{FORMAT, Record, VERSION};
use crate::StoreError;
use crate::sqlite::conversations::{self, ConversationKey};
use crate::sqlite::embeddings::hexadecimal;
use crate::sqlite::error::to_json;
use crate::sqlite::threads::ThreadHead;
use crate::sqlite::{SqliteStore, audit, governance, links, meta, owner, threads, units};

impl SqliteStore {
    /// Writes everything as JSON Lines, from one snapshot. The last line counts the others, so
    /// that a cut export is noticed.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses; [`StoreError::File`] when `output` does.
    pub fn export(
        &self,
        _capability: Administrator,
        output: &mut dyn Write,
    ) -> Result<TransferReport, StoreError> {
        self.read(|connection| {
            let mut export = Export {
                connection,
                output,
                report: TransferReport::default(),
            };
            export.header()?;
            export.embeddings()?;
            export.sources()?;
            export.conversations()?;
            export.turns()?;
            export.end()
        })
    }
}

struct Export<'a> {
    connection: &'a Connection,
    output: &'a mut dyn Write,
    report: TransferReport,
}

impl Export<'_> {
    fn write(&mut self, record: &Record) -> Result<(), StoreError> {
        let line = to_json("export record", record)?;
        writeln!(self.output, "{line}").map_err(unwritten)
    }

    fn header(&mut self) -> Result<(), StoreError> {
        let fingerprint = meta::fingerprint(self.connection)?;
        self.write(&Record::Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            fingerprint,
        })
    }

    fn embeddings(&mut self) -> Result<(), StoreError> {
        let mut statement = self
            .connection
            .prepare("SELECT text_sha256, vector FROM embeddings ORDER BY key")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (text_sha256, vector): (Vec<u8>, Vec<u8>) = (row.get(0)?, row.get(1)?);
            self.write(&Record::Embedding {
                text_sha256: hexadecimal(&text_sha256),
                vector: STANDARD.encode(vector),
            })?;
            self.report.embeddings += 1;
        }
        Ok(())
    }

    fn sources(&mut self) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT s.key, s.name, s.title, g.json, s.content_sha256, s.recipe_sha256, s.root
             FROM sources s JOIN governance g ON g.key = s.governance ORDER BY s.key",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (key, name, json): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(3)?);
            self.write(&Record::Source {
                source: km_core::SourceId::new(name),
                title: row.get(2)?,
                governance: governance::parse(&json)?,
                content_sha256: row.get(4)?,
                recipe_sha256: row.get(5)?,
                root: row.get(6)?,
            })?;
            self.report.sources += 1;
            self.units(key)?;
        }
        Ok(())
    }

    fn units(&mut self, source: i64) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{} WHERE u.source = ?1 ORDER BY u.position",
            units::SELECT
        ))?;
        let mut rows = statement.query([source])?;
        while let Some(row) = rows.next()? {
            let (key, text_sha256): (i64, Vec<u8>) = (row.get(0)?, row.get(9)?);
            let links = links::of_unit(self.connection, key as u64)?;
            self.write(&Record::Unit {
                text_sha256: hexadecimal(&text_sha256),
                unit: Box::new(units::read(row, links)?.unit),
            })?;
            self.report.units += 1;
        }
        Ok(())
    }

    fn conversations(&mut self) -> Result<(), StoreError> {
        let mut statement = self
            .connection
            .prepare("SELECT key, name, owner FROM conversations ORDER BY key")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let holder: String = row.get(2)?;
            self.write(&Record::Conversation {
                name: row.get(1)?,
                owner: owner::parse(&holder)?,
            })?;
            self.report.conversations += 1;
            self.conversation(row.get(0)?)?;
        }
        Ok(())
    }

    fn conversation(&mut self, key: ConversationKey) -> Result<(), StoreError> {
        for message in conversations::messages(self.connection, key, 0, usize::MAX)? {
            self.write(&Record::Message(message))?;
            self.report.messages += 1;
        }
        let threads = threads::load(self.connection, key)?;
        if threads.revision > 0 {
            self.write(&Record::ThreadState(ThreadHead::of(&threads)))?;
        }
        for record in threads.records {
            self.write(&Record::ThreadRecord(record))?;
        }
        let latest_first = threads::latest_decisions(self.connection, key, usize::MAX)?;
        for decision in latest_first.into_iter().rev() {
            self.write(&Record::Decision { decision })?;
        }
        Ok(())
    }

    fn turns(&mut self) -> Result<(), StoreError> {
        let mut statement = self
            .connection
            .prepare(&format!("{} ORDER BY key", audit::SELECT))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            self.write(&Record::Turn(audit::read(row)?))?;
            self.report.turns += 1;
        }
        Ok(())
    }

    fn end(mut self) -> Result<TransferReport, StoreError> {
        self.write(&Record::End(self.report.clone()))?;
        self.output.flush().map_err(unwritten)?;
        Ok(self.report)
    }
}

fn unwritten(source: std::io::Error) -> StoreError {
    StoreError::File {
        action: "write to",
        path: "the export".into(),
        source,
    }
}
