//! Grids with a name: the paper's tables, and what the paper does not show.

mod nonlinear;

use nocurl::Prune;
use nocurl::methods::EqBu;
use nocurl::methods::EqTd;
use nocurl::methods::R2SortNRegress;
use nocurl::methods::SortNRegress;
use nocurl::methods::{Cam, Exact, Fges, FgesSearch, Mmpc, NoCurl, Notears, OrderSearch, Variant};
use nocurl::refine::Refine;
use nocurl::simulate::{GraphFamily, Noise, Simulation, Variances};
use nocurl::{Algorithm, Options};

use crate::{Contender, Grid, Scenario};

/// Trials where nothing else is said; the paper has 100.
pub(crate) const TRIALS: u32 = 20;

/// The sizes of the paper's linear tables.
const SIZES: [usize; 4] = [10, 30, 50, 100];

/// Random starts whose figures the paper averages in each trial.
const STARTS: u32 = 7;

pub(crate) const NAMES: &[(&str, &str)] = &[
    ("paper", "short for paper-linear"),
    ("paper-linear", "the paper's Tables score1 to score4: all methods on linear data"),
    ("paper-hyper", "its Tables hyperER3 and hyperER6: penalties and ablations of NoCurl"),
    ("paper-ablation", "its Table ablation: ER6-Gaussian, d = 30"),
    (
        "paper-nonlinear",
        "its Table gnn: three kinds of nonlinear data, one of them in two readings",
    ),
    (
        "nonlinear-gp",
        "functions from Gaussian processes, as the comparison of SCORE, DAS, CAM and GraN-DAG",
    ),
    ("standardised", "the data of paper-linear with unit variances, which hide the order"),
    ("unequal-variance", "as paper-linear, with noise variances between 0.5 and 2"),
    ("default", "raw, standardised, unequal-variance and non-Gaussian data: which default?"),
];

/// Names of the studies, which are no grids but run by the same command.
pub(crate) const STUDIES: [&str; 4] = ["calibration", "calibration-fit", "interventions", "scale"];

pub(crate) fn find(name: &str) -> Option<Grid> {
    let grid = |sizes: &[usize], scenarios, contenders| Grid {
        name: if name == "paper" { "paper-linear" } else { name }.into(),
        trials: TRIALS,
        sizes: sizes.to_vec(),
        scenarios,
        contenders,
    };
    Some(match name {
        "paper" | "paper-linear" => grid(&SIZES, paper_scenarios(), paper_methods()),
        "paper-hyper" => {
            let scenarios = named(&["ER3-Gaussian", "ER6-Gaussian"]);
            grid(&SIZES, scenarios, hyper_methods())
        }
        "paper-ablation" => grid(&[30], named(&["ER6-Gaussian"]), ablation_methods()),
        "paper-nonlinear" => Grid {
            trials: nonlinear::TRIALS,
            ..grid(&nonlinear::SIZES, nonlinear::scenarios(), nonlinear::methods())
        },
        "nonlinear-gp" => Grid {
            trials: nonlinear::TRIALS,
            ..grid(&nonlinear::GP_SIZES, nonlinear::gp_scenarios(), nonlinear::gp_methods())
        },
        "standardised" => {
            let scenarios = paper_scenarios().into_iter().map(|scenario| {
                treated(scenario, "standardised", |simulation| simulation.standardize = true)
            });
            grid(&SIZES, scenarios.collect(), unit_free_methods())
        }
        "unequal-variance" => {
            let scenarios = paper_scenarios().into_iter().map(|scenario| {
                treated(scenario, "unequal", |simulation| {
                    simulation.variances = Variances::Random(0.5, 2.0);
                })
            });
            grid(&SIZES, scenarios.collect(), unit_free_methods())
        }
        "default" => grid(&[10, 20, 50, 100], any_data(), default_methods()),
        _ => return None,
    })
}

/// All scenarios for which there are published values.
pub(crate) fn published_scenarios() -> Vec<Scenario> {
    let [sparse, dense, ..] = &nonlinear::gp_scenarios()[..] else { return Vec::new() };
    [paper_scenarios(), nonlinear::scenarios(), vec![sparse.clone(), dense.clone()]].concat()
}

/// The four scenarios of the paper's linear tables: n = 1000, not centred; degree `k` means
/// `k d / 2` expected edges.
pub(crate) fn paper_scenarios() -> Vec<Scenario> {
    let scenario = |name: &str, graph, degree, noise| Scenario {
        name: name.into(),
        simulation: Simulation { graph, degree, noise, rows: 1000, ..Simulation::default() },
        same_draws_as: None,
    };
    vec![
        scenario("ER3-Gaussian", GraphFamily::Er, 3.0, Noise::Gaussian),
        scenario("ER4-Gaussian", GraphFamily::Er, 4.0, Noise::Gaussian),
        scenario("ER6-Gaussian", GraphFamily::Er, 6.0, Noise::Gaussian),
        scenario("SF4-Gumbel", GraphFamily::Sf, 4.0, Noise::Gumbel),
    ]
}

fn named(names: &[&str]) -> Vec<Scenario> {
    paper_scenarios().into_iter().filter(|s| names.contains(&s.name.as_str())).collect()
}

/// A scenario drawn with the same seeds and changed in one way.
fn treated(scenario: Scenario, how: &str, change: impl Fn(&mut Simulation)) -> Scenario {
    let mut simulation = scenario.simulation;
    change(&mut simulation);
    Scenario {
        name: format!("{} {how}", scenario.name),
        simulation,
        same_draws_as: Some(scenario.name),
    }
}

/// Data of four kinds on the graphs of ER4 and SF4: variances that give the order away, none that
/// do, unequal ones, and skewed noise.
fn any_data() -> Vec<Scenario> {
    let base = |name: &str, graph| Scenario {
        name: name.into(),
        simulation: Simulation { graph, degree: 4.0, rows: 1000, ..Simulation::default() },
        same_draws_as: None,
    };
    let kinds = |name, graph| {
        let of = |how, change: fn(&mut Simulation)| treated(base(name, graph), how, change);
        [
            of("raw", |_| {}),
            of("standardised", |simulation| simulation.standardize = true),
            of("unequal variances", |simulation| {
                simulation.variances = Variances::Random(0.5, 2.0);
            }),
            of("exponential noise", |simulation| simulation.noise = Noise::Exponential),
        ]
    };
    [kinds("ER4", GraphFamily::Er), kinds("SF4", GraphFamily::Sf)].concat()
}

/// What a default is chosen from, and the trivial baselines it must not lose to.
fn default_methods() -> Vec<Contender> {
    let by_ebic =
        |algorithm, refine| Options { refine, prune: Some(Prune::Ebic), ..centred(algorithm) };
    let nocurl2 = || Algorithm::from(NoCurl::default());
    vec![
        order_search(),
        fges(),
        Contender::new("NoCurl-2", centred(nocurl2())),
        Contender::new("NoCurl-2+refine", by_ebic(nocurl2(), Some(Refine::EQUAL_VARIANCE))),
        Contender::new("NoCurl-2+bic", by_ebic(nocurl2(), Some(Refine::BIC))),
        Contender::new("Eq+TD", by_ebic(Algorithm::from(EqTd {}), None)),
        up_to(50, Contender { max_trials: Some(5), ..notears() }),
        Contender::new("sortnregress", by_ebic(Algorithm::from(SortNRegress {}), None)),
        Contender::new("r2-sortnregress", by_ebic(Algorithm::from(R2SortNRegress {}), None)),
        empty_graph(),
    ]
}

/// No edges at all: what every method must beat.
fn empty_graph() -> Contender {
    let options =
        Options { threshold: Some(f64::MAX), ..centred(Algorithm::from(SortNRegress {})) };
    Contender::new("empty graph", options)
}

fn order_search() -> Contender {
    Contender::new("order-search", centred(Algorithm::from(OrderSearch::default())))
}

/// NoCurl as the paper ran it: data as drawn, threshold 0.3.
fn nocurl(name: &str, lambdas: &[f64], variant: Variant) -> Contender {
    let params = NoCurl { lambdas: lambdas.to_vec(), variant, ..NoCurl::default() };
    let random = matches!(variant, Variant::RandomStart | Variant::RandomPotential);
    Contender {
        repeats: if random { STARTS } else { 1 },
        ..Contender::new(name, as_drawn(Algorithm::from(params)))
    }
}

const ONE: &[f64] = &[100.0];
const TWO: &[f64] = &[10.0, 1000.0];

fn as_drawn(algorithm: Algorithm) -> Options {
    Options { algorithm, center: false, ..Options::default() }
}

/// Edges of an order chosen by the extended criterion, and weights of the size that the paper's
/// data have.
fn pruned(algorithm: Algorithm, refine: Option<Refine>) -> Options {
    let (prune, threshold) = (Some(Prune::Ebic), Some(0.3));
    Options { refine, prune, threshold, ..as_drawn(algorithm) }
}

/// As their own programs do, which fit intercepts.
fn centred(algorithm: Algorithm) -> Options {
    Options { algorithm, ..Options::default() }
}

fn notears() -> Contender {
    Contender::new("NOTEARS", as_drawn(Algorithm::from(Notears::default())))
}

fn fges() -> Contender {
    Contender::new("FGS", centred(Algorithm::from(Fges::default())))
}

fn mmpc() -> Contender {
    Contender::new("MMPC", centred(Algorithm::from(Mmpc::default())))
}

fn paper_methods() -> Vec<Contender> {
    let refined = as_nocurl2(|algorithm| pruned(algorithm, Some(Refine::EQUAL_VARIANCE)));
    let two_phase = Fges { search: FgesSearch::TwoPhase, ..Fges::default() };
    let exact = Algorithm::from(Exact::default());
    vec![
        notears(),
        fges(),
        Contender::new("FGS two-phase", centred(Algorithm::from(two_phase))),
        Contender::new("CAM", centred(Algorithm::from(Cam::default()))),
        mmpc(),
        Contender::new("Eq+BU", pruned(Algorithm::from(EqBu {}), None)),
        Contender::new("Eq+TD", pruned(Algorithm::from(EqTd {}), None)),
        nocurl("NoCurl-1s", ONE, Variant::Threshold),
        nocurl("NoCurl-2s", TWO, Variant::Threshold),
        nocurl("NoCurl-1", ONE, Variant::Standard),
        nocurl("NoCurl-2", TWO, Variant::Standard),
        up_to(20, Contender::new("GOBNILP", centred(exact))),
        Contender::new("NoCurl-2+refine", refined),
    ]
}

fn as_nocurl2(options: impl Fn(Algorithm) -> Options) -> Options {
    options(Algorithm::from(NoCurl::default()))
}

fn up_to(max_size: usize, contender: Contender) -> Contender {
    Contender { max_size: Some(max_size), ..contender }
}

fn hyper_methods() -> Vec<Contender> {
    let two = "lambda=(10,10^3)";
    let standard = [
        ("lambda=1", &[1.0][..]),
        ("lambda=10", &[10.0]),
        ("lambda=10^2", ONE),
        ("lambda=10^3", &[1e3]),
        ("lambda=10^4", &[1e4]),
        ("lambda=(10,10^2)", &[10.0, 100.0]),
        (two, TWO),
        ("lambda=(10,10^4)", &[10.0, 1e4]),
        ("lambda=(10^2,10^3)", &[100.0, 1e3]),
    ];
    let standard = standard.iter().map(|(name, lambdas)| nocurl(name, lambdas, Variant::Standard));
    standard.chain(random_starts()).chain(ablations("lambda=10^2", two)).collect()
}

fn ablation_methods() -> Vec<Contender> {
    let (one, two) = ("NoCurl-1", "NoCurl-2");
    let full = [nocurl(one, ONE, Variant::Standard), nocurl(two, TWO, Variant::Standard)];
    random_starts().into_iter().chain(ablations(one, two)).chain(full).collect()
}

fn random_starts() -> [Contender; 2] {
    [
        nocurl("rand init", TWO, Variant::RandomStart),
        nocurl("rand p", TWO, Variant::RandomPotential),
    ]
}

/// The paper's variants of NoCurl-1 and NoCurl-2, named after the two.
fn ablations(one: &str, two: &str) -> Vec<Contender> {
    let variants = [("s", Variant::Threshold), ("-", Variant::Projected), ("+", Variant::Joint)];
    let both = |(suffix, variant): (&str, Variant)| {
        [(one, ONE), (two, TWO)]
            .map(|(name, lambdas)| nocurl(&format!("{name}{suffix}"), lambdas, variant))
    };
    variants.into_iter().flat_map(both).collect()
}

/// Methods for data whose variances do not give the order away: those that need them to, and those
/// that do not.
fn unit_free_methods() -> Vec<Contender> {
    let by_bic = as_nocurl2(|algorithm| Options {
        refine: Some(Refine::BIC),
        prune: Some(Prune::Ebic),
        threshold: Some(0.0),
        ..as_drawn(algorithm)
    });
    vec![
        notears(),
        fges(),
        order_search(),
        Contender::new("Eq+TD", pruned(Algorithm::from(EqTd {}), None)),
        Contender::new("sortnregress", pruned(Algorithm::from(SortNRegress {}), None)),
        Contender::new("r2-sortnregress", pruned(Algorithm::from(R2SortNRegress {}), None)),
        nocurl("NoCurl-2", TWO, Variant::Standard),
        Contender::new("NoCurl-2+bic", by_bic),
    ]
}
