//! One single-threaded session per core, and running work over them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use ort::environment::Environment;
use ort::session::builder::SessionBuilder;
use ort::session::{Session, SessionInputValue};
use ort::value::{Tensor, TensorElementType};

use super::tokens::Encoded;
use crate::EmbedError;

/// The input that tells tokens from padding.
const MASK: &str = "attention_mask";

/// What becomes of the output of one batch, given its place, shape and values.
pub(crate) type Output<'a, T> = &'a (dyn Fn(usize, &[i64], &[f32]) -> Result<T, EmbedError> + Sync);

/// Opens one more session over a model.
pub(crate) type Opening = Box<dyn Fn(SessionBuilder) -> Result<Session, EmbedError> + Send + Sync>;

/// Sessions over the same model. The first is opened at once, a further one when there is work for
/// it: a program that embeds one query waits for one session only.
pub(crate) struct Sessions {
    environment: Environment,
    opening: Opening,
    all: Vec<OnceLock<Mutex<Session>>>,
    next: AtomicUsize,
    integers: TensorElementType,
    masks: bool,
}

impl Sessions {
    /// At most `count` sessions, but one at least.
    pub(crate) fn open(
        environment: Environment,
        count: usize,
        opening: Opening,
    ) -> Result<Self, EmbedError> {
        let mut sessions = Self {
            environment,
            opening,
            all: (0..count.max(1)).map(|_| OnceLock::new()).collect(),
            next: AtomicUsize::new(0),
            integers: TensorElementType::Int64,
            masks: true,
        };
        let first = sessions.all.first().map(|place| sessions.at(place));
        let inputs = first.transpose()?.map(|session| {
            let session = locked(session);
            let inputs = session.inputs();
            let integers = inputs.first().and_then(|input| input.dtype().tensor_type());
            (integers, inputs.iter().any(|input| input.name() == MASK))
        });
        if let Some((integers, masks)) = inputs {
            sessions.integers = integers.unwrap_or(sessions.integers);
            sessions.masks = masks;
        }
        Ok(sessions)
    }

    /// Whether the model masks padding. Without, the texts of a batch must be of equal length.
    pub(crate) fn masks(&self) -> bool {
        self.masks
    }

    /// The session at a place, opened if it was not before.
    fn at<'a>(
        &self,
        place: &'a OnceLock<Mutex<Session>>,
    ) -> Result<&'a Mutex<Session>, EmbedError> {
        if let Some(session) = place.get() {
            return Ok(session);
        }
        let builder = Session::builder(&self.environment)?
            .with_intra_threads(1)?
            .with_inter_threads(1)?
            .with_intra_op_spinning(false)?;
        let opened = (self.opening)(builder)?;
        Ok(place.get_or_init(|| Mutex::new(opened)))
    }

    /// Runs every batch on some session, all sessions at once, and hands each batch's output
    /// (its shape and values) to `each`. The first error ends the work.
    pub(crate) fn run_all<T: Send>(
        &self,
        batches: &[Vec<&Encoded>],
        each: Output<'_, T>,
    ) -> Result<Vec<(usize, T)>, EmbedError> {
        let next = AtomicUsize::new(0);
        let work = |session: &OnceLock<Mutex<Session>>| {
            let mut done = Vec::new();
            let mut session = locked(self.at(session)?);
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(batch) = batches.get(place) else {
                    return Ok(done);
                };
                let out = |shape: &[i64], values: &[f32]| each(place, shape, values);
                done.push((place, self.run(&mut session, batch, out)?));
            }
        };
        if batches.len() <= 1 {
            return self.free_session().map_or(Ok(Vec::new()), work);
        }
        std::thread::scope(|scope| {
            let busy = self.all.iter().take(batches.len());
            let spawned: Vec<_> = busy.map(|session| scope.spawn(|| work(session))).collect();
            let mut all = Vec::with_capacity(batches.len());
            for thread in spawned {
                let outcome = thread.join();
                all.extend(outcome.map_err(|_| EmbedError::Onnx("a session panicked".into()))??);
            }
            Ok(all)
        })
    }

    /// A session that nobody uses, one that was not opened yet, or else the next in turn.
    fn free_session(&self) -> Option<&OnceLock<Mutex<Session>>> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let is_free = |place: &&OnceLock<Mutex<Session>>| {
            place.get().is_none_or(|session| session.try_lock().is_ok())
        };
        let in_turn = || self.all.get(turn % self.all.len().max(1));
        self.all.iter().find(is_free).or_else(in_turn)
    }

    fn run<T>(
        &self,
        session: &mut Session,
        batch: &[&Encoded],
        out: impl FnOnce(&[i64], &[f32]) -> Result<T, EmbedError>,
    ) -> Result<T, EmbedError> {
        let inputs = self.inputs(session, batch)?;
        let outputs = session.run(inputs)?;
        let (_, first) = outputs
            .iter()
            .next()
            .ok_or(EmbedError::Onnx("no output".into()))?;
        let (shape, values) = first.try_extract_tensor::<f32>()?;
        out(shape, values)
    }

    /// How long the runtime's call takes for one text, without what is before and behind it.
    #[cfg(feature = "measure")]
    pub(crate) fn time_run(&self, text: &Encoded) -> Result<std::time::Duration, EmbedError> {
        let place = self
            .free_session()
            .ok_or(EmbedError::Onnx("no session".into()))?;
        let mut session = locked(self.at(place)?);
        let inputs = self.inputs(&session, &[text])?;
        let start = std::time::Instant::now();
        let outputs = session.run(inputs)?;
        let time = start.elapsed();
        drop(outputs);
        Ok(time)
    }

    /// The model's inputs for a batch, by name.
    fn inputs(
        &self,
        session: &Session,
        batch: &[&Encoded],
    ) -> Result<Vec<(String, SessionInputValue<'static>)>, EmbedError> {
        let length = batch
            .iter()
            .map(|text| text.ids.len())
            .max()
            .unwrap_or_default();
        let mut inputs = Vec::with_capacity(3);
        for outlet in session.inputs() {
            let column = match outlet.name() {
                "input_ids" => padded(batch, length, |text| &text.ids),
                "token_type_ids" => padded(batch, length, |text| &text.segments),
                MASK => padded(batch, length, |text| &text.mask),
                other => return Err(EmbedError::Onnx(format!("unknown model input {other}"))),
            };
            let value = self.integers(vec![batch.len(), length], column)?;
            inputs.push((outlet.name().to_owned(), value));
        }
        Ok(inputs)
    }

    /// The graph we build takes 32-bit integers, exported models take 64-bit ones.
    fn integers(
        &self,
        shape: Vec<usize>,
        column: Vec<i32>,
    ) -> Result<SessionInputValue<'static>, EmbedError> {
        if self.integers == TensorElementType::Int32 {
            return Ok(Tensor::from_array((shape, column))?.into());
        }
        let column: Vec<i64> = column.into_iter().map(i64::from).collect();
        Ok(Tensor::from_array((shape, column))?.into())
    }
}

/// One row per text, padded with 0 to the longest of the batch and no further.
fn padded(batch: &[&Encoded], length: usize, row: impl Fn(&Encoded) -> &[i32]) -> Vec<i32> {
    let mut column = Vec::with_capacity(batch.len() * length);
    for text in batch {
        let row = row(text);
        column.extend_from_slice(row);
        column.extend(std::iter::repeat_n(0, length - row.len()));
    }
    column
}

fn locked(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens sessions over an exported model.
pub(crate) fn from_file(file: PathBuf) -> Opening {
    Box::new(move |mut builder| {
        builder
            .commit_from_file(&file)
            .map_err(|error| EmbedError::BadModelFile {
                path: file.clone(),
                needed: "an ONNX model".to_owned(),
                found: error.to_string(),
            })
    })
}
