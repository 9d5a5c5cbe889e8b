//! Max-min parents and children, against a second implementation by inverses and bit masks.

use std::sync::atomic::AtomicBool;

use nocurl::methods::Mmpc;
use nocurl::simulate::{GraphFamily, Simulation, simulate};
use nocurl::{Algorithm, Determines, Error, Fit, Mat, Moments, Options, Run, learn};

fn mmpc(moments: &Moments, params: Mmpc) -> Fit {
    let options = Options { algorithm: Algorithm::from(params), ..Options::default() };
    learn(moments, &options, &Run::default()).unwrap()
}

fn data(variables: usize, degree: f64, rows: usize, seed: u64) -> Moments {
    let simulation = Simulation { variables, degree, rows, ..Simulation::default() };
    simulate(&simulation, seed).unwrap().data.moments()
}

/// Size of Fisher's z of i and j given the variables of a mask, from the inverse of a matrix.
fn fisher(s: &Mat<f64>, n: f64, i: usize, j: usize, given: usize) -> f64 {
    let set: Vec<usize> = (0..s.nrows()).filter(|&k| given >> k & 1 == 1).collect();
    let all: Vec<usize> = [i, j].into_iter().chain(set.iter().copied()).collect();
    let m = all.len();
    // Gauss and Jordan on the block beside the identity.
    let mut a = Mat::from_fn(m, 2 * m, |r, c| match c.checked_sub(m) {
        None => s[(all[r], all[c])],
        Some(k) => f64::from(u8::from(k == r)),
    });
    for k in 0..m {
        let pivot = a[(k, k)];
        (0..2 * m).for_each(|c| a[(k, c)] /= pivot);
        for r in (0..m).filter(|&r| r != k) {
            let factor = a[(r, k)];
            (0..2 * m).for_each(|c| a[(r, c)] -= factor * a[(k, c)]);
        }
    }
    let p = |r: usize, c: usize| a[(r, m + c)];
    let r = -p(0, 1) / (p(0, 0) * p(1, 1)).sqrt();
    (n - set.len() as f64 - 3.0).sqrt() * (0.5 * ((1.0 + r) / (1.0 - r)).ln()).abs()
}

/// The smallest size of z over all subsets of a mask.
fn weakest(s: &Mat<f64>, n: f64, i: usize, j: usize, mask: usize) -> f64 {
    (0..=mask)
        .filter(|subset| subset & !mask == 0)
        .map(|subset| fisher(s, n, i, j, subset))
        .fold(f64::INFINITY, f64::min)
}

/// Parents and children of every variable, as Tsamardinos et al. write it, with masks.
fn skeleton(s: &Mat<f64>, n: f64, critical: f64) -> Vec<(usize, usize)> {
    let d = s.nrows();
    let around = |target: usize| {
        let mut chosen = 0usize;
        let mut order = Vec::new();
        loop {
            let mask = chosen;
            let best = (0..d)
                .filter(|&x| x != target && mask >> x & 1 == 0)
                .map(|x| (weakest(s, n, target, x, mask), x))
                .max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((_, x)) = best.filter(|&(z, _)| z >= critical) else { break };
            chosen |= 1 << x;
            order.push(x);
        }
        for x in order {
            let others = chosen & !(1 << x);
            if weakest(s, n, target, x, others) < critical {
                chosen = others;
            }
        }
        chosen
    };
    let chosen: Vec<usize> = (0..d).map(around).collect();
    let both = |i: usize, j: usize| chosen[i] >> j & 1 == 1 && chosen[j] >> i & 1 == 1;
    (0..d).flat_map(|i| (i + 1..d).map(move |j| (i, j))).filter(|&(i, j)| both(i, j)).collect()
}

fn adjacencies(fit: &Fit) -> Vec<(usize, usize)> {
    let mut pairs: Vec<_> = fit.dag.edges().map(|(i, j, _)| (i.min(j), i.max(j))).collect();
    pairs.sort_unstable();
    pairs
}

#[test]
fn the_skeleton_is_that_of_a_second_implementation() {
    // Quantiles of the normal distribution at 0.975 and 0.995.
    for (alpha, critical) in [(0.05, 1.959_963_984_540_054), (0.01, 2.575_829_303_548_901)] {
        for seed in 0..20 {
            let moments = data(8, 2.0 + (seed % 4) as f64, 100 + 50 * seed as usize, seed);
            let fit = mmpc(&moments, Mmpc { alpha, ..Mmpc::default() });
            let expected = skeleton(&moments.second_moments(true), moments.rows() as f64, critical);
            assert_eq!(adjacencies(&fit), expected, "alpha {alpha}, seed {seed}");
            assert_eq!(fit.determines, Determines::Skeleton);
        }
    }
}

#[test]
fn limits_on_conditioning_only_add_edges() {
    let moments = data(15, 4.0, 500, 3);
    let edges =
        |max_condition| adjacencies(&mmpc(&moments, Mmpc { max_condition, ..Mmpc::default() }));
    let (none, one, all) = (edges(Some(0)), edges(Some(1)), edges(None));
    assert!(none.len() > one.len() && one.len() > all.len());
    // Without conditioning the skeleton is that of the correlations that differ from zero.
    let s = moments.second_moments(true);
    let correlated = |&(i, j): &(usize, usize)| fisher(&s, 500.0, i, j, 0) >= 1.959_963_984_540_054;
    let pairs = (0..15).flat_map(|i| (i + 1..15).map(move |j| (i, j)));
    assert_eq!(none, pairs.filter(correlated).collect::<Vec<_>>());
}

#[test]
fn a_hub_with_many_neighbours_ends_with_a_warning() {
    let simulation = Simulation {
        graph: GraphFamily::Sf,
        degree: 2.0,
        variables: 40,
        rows: 20_000,
        weights: (1.0, 1.1),
        ..Simulation::default()
    };
    let hubs = (0..20).map(|seed| {
        let simulated = simulate(&simulation, seed).unwrap();
        let around = |v| {
            (0..40)
                .filter(|&w| simulated.truth.has_edge(v, w) || simulated.truth.has_edge(w, v))
                .count()
        };
        ((0..40).map(around).max().unwrap(), simulated)
    });
    let (degree, simulated) = hubs.max_by_key(|(degree, _)| *degree).unwrap();
    assert!(degree > 16, "{degree}");
    let fit = mmpc(&simulated.data.moments(), Mmpc::default());
    assert!(fit.warnings.iter().any(|text| text.contains("not all sets")), "{:?}", fit.warnings);
}

#[test]
fn stops_when_asked_and_refuses_bad_levels() {
    let moments = data(10, 3.0, 200, 1);
    let options = |alpha| Options {
        algorithm: Algorithm::from(Mmpc { alpha, ..Mmpc::default() }),
        ..Options::default()
    };
    assert_eq!(
        learn(&moments, &options(0.05), &Run::default().stopped_by(&AtomicBool::new(true)))
            .unwrap_err(),
        Error::Cancelled
    );
    for alpha in [0.0, 1.0, -0.1, f64::NAN] {
        let error = learn(&moments, &options(alpha), &Run::default()).unwrap_err();
        assert!(error.to_string().contains("`alpha`"), "{error}");
    }
}
