//! Questions on several threads.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::{CaseRow, RowFile};
use crate::{SuiteRun, TuneError};

/// How the questions of a suite are run.
#[derive(Debug, Clone, Copy)]
pub struct CaseRunner<'a> {
    /// How many questions are under way at a time.
    pub workers: NonZeroUsize,
    /// Where rows are kept as they come; questions that it has a row for are not asked again.
    pub rows: Option<&'a RowFile>,
}

impl Default for CaseRunner<'_> {
    /// One question at a time, kept nowhere.
    fn default() -> Self {
        Self {
            workers: NonZeroUsize::MIN,
            rows: None,
        }
    }
}

impl CaseRunner<'_> {
    /// Keeps the rows of a suite that has them only at its end.
    ///
    /// # Errors
    /// [`TuneError::Write`].
    pub(crate) fn keep(&self, rows: &[CaseRow]) -> Result<(), TuneError> {
        let Some(file) = self.rows else {
            return Ok(());
        };
        let kept: HashSet<&str> = file.finished().iter().map(|row| row.id.as_str()).collect();
        let new = rows.iter().filter(|row| !kept.contains(row.id.as_str()));
        new.into_iter().try_for_each(|row| file.add(row))
    }
}

/// Measures every case that has no row yet and gives the rows of all, in the order of the cases.
/// `main_metric` is what progress shows the running mean of.
///
/// # Errors
/// The first error of `measure`, [`TuneError::Cancelled`], or [`TuneError::Write`]. Rows that were
/// finished before are in the file.
pub(crate) fn run_cases<T: Sync>(
    cases: &[T],
    id: impl Fn(&T) -> &str + Sync,
    main_metric: &str,
    run: SuiteRun<'_>,
    measure: impl Fn(&T) -> Result<CaseRow, TuneError> + Sync,
) -> Result<Vec<CaseRow>, TuneError> {
    let kept = run.cases.rows.map(RowFile::finished).unwrap_or_default();
    let kept: HashMap<&str, &CaseRow> = kept.iter().map(|row| (row.id.as_str(), row)).collect();
    let (mut finished, mut pending) = (BTreeMap::new(), Vec::new());
    for (place, case) in cases.iter().enumerate() {
        match kept.get(id(case)) {
            Some(row) => drop(finished.insert(place, (*row).clone())),
            None => pending.push((place, case)),
        }
    }
    let tally = Tally {
        all: cases.len(),
        main_metric,
        run,
        finished: Mutex::new(finished),
        failed: Mutex::new(None),
    };
    let (next, workers) = (AtomicUsize::new(0), run.cases.workers.get());
    thread::scope(|scope| {
        for _ in 0..workers.min(pending.len()) {
            scope.spawn(|| {
                while let Some((place, case)) = pending.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !tally.settle(*place, || measure(case)) {
                        break;
                    }
                }
            });
        }
    });
    tally.into_rows()
}

/// What is done so far.
struct Tally<'a> {
    all: usize,
    main_metric: &'a str,
    run: SuiteRun<'a>,
    finished: Mutex<BTreeMap<usize, CaseRow>>,
    failed: Mutex<Option<TuneError>>,
}

impl Tally<'_> {
    /// Measures a case unless the run is over; tells whether it goes on.
    fn settle(&self, place: usize, measure: impl FnOnce() -> Result<CaseRow, TuneError>) -> bool {
        let over = self.run.cancellation.is_cancelled() || lock(&self.failed).is_some();
        if over {
            return false;
        }
        match measure().and_then(|row| self.keep(place, row)) {
            Ok(()) => true,
            Err(error) => {
                lock(&self.failed).get_or_insert(error);
                false
            }
        }
    }

    fn keep(&self, place: usize, row: CaseRow) -> Result<(), TuneError> {
        if let Some(rows) = self.run.cases.rows {
            rows.add(&row)?;
        }
        let mut finished = lock(&self.finished);
        finished.insert(place, row);
        let values = present_column(finished.values(), self.main_metric);
        let mean = crate::bootstrap::mean(&values);
        self.run.progress.question(finished.len(), self.all, mean);
        Ok(())
    }

    fn into_rows(self) -> Result<Vec<CaseRow>, TuneError> {
        let unwrapped =
            |failed: Mutex<_>| failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        if self.run.cancellation.is_cancelled() {
            return Err(TuneError::Cancelled);
        }
        if let Some(error) = unwrapped(self.failed) {
            return Err(error);
        }
        let finished = self.finished.into_inner();
        let finished = finished.unwrap_or_else(PoisonError::into_inner);
        Ok(finished.into_values().collect())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A metric of every row, 0 where it is absent.
pub(crate) fn column<'a>(rows: impl IntoIterator<Item = &'a CaseRow>, metric: &str) -> Vec<f64> {
    let value = |row: &CaseRow| row.metrics.get(metric).copied().unwrap_or_default();
    rows.into_iter().map(value).collect()
}

/// A metric of those rows that have it.
fn present_column<'a>(rows: impl IntoIterator<Item = &'a CaseRow>, metric: &str) -> Vec<f64> {
    let value = |row: &CaseRow| row.metrics.get(metric).copied();
    rows.into_iter().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::num::NonZeroUsize;
    use std::sync::Mutex;

    use ee_pipeline::Cancellation;
    use km_core::{AccessScope, Identity, Timestamp};
    use serde_json::json;

    use super::{CaseRunner, run_cases};
    use crate::{CaseRow, Part, RowFile, RowHeader, Setup, SuiteProgress, SuiteRun, TuneError};

    #[derive(Default)]
    struct Seen(Mutex<Vec<(usize, usize, f64)>>);

    impl SuiteProgress for Seen {
        fn question(&self, done: usize, all: usize, score: f64) {
            self.0.lock().unwrap().push((done, all, score));
        }
    }

    struct World {
        setup: Setup,
        scope: AccessScope,
        seen: Seen,
        cancellation: Cancellation,
    }

    impl World {
        fn new() -> Self {
            Self {
                setup: Setup {
                    system: "s".to_owned(),
                    seed: 1,
                    settings: json!({}),
                    model: "m".to_owned(),
                },
                scope: AccessScope::new(Identity::default(), Timestamp::UNIX_EPOCH),
                seen: Seen::default(),
                cancellation: Cancellation::default(),
            }
        }

        fn run<'a>(
            &'a self,
            part: &'a Part,
            workers: usize,
            rows: Option<&'a RowFile>,
        ) -> SuiteRun<'a> {
            SuiteRun {
                part,
                scope: &self.scope,
                setup: &self.setup,
                progress: &self.seen,
                cancellation: &self.cancellation,
                cases: CaseRunner {
                    workers: NonZeroUsize::new(workers).unwrap(),
                    rows,
                },
            }
        }
    }

    fn row(id: &str, value: f64) -> CaseRow {
        CaseRow {
            id: id.to_owned(),
            metrics: BTreeMap::from([("m".to_owned(), value)]),
            ..CaseRow::default()
        }
    }

    fn ids(count: usize) -> Vec<String> {
        (0..count).map(|place| format!("q{place:03}")).collect()
    }

    #[test]
    fn rows_come_in_the_order_of_the_cases_however_many_workers() {
        let (world, part, ids) = (World::new(), Part::default(), ids(50));
        let measure = |id: &String| Ok(row(id, 1.0));
        let rows = run_cases(&ids, |id| id, "m", world.run(&part, 4, None), measure).unwrap();
        let found: Vec<&String> = rows.iter().map(|row| &row.id).collect();
        assert_eq!(found, ids.iter().collect::<Vec<_>>());
        assert_eq!(world.seen.0.lock().unwrap().last(), Some(&(50, 50, 1.0)));
    }

    #[test]
    fn an_interrupted_run_ends_as_an_uninterrupted_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let (world, part, ids) = (World::new(), Part::default(), ids(20));
        let header = RowHeader::new("suite", "data", Vec::new(), &world.setup);
        let file = RowFile::create(&path, &header).unwrap();
        let interrupted = |id: &String| {
            if id == "q007" {
                world.cancellation.cancel();
            }
            Ok(row(id, id.len() as f64))
        };
        let run = world.run(&part, 1, Some(&file));
        let stopped = run_cases(&ids, |id| id, "m", run, interrupted);
        assert!(matches!(stopped, Err(TuneError::Cancelled)));

        let (world, file) = (World::new(), RowFile::resume(&path, &header).unwrap());
        assert_eq!(file.finished().len(), 8);
        let asked = Mutex::new(0);
        let measure = |id: &String| {
            *asked.lock().unwrap() += 1;
            Ok(row(id, id.len() as f64))
        };
        let run = world.run(&part, 3, Some(&file));
        let resumed = run_cases(&ids, |id| id, "m", run, measure).unwrap();
        assert_eq!(*asked.lock().unwrap(), 12);
        let whole = run_cases(&ids, |id| id, "m", world.run(&part, 1, None), measure).unwrap();
        assert_eq!(resumed, whole);
    }

    #[test]
    fn the_first_failure_ends_the_run() {
        let (world, part, ids) = (World::new(), Part::default(), ids(50));
        let measure = |id: &String| match id.as_str() {
            "q003" => Err(TuneError::NothingSelected {
                what: "x".to_owned(),
                data: "y".to_owned(),
            }),
            _ => Ok(row(id, 1.0)),
        };
        let failed = run_cases(&ids, |id| id, "m", world.run(&part, 1, None), measure);
        assert!(matches!(failed, Err(TuneError::NothingSelected { .. })));
        assert_eq!(world.seen.0.lock().unwrap().len(), 3);
    }
}
