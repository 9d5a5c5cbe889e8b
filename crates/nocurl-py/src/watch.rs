//! Long work without the interpreter's lock: it can be watched from Python and stopped by Ctrl-C.

use std::collections::BTreeMap;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use nocurl::{Error, FitTable, Fitted, Fitters, Progress, Run, Wanted};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;
use crate::fits;

/// Time between two looks at Ctrl-C and two calls of the callback.
const BEAT: Duration = Duration::from_millis(50);

/// What the thread with the interpreter and those that work tell each other.
#[derive(Default)]
pub(crate) struct Watch {
    stopped: AtomicBool,
    latest: Mutex<Option<Progress>>,
}

impl nocurl::Watch for Watch {
    fn report(&self, progress: Progress) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    }
}

impl Watch {
    /// Passes the last report on, if there is a new one.
    fn tell(&self, callback: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (latest, callback) {
            (Some(Progress { stage, done, total, objective }), Some(callback)) => {
                callback.call1((stage, done, total, objective)).map(|_| ())
            }
            _ => Ok(()),
        }
    }
}

/// Runs work on `threads` threads, or on one for each core, while this thread looks after signals
/// and the callback, which gets stage, done, total and objective. An exception of either stops the
/// work and is raised.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Run<'_>) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    run_fitted(py, threads, callback, None, work)
}

/// The same, with somebody who does fits: a function of a table and of what is wanted, which this
/// thread calls.
pub(crate) fn run_fitted<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    callback: Option<&Bound<'_, PyAny>>,
    fitters: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Run<'_>) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let threads = Threads::take(threads)?;
    let watch = Watch::default();
    let (events, replies) = (Slot::default(), Slot::default());
    let has_fitters = fitters.is_some();
    let asker = Asker { events: &events, replies: &replies, turn: Mutex::new(()) };
    threads.in_place_scope(|scope| {
        scope.spawn(|_| {
            let result = panic::catch_unwind(AssertUnwindSafe(|| {
                let run = Run::default().watched_by(&watch).stopped_by(&watch.stopped);
                work(&if has_fitters { run.fitted_by(&asker) } else { run })
            }));
            events.put(Event::Done(
                result.unwrap_or_else(|payload| Err(Failure::panicked(&*payload))),
            ));
        });
        let (mut raised, mut sent) = (None, None);
        loop {
            match py.detach(|| events.wait(BEAT)) {
                Some(Event::Done(result)) => {
                    return raised.map_or_else(|| result.map_err(PyErr::from), Err);
                }
                Some(Event::Wanted(table, wanted)) => {
                    let fitted = match (fitters, &raised) {
                        (Some(fitters), None) => fit(fitters, &mut sent, table, &wanted),
                        _ => Err(Failure::from(Error::Cancelled).into()),
                    };
                    replies.put(fitted.map_err(|error| raised.get_or_insert(error)).ok());
                }
                None => {}
            }
            if raised.is_none() {
                raised = py.check_signals().and_then(|()| watch.tell(callback)).err();
            }
            watch.stopped.store(raised.is_some(), Ordering::Relaxed);
        }
    })
}

/// What those that work tell the thread with the interpreter.
enum Event<T> {
    /// They are done.
    Done(Result<T, Failure>),
    /// They want fits.
    Wanted(Arc<FitTable>, Vec<Wanted>),
}

/// Has the thread with the interpreter see to fits.
struct Asker<'a, T> {
    events: &'a Slot<Event<T>>,
    replies: &'a Slot<Option<Vec<Fitted>>>,
    /// One at a time.
    turn: Mutex<()>,
}

impl<T: Send> Fitters for Asker<'_, T> {
    fn fit(&self, table: &Arc<FitTable>, wanted: &[Wanted]) -> Result<Vec<Fitted>, Error> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.events.put(Event::Wanted(table.clone(), wanted.to_vec()));
        loop {
            if let Some(fitted) = self.replies.wait(BEAT) {
                return fitted.ok_or(Error::Cancelled);
            }
        }
    }
}

/// A table that was handed to Python, and what it is there.
type SentTable = (Arc<FitTable>, Py<fits::FitTable>);

/// Has fits done by a function of Python, which sees the same object for the same table.
fn fit(
    fitters: &Bound<'_, PyAny>,
    sent: &mut Option<SentTable>,
    table: Arc<FitTable>,
    wanted: &[Wanted],
) -> PyResult<Vec<Fitted>> {
    let py = fitters.py();
    let object = match sent {
        Some((known, object)) if Arc::ptr_eq(known, &table) => object.clone_ref(py),
        _ => {
            let object = Py::new(py, fits::FitTable(table.clone()))?;
            *sent = Some((table, object.clone_ref(py)));
            object
        }
    };
    let wanted = wanted.iter().map(fits::asked).collect::<Result<Vec<String>, _>>()?;
    let fitted: Vec<String> = fitters.call1((object, wanted))?.extract()?;
    Ok(fitted.iter().map(|text| fits::received(text)).collect::<Result<_, _>>()?)
}

/// A place for a result, and a way to wait for it.
struct Slot<T> {
    value: Mutex<Option<T>>,
    filled: Condvar,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { value: Mutex::new(None), filled: Condvar::new() }
    }
}

impl<T> Slot<T> {
    fn put(&self, value: T) {
        *self.value.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        self.filled.notify_one();
    }

    /// Takes the value, if it is there within this time.
    fn wait(&self, time: Duration) -> Option<T> {
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.filled.wait_timeout_while(value, time, |value| value.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.take()
    }
}

/// Threads that work, kept between calls.
struct Threads {
    pool: Option<ThreadPool>,
    count: usize,
}

/// Those that nobody works on. A forked process has none of its parent's threads and makes its own: a
/// pool taken over from the parent would wait for ever.
type Idle = (u32, BTreeMap<usize, Vec<ThreadPool>>);

static IDLE: Mutex<Idle> = Mutex::new((0, BTreeMap::new()));

impl Threads {
    /// As many threads as are asked for, or one for each core. Calls at the same time have threads of
    /// their own.
    fn take(threads: Option<usize>) -> PyResult<Self> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let count = threads.unwrap_or_else(cores);
        let kept = {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            let process = std::process::id();
            if idle.0 != process {
                mem::forget(mem::replace(&mut *idle, (process, BTreeMap::new())));
            }
            idle.1.get_mut(&count).and_then(Vec::pop)
        };
        let made = || {
            ThreadPoolBuilder::new().num_threads(count).build().map_err(|error| {
                PyRuntimeError::new_err(format!("cannot start {count} threads: {error}"))
            })
        };
        Ok(Self { pool: Some(kept.map_or_else(made, Ok)?), count })
    }

    /// Runs work beside which others can be begun.
    fn in_place_scope<'scope, T>(&self, work: impl FnOnce(&Scope<'scope>) -> T) -> T {
        match &self.pool {
            Some(pool) => pool.in_place_scope(work),
            None => rayon::in_place_scope(work),
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.0 == std::process::id() {
            idle.1.entry(self.count).or_default().extend(self.pool.take());
        }
    }
}
/// Fails as a mistake of the engine would, on a thread of the pool; for the test of the boundary.
#[pyfunction(name = "_panic")]
pub(crate) fn fail(py: Python<'_>) -> PyResult<()> {
    run::<()>(py, None, None, |_| panic!("on purpose"))
}
