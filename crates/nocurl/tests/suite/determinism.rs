//! Results depend on data, options and seed: not on threads, on the clock, or on what else the machine
//! does.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nocurl::bootstrap::{Bootstrap, BootstrapParams, Start, bootstrap_from};
use nocurl::simulate::{Noise, Simulation, simulate};
use nocurl::{Algorithm, Dataset, Options, Progress, Run, Stop, Watch, learn};

/// A machine that is slow whenever it is looked at.
#[derive(Default)]
struct Slow(AtomicU64);

impl Watch for Slow {
    fn report(&self, _: Progress) {
        std::thread::sleep(Duration::from_micros(200));
    }
}

impl Stop for Slow {
    fn is_stopped(&self) -> bool {
        if self.0.fetch_add(1, Ordering::Relaxed).is_multiple_of(64) {
            std::thread::sleep(Duration::from_micros(200));
        }
        false
    }
}

fn data(seed: u64) -> Dataset {
    let noise = Noise::Exponential;
    let simulation =
        Simulation { variables: 6, rows: 200, degree: 2.0, noise, ..Simulation::default() };
    simulate(&simulation, seed).unwrap().data
}

fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

const ASKED: usize = 12;

fn resampled(data: &Dataset, options: &Options, budget: u64, run: &Run<'_>) -> Bootstrap {
    let fit = learn(data, options, &Run::default()).unwrap();
    let start = Start { from: Some(&fit.dag), budget: Some(budget), ..Start::default() };
    let params = BootstrapParams { replicates: ASKED, ..BootstrapParams::default() };
    bootstrap_from(data, options, &params, start, run).unwrap()
}

/// All methods that are resampled without being asked, with and without refinements.
fn quick() -> Vec<Options> {
    let all = Algorithm::all().into_iter();
    let plain = all.map(|algorithm| Options { algorithm, ..Options::default() });
    let more = [
        Options { error_shape: true, ..Options::default() },
        Options { refine: Some(nocurl::refine::Refine::BIC), ..by("nocurl") },
        Options { refine: Some(nocurl::refine::Refine::EQUAL_VARIANCE), ..by("nocurl") },
    ];
    plain.chain(more).filter(|options| options.is_quick(6)).collect()
}

fn by(method: &str) -> Options {
    Options { algorithm: Algorithm::from_name(method).unwrap(), ..Options::default() }
}

#[test]
fn work_ends_at_the_same_replicate_whatever_the_threads_and_the_time() {
    let data = data(2);
    for options in quick() {
        let name = options.algorithm.name();
        // The least power of two in which some replicates end.
        let mut budget = 1_u64 << 10;
        let some = loop {
            let found = resampled(&data, &options, budget, &Run::default());
            if found.replicates >= 2 {
                break found;
            }
            budget *= 2;
            assert!(budget < 1 << 40, "{name} counts no work");
        };
        assert!(some.replicates < ASKED, "{name}: {} of {ASKED}", some.replicates);
        for threads in [1, 2, 7] {
            let idle = on(threads, || resampled(&data, &options, budget, &Run::default()));
            assert_eq!(idle, some, "{name} on {threads} threads");
        }
        let slow = Slow::default();
        let run = Run::default().watched_by(&slow).stopped_by(&slow);
        assert_eq!(on(2, || resampled(&data, &options, budget, &run)), some, "{name}, slowly");
    }
}

#[test]
fn a_replicate_that_does_not_fit_is_not_counted() {
    let data = data(3);
    let options = Options::default();
    let counts = |budget: u64| resampled(&data, &options, budget, &Run::default()).replicates;
    assert_eq!(counts(0), 0);
    assert_eq!(counts(u64::MAX), ASKED);
    let all: Vec<usize> = (10..30).map(|power| counts(1 << power)).collect();
    assert!(all.is_sorted(), "{all:?}");
}

/// What is counted grows with the table at least as the least that has to be done.
#[test]
fn more_variables_are_more_work() {
    for method in ["order-search", "fges", "nocurl", "notears", "lingam", "cam"] {
        let work = |variables: usize| {
            let simulation = Simulation { variables, degree: 2.0, ..Simulation::default() };
            let data = simulate(&simulation, 1).unwrap().data;
            let counted = nocurl::Work::default();
            learn(&data, &by(method), &Run::default().counted_by(&counted)).unwrap();
            counted.done()
        };
        let (few, many) = (work(5), work(20));
        assert!(few > 0 && many > 4 * few, "{method}: {few}, {many}");
    }
}
