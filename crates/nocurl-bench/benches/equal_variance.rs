//! Orders under equal error variances.

use divan::Bencher;
use nocurl::Run;
use nocurl::methods::equal_variance::{self, Direction};
use nocurl::{Mat, Moments, Problem};

fn main() {
    divan::main();
}

/// The covariance of a sparse random model with unit errors: about four parents per variable, in a
/// shuffled order, with weights small enough for variances to stay bounded.
fn problem(d: usize) -> Problem {
    let mut state = d as u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    // Column j holds how the errors enter variable j; variable j sits at place 7 j mod d.
    let place = |j: usize| (7 * j + 3) % d;
    let mut effects = Mat::<f64>::identity(d, d);
    for j in 1..d {
        for _ in 0..4 {
            let (parent, weight) = ((uniform() * j as f64) as usize, uniform() - 0.5);
            let (before, mut after) = effects.as_mut().split_at_col_mut(j);
            for (own, passed) in after.as_mut().col_mut(0).iter_mut().zip(before.col(parent).iter())
            {
                *own += weight * passed;
            }
        }
    }
    let mut ordered = Mat::zeros(d, d);
    nocurl::internals::linalg::matmul(ordered.as_mut(), effects.transpose(), effects.as_ref());
    let s = Mat::from_fn(d, d, |i, j| ordered[(place(i), place(j))]);
    let names: Vec<String> = (1..=d).map(|j| format!("x{j}")).collect();
    let moments = Moments::from_covariance(names, 10_000, vec![0.0; d], s.as_ref());
    Problem::new(&moments.expect("sizes agree"), true).expect("no constant columns")
}

#[divan::bench(args = [100, 1000, 5000], sample_count = 3, sample_size = 1)]
fn top_down(bencher: Bencher<'_, '_>, d: usize) {
    let problem = problem(d);
    bencher.bench(|| equal_variance::propose(&problem, Direction::TopDown, &Run::default()));
}

#[divan::bench(args = [100, 1000], sample_count = 3, sample_size = 1)]
fn bottom_up(bencher: Bencher<'_, '_>, d: usize) {
    let problem = problem(d);
    bencher.bench(|| equal_variance::propose(&problem, Direction::BottomUp, &Run::default()));
}
