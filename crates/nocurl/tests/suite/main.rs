//! The tests of the engine, a file for each part of it, in one program.

mod acyclicity;
mod bootstrap;
mod cam;
mod class_effects;
mod dag;
mod dag_gnn;
mod determinism;
mod diagnose;
mod documents;
mod effects;
mod equal_variance;
mod error_shape;
mod exact;
mod experiments;
mod experiments_methods;
mod experiments_moments;
mod fges;
mod gran_dag;
mod gsges;
mod hodge;
mod informed;
mod invariance;
mod knowledge;
mod layers;
mod lbfgs;
mod learn;
mod lingam;
mod metrics;
mod missing;
mod mixed;
mod mmpc;
mod model;
mod moments;
mod never_panics;
mod nocurl;
mod nocurl_wide;
mod nonlinear;
mod notears;
mod notears_mlp;
mod notebook;
mod order_search;
mod pdag;
mod prune;
mod reachability;
mod refine;
mod refine_networks;
mod registry;
mod regress;
mod simulate;
mod sort_regress;
mod variables;
mod wide;

use ::nocurl::Algorithm;
use ::nocurl::methods::{DagGnn, GranDag, NoCurlGnn, NoCurlGran, NoCurlMlp, NotearsMlp};

/// All methods, those that train with so few epochs and rows that they end at once.
fn quick_methods() -> Vec<Algorithm> {
    let quick = [
        Algorithm::from(DagGnn {
            hidden: 8,
            epochs: 5,
            batch: 16,
            max_rounds: 3,
            ..DagGnn::default()
        }),
        Algorithm::from(NoCurlGnn {
            hidden: 8,
            estimate_epochs: 10,
            epochs: 10,
            batch: 16,
            ..NoCurlGnn::default()
        }),
        Algorithm::from(NotearsMlp {
            hidden: 3,
            max_rounds: 4,
            max_iterations: 20,
            ..NotearsMlp::default()
        }),
        Algorithm::from(NoCurlMlp { hidden: 3, max_iterations: 20, ..NoCurlMlp::default() }),
        Algorithm::from(GranDag { hidden: 3, max_iterations: 20, ..GranDag::default() }),
        Algorithm::from(NoCurlGran {
            hidden: 3,
            estimate_iterations: 20,
            iterations: 10,
            ..NoCurlGran::default()
        }),
    ];
    let or_quick = |method: Algorithm| {
        let like = quick.iter().find(|quick| quick.name() == method.name());
        like.cloned().unwrap_or(method)
    };
    Algorithm::all().into_iter().map(or_quick).collect()
}
