//! Watching long work on a terminal, and stopping it by Ctrl-C and signals like it.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nocurl::{Epoch, Progress, Run};

use crate::failure::{Failure, NOTHING};
use crate::{report, signals};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two updates of the bar.
const REFRESH: Duration = Duration::from_millis(100);

/// How long work may take to notice Ctrl-C; then the program ends anyway. Work that waits for
/// standard input never notices.
const GRACE: Duration = Duration::from_secs(2);

const RUNNING: u8 = 0;
const STOPPED: u8 = 1;
const WRITING: u8 = 2;

/// Shows progress on standard error and passes Ctrl-C on to the engine.
pub(crate) struct Watch {
    state: Arc<AtomicU8>,
    /// What is left when Ctrl-C stops the work.
    left: String,
    started: Instant,
    /// Milliseconds after the start when the bar is due next.
    due: AtomicU64,
    bar: Option<Mutex<Shown>>,
}

/// What is on the screen.
struct Shown {
    bar: ProgressBar,
    stage: &'static str,
    /// The last epoch of this stage, where it trains.
    epoch: Option<Epoch>,
}

impl Watch {
    /// Starts watching, with a bar unless the user wants none or would not see it.
    pub(crate) fn start(quiet: bool) -> Self {
        Self::start_keeping(quiet, NOTHING.into())
    }

    /// The same for work that leaves something when it is stopped: `left` says what.
    pub(crate) fn start_keeping(quiet: bool, left: String) -> Self {
        let interrupted = Failure::Interrupted(left.clone());
        let state = Arc::new(AtomicU8::new(RUNNING));
        let shared = state.clone();
        signals::on_request(move || {
            let moved =
                shared.compare_exchange(RUNNING, STOPPED, Ordering::SeqCst, Ordering::SeqCst);
            if moved.is_ok() {
                std::thread::sleep(GRACE);
                report::error(&interrupted);
                std::process::exit(i32::from(interrupted.code()));
            }
        });
        let visible = !quiet && std::io::stderr().is_terminal();
        let bar = visible.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            Mutex::new(Shown { bar, stage: "", epoch: None })
        });
        let due = AtomicU64::new(PATIENCE.as_millis() as u64);
        Self { state, left, started: Instant::now(), due, bar }
    }

    /// The work that is watched.
    pub(crate) fn run(&self) -> Run<'_> {
        Run::default().watched_by(self).stopped_by(self)
    }

    /// Ends the work: from here on results are written, and Ctrl-C comes too late.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        if let Some(shown) = &self.bar {
            shown.lock().unwrap_or_else(PoisonError::into_inner).bar.finish_and_clear();
        }
        self.state
            .compare_exchange(RUNNING, WRITING, Ordering::SeqCst, Ordering::SeqCst)
            .map(|_| ())
            .map_err(|_| Failure::Interrupted(self.left.clone()))
    }
}

impl nocurl::Watch for Watch {
    fn report(&self, progress: Progress) {
        let Some(shown) = &self.bar else { return };
        let now = self.started.elapsed().as_millis() as u64;
        let due = self.due.load(Ordering::Relaxed);
        let next = now + REFRESH.as_millis() as u64;
        if now < due
            || self.due.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            return;
        }
        shown.lock().unwrap_or_else(PoisonError::into_inner).update(progress);
    }

    fn trained(&self, epoch: Epoch) {
        if let Some(shown) = &self.bar {
            shown.lock().unwrap_or_else(PoisonError::into_inner).epoch = Some(epoch);
        }
    }
}

impl nocurl::Stop for Watch {
    fn is_stopped(&self) -> bool {
        self.state.load(Ordering::Relaxed) == STOPPED
    }
}

impl Shown {
    fn update(&mut self, progress: Progress) {
        if self.stage != progress.stage {
            self.stage = progress.stage;
            self.epoch = None;
            let template = match progress.total {
                Some(_) => "{spinner} {msg} [{bar:30}] {percent}% {eta} left",
                None => "{spinner} {msg} ({pos}, {elapsed})",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                self.bar.set_style(style.progress_chars("=> "));
            }
            self.bar.reset_eta();
        }
        match progress.total {
            Some(total) => self.bar.set_length(total),
            None => self.bar.unset_length(),
        }
        self.bar.set_message(match (self.epoch, progress.objective) {
            (Some(Epoch { elbo, acyclicity, edges, .. }), _) => {
                format!("{}: ELBO {elbo:.4}, h {acyclicity:.1e}, {edges} edges", progress.stage)
            }
            (None, Some(objective)) => format!("{}: {objective:.6}", progress.stage),
            (None, None) => progress.stage.to_string(),
        });
        self.bar.set_position(progress.done);
    }
}
