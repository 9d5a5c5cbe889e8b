//! Progress as lines of JSON on standard error.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nocurl::Progress;
use serde_json::json;

/// Time between two lines of one stage.
const BEAT: Duration = Duration::from_millis(50);

/// Writes a line for each stage, and some of what comes between.
#[derive(Default)]
pub(crate) struct Lines(Mutex<Option<(&'static str, Instant)>>);

impl nocurl::Watch for Lines {
    fn report(&self, progress: Progress) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = last.filter(|(stage, _)| *stage == progress.stage);
        if same.is_some_and(|(_, when)| when.elapsed() < BEAT) {
            return;
        }
        *last = Some((progress.stage, Instant::now()));
        let Progress { stage, done, total, .. } = progress;
        let line = json!({ "stage": stage, "done": done, "total": total });
        // Nobody who watches: the work goes on.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}
