//! Watching long work on a terminal, and stopping it by Ctrl-C and signals like it.

use std::io::{IsTerminal, Write};
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

/// Least time between two lines in a log: longer runs leave more time between them.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// Share of the time so far that passes between two lines in a log.
const LOG_SHARE: u32 = 50;

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
    shown: Option<Mutex<Shown>>,
}

/// Where progress is shown.
enum Shown {
    /// A bar on a terminal.
    Bar(Bar),
    /// Lines in a file or a pipe.
    Log(Log<std::io::Stderr>),
}

/// What is on the screen.
struct Bar {
    bar: ProgressBar,
    stage: &'static str,
    /// The last epoch of this stage, where it trains.
    epoch: Option<Epoch>,
}

impl Watch {
    /// Starts watching: with a bar on a terminal, with a line from time to time elsewhere, unless the
    /// user wants neither.
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
        let shown = (!quiet).then(|| {
            Mutex::new(match std::io::stderr().is_terminal() {
                true => {
                    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                    Shown::Bar(Bar { bar, stage: "", epoch: None })
                }
                false => Shown::Log(Log::new(std::io::stderr(), LOG_INTERVAL)),
            })
        });
        let due = AtomicU64::new(PATIENCE.as_millis() as u64);
        Self { state, left, started: Instant::now(), due, shown }
    }

    /// The work that is watched.
    pub(crate) fn run(&self) -> Run<'_> {
        Run::default().watched_by(self).stopped_by(self)
    }

    /// Ends the work: from here on results are written, and Ctrl-C comes too late.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        self.change(|shown| match shown {
            Shown::Bar(bar) => bar.bar.finish_and_clear(),
            Shown::Log(log) => log.finish(),
        });
        self.state
            .compare_exchange(RUNNING, WRITING, Ordering::SeqCst, Ordering::SeqCst)
            .map(|_| ())
            .map_err(|_| Failure::Interrupted(self.left.clone()))
    }

    fn change(&self, how: impl FnOnce(&mut Shown)) {
        if let Some(shown) = &self.shown {
            how(&mut shown.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl nocurl::Watch for Watch {
    fn report(&self, progress: Progress) {
        if self.shown.is_none() {
            return;
        }
        let elapsed = self.started.elapsed();
        let now = elapsed.as_millis() as u64;
        let due = self.due.load(Ordering::Relaxed);
        let next = now + REFRESH.as_millis() as u64;
        if now < due
            || self.due.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            return;
        }
        self.change(|shown| match shown {
            Shown::Bar(bar) => bar.update(progress),
            Shown::Log(log) => log.update(progress, elapsed),
        });
    }

    fn trained(&self, epoch: Epoch) {
        self.change(|shown| {
            if let Shown::Bar(bar) = shown {
                bar.epoch = Some(epoch);
            }
        });
    }
}

impl nocurl::Stop for Watch {
    fn is_stopped(&self) -> bool {
        self.state.load(Ordering::Relaxed) == STOPPED
    }
}

impl Bar {
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

/// Lines about progress, at most one in an interval.
struct Log<W> {
    to: W,
    interval: Duration,
    /// When the next line is due, after the start.
    due: Duration,
    finished: bool,
}

impl<W: Write> Log<W> {
    fn new(to: W, interval: Duration) -> Self {
        Self { to, interval, due: interval, finished: false }
    }

    /// Writes a line if one is due so long after the start. Progress that nobody can read any more
    /// stops no work.
    fn update(&mut self, progress: Progress, elapsed: Duration) {
        if self.finished || elapsed < self.due {
            return;
        }
        self.due = elapsed + self.interval.max(elapsed / LOG_SHARE);
        let Progress { stage, done, total, .. } = progress;
        _ = match total {
            Some(total) => writeln!(self.to, "{stage}: {done} of {total}"),
            None if done > 0 => writeln!(self.to, "{stage}: {done}"),
            None => writeln!(self.to, "{stage}"),
        };
    }

    fn finish(&mut self) {
        self.finished = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of work that reports at these seconds.
    fn lines(reports: &[(u64, &'static str, u64, Option<u64>)]) -> String {
        let mut log = Log::new(Vec::new(), Duration::from_secs(10));
        for &(seconds, stage, done, total) in reports {
            let progress = Progress { stage, done, total, objective: Some(1.0) };
            log.update(progress, Duration::from_secs(seconds));
        }
        String::from_utf8(log.to).unwrap()
    }

    #[test]
    fn a_log_has_a_line_in_an_interval() {
        let total = Some(800);
        let reports = [
            (9, "reading", 5, None),
            (11, "reading", 6, None),
            (12, "searching", 1, total),
            (20, "searching", 40, total),
            (21, "searching", 42, total),
            (22, "searching", 44, total),
            (45, "searching", 120, total),
            (60, "checking", 0, None),
        ];
        let expected = "reading: 6\nsearching: 42 of 800\nsearching: 120 of 800\nchecking\n";
        assert_eq!(lines(&reports), expected);
    }

    #[test]
    fn a_log_of_short_work_is_empty() {
        assert_eq!(lines(&[(0, "reading", 1, None), (9, "searching", 799, Some(800))]), "");
    }

    #[test]
    fn a_log_of_long_work_is_short() {
        let hour = 3600;
        let reports: Vec<_> = (0..24 * hour).map(|at| (at, "searching", at, None)).collect();
        let count = lines(&reports).lines().count();
        assert!((100..500).contains(&count), "{count}");
    }
}
