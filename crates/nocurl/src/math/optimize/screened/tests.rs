//! The penalty of few pairs against that of a matrix, and the minimum against its definition.

use faer::Mat;

use super::{Column, Screened, State};
use crate::core::simulate::{Simulation, simulate};
use crate::core::{Knowledge, Run, Termination};
use crate::math::Problem;
use crate::math::objective::{Acyclicity, Penalty, SparsePenalty, Support, Walks, least_squares};
use crate::math::optimize::{Multiplier, Penalised, Solver};
use crate::math::regress::{Grower, assemble};

const KINDS: [Acyclicity; 2] = [Acyclicity::Polynomial, Acyclicity::Exponential];

fn problem(d: usize, rows: usize, seed: u64) -> Problem {
    let simulation = Simulation { variables: d, degree: 2.0, rows, ..Simulation::default() };
    Problem::new(&simulate(&simulation, seed).unwrap().data.moments(), true).unwrap()
}

fn screened(problem: &Problem, acyclicity: Acyclicity, tolerance: f64) -> Screened<'_> {
    Screened {
        grower: Grower::new(problem),
        unit: 1.0,
        acyclicity,
        tolerance,
        max_iterations: 20_000,
        knowledge: problem.knowledge(),
    }
}

fn everyone(d: usize) -> Support {
    let others = |j: usize| (0..d).filter(|&i| i != j).collect();
    Support::new(&(0..d).map(others).collect::<Vec<_>>())
}

/// Weights by chance, more of them where `seed` is larger, of sizes that units could give.
fn by_chance(d: usize, seed: usize, moments: &[f64]) -> Vec<Vec<(usize, f64)>> {
    let entry = |i: usize, j: usize| {
        let draw = (i * 31 + j * 17 + seed * 7) % (23 - 2 * seed);
        let unit = (moments[j] / moments[i]).sqrt();
        (i != j && draw < 4).then_some((i, (draw as f64 - 1.6) / 2.0 * unit))
    };
    (0..d).map(|j| (0..d).filter_map(|i| entry(i, j)).collect()).collect()
}

#[test]
fn the_penalty_is_that_of_the_matrix() {
    let d = 37;
    for kind in KINDS {
        for seed in 0..6 {
            let moments: Vec<f64> = (0..d).map(|i| 10_f64.powi(i as i32 % 3 - 1)).collect();
            let columns = by_chance(d, seed, &moments);
            let parents = |column: &Vec<(usize, f64)>| column.iter().map(|&(i, _)| i).collect();
            let support = Support::new(&columns.iter().map(parents).collect::<Vec<_>>());
            let weights: Vec<f64> = columns.iter().flatten().map(|&(_, weight)| weight).collect();
            let sparse = SparsePenalty { support: &support, kind, moments: &moments };
            let mut walks = Walks::default();
            sparse.evaluate(&weights, &mut walks);
            let mut dense = Penalty::new(kind, d);
            let value = dense.evaluate(assemble(d, columns.clone()).as_ref());
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-10 * (1.0 + b.abs());
            assert!(value > 0.0 && close(walks.value, value), "{kind:?}: {} {value}", walks.value);
            let at = |i: usize, j: usize| dense.walks()[(j, i)];
            let pairs = columns.iter().enumerate();
            let pairs = pairs.flat_map(|(j, column)| column.iter().map(move |&(i, _)| (i, j)));
            for ((i, j), &found) in pairs.zip(&walks.at_pairs) {
                let unit = moments[i] / moments[j];
                assert!(close(found / unit, at(i, j) / unit), "{i} -> {j}: {found} {}", at(i, j));
            }
            let rows = sparse.rows(&weights, || (), |(), j, row| (j, (0..d).map(row).collect()));
            for (k, (j, row)) in rows.into_iter().enumerate() {
                assert_eq!(k, j);
                let row: Vec<f64> = row;
                for (i, found) in row.into_iter().enumerate() {
                    let unit = moments[i] / moments[j];
                    assert!(close(found / unit, at(i, j) / unit), "{j}, {i}: {found}");
                }
            }
        }
    }
}

#[test]
fn acyclic_weights_have_no_penalty_and_large_ones_an_infinite_one() {
    let columns = [vec![], vec![0], vec![0, 1], vec![2]];
    let (support, moments) = (Support::new(&columns), [1.0; 4]);
    let mut walks = Walks::default();
    for kind in KINDS {
        let sparse = SparsePenalty { support: &support, kind, moments: &moments };
        sparse.evaluate(&[2.0, -1.0, 3.0, 1e60], &mut walks);
        assert_eq!((walks.value, &walks.at_pairs[..]), (0.0, &[0.0; 4][..]), "{kind:?}");
    }
    let ring = Support::new(&[vec![1], vec![0]]);
    let sparse =
        SparsePenalty { support: &ring, kind: Acyclicity::Exponential, moments: &[1.0, 1.0] };
    sparse.evaluate(&[1e80, 1e80], &mut walks);
    assert_eq!(walks.value, f64::INFINITY);
}

/// Over all pairs the steps are those of the matrix.
#[test]
fn over_all_pairs_it_is_the_problem_of_the_matrix() {
    let d = 14;
    for kind in KINDS {
        let problem = problem(d, 400, 3);
        let screened = screened(&problem, kind, 1e-10);
        let support = everyone(d);
        let mut state = State::new(&screened, &support, &vec![Vec::new(); d]);
        let mut weights = Mat::zeros(d, d);
        let penalised = Penalised {
            second_moments: problem.second_moments().into(),
            unit: 1.0,
            acyclicity: kind,
            lambda1: 0.0,
            solver: Solver::Ridge,
            tolerance: 1e-10,
            max_iterations: 20_000,
            knowledge: problem.knowledge(),
        };
        for lambda in [10.0, 1000.0] {
            let info = state.minimise(lambda, &Run::default()).unwrap();
            let multiplier = Multiplier { linear: lambda, quadratic: 0.0 };
            let dense = penalised.minimise(multiplier, &mut weights, &Run::default()).unwrap();
            assert_eq!(info.termination, Termination::Converged);
            let value = |weights: &Mat<f64>| {
                let h = Penalty::new(kind, d).evaluate(weights.as_ref());
                least_squares(problem.second_moments(), weights.as_ref()) + lambda * h
            };
            let found = assemble(d, state.weights());
            let gap = value(&found) / value(&weights) - 1.0;
            // Paths differ in how they step what cycles hold down, and may end in valleys side by side.
            let close = if lambda > 10.0 { 0.02 } else { 1e-4 };
            assert!(gap.abs() < close, "{kind:?}, {lambda}: {gap}, {info:?}, {dense:?}");
            assert!(state.missing(lambda).is_empty());
        }
    }
}

/// At the end the gradient vanishes at the pairs, and by brute force no other pair would pay.
#[test]
fn it_ends_where_no_pair_would_pay() {
    let (d, rows, lambda) = (18, 300, 1000.0);
    for seed in 0..3 {
        let problem = problem(d, rows, seed);
        let screened = screened(&problem, Acyclicity::Polynomial, 1e-14);
        let (columns, _) = screened.minimise(&[10.0, lambda], &Run::default()).unwrap();
        assert!(columns.iter().all(|column| column.len() + 1 < d), "some pairs are left out");
        let weights = assemble(d, columns.clone());
        let mut penalty = Penalty::new(Acyclicity::Polynomial, d);
        penalty.evaluate(weights.as_ref());
        let s = problem.second_moments();
        let smooth = s * &weights - s;
        let ridge = |i: usize, j: usize| 2.0 * lambda * penalty.walks()[(j, i)];
        let price = (rows as f64).ln() + 2.0 * (d as f64).ln();
        for (j, column) in columns.iter().enumerate() {
            for &(i, weight) in column {
                let slope = smooth[(i, j)] + ridge(i, j) * weight;
                let scale = (s[(i, i)] + ridge(i, j)).sqrt() * s[(j, j)].sqrt();
                assert!(slope.abs() < 1e-4 * scale, "seed {seed}, {i} -> {j}: {slope}");
            }
            let parents: Vec<usize> = column.iter().map(|&(i, _)| i).collect();
            let left = |parents: &[usize]| {
                let own = Column::new(s, j, parents, &[]);
                let m = parents.len();
                let matrix = Mat::from_fn(m, m, |a, b| {
                    own.gram[a + b * m] + if a == b { ridge(parents[a], j) } else { 0.0 }
                });
                let right = Mat::from_fn(m, 1, |a, _| s[(parents[a], j)]);
                let solution = faer::linalg::solvers::Solve::solve(
                    &matrix.llt(faer::Side::Lower).unwrap(),
                    &right,
                );
                s[(j, j)] - (0..m).map(|a| right[(a, 0)] * solution[(a, 0)]).sum::<f64>()
            };
            let now = left(&parents);
            for i in (0..d).filter(|i| *i != j && !parents.contains(i)) {
                let more: Vec<usize> = parents.iter().copied().chain([i]).collect();
                let gain = rows as f64 * (now / left(&more)).ln();
                assert!(gain < price * 1.05, "seed {seed}, {i} -> {j}: {gain}");
            }
        }
    }
}

#[test]
fn what_is_not_allowed_stays_zero() {
    let d = 12;
    let problem = problem(d, 300, 1);
    let names = problem.names().to_vec();
    let pair = |i: usize, j: usize| (names[i].clone(), names[j].clone());
    let free = screened(&problem, Acyclicity::Polynomial, 1e-8);
    let (found, _) = free.minimise(&[10.0], &Run::default()).unwrap();
    let (j, (i, _)) = found
        .iter()
        .enumerate()
        .flat_map(|(j, column)| column.iter().map(move |&entry| (j, entry)))
        .max_by(|a, b| a.1.1.abs().total_cmp(&b.1.1.abs()))
        .unwrap();
    let knowledge: Knowledge = crate::core::KnowledgeSpec {
        forbidden: vec![pair(i, j)],
        required: vec![pair((j + 1) % d, (j + 5) % d)],
        ..Default::default()
    }
    .resolve(&names)
    .unwrap();
    let (informed, _) =
        Screened { knowledge: &knowledge, ..free }.minimise(&[10.0], &Run::default()).unwrap();
    assert!(informed[j].iter().all(|&(parent, _)| parent != i));
    assert!(informed[(j + 5) % d].iter().any(|&(parent, _)| parent == (j + 1) % d));
}
