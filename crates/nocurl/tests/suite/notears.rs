//! NOTEARS by both solvers.

use nocurl::Run;
use nocurl::graph::Reachability;
use nocurl::internals::objective::{Acyclicity, Penalty};
use nocurl::methods::Notears;
use nocurl::methods::Solver;
use nocurl::simulate::{Simulated, Simulation, simulate};
use nocurl::{Algorithm, Error, Fit, Options, Termination, learn, metrics};

const SOLVERS: [Solver; 2] = [Solver::Lbfgs, Solver::Ridge];

fn draw(variables: usize, degree: f64, seed: u64) -> Simulated {
    let simulation = Simulation { variables, degree, ..Simulation::default() };
    simulate(&simulation, seed).unwrap()
}

fn fit(drawn: &Simulated, params: Notears, threshold: f64) -> Result<Fit, Error> {
    let options = Options {
        algorithm: Algorithm::from(params),
        center: false,
        threshold: Some(threshold),
        ..Options::default()
    };
    learn(&drawn.data.moments(), &options, &Run::default())
}

#[test]
fn results_have_no_cycle_at_any_threshold() {
    let kinds = [Acyclicity::Polynomial, Acyclicity::Exponential, Acyclicity::LogDet];
    for seed in 0..3 {
        let drawn = draw(8, 4.0, seed);
        for solver in SOLVERS {
            for acyclicity in kinds {
                let params = Notears { solver, acyclicity, ..Notears::default() };
                let found = fit(&drawn, params, 0.0).unwrap();
                let case = format!("{solver:?}, {acyclicity:?}, seed {seed}");
                assert!(!Reachability::new(found.unpruned.weights()).is_cyclic(), "{case}");
                for (i, j, _) in found.dag.edges() {
                    assert!(found.potential[i] < found.potential[j], "{case}");
                }
                let h = Penalty::new(acyclicity, 8).evaluate(found.unpruned.weights());
                assert!(h.abs() <= 1e-12, "{case}: {h}");
                assert!(
                    matches!(found.termination, Termination::Converged | Termination::PenaltyLimit),
                    "{case}: {:?}",
                    found.termination
                );
                assert!(found.dag.edge_count() >= drawn.truth.edge_count() / 2, "{case}");
            }
        }
    }
}

#[test]
fn the_constraint_is_met_or_the_result_says_so() {
    let drawn = draw(8, 3.0, 1);
    for solver in SOLVERS {
        let params = |max_penalty, max_rounds| Notears {
            solver,
            max_penalty,
            max_rounds,
            ..Notears::default()
        };
        let met = fit(&drawn, params(1e16, 100), 0.0).unwrap();
        assert_eq!(met.termination, Termination::Converged, "{solver:?}");
        let cut_short = fit(&drawn, params(10.0, 100), 0.0).unwrap();
        assert_eq!(cut_short.termination, Termination::PenaltyLimit, "{solver:?}");
        assert!(cut_short.warnings.iter().any(|w| w.contains("cycle")), "{:?}", cut_short.warnings);
        let one_round = fit(&drawn, params(1e16, 1), 0.0).unwrap();
        assert_eq!(one_round.termination, Termination::MaxIterations, "{solver:?}");
        assert!(one_round.warnings.iter().any(|w| w.contains("limit of iterations")));
        let hasty = Notears { max_iterations: 3, ..params(1e16, 100) };
        let hasty = fit(&drawn, hasty, 0.0).unwrap();
        assert_ne!(hasty.termination, Termination::Converged, "{solver:?}");
    }
}

#[test]
fn easy_graphs_are_recovered() {
    for solver in SOLVERS {
        let wrong: Vec<usize> = (0..8)
            .map(|seed| {
                let drawn = draw(8, 2.0, seed);
                let params = Notears { solver, ..Notears::default() };
                let found = fit(&drawn, params, 0.3).unwrap();
                metrics::shd(&drawn.truth, &found.dag).unwrap()
            })
            .collect();
        let exact = wrong.iter().filter(|&&shd| shd == 0).count();
        assert!(exact >= 6, "{solver:?}: {wrong:?}");
    }
}

#[test]
fn an_l1_penalty_thins_the_graph() {
    let drawn = draw(8, 3.0, 4);
    for solver in SOLVERS {
        let fits = [0.0, 0.05, 0.5, 100.0].map(|lambda1| {
            let params = Notears { lambda1, solver, ..Notears::default() };
            let dag = fit(&drawn, params, 1e-3).unwrap().dag;
            (dag.edges().map(|(_, _, weight)| weight.abs()).sum::<f64>(), dag.edge_count())
        });
        // Without the penalty, cutting faint cycles also takes edges: their number proves nothing.
        assert!(fits.windows(2).all(|w| w[1].0 < w[0].0), "{fits:?}");
        assert!(fits.windows(2).skip(1).all(|w| w[1].1 < w[0].1), "{fits:?}");
        assert_eq!(fits[3].1, 0, "{fits:?}");
    }
}

#[test]
fn parameters_out_of_range_are_named() {
    let drawn = draw(4, 2.0, 1);
    let base = Notears::default;
    for (params, expected) in [
        (Notears { lambda1: -1.0, ..base() }, "lambda1"),
        (Notears { lambda1: f64::NAN, ..base() }, "lambda1"),
        (Notears { lambda1: f64::INFINITY, ..base() }, "lambda1"),
        (Notears { penalty_tolerance: 0.0, ..base() }, "penalty_tolerance"),
        (Notears { max_penalty: 1.0, ..base() }, "max_penalty"),
        (Notears { max_penalty: f64::INFINITY, ..base() }, "max_penalty"),
        (Notears { max_rounds: 0, ..base() }, "max_rounds"),
        (Notears { tolerance: 0.0, ..base() }, "tolerance"),
        (Notears { max_iterations: 0, ..base() }, "max_iterations"),
    ] {
        match fit(&drawn, params, 0.3) {
            Err(Error::Parameter { name, .. }) => assert_eq!(name, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
}
