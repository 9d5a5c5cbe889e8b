//! Exact search over all orders. Time doubles with every variable.

use divan::Bencher;
use nocurl::Run;
use nocurl::methods::exact::{self, Exact, ExactScore};
use nocurl::{Mat, Moments, Problem};

fn main() {
    divan::main();
}

/// The second moments of random numbers with neighbours that share a part.
fn problem(d: usize) -> Problem {
    let mut state = d as u64;
    let errors = Mat::from_fn(4 * d, d, |_, _| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    });
    let x = Mat::from_fn(4 * d, d, |i, j| errors[(i, j)] + 0.8 * errors[(i, (j + 1) % d)]);
    let s = x.transpose() * &x;
    let names: Vec<String> = (1..=d).map(|j| format!("x{j}")).collect();
    let moments = Moments::from_covariance(names, 1000, vec![0.0; d], s.as_ref());
    Problem::new(&moments.expect("sizes agree"), true).expect("no constant columns")
}

#[divan::bench(args = [15, 20, 25], sample_count = 3, sample_size = 1)]
fn least_squares(bencher: Bencher<'_, '_>, d: usize) {
    let problem = problem(d);
    bencher.bench(|| exact::propose(&problem, &Exact::default(), &Run::default()));
}

#[divan::bench(args = [15, 20], sample_count = 3, sample_size = 1)]
fn bic(bencher: Bencher<'_, '_>, d: usize) {
    let problem = problem(d);
    let params = Exact { score: ExactScore::Bic, ..Exact::default() };
    bencher.bench(|| exact::propose(&problem, &params, &Run::default()));
}
