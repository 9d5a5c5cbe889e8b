//! One word for effects of any shape.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use nocurl::methods::Nonlinear;
use nocurl::methods::nonlinear::Fits;
use nocurl::metrics::shd;
use nocurl::refine::Refine;
use nocurl::simulate::{Mechanism, Simulated, Simulation, simulate};
use nocurl::{
    Action, Algorithm, Dataset, Determines, Error, FitKind, FitTable, Fitted, Fitters, Keeper,
    KnowledgeSpec, Mat, Options, Progress, Run, TrainingState, Wanted, Watch, learn,
};

fn options() -> Options {
    Options { algorithm: Algorithm::from(Nonlinear::default()), ..Options::default() }
}

fn drawn(mechanism: Mechanism, variables: usize, rows: usize, seed: u64) -> Simulated {
    let simulation =
        Simulation { mechanism, degree: 2.0, variables, rows, ..Simulation::default() };
    simulate(&simulation, seed).unwrap()
}

#[test]
fn curved_effects_determine_directions() {
    let mut far = 0;
    for mechanism in [Mechanism::Nonlinear3, Mechanism::GpAdditive] {
        let drawn = drawn(mechanism, 6, 800, 5);
        let fit = learn(&drawn.data, &options(), &Run::default()).unwrap();
        far += shd(&drawn.truth, &fit.dag).unwrap();
        let undirected = fit.determined.undirected().count();
        assert!(undirected <= 1, "{undirected}");
        // Many rows are tried on few of them first: not here.
        assert!(fit.evaluations >= 6);
    }
    assert!(far <= 2, "{far}");
}

#[test]
fn linear_effects_leave_directions_open() {
    let drawn = drawn(Mechanism::Linear, 5, 1000, 2);
    let fit = learn(&drawn.data, &options(), &Run::default()).unwrap();
    let linear = learn(&drawn.data, &Options::default(), &Run::default()).unwrap();
    assert_eq!(fit.class, linear.class);
    assert_eq!(fit.determined, linear.class);
    assert_eq!(
        fit.determines,
        if linear.class.is_directed() { Determines::Graph } else { Determines::Class }
    );
}

#[test]
fn part_of_the_directions_can_be_determined() {
    // x1 -> x2 is linear, x3 -> x4 is not.
    let independent = Simulation { variables: 4, rows: 600, degree: 0.0, ..Simulation::default() };
    let mut x = simulate(&independent, 8).unwrap().data.values().to_owned();
    for i in 0..600 {
        x[(i, 1)] += 1.5 * x[(i, 0)];
        let c: f64 = x[(i, 2)];
        x[(i, 3)] = 0.5 * x[(i, 3)] + 2.0 * (1.5 * c).cos();
    }
    let data = Dataset::new(Dataset::default_names(4), x).unwrap();
    let fit = learn(&data, &options(), &Run::default()).unwrap();
    assert_eq!(fit.determined.directed().collect::<Vec<_>>(), [(2, 3)]);
    assert_eq!(fit.determined.undirected().collect::<Vec<_>>(), [(0, 1)]);
    assert_eq!(fit.determines, Determines::Class);
}

#[test]
fn results_do_not_depend_on_threads_or_units() {
    // More variables than are fitted without screening, more rows than are tried at first.
    let drawn = drawn(Mechanism::GpAdditive, 22, 2100, 4);
    let short = Options { algorithm: Algorithm::from(Nonlinear { max_fits: 1 }), ..options() };
    let values = drawn.data.values();
    let scaled = Mat::from_fn(2100, 22, |i, j| values[(i, j)] * [4.0, 1.0, 0.125][j % 3]);
    let scaled = Dataset::new(drawn.data.names().to_vec(), scaled).unwrap();
    let on = |threads: usize, data: &Dataset| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| learn(data, &short, &Run::default()).unwrap())
    };
    let (one, two, other) = (on(1, &drawn.data), on(2, &drawn.data), on(2, &scaled));
    assert_eq!(one.dag, two.dag);
    assert_eq!(one.determined, two.determined);
    assert_eq!(one.determined, other.determined);
    assert!(shd(&drawn.truth, &one.dag).unwrap() <= drawn.truth.edge_count() / 2);
}

#[test]
fn what_it_cannot_use_is_refused() {
    let drawn = drawn(Mechanism::Nonlinear3, 5, 34, 1);
    let error = learn(&drawn.data, &options(), &Run::default()).unwrap_err();
    assert_eq!(error, Error::TooFewRows { rows: 34, needed: 35 });
    let error = learn(&drawn.data.moments(), &options(), &Run::default()).unwrap_err();
    assert_eq!(error, Error::NeedsRows { what: Action::method("nonlinear") });
    let none = Options { algorithm: Algorithm::from(Nonlinear { max_fits: 0 }), ..options() };
    let error = learn(&drawn.data, &none, &Run::default()).unwrap_err();
    assert!(matches!(error, Error::Parameter { name: "max_fits", .. }), "{error}");
}

/// Keeps every fit, in memory.
#[derive(Default)]
struct Shelf(Mutex<Option<TrainingState>>);

impl Keeper for Shelf {
    fn state(&self) -> Option<TrainingState> {
        self.0.lock().unwrap().clone()
    }

    fn is_due(&self) -> bool {
        true
    }

    fn keep(&self, state: &TrainingState) {
        *self.0.lock().unwrap() = Some(state.clone());
    }
}

/// Stops after some fits, and counts them.
struct After {
    fits: AtomicU64,
    most: u64,
    stop: AtomicBool,
}

impl Watch for After {
    fn report(&self, progress: Progress) {
        if progress.stage == "fitting networks" {
            let fits = self.fits.fetch_add(1, Ordering::SeqCst) + 1;
            self.stop.fetch_or(fits >= self.most, Ordering::SeqCst);
        }
    }
}

#[test]
fn a_search_that_was_stopped_goes_on_to_the_same_answer() {
    let drawn = drawn(Mechanism::DagGnn1, 5, 500, 3);
    let refined = Options {
        algorithm: Algorithm::from_name("nocurl").unwrap(),
        refine: Some(Refine::NETWORKS),
        ..Options::default()
    };
    for options in [options(), refined] {
        let whole = learn(&drawn.data, &options, &Run::default()).unwrap();
        let shelf = Shelf::default();
        let mut stops = 0;
        let found = loop {
            let after =
                After { fits: AtomicU64::new(0), most: 4 + stops, stop: AtomicBool::new(false) };
            let run = Run::default().watched_by(&after).stopped_by(&after.stop).kept_by(&shelf);
            match learn(&drawn.data, &options, &run) {
                Err(error) => assert_eq!(error, Error::Cancelled),
                Ok(fit) => break fit,
            }
            assert!(shelf.state().unwrap().done().ends_with(" fits"));
            stops += 4;
            assert!(stops < 400);
        };
        assert!(stops > 0);
        assert_eq!(found.dag, whole.dag);
        assert_eq!(found.evaluations, whole.evaluations);
        assert_eq!(found.determined, whole.determined);
        // What is kept of one table is not taken for another.
        let other = Dataset::new(
            Dataset::default_names(3),
            Mat::from_fn(500, 3, |i, j| drawn.data.values()[(i, j)]),
        )
        .unwrap();
        let error = learn(&other, &options, &Run::default().kept_by(&shelf)).unwrap_err();
        assert_eq!(error, Error::ForeignCheckpoint);
    }
}

#[test]
fn waves_of_several_parents_are_found() {
    // cos(a'x + 1) of up to four parents: no parent alone says much.
    let mut far = 0;
    for seed in [1, 2] {
        let simulation = Simulation {
            mechanism: Mechanism::Nonlinear1,
            degree: 3.0,
            variables: 7,
            rows: 2500,
            ..Simulation::default()
        };
        let drawn = simulate(&simulation, seed).unwrap();
        let fit = learn(&drawn.data, &options(), &Run::default()).unwrap();
        far += shd(&drawn.truth, &fit.dag).unwrap();
    }
    assert!(far <= 1, "{far}");
}

/// Does fits as another process would, and counts them.
#[derive(Default)]
struct Others {
    fits: AtomicU64,
    batches: AtomicU64,
    /// Batches after which there is no answer any more.
    most: Option<u64>,
    wrong: bool,
}

impl Fitters for Others {
    fn fit(&self, table: &Arc<FitTable>, wanted: &[Wanted]) -> Result<Vec<Fitted>, Error> {
        assert!(!wanted.is_empty());
        let batch = self.batches.fetch_add(1, Ordering::SeqCst);
        if self.most.is_some_and(|most| batch >= most) {
            return Err(Error::Cancelled);
        }
        let values = table.data().values().to_owned();
        let sent = FitTable::new(values, table.required().iter().copied(), table.seed())?;
        let fits = Fits::new(&sent, &Run::default())?;
        self.fits.fetch_add(wanted.len() as u64, Ordering::SeqCst);
        let mut fitted: Vec<Fitted> =
            wanted.iter().map(|one| fits.fit(one, &Run::default())).collect::<Result<_, _>>()?;
        if self.wrong {
            fitted[0].parents = vec![wanted[0].target];
        }
        Ok(fitted)
    }
}

#[test]
fn fits_that_are_done_elsewhere_are_the_same() {
    // Few rows, more than are tried at first, and a refinement with an edge that must be there.
    let few = drawn(Mechanism::DagGnn1, 5, 500, 3).data;
    let many = drawn(Mechanism::Nonlinear1, 5, 2100, 2).data;
    let refined = Options {
        algorithm: Algorithm::from_name("nocurl").unwrap(),
        refine: Some(Refine::NETWORKS),
        knowledge: KnowledgeSpec {
            required: vec![("x4".into(), "x1".into())],
            ..KnowledgeSpec::default()
        },
        ..Options::default()
    };
    for (data, options) in [(&few, options()), (&many, options()), (&few, refined)] {
        let here = learn(data, &options, &Run::default()).unwrap();
        for threads in [1, 2] {
            let others = Others::default();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let run = Run::default().fitted_by(&others);
            let there = pool.install(|| learn(data, &options, &run).unwrap());
            assert_eq!(there.dag, here.dag);
            assert_eq!(there.determined, here.determined);
            assert_eq!(there.evaluations, here.evaluations);
            assert_eq!(there.iterations, here.iterations);
            // They come in batches, not one by one.
            let (fits, batches) = (others.fits.into_inner(), others.batches.into_inner());
            assert!(batches < 60 && fits > 3 * batches, "{fits} fits in {batches} batches");
        }
    }
}

#[test]
fn fits_elsewhere_can_fail_and_are_kept() {
    let data = drawn(Mechanism::DagGnn1, 5, 500, 3).data;
    let here = learn(&data, &options(), &Run::default()).unwrap();
    let shelf = Shelf::default();
    let broken = Others { most: Some(2), ..Others::default() };
    let run = Run::default().kept_by(&shelf).fitted_by(&broken);
    assert_eq!(learn(&data, &options(), &run).unwrap_err(), Error::Cancelled);
    // Whoever goes on has what was done.
    let others = Others::default();
    let run = Run::default().kept_by(&shelf).fitted_by(&others);
    assert_eq!(learn(&data, &options(), &run).unwrap().dag, here.dag);
    let whole = Others::default();
    learn(&data, &options(), &Run::default().fitted_by(&whole)).unwrap();
    assert!(others.fits.into_inner() < whole.fits.into_inner());
    let wrong = Others { wrong: true, ..Others::default() };
    let run = Run::default().fitted_by(&wrong);
    assert_eq!(learn(&data, &options(), &run).unwrap_err(), Error::ForeignFits);
}

#[test]
fn fits_of_another_table_are_refused() {
    let table = FitTable::new(Mat::from_fn(100, 3, |i, j| (i * j) as f64), [], 0).unwrap();
    let fits = Fits::new(&table, &Run::default()).unwrap();
    for (kind, target, candidates) in [
        (FitKind::All, 3, vec![0]),
        (FitKind::All, 0, vec![0]),
        (FitKind::Curves, 0, vec![2, 1]),
        (FitKind::Curves, 0, vec![5]),
        (FitKind::Some, 0, vec![1]),
    ] {
        let wanted = Wanted { kind, target, candidates };
        assert_eq!(fits.fit(&wanted, &Run::default()), Err(Error::ForeignFits));
    }
    let values = Mat::from_fn(2, 2, |_, _| f64::NAN);
    assert!(matches!(FitTable::new(values, [], 0), Err(Error::NotFinite { .. })));
    let values = Mat::from_fn(2, 2, |_, _| 1.0);
    assert_eq!(FitTable::new(values, [(0, 2)], 0).unwrap_err(), Error::ForeignFits);
}
