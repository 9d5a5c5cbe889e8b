//! Effects against sums over all paths, against the inverse of `I - A`, and against data drawn
//! from the graph as the intervention leaves it.

use nocurl::Run;
use nocurl::effects::{identified, intervene, of, total};
use nocurl::methods::EqTd;
use nocurl::{Algorithm, Dag, Determines, Mat, Options, Pdag, learn};
use proptest::prelude::*;

/// Graphs of up to `most` variables, in any order, with weights between -2 and 2.
fn dags(most: usize) -> impl Strategy<Value = Dag> {
    (2..=most).prop_flat_map(|d| {
        let order = Just((0..d).collect::<Vec<_>>()).prop_shuffle();
        let weights = proptest::collection::vec(prop_oneof![Just(0.0), -2.0..2.0], d * d);
        (order, weights).prop_map(move |(order, weights)| {
            let mut matrix = Mat::zeros(d, d);
            for a in 0..d {
                for b in a + 1..d {
                    matrix[(order[a], order[b])] = weights[a * d + b];
                }
            }
            Dag::new(matrix).unwrap()
        })
    })
}

/// The sum over all directed paths that avoid `blocked`, by following every one of them.
fn path_sum(dag: &Dag, from: usize, to: usize, blocked: &[usize]) -> f64 {
    dag.children(from)
        .map(|next| {
            let rest = match next {
                _ if next == to => 1.0,
                _ if blocked.contains(&next) => 0.0,
                _ => path_sum(dag, next, to, blocked),
            };
            dag.weights()[(from, next)] * rest
        })
        .sum()
}

/// Rounding of sums of at most `2^d` products of at most `d` weights of size up to 2.
fn tolerance(d: usize) -> f64 {
    f64::EPSILON * (d as f64) * 4_f64.powi(d as i32)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn total_effects_are_sums_over_paths(dag in dags(7)) {
        let d = dag.size();
        let effects = total(&dag);
        for i in 0..d {
            prop_assert_eq!(effects[(i, i)], 0.0);
            let row = of(&dag, i);
            for j in (0..d).filter(|&j| j != i) {
                let expected = path_sum(&dag, i, j, &[]);
                prop_assert!((effects[(i, j)] - expected).abs() <= tolerance(d));
                prop_assert!((row[j] - expected).abs() <= tolerance(d));
            }
        }
    }

    #[test]
    fn total_effects_are_the_inverse_less_the_identity(dag in dags(12)) {
        let d = dag.size();
        let effects = total(&dag);
        // (I - A) (I + T) = I.
        let unit = Mat::<f64>::identity(d, d);
        let product = (&unit - dag.weights()) * (&unit + &effects);
        prop_assert!((product - unit).norm_max() <= tolerance(d));
    }

    #[test]
    fn variables_that_are_set_stop_paths(
        dag in dags(6),
        means in proptest::collection::vec(-5.0..5.0, 6),
        values in proptest::collection::vec(proptest::option::of(-5.0..5.0), 6),
    ) {
        let d = dag.size();
        let means = &means[..d];
        let set: Vec<(usize, f64)> =
            (0..d).filter_map(|i| values[i].map(|value| (i, value))).collect();
        let blocked: Vec<usize> = set.iter().map(|&(i, _)| i).collect();
        let after = intervene(&dag, means, &set).unwrap();
        for j in 0..d {
            match values[j] {
                Some(value) => prop_assert_eq!(after[j], value),
                None => {
                    let moved: f64 = set
                        .iter()
                        .map(|&(i, value)| (value - means[i]) * path_sum(&dag, i, j, &blocked))
                        .sum();
                    prop_assert!((after[j] - means[j] - moved).abs() <= 100.0 * tolerance(d));
                }
            }
        }
    }

    #[test]
    fn identified_effects_are_those_that_all_members_agree_on(dag in dags(5)) {
        // Every member of the class, its weights fitted to the same moments, is asked.
        let class = Pdag::class_of(&dag);
        let covariance = implied_covariance(&dag);
        let members = members(&class);
        let d = dag.size();
        for source in 0..d {
            let told = identified(&class, &[source]);
            for target in (0..d).filter(|&target| told[target]) {
                let effects: Vec<f64> = members
                    .iter()
                    .map(|member| of(&fitted(member, &covariance), source)[target])
                    .collect();
                let spread = effects.iter().map(|e| (e - effects[0]).abs()).fold(0.0, f64::max);
                prop_assert!(spread < 1e-6, "{source} on {target}: {effects:?}");
            }
        }
    }
}

/// The covariance of data from the graph with errors of variance 1.
fn implied_covariance(dag: &Dag) -> Mat<f64> {
    let d = dag.size();
    let paths = Mat::<f64>::identity(d, d) + total(dag);
    paths.transpose() * &paths
}

/// All graphs of the class, by trying every choice of directions.
fn members(class: &Pdag) -> Vec<Dag> {
    let open: Vec<(usize, usize)> = class.undirected().collect();
    (0..1_u32 << open.len())
        .filter_map(|choice| {
            let mut edges: Vec<(usize, usize)> = class.directed().collect();
            edges.extend(
                open.iter().enumerate().map(
                    |(bit, &(i, j))| {
                        if choice >> bit & 1 == 1 { (i, j) } else { (j, i) }
                    },
                ),
            );
            Dag::from_edges(class.size(), &edges).ok()
        })
        .filter(|dag| Pdag::class_of(dag) == *class)
        .collect()
}

/// The edges of a graph with the weights of regressions on the parents.
fn fitted(dag: &Dag, covariance: &Mat<f64>) -> Dag {
    let names = nocurl::Dataset::default_names(dag.size());
    let moments =
        nocurl::Moments::from_covariance(names, 1000, vec![0.0; dag.size()], covariance.as_ref())
            .unwrap();
    let problem = nocurl::Problem::new(&moments, true).unwrap();
    Dag::new(nocurl::internals::regress::refit(&problem, dag.weights()).unwrap()).unwrap()
}

#[test]
fn an_open_first_edge_leaves_the_effect_open() {
    // Two members: 0 -> 1 -> 2 and its reverse, and the fork at 1.
    let class = Pdag::class_of(&Dag::from_edges(3, &[(0, 1), (1, 2)]).unwrap());
    assert_eq!(identified(&class, &[0]), [true, false, false]);
    assert_eq!(identified(&class, &[1]), [false, true, false]);
    // With the middle held fixed, nothing gets past it.
    assert_eq!(identified(&class, &[0, 1]), [true, true, false]);
    assert_eq!(identified(&class, &[0, 1, 2]), [true; 3]);
}

#[test]
fn interventions_agree_with_data_drawn_under_them() {
    // A diamond with a direct edge; means come from constants of each variable.
    let mut weights = Mat::zeros(4, 4);
    for (edge, weight) in
        [((0, 1), 1.5), ((0, 2), -1.0), ((1, 3), 0.5), ((2, 3), 2.0), ((0, 3), 0.3)]
    {
        weights[edge] = weight;
    }
    let dag = Dag::new(weights).unwrap();
    let constants = [1.0, -2.0, 0.5, 3.0];
    let draw = |set: &[(usize, f64)]| -> Vec<f64> {
        const ROWS: usize = 40_000;
        let mut state = 7_u64;
        let mut noise = || {
            // Uniform on (-1, 1): splitmix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut sums = [0.0; 4];
        for _ in 0..ROWS {
            let mut row = [0.0; 4];
            for &j in dag.order() {
                let drawn = constants[j] + noise();
                row[j] = match set.iter().find(|&&(i, _)| i == j) {
                    Some(&(_, value)) => value,
                    None => {
                        drawn + dag.parents(j).map(|p| dag.weights()[(p, j)] * row[p]).sum::<f64>()
                    }
                };
            }
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        sums.iter().map(|sum| sum / ROWS as f64).collect()
    };
    let means = draw(&[]);
    for set in [vec![(0, 4.0)], vec![(1, 0.0), (2, 1.0)], vec![(0, -1.0), (2, 2.0)], vec![(3, 9.0)]]
    {
        let told = intervene(&dag, &means, &set).unwrap();
        for (told, drawn) in told.iter().zip(draw(&set)) {
            // The standard error of a mean is below 3 / sqrt(12 n) * 2.
            assert!((told - drawn).abs() < 0.05, "{set:?}: {told} and {drawn}");
        }
    }
}

#[test]
fn bad_interventions_are_errors() {
    let dag = Dag::from_edges(2, &[(0, 1)]).unwrap();
    let told =
        |means: &[f64], set: &[(usize, f64)]| intervene(&dag, means, set).unwrap_err().to_string();
    assert!(told(&[0.0], &[]).contains("1 means for 2 variables"));
    assert!(told(&[0.0; 2], &[(2, 0.0)]).contains("no variable 3 of 2"));
    assert!(told(&[0.0; 2], &[(0, f64::NAN)]).contains("NaN"));
    assert!(told(&[0.0; 2], &[(0, 1.0), (0, 1.0)]).contains("variable 1 is set twice"));
}

#[test]
fn an_effect_of_a_fit_is_the_regression_of_the_target_on_a_source() {
    // Of the first variable of a fit without pruning, the total effect is the slope of the target
    // on it alone, whatever lies between.
    let algorithm = Algorithm::from(EqTd {});
    let options = Options { algorithm, threshold: Some(0.0), ..Options::default() };
    let simulated = nocurl::simulate::simulate(
        &nocurl::simulate::Simulation { variables: 6, rows: 500, ..Default::default() },
        4,
    )
    .unwrap();
    let moments = simulated.data.moments();
    let fit = learn(&moments, &options, &Run::default()).unwrap();
    assert_eq!(fit.determines, Determines::Graph);
    let first = fit.order[0];
    let s = moments.second_moments(true);
    for (j, effect) in of(&fit.dag, first).into_iter().enumerate().filter(|&(j, _)| j != first) {
        let slope = s[(first, j)] / s[(first, first)];
        assert!((effect - slope).abs() < 1e-9 * (1.0 + slope.abs()), "{effect} and {slope}");
    }
}
