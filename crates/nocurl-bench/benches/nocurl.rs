//! NoCurl-2 on the paper's ER6 data, n = 1000, and order search after it.

use divan::Bencher;
use nocurl::Run;
use nocurl::refine::Refine;
use nocurl::simulate::{Simulation, simulate};
use nocurl::{Moments, Options, learn};

fn main() {
    divan::main();
}

fn moments(variables: usize, degree: f64) -> Moments {
    let simulation = Simulation { variables, degree, ..Simulation::default() };
    simulate(&simulation, 1).expect("the scenario is valid").data.moments()
}

#[divan::bench(args = [10, 30, 50, 100, 200], sample_count = 5)]
fn nocurl2_er6(bencher: Bencher<'_, '_>, variables: usize) {
    let moments = moments(variables, 6.0);
    let options = Options { center: false, ..Options::default() };
    bencher.bench(|| learn(&moments, &options, &Run::default()));
}

#[divan::bench(args = [30, 100], sample_count = 5)]
fn nocurl2_er6_refined(bencher: Bencher<'_, '_>, variables: usize) {
    let moments = moments(variables, 6.0);
    let refine = Some(Refine::EQUAL_VARIANCE);
    let options = Options { center: false, refine, ..Options::default() };
    bencher.bench(|| learn(&moments, &options, &Run::default()));
}

/// One run of about a minute: n = 1000, ER4.
#[divan::bench(args = [1000], sample_count = 1, sample_size = 1)]
fn nocurl2_er4_large(bencher: Bencher<'_, '_>, variables: usize) {
    let moments = moments(variables, 4.0);
    let options = Options { center: false, ..Options::default() };
    bencher.bench(|| learn(&moments, &options, &Run::default()));
}
