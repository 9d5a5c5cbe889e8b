//! Simulated graphs and data follow the laws they promise.

use nocurl::simulate::{GraphFamily, Mechanism, Noise, Simulation, Variances, simulate};
use nocurl::{Mat, MatRef};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Statistics may be off by this many standard errors.
const ERRORS: f64 = 5.0;

fn draw_failure(simulation: Simulation) -> String {
    let message = simulate(&simulation, 1).unwrap_err().to_string();
    assert!(!message.contains('\n'), "one line: {message}");
    message
}

#[test]
fn noise_has_the_mean_and_variance_of_its_law() {
    // Law, mean, variance, kurtosis (fourth central moment over squared variance).
    let laws = [
        (Noise::Gaussian, 0.0, 1.0, 3.0),
        (Noise::Gumbel, 0.577_215_664_901_532_9, std::f64::consts::PI.powi(2) / 6.0, 5.4),
        (Noise::Exponential, 1.0, 1.0, 9.0),
        (Noise::Laplace, 0.0, 2.0, 6.0),
        (Noise::Uniform, 0.0, 1.0 / 3.0, 1.8),
        (Noise::Student(10.0), 0.0, 1.25, 4.0),
    ];
    let n = 400_000;
    for (noise, mean, variance, kurtosis) in laws {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        let draws: Vec<f64> = (0..n).map(|_| noise.sample(&mut rng)).collect();
        let count = f64::from(n);
        let sample_mean = draws.iter().sum::<f64>() / count;
        let sample_variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        let mean_error = (variance / count).sqrt();
        let variance_error = variance * ((kurtosis - 1.0) / count).sqrt();
        assert!((sample_mean - mean).abs() < ERRORS * mean_error, "{noise:?}: {sample_mean}");
        assert!(
            (sample_variance - variance).abs() < ERRORS * variance_error,
            "{noise:?}: {sample_variance}"
        );
    }
}

#[test]
fn noise_has_the_shape_of_its_law() {
    // The share of draws below a point against the distribution function there.
    let at = 0.8_f64;
    let laws = [
        (Noise::Gaussian, 0.788_144_601_416_603),
        (Noise::Gumbel, (-(-at).exp()).exp()),
        (Noise::Exponential, 1.0 - (-at).exp()),
        (Noise::Laplace, 1.0 - 0.5 * (-at).exp()),
        (Noise::Uniform, 0.9),
        // Student with 2 degrees of freedom has no variance but a closed distribution function.
        (Noise::Student(2.0), 0.5 + at / (2.0 * (2.0 + at * at).sqrt())),
    ];
    let n = 400_000;
    for (noise, below) in laws {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(12);
        let share = (0..n).filter(|_| noise.sample(&mut rng) <= at).count() as f64 / f64::from(n);
        let error = (below * (1.0 - below) / f64::from(n)).sqrt();
        assert!((share - below).abs() < ERRORS * error, "{noise:?}: {share} against {below}");
    }
}

#[test]
fn erdos_renyi_has_the_expected_number_of_edges() {
    let (d, degree, graphs) = (40, 3.0, 300);
    let base = Simulation { variables: d, degree, rows: 1, ..Simulation::default() };
    let edges: usize =
        (0..graphs).map(|seed| simulate(&base, seed).unwrap().truth.edge_count()).sum();
    let pairs = (d * (d - 1) / 2) as f64 * graphs as f64;
    let probability = degree / (d - 1) as f64;
    let error = (pairs * probability * (1.0 - probability)).sqrt();
    assert!((edges as f64 - pairs * probability).abs() < ERRORS * error, "{edges}");
}

#[test]
fn scale_free_graphs_attach_and_have_hubs() {
    let base = Simulation {
        graph: GraphFamily::Sf,
        degree: 4.0,
        variables: 200,
        rows: 1,
        ..Simulation::default()
    };
    let mut largest = Vec::new();
    for seed in 0..20 {
        let truth = simulate(&base, seed).unwrap().truth;
        // Two draws for each variable but the first, of which some coincide.
        assert!(truth.edge_count() <= 2 * 199 && truth.edge_count() > 340);
        let children = |i| truth.children(i).count();
        let parents = |j| truth.parents(j).count();
        assert_eq!((0..200).filter(|&i| children(i) == 0).count(), 1, "all but one attach");
        assert!((0..200).all(|i| children(i) <= 2), "edges go from the new to the old");
        largest.push((0..200).map(parents).max().unwrap());
    }
    // An Erdos-Renyi graph of this density has in-degree about Poisson(2): 15 is out of reach.
    assert!(largest.iter().all(|&hub| hub >= 15), "{largest:?}");
}

#[test]
fn scale_free_degrees_round_as_in_the_experiments() {
    let edges = |degree| {
        let base = Simulation {
            graph: GraphFamily::Sf,
            degree,
            variables: 50,
            rows: 1,
            ..Simulation::default()
        };
        simulate(&base, 3).unwrap().truth.edge_count()
    };
    assert_eq!(edges(3.0), edges(4.0));
    assert_eq!(edges(5.0), edges(4.0));
    assert_eq!(edges(2.0), 49);
}

#[test]
fn chain_and_full_graphs_are_what_they_say() {
    let base = Simulation { variables: 12, rows: 1, ..Simulation::default() };
    let chain = simulate(&Simulation { graph: GraphFamily::Chain, ..base.clone() }, 5).unwrap();
    assert_eq!(chain.truth.edge_count(), 11);
    assert!(chain.truth.order().windows(2).all(|pair| chain.truth.has_edge(pair[0], pair[1])));
    let full = simulate(&Simulation { graph: GraphFamily::Full, ..base }, 5).unwrap();
    assert_eq!(full.truth.edge_count(), 66);
    assert_ne!(full.truth.order(), (0..12).collect::<Vec<_>>(), "variables are shuffled");
}

#[test]
fn weights_are_uniform_on_both_signs() {
    let base = Simulation {
        graph: GraphFamily::Full,
        variables: 100,
        rows: 1,
        weights: (0.5, 2.0),
        mechanism: Mechanism::Nonlinear1,
        ..Simulation::default()
    };
    let truth = simulate(&base, 2).unwrap().truth;
    let weights: Vec<f64> = truth.edges().map(|(_, _, weight)| weight).collect();
    let count = weights.len() as f64;
    assert!(weights.iter().all(|w| (0.5..=2.0).contains(&w.abs())));
    let mean_size = weights.iter().map(|w| w.abs()).sum::<f64>() / count;
    assert!((mean_size - 1.25).abs() < ERRORS * 1.5 / (12.0 * count).sqrt());
    let positive = weights.iter().filter(|&&w| w > 0.0).count() as f64 / count;
    assert!((positive - 0.5).abs() < ERRORS * 0.5 / count.sqrt());
}

/// `(I - A)^-1`, the sum of the powers of the nilpotent A.
fn total_effects(weights: MatRef<'_, f64>) -> Mat<f64> {
    let d = weights.nrows();
    let mut total = Mat::<f64>::identity(d, d);
    let mut power = Mat::<f64>::identity(d, d);
    for _ in 1..d {
        power = &power * weights;
        total += &power;
    }
    total
}

#[test]
fn linear_data_have_the_covariance_of_their_model() {
    for standardize in [false, true] {
        let simulation = Simulation {
            variables: 6,
            degree: 3.0,
            rows: 200_000,
            variances: Variances::Random(0.5, 2.0),
            standardize,
            ..Simulation::default()
        };
        let drawn = simulate(&simulation, 21).unwrap();
        assert!(drawn.truth.edge_count() > 4);
        let effects = total_effects(drawn.truth.weights());
        let noise = Mat::from_fn(6, 6, |i, j| {
            if i == j { drawn.noise_scales[i] * drawn.noise_scales[i] } else { 0.0 }
        });
        let expected = effects.transpose() * &noise * &effects;
        let found = drawn.data.moments().second_moments(true);
        for i in 0..6 {
            for j in 0..6 {
                let spread = expected[(i, i)] * expected[(j, j)] + expected[(i, j)].powi(2);
                let error = (spread / simulation.rows as f64).sqrt();
                assert!(
                    (found[(i, j)] - expected[(i, j)]).abs() < ERRORS * error,
                    "({i}, {j}): {} against {}",
                    found[(i, j)],
                    expected[(i, j)]
                );
            }
        }
    }
}

#[test]
fn gumbel_data_are_not_centred() {
    let simulation = Simulation {
        degree: 0.0,
        noise: Noise::Gumbel,
        rows: 100_000,
        variances: Variances::Equal(4.0),
        ..Simulation::default()
    };
    let moments = simulate(&simulation, 4).unwrap().data.moments();
    let scale = 2.0 / Noise::Gumbel.variance().unwrap().sqrt();
    for &mean in moments.mean() {
        assert!((mean - scale * 0.577_215_664_9).abs() < ERRORS * (4.0_f64 / 1e5).sqrt());
    }
}

#[test]
fn variances_are_those_asked_for_whatever_the_law() {
    let laws = [
        Noise::Gaussian,
        Noise::Gumbel,
        Noise::Exponential,
        Noise::Laplace,
        Noise::Uniform,
        Noise::Student(9.0),
    ];
    for noise in laws {
        let base = Simulation { degree: 0.0, rows: 100_000, noise, ..Simulation::default() };
        let standard = noise.variance().unwrap();
        for (variances, expected) in [
            (Variances::Standard, standard..=standard),
            (Variances::Equal(4.0), 4.0..=4.0),
            (Variances::Random(2.0, 3.0), 2.0..=3.0),
        ] {
            let drawn = simulate(&Simulation { variances, ..base.clone() }, 3).unwrap();
            for (variance, scale) in drawn.data.moments().variances().iter().zip(drawn.noise_scales)
            {
                let own = scale * scale * standard;
                // The standard error of a variance, at the largest kurtosis of these: 9.
                let error = own * ((9.0 - 1.0) / 1e5_f64).sqrt();
                assert!((variance - own).abs() < ERRORS * error, "{noise:?} {variances:?}");
                let close = own * (1.0 - 1e-12) <= *expected.end()
                    && own * (1.0 + 1e-12) >= *expected.start();
                assert!(close, "{noise:?} {variances:?}: {own}");
            }
        }
    }
    let heavy = Simulation { noise: Noise::Student(2.0), ..Simulation::default() };
    assert!(simulate(&heavy, 1).is_ok());
    let scaled = Simulation { variances: Variances::Equal(2.0), ..heavy };
    assert!(draw_failure(scaled).contains("degrees of freedom"));
}

#[test]
fn standardised_columns_have_mean_zero_and_variance_one() {
    for mechanism in [Mechanism::Linear, Mechanism::Nonlinear2] {
        let raw = Simulation { mechanism, ..Simulation::default() };
        let simulation = Simulation { standardize: true, ..raw.clone() };
        let (raw, drawn) = (simulate(&raw, 8).unwrap(), simulate(&simulation, 8).unwrap());
        let moments = drawn.data.moments();
        let tolerance = f64::EPSILON * 1e4;
        assert!(moments.mean().iter().all(|mean| mean.abs() < tolerance));
        assert!(moments.variances().iter().all(|variance| (variance - 1.0).abs() < tolerance));
        let edges = |drawn: &nocurl::simulate::Simulated| {
            drawn.truth.edges().map(|(i, j, _)| (i, j)).collect::<Vec<_>>()
        };
        assert_eq!(edges(&raw), edges(&drawn));
        let same = raw.truth.weights() == drawn.truth.weights();
        assert_eq!(same, mechanism != Mechanism::Linear, "only linear weights are rescaled");
    }
}

#[test]
fn more_rows_extend_the_same_table() {
    let short = Simulation { rows: 10, noise: Noise::Student(5.0), ..Simulation::default() };
    let long = Simulation { rows: 25, ..short.clone() };
    let (short, long) = (simulate(&short, 6).unwrap(), simulate(&long, 6).unwrap());
    assert_eq!(short.truth, long.truth);
    assert_eq!(short.data.values(), long.data.values().subrows(0, 10));
}

#[test]
fn streams_are_independent() {
    let base = Simulation::default();
    let truth = |simulation: Simulation| simulate(&simulation, 9).unwrap().truth;
    let expected = truth(base.clone());
    assert_eq!(expected, truth(Simulation { noise: Noise::Laplace, ..base.clone() }));
    let random = Simulation { variances: Variances::Random(1.0, 2.0), ..base.clone() };
    assert_eq!(expected, truth(random));
    let other = truth(Simulation { weights: (1.0, 3.0), ..base.clone() });
    assert_ne!(expected, other);
    assert!(expected.edges().zip(other.edges()).all(|(a, b)| (a.0, a.1) == (b.0, b.1)));
    assert_ne!(expected, simulate(&base, 10).unwrap().truth);
}

#[test]
fn bytes_do_not_change_between_versions_or_machines() {
    let simulation = Simulation { variables: 4, rows: 2, ..Simulation::default() };
    let simulation =
        Simulation { degree: 2.0, noise: Noise::Gumbel, graph: GraphFamily::Sf, ..simulation };
    let drawn = simulate(&simulation, 1).unwrap();
    let edges: Vec<_> = drawn.truth.edges().map(|(i, j, w)| (i, j, w.to_bits())).collect();
    let values: Vec<u64> = (0..4).map(|j| drawn.data.values()[(1, j)].to_bits()).collect();
    let expected_edges = [
        (1, 0, 4_610_909_693_376_584_458),
        (0, 3, 4_610_211_004_595_416_542),
        (2, 3, 4_610_709_402_031_771_642),
    ];
    let expected_values = [
        13_824_570_981_659_138_860,
        13_830_988_139_598_137_380,
        4_609_170_625_128_576_500,
        4_616_665_609_716_363_788,
    ];
    assert_eq!(edges, expected_edges);
    assert_eq!(values, expected_values);
}

#[test]
fn bad_parameters_are_refused_in_one_line() {
    let base = Simulation::default();
    for (simulation, word) in [
        (Simulation { variables: 1, ..base.clone() }, "variables"),
        (Simulation { variables: usize::MAX, ..base.clone() }, "variables"),
        (Simulation { rows: 0, ..base.clone() }, "rows"),
        (Simulation { rows: usize::MAX, ..base.clone() }, "rows"),
        (Simulation { rows: 1, standardize: true, ..base.clone() }, "rows"),
        (Simulation { degree: 9.5, ..base.clone() }, "degree"),
        (Simulation { degree: -1.0, ..base.clone() }, "degree"),
        (Simulation { degree: f64::NAN, ..base.clone() }, "degree"),
        (Simulation { degree: 1.0, graph: GraphFamily::Sf, ..base.clone() }, "degree"),
        (Simulation { weights: (0.0, 1.0), ..base.clone() }, "weights"),
        (Simulation { weights: (2.0, 1.0), ..base.clone() }, "weights"),
        (Simulation { weights: (1.0, f64::INFINITY), ..base.clone() }, "weights"),
        (Simulation { noise: Noise::Student(0.0), ..base.clone() }, "noise"),
        (Simulation { variances: Variances::Equal(0.0), ..base.clone() }, "variances"),
        (Simulation { variances: Variances::Random(1.0, f64::NAN), ..base.clone() }, "variances"),
    ] {
        let message = draw_failure(simulation);
        assert!(message.contains(&format!("parameter `{word}`")), "{message}");
    }
    for standardize in [false, true] {
        let message = draw_failure(Simulation {
            graph: GraphFamily::Chain,
            variables: 300,
            weights: (1e3, 1e4),
            standardize,
            ..base.clone()
        });
        assert!(message.contains("floating-point"), "{message}");
    }
}

#[test]
fn parameters_read_and_write_as_json() {
    let simulation = Simulation {
        graph: GraphFamily::Sf,
        mechanism: Mechanism::DagGnn2,
        noise: Noise::Student(5.0),
        variances: Variances::Random(0.5, 2.0),
        ..Simulation::default()
    };
    let text = serde_json::to_string(&simulation).unwrap();
    assert!(text.contains(r#""graph":"sf""#) && text.contains(r#""mechanism":"dag-gnn-2""#));
    assert!(text.contains(r#""noise":{"student":5.0}"#), "{text}");
    assert!(text.contains(r#""variances":{"random":[0.5,2.0]}"#), "{text}");
    assert_eq!(serde_json::from_str::<Simulation>(&text).unwrap(), simulation);
    let partial = r#"{"graph": "chain", "noise": "gumbel", "variables": 7}"#;
    let expected = Simulation {
        graph: GraphFamily::Chain,
        noise: Noise::Gumbel,
        variables: 7,
        ..Simulation::default()
    };
    assert_eq!(serde_json::from_str::<Simulation>(partial).unwrap(), expected);
    assert!(serde_json::from_str::<Simulation>(r#"{"degre": 3}"#).is_err());
}

proptest! {
    #[test]
    fn any_valid_simulation_gives_a_finite_table_of_its_size(
        family in 0..4usize,
        mechanism in 0..6usize,
        variables in 2..30usize,
        rows in 2..20usize,
        share in 0.0..1.0f64,
        standardize: bool,
        seed: u64,
    ) {
        use GraphFamily::{Chain, Er, Full, Sf};
        use Mechanism::{DagGnn1, DagGnn2, Linear, Nonlinear1, Nonlinear2, Nonlinear3};
        let simulation = Simulation {
            graph: [Er, Sf, Chain, Full][family],
            degree: share * (variables - 1) as f64,
            mechanism: [Linear, Nonlinear1, Nonlinear2, Nonlinear3, DagGnn1, DagGnn2][mechanism],
            variables,
            rows,
            standardize,
            ..Simulation::default()
        };
        match simulate(&simulation, seed) {
            Ok(drawn) => {
                prop_assert_eq!(drawn.data.values().shape(), (rows, variables));
                prop_assert_eq!(drawn.truth.size(), variables);
                let again = simulate(&simulation, seed).unwrap();
                prop_assert_eq!(&drawn.truth, &again.truth);
                prop_assert_eq!(drawn.data.values(), again.data.values());
            }
            Err(error) => prop_assert!(error.to_string().contains("degree"), "{}", error),
        }
    }
}
