//! Long work without the interpreter's lock: it can be watched from Python and stopped by Ctrl-C.

use std::collections::BTreeMap;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use nocurl::{Progress, Run};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

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
    let pool = pool(threads)?;
    let watch = Watch::default();
    let done = Slot::default();
    pool.in_place_scope(|scope| {
        scope.spawn(|_| {
            let result = panic::catch_unwind(AssertUnwindSafe(|| {
                work(&Run::default().watched_by(&watch).stopped_by(&watch.stopped))
            }));
            done.put(result.unwrap_or_else(|payload| Err(Failure::panicked(&*payload))));
        });
        let mut raised = None;
        loop {
            if let Some(result) = py.detach(|| done.wait(BEAT)) {
                return raised.map_or_else(|| result.map_err(PyErr::from), Err);
            }
            if raised.is_none() {
                raised = py.check_signals().and_then(|()| watch.tell(callback)).err();
                watch.stopped.store(raised.is_some(), Ordering::Relaxed);
            }
        }
    })
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

/// The threads that work, kept between calls. A forked process has none of its parent's threads and
/// makes its own: a pool taken over from the parent would wait for ever.
fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    type Pools = (u32, BTreeMap<usize, Arc<ThreadPool>>);
    static POOLS: Mutex<Pools> = Mutex::new((0, BTreeMap::new()));
    let threads =
        threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pools.0 != process {
        mem::forget(mem::replace(&mut *pools, (process, BTreeMap::new())));
    }
    if let Some(pool) = pools.1.get(&threads) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        PyRuntimeError::new_err(format!("cannot start {threads} threads: {error}"))
    })?;
    let pool = Arc::new(pool);
    pools.1.insert(threads, pool.clone());
    Ok(pool)
}

/// Fails as a mistake of the engine would, on a thread of the pool; for the test of the boundary.
#[pyfunction(name = "_panic")]
pub(crate) fn fail(py: Python<'_>) -> PyResult<()> {
    run::<()>(py, None, None, |_| panic!("on purpose"))
}
