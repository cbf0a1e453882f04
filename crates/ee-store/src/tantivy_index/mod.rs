//! Full text with tantivy, in a folder of its own beside the database.

mod changes;
mod collector;
mod lock;
mod schema;
mod statistics;
mod tokenizer;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Directory, Index, IndexReader, IndexWriter, ReloadPolicy, TantivyError, Term};

use crate::terms::query_terms;
use crate::{ChangeBatch, Sequence, StoreError, TextHit, TextIndex, UnitKey};
use changes::Changes;
use collector::TopAdmitted;
use schema::Fields;
use tokenizer::DocumentTerms;

/// Version of the layout: schema, terms and payload. Folders of another version are rebuilt.
const VERSION: &str = "1";

/// The file that names version and store.
const LABEL_FILE: &str = "label";

/// The file that tantivy replaces with every commit.
const META_FILE: &str = "meta.json";

/// Every file ends with at least this many bytes about itself; tantivy takes that for granted.
const FOOTER_BYTES: u64 = 8;

/// Memory for a writer's buffers, in bytes.
const WRITER_BYTES: usize = 50_000_000;

/// How long a write waits for another process to finish its own.
const LOCK_WAIT: Duration = Duration::from_mins(1);

/// A full-text index on disk that several processes share.
///
/// One process writes at a time, under a file lock; the others see its commits at their next
/// query. What it holds can always be filled again from the store: a folder that cannot be read,
/// of another layout or of another store is emptied when it is opened.
pub struct TantivyIndex {
    folder: PathBuf,
    /// Replaced when the folder is emptied under us.
    open: RwLock<Opened>,
    /// One writer of this process at a time; the file lock keeps the processes apart.
    writing: Mutex<()>,
}

/// An index as one of its states on disk gives it.
struct Opened {
    index: Index,
    reader: IndexReader,
    fields: Fields,
    /// `meta.json` as of the last reload.
    meta: Mutex<Vec<u8>>,
    stand: Mutex<Stand>,
}

/// `meta.json` as it was last read, and the sequence number in it.
#[derive(Default)]
struct Stand {
    meta: Vec<u8>,
    sequence: Sequence,
}

impl TantivyIndex {
    /// Opens the index in `folder`, which belongs to the store of this id; see
    /// `SqliteStore::text_index_folder` and `SqliteStore::store_id`. Creates it where there is
    /// none, and empties it when it cannot be used: then it stands at 0.
    ///
    /// # Errors
    /// [`StoreError::File`] when the folder cannot be made, [`StoreError::IndexLocked`] when
    /// another process keeps it locked, [`StoreError::Index`] when the index cannot be made.
    pub fn open(folder: &Path, store_id: &str) -> Result<Self, StoreError> {
        create_folder(folder)?;
        let _lock = lock::acquire(folder, LOCK_WAIT)?;
        let label = format!("{VERSION} {store_id}");
        let ours = fs::read_to_string(folder.join(LABEL_FILE)).is_ok_and(|found| found == label);
        let opened = if ours { Opened::existing(folder) } else { None };
        let opened = match opened {
            Some(opened) => opened,
            None => Opened::anew(folder, &label)?,
        };
        Ok(Self {
            folder: folder.to_owned(),
            open: RwLock::new(opened),
            writing: Mutex::new(()),
        })
    }

    /// Runs `change` with a writer, under the locks, and commits what it did as `reached`.
    fn write(
        &self,
        wanted: impl FnOnce(Sequence) -> bool,
        reached: Sequence,
        change: impl FnOnce(&IndexWriter, &Opened) -> tantivy::Result<()>,
    ) -> Result<(), StoreError> {
        let _writing = self.writing.lock();
        let _lock = lock::acquire(&self.folder, LOCK_WAIT)?;
        if !wanted(self.sequence()?) {
            return Ok(());
        }
        let opened = self.open.read();
        opened
            .commit(reached, change)
            .map_err(|error| refused("write", error))
    }
}

impl TextIndex for TantivyIndex {
    fn sequence(&self) -> Result<Sequence, StoreError> {
        let opened = self.open.read();
        opened
            .sequence()
            .map_err(|error| refused("read its state", error))
    }

    fn apply(&self, batch: &ChangeBatch) -> Result<(), StoreError> {
        let fits = |sequence| (batch.since..batch.reached).contains(&sequence);
        self.write(fits, batch.reached, |writer, opened| {
            let mut changes = Changes::of(writer, opened)?;
            batch.changes.iter().try_for_each(|one| changes.apply(one))
        })
    }

    fn clear(&self) -> Result<(), StoreError> {
        self.write(
            |_| true,
            0,
            |writer, _| {
                writer.delete_all_documents()?;
                Ok(())
            },
        )
    }

    fn search(
        &self,
        query: &str,
        k: usize,
        admit: &(dyn Fn(UnitKey) -> bool + Sync),
    ) -> Result<Vec<TextHit>, StoreError> {
        let opened = self.open.read();
        let Some(query) = opened.query(query).filter(|_| k > 0) else {
            return Ok(Vec::new());
        };
        opened
            .search(query.as_ref(), k, admit)
            .map_err(|error| refused("search", error))
    }
}

impl Opened {
    /// The index in `folder`, if there is one that can be read.
    fn existing(folder: &Path) -> Option<Self> {
        let index = Index::open_in_dir(folder)
            .inspect_err(|error| tracing::warn!(%error, "the text index is damaged and is rebuilt"))
            .ok()?;
        if is_damaged(&index, folder).unwrap_or(true) {
            tracing::warn!("files of the text index are damaged; it is rebuilt");
            return None;
        }
        let opened = Self::of(index, folder).ok()?;
        opened.sequence().ok()?;
        Some(opened)
    }

    /// An empty index in `folder`, whatever was there before.
    fn anew(folder: &Path, label: &str) -> Result<Self, StoreError> {
        empty_folder(folder)?;
        let index = Index::create_in_dir(folder, Fields::schema())
            .map_err(|error| refused("create", error))?;
        let path = folder.join(LABEL_FILE);
        fs::write(&path, label).map_err(|source| StoreError::File {
            action: "write",
            path,
            source,
        })?;
        Self::of(index, folder).map_err(|error| refused("open", error))
    }

    fn of(index: Index, folder: &Path) -> tantivy::Result<Self> {
        let fields = Fields::of(&index.schema())?;
        let terms = TextAnalyzer::from(DocumentTerms);
        index.tokenizers().register(tokenizer::NAME, terms);
        let meta = Mutex::new(fs::read(folder.join(META_FILE))?);
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        Ok(Self {
            index,
            reader,
            fields,
            meta,
            stand: Mutex::default(),
        })
    }

    /// Asked before every search: `meta.json` is parsed only when it changed.
    fn sequence(&self) -> tantivy::Result<Sequence> {
        let current = self.meta_file()?;
        let mut stand = self.stand.lock();
        if stand.meta != current {
            stand.sequence = match self.index.load_metas()?.payload {
                None => 0,
                Some(payload) => payload.parse().map_err(|_| {
                    TantivyError::InvalidArgument(format!("{payload:?} is not a sequence number"))
                })?,
            };
            stand.meta = current;
        }
        Ok(stand.sequence)
    }

    fn meta_file(&self) -> tantivy::Result<Vec<u8>> {
        Ok(self.index.directory().atomic_read(Path::new(META_FILE))?)
    }

    fn commit(
        &self,
        reached: Sequence,
        change: impl FnOnce(&IndexWriter, &Opened) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        let mut writer: IndexWriter = self.index.writer_with_num_threads(1, WRITER_BYTES)?;
        change(&writer, self)?;
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&reached.to_string());
        commit.commit()?;
        writer.wait_merging_threads()
    }

    fn query(&self, text: &str) -> Option<Box<dyn Query>> {
        let terms: Vec<(Occur, Box<dyn Query>)> = query_terms(text)
            .into_iter()
            .map(|term| {
                let term = Term::from_field_text(self.fields.text, &term);
                let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                (Occur::Should, Box::new(query) as Box<dyn Query>)
            })
            .collect();
        (!terms.is_empty()).then(|| Box::new(BooleanQuery::new(terms)) as Box<dyn Query>)
    }

    fn search(
        &self,
        query: &dyn Query,
        k: usize,
        admit: &(dyn Fn(UnitKey) -> bool + Sync),
    ) -> tantivy::Result<Vec<TextHit>> {
        self.reload_if_changed()?;
        let searcher = self.reader.searcher();
        let weight = query.weight(tantivy::query::EnableScoring::enabled_from_searcher(
            &searcher,
        ))?;
        let mut top = TopAdmitted::new(k, admit);
        for segment in searcher.segment_readers() {
            top.collect(weight.as_ref(), segment)?;
        }
        Ok(top.into_hits())
    }

    /// Opens what another process, or this one, committed since the last query.
    fn reload_if_changed(&self) -> tantivy::Result<()> {
        let current = self.meta_file()?;
        let mut known = self.meta.lock();
        if *known != current {
            self.reader.reload()?;
            *known = current;
        }
        Ok(())
    }
}

/// Whether a file of the index is missing, cut short, or has another checksum than it ends with.
fn is_damaged(index: &Index, folder: &Path) -> tantivy::Result<bool> {
    let segments = index.searchable_segment_ids()?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let ours = segments
            .iter()
            .any(|id| name.starts_with(&id.uuid_string()));
        if ours && entry.metadata()?.len() < FOOTER_BYTES {
            return Ok(true);
        }
    }
    Ok(!index.validate_checksum()?.is_empty())
}

fn refused(action: &'static str, error: TantivyError) -> StoreError {
    StoreError::Index {
        action,
        source: error.into(),
    }
}

fn create_folder(folder: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(folder).map_err(|source| StoreError::File {
        action: "create the folder",
        path: folder.to_owned(),
        source,
    })
}

/// Removes the files of an index that cannot be used, the lock that we hold excepted.
fn empty_folder(folder: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::File {
        action: "empty the folder",
        path: folder.to_owned(),
        source,
    };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name() == lock::LOCK_FILE {
            continue;
        }
        if entry.file_type().map_err(failed)?.is_dir() {
            fs::remove_dir_all(entry.path()).map_err(failed)?;
        } else {
            fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    Ok(())
}

impl std::fmt::Debug for TantivyIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TantivyIndex")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}
