//! One single-threaded session per core, and running work over them.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ort::environment::Environment;
use ort::session::builder::SessionBuilder;
use ort::session::{Session, SessionInputValue};
use ort::value::{Tensor, TensorElementType};

use super::tokens::Encoded;
use crate::EmbedError;

/// What becomes of the output of one batch, given its place, shape and values.
pub(crate) type Output<'a, T> = &'a (dyn Fn(usize, &[i64], &[f32]) -> Result<T, EmbedError> + Sync);

/// Sessions over the same model.
pub(crate) struct Sessions {
    all: Vec<Mutex<Session>>,
    next: AtomicUsize,
    integers: TensorElementType,
}

impl Sessions {
    /// Opens `count` sessions with `open`.
    pub(crate) fn open(
        environment: &Environment,
        count: usize,
        open: impl Fn(SessionBuilder) -> Result<Session, EmbedError>,
    ) -> Result<Self, EmbedError> {
        let mut sessions = Vec::with_capacity(count);
        for _ in 0..count.max(1) {
            let builder = Session::builder(environment)?
                .with_intra_threads(1)?
                .with_inter_threads(1)?
                .with_intra_op_spinning(false)?;
            sessions.push(open(builder)?);
        }
        let first = sessions
            .first()
            .and_then(|session| session.inputs().first());
        let integers = first.and_then(|input| input.dtype().tensor_type());
        let all = sessions.into_iter().map(Mutex::new).collect();
        let integers = integers.unwrap_or(TensorElementType::Int64);
        Ok(Self {
            all,
            next: AtomicUsize::new(0),
            integers,
        })
    }

    /// Runs every batch on some session, all sessions at once, and hands each batch's output
    /// (its shape and values) to `each`. The first error ends the work.
    pub(crate) fn run_all<T: Send>(
        &self,
        batches: &[Vec<&Encoded>],
        each: Output<'_, T>,
    ) -> Result<Vec<(usize, T)>, EmbedError> {
        let next = AtomicUsize::new(0);
        let work = |session: &Mutex<Session>| {
            let mut done = Vec::new();
            let mut session = locked(session);
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
            let spawned: Vec<_> = self
                .all
                .iter()
                .map(|session| scope.spawn(|| work(session)))
                .collect();
            let mut all = Vec::with_capacity(batches.len());
            for thread in spawned {
                let outcome = thread.join();
                all.extend(outcome.map_err(|_| EmbedError::Onnx("a session panicked".into()))??);
            }
            Ok(all)
        })
    }

    /// A session that nobody uses, else the next in turn.
    fn free_session(&self) -> Option<&Mutex<Session>> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let mut free = self.all.iter().filter(|session| session.try_lock().is_ok());
        let in_turn = || self.all.get(turn % self.all.len().max(1));
        free.next().or_else(in_turn)
    }

    fn run<T>(
        &self,
        session: &mut Session,
        batch: &[&Encoded],
        out: impl FnOnce(&[i64], &[f32]) -> Result<T, EmbedError>,
    ) -> Result<T, EmbedError> {
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
                "attention_mask" => padded(batch, length, |text| &text.mask),
                other => return Err(EmbedError::Onnx(format!("unknown model input {other}"))),
            };
            let value = self.integers(vec![batch.len(), length], column)?;
            inputs.push((outlet.name().to_owned(), value));
        }
        let outputs = session.run(inputs)?;
        let (_, first) = outputs
            .iter()
            .next()
            .ok_or(EmbedError::Onnx("no output".into()))?;
        let (shape, values) = first.try_extract_tensor::<f32>()?;
        out(shape, values)
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

/// Reads an exported model.
pub(crate) fn from_file(mut builder: SessionBuilder, file: &Path) -> Result<Session, EmbedError> {
    builder
        .commit_from_file(file)
        .map_err(|error| EmbedError::BadModelFile {
            path: file.to_owned(),
            needed: "an ONNX model".to_owned(),
            found: error.to_string(),
        })
}
