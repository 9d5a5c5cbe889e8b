//! The document about a graph has the same bytes on any number of threads, on idle and busy machines.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nocurl::advice::Neutral;
use nocurl::{Algorithm, Options, Progress, Run, Stop, Watch};
use nocurl_app::{ConfidenceOptions, Job};
use nocurl_io::Source;

/// A machine that is slow whenever it is looked at.
#[derive(Default)]
struct Slow(AtomicU64);

impl Watch for Slow {
    fn report(&self, _: Progress) {
        std::thread::sleep(Duration::from_micros(500));
    }
}

impl Stop for Slow {
    fn is_stopped(&self) -> bool {
        if self.0.fetch_add(1, Ordering::Relaxed).is_multiple_of(256) {
            std::thread::sleep(Duration::from_micros(500));
        }
        false
    }
}

/// A chain of five variables, curved in one place, with errors that are not normal.
fn table() -> Source {
    let mut state = 7_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let share = (f64::from(state >> 8) + 0.5) / f64::from(1 << 24);
        -share.ln() - 1.0
    };
    let mut text = String::from("a,b,c,d,e\n");
    for _ in 0..120 {
        let a = noise();
        let b = a + 0.7 * noise();
        let c = 0.5 * b * b + noise();
        let d = c - b + noise();
        writeln!(text, "{a},{b},{c},{d},{}", d + noise()).unwrap();
    }
    Source::bytes("x.csv", text)
}

/// Parameters that keep a training short.
const SHORT: [(&str, u64); 8] = [
    ("hidden", 3),
    ("epochs", 2),
    ("estimate_epochs", 2),
    ("batch", 20),
    ("max_rounds", 2),
    ("max_steps", 200),
    ("estimate_iterations", 100),
    ("max_fits", 60),
];

fn job(mut algorithm: Algorithm) -> Job {
    for (name, value) in SHORT {
        if let Ok(shorter) = algorithm.clone().with_parameter(name, value.into()) {
            algorithm = shorter;
        }
    }
    let options = Options { algorithm, error_shape: true, ..Options::default() };
    // Those that take long are resampled only where that is asked for.
    let replicates = (!options.is_quick(5)).then_some(3);
    let confidence = ConfidenceOptions { replicates, ..ConfidenceOptions::default() };
    Job { options, confidence, diagnose: true, ..Job::default() }
}

fn document(job: &Job, run: &Run<'_>) -> String {
    let outcome = job.run(&table(), run).unwrap();
    let mut document = outcome.document(job, &Neutral);
    document.elapsed_seconds = 0.0;
    serde_json::to_string(&document).unwrap()
}

fn on(threads: usize, job: &Job, run: &Run<'_>) -> String {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| document(job, run))
}

#[test]
fn every_method_writes_the_same_bytes_on_any_number_of_threads() {
    for algorithm in Algorithm::all() {
        let job = job(algorithm);
        let name = job.options.algorithm.name();
        let one = on(1, &job, &Run::default());
        assert!(one.contains("\"bootstrap\""), "{name}");
        for threads in [2, 7] {
            assert_eq!(on(threads, &job, &Run::default()), one, "{name} on {threads} threads");
        }
    }
}

#[test]
fn every_method_writes_the_same_bytes_on_a_busy_machine() {
    for algorithm in Algorithm::all() {
        let job = job(algorithm);
        let name = job.options.algorithm.name();
        let slow = Slow::default();
        let run = Run::default().watched_by(&slow).stopped_by(&slow);
        assert_eq!(on(2, &job, &run), on(2, &job, &Run::default()), "{name}");
    }
}
