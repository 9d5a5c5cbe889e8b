//! The tests of the engine, a file for each part of it, in one program.

mod acyclicity;
mod bootstrap;
mod cam;
mod dag;
mod dag_gnn;
mod diagnose;
mod effects;
mod equal_variance;
mod exact;
mod fges;
mod hodge;
mod informed;
mod knowledge;
mod lbfgs;
mod learn;
mod metrics;
mod missing;
mod mmpc;
mod moments;
mod never_panics;
mod nocurl;
mod notears;
mod notears_mlp;
mod notebook;
mod order_search;
mod pdag;
mod prune;
mod reachability;
mod refine;
mod refine_networks;
mod regress;
mod simulate;
mod sort_regress;

use ::nocurl::Algorithm;
use ::nocurl::methods::{DagGnnParams, NoCurlGnnParams, NoCurlMlpParams, NotearsMlpParams};

/// All methods, those that train with so few epochs and rows that they end at once.
fn quick_methods() -> Vec<Algorithm> {
    let quick = |method| match method {
        Algorithm::DagGnn(_) => Algorithm::DagGnn(DagGnnParams {
            hidden: 8,
            epochs: 5,
            batch: 16,
            max_rounds: 3,
            ..DagGnnParams::default()
        }),
        Algorithm::NoCurlGnn(_) => Algorithm::NoCurlGnn(NoCurlGnnParams {
            hidden: 8,
            estimate_epochs: 10,
            epochs: 10,
            batch: 16,
            ..NoCurlGnnParams::default()
        }),
        Algorithm::NotearsMlp(_) => Algorithm::NotearsMlp(NotearsMlpParams {
            hidden: 3,
            max_rounds: 4,
            max_iterations: 20,
            ..NotearsMlpParams::default()
        }),
        Algorithm::NoCurlMlp(_) => Algorithm::NoCurlMlp(NoCurlMlpParams {
            hidden: 3,
            max_iterations: 20,
            ..NoCurlMlpParams::default()
        }),
        other => other,
    };
    Algorithm::all().into_iter().map(quick).collect()
}
