//! The paper's nonlinear table.

use nocurl::methods::R2SortNRegress;
use nocurl::methods::{
    Cam, DagGnn, GranDag, GranErrors, Gsges, NoCurl, NoCurlGnn, NoCurlGran, NoCurlMlp, Nonlinear,
    Notears, NotearsMlp,
};
use nocurl::refine::Refine;
use nocurl::simulate::{GraphFamily, Mechanism, Simulation, Variances};
use nocurl::{Algorithm, Options};

use super::{centred, empty_graph, fges, mmpc, order_search, treated};
use crate::{Contender, Scenario};

/// Its trials and its sizes.
pub(super) const TRIALS: u32 = 5;
pub(super) const SIZES: [usize; 4] = [10, 20, 50, 100];

/// Its three cases, with the functions of the paper's text: n = 5000; degree 3 means 3 d / 2
/// expected edges. Then case 1 once more on the same graphs, with the function that the program of
/// DAG-GNN has under this name: the networks' published values fit that one, see `docs/paper.md`.
pub(super) fn scenarios() -> Vec<Scenario> {
    let scenario = |name: &str, graph, mechanism| Scenario {
        name: name.into(),
        simulation: Simulation {
            graph,
            mechanism,
            degree: 3.0,
            rows: 5000,
            ..Simulation::default()
        },
        same_draws_as: None,
    };
    let first = scenario("nonlinear-1", GraphFamily::Er, Mechanism::Nonlinear1);
    let program = |simulation: &mut Simulation| simulation.mechanism = Mechanism::DagGnn1;
    vec![
        first.clone(),
        scenario("nonlinear-2", GraphFamily::Er, Mechanism::Nonlinear2),
        scenario("nonlinear-3", GraphFamily::Sf, Mechanism::Nonlinear3),
        treated(first, "by the program", program),
    ]
}

/// The paper's methods under the paper's names, then what it leaves out: methods that take the data
/// to be linear, and the trivial baselines that a method for nonlinear data must not lose to.
pub(super) fn methods() -> Vec<Contender> {
    let named = |name: &str, algorithm| Contender::new(name, centred(algorithm));
    let refined =
        Options { refine: Some(Refine::NETWORKS), ..centred(Algorithm::from(NoCurl::default())) };
    // These data have errors of equal variance, in units that the published programs see as well.
    let errors = GranErrors::Equal;
    vec![
        named("NOTEARS-MLP", Algorithm::from(NotearsMlp::default())),
        named("GraN-DAG", Algorithm::from(GranDag { errors, ..GranDag::default() })),
        named("CAM", Algorithm::from(Cam::default())),
        mmpc(),
        named("GSGES", Algorithm::from(Gsges::default())),
        named("DAG-GNN", Algorithm::from(DagGnn::default())),
        named("DAG-GNN+NoCurl", Algorithm::from(NoCurlGnn::default())),
        named("NOTEARS-MLP+NoCurl", Algorithm::from(NoCurlMlp::default())),
        named("GraN-DAG+NoCurl", Algorithm::from(NoCurlGran { errors, ..NoCurlGran::default() })),
        Contender::new("NoCurl-2+networks", refined),
        named("nonlinear", Algorithm::from(Nonlinear::default())),
        order_search(),
        fges(),
        named("NoCurl-2", Algorithm::from(NoCurl::default())),
        named("NOTEARS", Algorithm::from(Notears::default())),
        named("r2-sortnregress", Algorithm::from(R2SortNRegress {})),
        empty_graph(),
    ]
}

/// Sizes of the grid with functions from Gaussian processes.
pub(super) const GP_SIZES: [usize; 5] = [10, 20, 50, 100, 200];

/// Data as in the comparison of SCORE and DAS (Montagna et al., 2023): ER graphs with d and with 4 d
/// expected edges, one function of all parents together, noise variances between 0.4 and 0.8, n =
/// 1000; then the same graphs with a function of each parent.
pub(super) fn gp_scenarios() -> Vec<Scenario> {
    let scenario = |name: &str, degree| Scenario {
        name: name.into(),
        simulation: Simulation {
            degree,
            mechanism: Mechanism::Gp,
            variances: Variances::Random(0.4, 0.8),
            rows: 1000,
            ..Simulation::default()
        },
        same_draws_as: None,
    };
    let additive = |simulation: &mut Simulation| simulation.mechanism = Mechanism::GpAdditive;
    let (sparse, dense) = (scenario("GP-d", 2.0), scenario("GP-4d", 8.0));
    vec![
        sparse.clone(),
        dense.clone(),
        treated(sparse, "additive", additive),
        treated(dense, "additive", additive),
    ]
}

/// Methods for curved effects, and what they must not lose to.
pub(super) fn gp_methods() -> Vec<Contender> {
    let named = |name: &str, algorithm| Contender::new(name, centred(algorithm));
    let cam = || Algorithm::from(Cam::default());
    let refined = Options { refine: Some(Refine::NETWORKS), ..centred(cam()) };
    vec![
        named("CAM", cam()),
        Contender::new("CAM+networks", refined),
        named("nonlinear", Algorithm::from(Nonlinear::default())),
        named("GraN-DAG", Algorithm::from(GranDag::default())),
        order_search(),
        empty_graph(),
    ]
}
