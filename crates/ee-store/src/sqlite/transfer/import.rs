//! Filling an empty store from an export.

use std::io::BufRead;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use km_core::Administrator;
use rusqlite::{Connection, params};

use super::TransferReport;
use super::record::{FORMAT, OLDEST_VERSION, Record, VERSION};
use crate::sqlite::conversations::{self, ConversationKey};
use crate::sqlite::error::to_json;
use crate::sqlite::governance::tenant_column;
use crate::sqlite::{SqliteStore, audit, embeddings, meta, owner, replace, threads};
use crate::{ConversationId, SourceWrite, StoreError, TurnRecord, UnitWrite};

impl SqliteStore {
    /// Fills this store, which must be empty, with an export: all of it or, on an error, nothing.
    /// Ids, embeddings and turn numbers are those of the export; unit keys are given anew.
    ///
    /// # Errors
    /// [`StoreError::NotEmpty`] when something is stored here; [`StoreError::Import`] with the
    /// line number when the export is damaged, cut, or of a later version.
    pub fn import(
        &self,
        _capability: Administrator,
        input: &mut dyn BufRead,
    ) -> Result<TransferReport, StoreError> {
        self.write(|transaction| {
            check_empty(transaction)?;
            let mut import = Import::new(transaction);
            let mut line = String::new();
            loop {
                line.clear();
                import.line += 1;
                let read = input.read_line(&mut line).map_err(|e| import.wrong(e))?;
                if read == 0 {
                    return Err(import.wrong("the export ends before its last record"));
                }
                let record = serde_json::from_str(&line).map_err(|e| import.wrong(e))?;
                if import.accept(record)? {
                    return Ok(import.report);
                }
            }
        })
    }
}

fn check_empty(connection: &Connection) -> Result<(), StoreError> {
    let count = |table: &str| -> Result<u64, StoreError> {
        let sql = format!("SELECT count(*) FROM {table}");
        let rows: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
        Ok(rows as u64)
    };
    let (sources, conversations) = (count("sources")?, count("conversations")?);
    let turns = count("turns")?;
    if sources + conversations + turns > 0 {
        return Err(StoreError::NotEmpty {
            sources,
            conversations,
            turns,
        });
    }
    Ok(())
}

/// An import under way.
struct Import<'a> {
    connection: &'a Connection,
    line: usize,
    report: TransferReport,
    /// The source whose units are being read.
    source: Option<SourceWrite>,
    /// The conversation whose messages are being read.
    conversation: Option<ConversationKey>,
}

impl<'a> Import<'a> {
    fn new(connection: &'a Connection) -> Self {
        Self {
            connection,
            line: 0,
            report: TransferReport::default(),
            source: None,
            conversation: None,
        }
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers hand over their error"
    )]
    fn wrong(&self, reason: impl ToString) -> StoreError {
        StoreError::Import {
            line: self.line,
            reason: reason.to_string(),
        }
    }

    /// Stores one record; whether it was the last.
    fn accept(&mut self, record: Record) -> Result<bool, StoreError> {
        if (self.line == 1) != matches!(record, Record::Header { .. }) {
            return Err(self.wrong("expected a header in the first line, and only there"));
        }
        if !matches!(record, Record::Unit { .. }) {
            self.finish_source()?;
        }
        match record {
            Record::Header {
                format,
                version,
                fingerprint,
            } => self.header(&format, version, fingerprint.as_deref())?,
            Record::Embedding {
                text_sha256,
                vector,
            } => self.embedding(&text_sha256, &vector)?,
            Record::Source {
                source,
                title,
                governance,
                content_sha256,
                recipe_sha256,
                root,
            } => {
                self.source = Some(SourceWrite {
                    source,
                    title,
                    governance,
                    content_sha256,
                    recipe_sha256,
                    root,
                    units: Vec::new(),
                });
            }
            Record::Unit { text_sha256, unit } => self.unit(&text_sha256, *unit)?,
            Record::Conversation { name, owner } => {
                let name = ConversationId::new(name);
                self.conversation = Some(conversations::open(self.connection, &owner, &name)?);
                self.report.conversations += 1;
            }
            Record::Message(message) => {
                let message = (message.role, message.text.as_str(), message.at);
                conversations::append(self.connection, self.conversation()?, &[message])?;
                self.report.messages += 1;
            }
            Record::ThreadState(head) => {
                threads::put_head(self.connection, self.conversation()?, &head)?;
            }
            Record::ThreadRecord(record) => {
                threads::put_records(self.connection, self.conversation()?, &[record])?;
            }
            Record::Decision { decision } => {
                let key = self.conversation()?;
                threads::log(self.connection, key, &[decision], usize::MAX)?;
            }
            Record::Turn(turn) => self.turn(&turn)?,
            Record::End(counted) => return self.end(&counted).map(|()| true),
        }
        Ok(false)
    }

    fn header(
        &self,
        format: &str,
        version: u32,
        fingerprint: Option<&str>,
    ) -> Result<(), StoreError> {
        if format != FORMAT || !(OLDEST_VERSION..=VERSION).contains(&version) {
            return Err(self.wrong(format!(
                "expected the format {FORMAT:?} in version {OLDEST_VERSION} to {VERSION}, got \
                 {format:?} in version {version}"
            )));
        }
        match fingerprint {
            Some(fingerprint) => meta::write_fingerprint(self.connection, fingerprint),
            None => Ok(()),
        }
    }

    fn embedding(&mut self, text_sha256: &str, vector: &str) -> Result<(), StoreError> {
        let hash = self.hash(text_sha256)?;
        let bytes = STANDARD.decode(vector).map_err(|e| self.wrong(e))?;
        let vector = embeddings::from_bytes(&bytes).map_err(|e| self.wrong(e))?;
        let inserted = embeddings::insert(self.connection, &hash, &vector);
        if inserted.map_err(|e| self.wrong(e))?.is_none() {
            return Err(self.wrong("an embedding of this text came before"));
        }
        self.report.embeddings += 1;
        Ok(())
    }

    fn unit(&mut self, text_sha256: &str, unit: km_core::Unit) -> Result<(), StoreError> {
        let embedded_sha256 = self.hash(text_sha256)?;
        let Some(source) = &mut self.source else {
            return Err(self.wrong("a unit stands before its source"));
        };
        source.units.push(UnitWrite {
            unit,
            embedded_sha256,
            embedding: None,
        });
        Ok(())
    }

    fn finish_source(&mut self) -> Result<(), StoreError> {
        let Some(source) = self.source.take() else {
            return Ok(());
        };
        let change = replace::replace(self.connection, &source, u64::MAX)
            .map_err(|error| self.wrong(error))?;
        self.report.sources += 1;
        self.report.units += change.added as u64;
        Ok(())
    }

    fn conversation(&self) -> Result<ConversationKey, StoreError> {
        self.conversation
            .ok_or_else(|| self.wrong("a message stands before its conversation"))
    }

    fn turn(&mut self, turn: &TurnRecord) -> Result<(), StoreError> {
        let outcome = turn.outcome.as_ref();
        self.connection
            .prepare_cached(
                "INSERT INTO turns (key, tenant, owner, conversation, question, at, offered,
                                    outcome, completed_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                turn.turn as i64,
                tenant_column(turn.owner.tenant.as_deref()),
                owner::write(&turn.owner)?,
                turn.conversation.as_ref().map(ConversationId::as_str),
                turn.question,
                turn.at.as_millisecond(),
                to_json("offered units", &turn.offered)?,
                outcome
                    .map(|outcome| to_json("outcome", outcome))
                    .transpose()?,
                turn.completed_at.map(km_core::Timestamp::as_millisecond)
            ])
            .map_err(|error| self.wrong(error))?;
        if let Some(outcome) = outcome {
            audit::write_elections(self.connection, turn, outcome)?;
        }
        self.report.turns += 1;
        Ok(())
    }

    fn end(&self, counted: &TransferReport) -> Result<(), StoreError> {
        if *counted != self.report {
            return Err(self.wrong(format!(
                "records are missing: expected {counted:?}, got {:?}",
                self.report
            )));
        }
        Ok(())
    }

    fn hash(&self, hexadecimal: &str) -> Result<[u8; 32], StoreError> {
        embeddings::parse_sha256(hexadecimal).ok_or_else(|| {
            self.wrong(format!(
                "expected 64 hexadecimal digits, got {hexadecimal:?}"
            ))
        })
    }
}
