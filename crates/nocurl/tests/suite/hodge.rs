//! Hodge calculus: the paper's worked examples, and its theorems as properties.

use nocurl::graph::Reachability;
use nocurl::hodge::{
    Complex, Decomposition, graph_of, order_energy, potential, weights_on_potential,
};
use nocurl::{Dag, Error, Mat, Termination};
use proptest::prelude::*;

fn matrix<const D: usize>(rows: [[f64; D]; D]) -> Mat<f64> {
    Mat::from_fn(D, D, |i, j| rows[i][j])
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Checks potential, weights and projected graph of one example of the paper's appendix.
fn check_example(a: [[f64; 4]; 4], p: [f64; 4], w: [[f64; 4]; 4], projected: [[f64; 4]; 4]) {
    let a = matrix(a);
    let reach = Reachability::new(a.as_ref());
    let found = potential(&reach);
    assert_eq!(found, p);
    let weights = weights_on_potential(a.as_ref(), &found);
    assert_eq!(weights, matrix(w));
    assert_eq!(graph_of(weights.as_ref(), &found), matrix(projected));

    // The same potential from the definition, by the general operators.
    let c = Mat::from_fn(4, 4, |i, j| f64::from(u8::from(reach.reaches(i, j))));
    let complex = Complex::complete(4);
    assert_eq!(complex.decompose(&complex.from_matrix(c.as_ref())).potential, p);
}

#[test]
fn example_1_a_chain_maps_to_itself() {
    let a = [[0., -1., 0., 0.], [0., 0., 2., 0.], [0., 0., 0., 5.], [0.; 4]];
    let w = [[0., -4., 0., 0.], [4., 0., 8., 0.], [0., -8., 0., 20.], [0., 0., -20., 0.]];
    check_example(a, [-0.75, -0.5, -0.25, 0.0], w, a);
}

#[test]
fn example_2_a_forest_maps_to_itself() {
    let a = [[0., -1., 0., 0.], [0.; 4], [0., 0., 0., 5.], [0.; 4]];
    let w = [[0., -4., 0., 0.], [4., 0., 0., 0.], [0., 0., 0., 20.], [0., 0., -20., 0.]];
    check_example(a, [-0.25, 0.0, -0.25, 0.0], w, a);
}

#[test]
fn example_3_a_cycle_of_two_is_removed() {
    let a = [[0., -1., 0., 0.], [2., 0., 0., 0.], [0., 0., 0., 5.], [-2., 0., 0., 0.]];
    let third = 16.0 / 3.0;
    let w = [[0., 0., 0., third], [0.; 4], [0., 0., 0., 20.], [-third, 0., -20., 0.]];
    let projected = [[0.; 4], [0.; 4], [0., 0., 0., 5.], [-2., 0., 0., 0.]];
    check_example(a, [0.375, 0.375, -0.25, 0.0], w, projected);
}

#[test]
fn example_4_a_cycle_through_all_leaves_nothing() {
    let a = [[0., -1., 0., 0.], [0., 0., 2., 0.], [0., 0., 0., 5.], [-2., 0., 0., 0.]];
    check_example(a, [0.0; 4], [[0.; 4]; 4], [[0.; 4]; 4]);
}

/// The appendix prints -3 for the second and third diagonal entries; a Laplacian has degrees there.
#[test]
fn the_laplacian_of_four_vertices_has_its_degrees_on_the_diagonal() {
    let expected =
        [[3., -1., -1., -1.], [-1., 3., -1., -1.], [-1., -1., 3., -1.], [-1., -1., -1., 3.]];
    assert_eq!(Complex::complete(4).laplacian(), matrix(expected));
}

#[test]
fn entries_in_both_directions_keep_the_one_along_the_potential() {
    let a = matrix([[0.0, 2.0], [7.0, 0.0]]);
    for (p, kept) in [([0.0, 0.5], (0, 1)), ([0.5, 0.0], (1, 0))] {
        let w = weights_on_potential(a.as_ref(), &p);
        assert_eq!(w[kept], a[kept] / 0.5);
        let graph = graph_of(w.as_ref(), &p);
        assert_eq!((graph[kept], graph[(kept.1, kept.0)]), (a[kept], 0.0));
    }
}

#[test]
fn a_ring_of_five_is_purely_harmonic() {
    let ring = Complex::from_edges(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]).unwrap();
    assert_eq!(ring.edges(), [(0, 1), (0, 4), (1, 2), (2, 3), (3, 4)]);
    assert!(ring.triangles().is_empty());
    let parts = ring.decompose(&[1.0, -1.0, 1.0, 1.0, 1.0]);
    assert!((parts.energies.harmonic - 5.0).abs() < 1e-14);
    assert!(parts.energies.gradient < 1e-28);
    assert_eq!(parts.energies.curl, 0.0);
    assert_eq!(parts.termination, Termination::Direct);
    assert!((parts.energies.inconsistency() - 1.0).abs() < 1e-14);
}

#[test]
fn the_smallest_graphs_are_no_trouble() {
    for d in 0..3 {
        let complex = Complex::complete(d);
        let flow = vec![2.5; complex.edges().len()];
        let parts = complex.decompose(&flow);
        assert_eq!(parts.gradient, flow);
        assert_eq!(parts.energies.curl + parts.energies.harmonic, 0.0);
        assert_eq!(parts.potential.last().copied().unwrap_or(0.0), 0.0);
        assert_eq!(potential(&Reachability::new(Mat::zeros(d, d).as_ref())), vec![0.0; d]);
    }
    let isolated = Complex::from_edges(4, &[]).unwrap();
    assert_eq!(isolated.components().len(), 4);
    assert_eq!(isolated.decompose(&[]).potential, [0.0; 4]);
}

#[test]
fn edges_are_checked_and_made_simple() {
    let complex = Complex::from_edges(3, &[(2, 0), (0, 2), (0, 1)]).unwrap();
    assert_eq!(complex.edges(), [(0, 1), (0, 2)]);
    for bad in [(0, 3), (1, 1)] {
        assert!(matches!(Complex::from_edges(3, &[bad]), Err(Error::InvalidEdge { .. })));
    }
}

#[test]
fn every_component_is_grounded_at_its_last_vertex() {
    let complex = Complex::from_edges(5, &[(0, 2), (1, 4)]).unwrap();
    let parts = complex.decompose(&[3.0, -2.0]);
    assert_eq!(parts.potential, [-3.0, 2.0, 0.0, 0.0, 0.0]);
    assert_eq!(parts.gradient, [3.0, -2.0]);
}

#[test]
fn a_long_path_is_solved_by_iterations_too() {
    // One component beyond the size of a dense factorisation.
    let d = 2500;
    let path: Vec<_> = (1..d).map(|j| (j - 1, j)).collect();
    let complex = Complex::from_edges(d, &path).unwrap();
    let flow: Vec<f64> = (1..d).map(|j| (j as f64).sin()).collect();
    let parts = complex.decompose(&flow);
    assert_eq!(parts.termination, Termination::Converged);
    assert_eq!(parts.potential[d - 1], 0.0);
    let gap: Vec<f64> = flow.iter().zip(&parts.gradient).map(|(a, b)| a - b).collect();
    assert!(norm(&gap) < 1e-8 * norm(&flow), "{}", norm(&gap));
}

#[test]
fn the_energy_of_an_order_ignores_the_signs_of_weights() {
    // Weights that add up along paths are a gradient whatever their signs.
    let a = matrix([[0.0, -1.0, 3.0], [0.0, 0.0, 2.0], [0.0; 3]]);
    let energies = order_energy(a.as_ref());
    assert!((energies.gradient - 14.0 / 4.0).abs() < 1e-14);
    assert!(energies.curl < 1e-28 && energies.harmonic == 0.0);
    assert_eq!(order_energy(Mat::zeros(3, 3).as_ref()).inconsistency(), 0.0);
}

/// A random graph of up to `most` vertices, sparse or dense, with a function on its edges.
fn graph_and_flow(most: usize) -> impl Strategy<Value = (Complex, Vec<f64>)> {
    (1..=most, 0.0f64..1.0).prop_flat_map(|(d, density)| {
        let pairs = d * (d - 1) / 2;
        let chosen = prop::collection::vec((prop::bool::weighted(density), -5.0f64..5.0), pairs);
        chosen.prop_map(move |chosen| {
            let all = Complex::complete(d);
            let edges: Vec<_> =
                all.edges().iter().zip(&chosen).filter(|(_, c)| c.0).map(|(&e, _)| e).collect();
            let flow = chosen.iter().filter(|c| c.0).map(|c| c.1).collect();
            (Complex::from_edges(d, &edges).unwrap(), flow)
        })
    })
}

/// A DAG with random weights whose vertices come in any order.
fn random_dag() -> impl Strategy<Value = Mat<f64>> {
    (1..=12usize).prop_flat_map(|d| {
        let order = Just((0..d).collect::<Vec<_>>()).prop_shuffle();
        let weights = prop::collection::vec(prop::option::of(0.1f64..3.0), d * d);
        (order, weights, any::<bool>()).prop_map(move |(order, weights, negative)| {
            let sign = if negative { -1.0 } else { 1.0 };
            let mut a = Mat::zeros(d, d);
            for i in 0..d {
                for j in i + 1..d {
                    a[(order[i], order[j])] = sign * weights[i * d + j].unwrap_or(0.0);
                }
            }
            a
        })
    })
}

/// A fixed sequence of numbers in (-1, 1) without pattern, for the second argument of a product.
fn probe(n: usize) -> Vec<f64> {
    (0..n).map(|i| (1.0 + 7.3 * i as f64).sin()).collect()
}

fn check_parts(
    complex: &Complex,
    flow: &[f64],
    parts: &Decomposition,
) -> Result<(), TestCaseError> {
    let scale = dot(flow, flow).max(1.0);
    let small = 1e-11 * scale;
    for (e, whole) in flow.iter().enumerate() {
        let sum = parts.gradient[e] + parts.curl[e] + parts.harmonic[e];
        prop_assert!((sum - whole).abs() <= 1e-13 * scale);
    }
    prop_assert!(dot(&parts.gradient, &parts.curl).abs() <= small);
    prop_assert!(dot(&parts.gradient, &parts.harmonic).abs() <= small);
    prop_assert!(dot(&parts.curl, &parts.harmonic).abs() <= small);
    prop_assert!((parts.energies.total() - dot(flow, flow)).abs() <= small);
    prop_assert!(norm(&complex.curl(&parts.gradient)) <= small);
    prop_assert!(norm(&complex.div(&parts.curl)) <= small);
    prop_assert!(norm(&complex.apply_helmholtzian(&parts.harmonic)) <= small);
    prop_assert_ne!(parts.termination, Termination::MaxIterations);
    for component in complex.components() {
        prop_assert_eq!(parts.potential[component[component.len() - 1]], 0.0);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn triangles_are_all_sets_of_three_joined_vertices((complex, flow) in graph_and_flow(9)) {
        let y = complex.to_matrix(&flow);
        let joined = |i: usize, j: usize| complex.edges().contains(&(i, j));
        let (mut triangles, mut curl) = (Vec::new(), Vec::new());
        for i in 0..complex.size() {
            for j in i + 1..complex.size() {
                for k in j + 1..complex.size() {
                    if joined(i, j) && joined(j, k) && joined(i, k) {
                        triangles.push([i, j, k]);
                        curl.push(y[(i, j)] + y[(j, k)] + y[(k, i)]);
                    }
                }
            }
        }
        prop_assert_eq!(complex.triangles(), triangles);
        prop_assert_eq!(complex.curl(&flow), curl);
    }

    #[test]
    fn matrices_and_functions_on_edges_are_the_same_thing((complex, flow) in graph_and_flow(9)) {
        let matrix = complex.to_matrix(&flow);
        prop_assert_eq!(complex.from_matrix(matrix.as_ref()), flow.clone());
        let d = complex.size();
        let rows: Vec<f64> = (0..d).map(|i| (0..d).map(|j| matrix[(i, j)]).sum()).collect();
        for (sum, div) in rows.iter().zip(complex.div(&flow)) {
            prop_assert!((sum - div).abs() <= 1e-13 * norm(&flow).max(1.0));
        }
    }

    #[test]
    fn the_adjoints_are_adjoint((complex, flow) in graph_and_flow(10)) {
        let p = probe(complex.size());
        let tolerance = 1e-12 * norm(&flow).max(1.0);
        let left = dot(&complex.grad(&p), &flow);
        prop_assert!((left - dot(&p, &complex.grad_adjoint(&flow))).abs() <= tolerance);
        let t = probe(complex.triangles().len());
        let left = dot(&complex.curl(&flow), &t);
        prop_assert!((left - dot(&flow, &complex.curl_adjoint(&t))).abs() <= tolerance);
    }

    #[test]
    fn curl_grad_and_div_curl_adjoint_vanish((complex, _) in graph_and_flow(10)) {
        let gradient = complex.grad(&probe(complex.size()));
        prop_assert!(norm(&complex.curl(&gradient)) <= 1e-13);
        let rotation = complex.curl_adjoint(&probe(complex.triangles().len()));
        prop_assert!(norm(&complex.div(&rotation)) <= 1e-12);
    }

    #[test]
    fn the_laplacian_matrix_acts_as_the_operator((complex, _) in graph_and_flow(10)) {
        let (p, laplacian) = (probe(complex.size()), complex.laplacian());
        for (i, value) in complex.apply_laplacian(&p).iter().enumerate() {
            let row: f64 = (0..p.len()).map(|j| laplacian[(i, j)] * p[j]).sum();
            prop_assert!((row - value).abs() <= 1e-13 * p.len() as f64);
        }
    }

    #[test]
    fn the_three_parts_are_orthogonal_and_add_up((complex, flow) in graph_and_flow(16)) {
        check_parts(&complex, &flow, &complex.decompose(&flow))?;
    }

    /// Adding an isolated vertex turns the closed form off and changes nothing else.
    #[test]
    fn the_closed_form_of_the_complete_graph_is_the_least_squares_solution(
        d in 2..12usize,
        seed in prop::collection::vec(-5.0f64..5.0, 66),
    ) {
        let complete = Complex::complete(d);
        let flow = &seed[..complete.edges().len()];
        let general = Complex::from_edges(d + 1, complete.edges()).unwrap();
        prop_assert!(complete.is_complete() && !general.is_complete());
        let (closed, solved) = (complete.decompose(flow), general.decompose(flow));
        check_parts(&complete, flow, &closed)?;
        let tolerance = 1e-12 * norm(flow).max(1.0);
        for i in 0..d {
            prop_assert!((closed.potential[i] - solved.potential[i]).abs() <= tolerance);
        }
        for e in 0..flow.len() {
            prop_assert!((closed.curl[e] - solved.curl[e]).abs() <= tolerance);
            prop_assert!(solved.harmonic[e].abs() <= tolerance);
        }
    }

    /// Theorem 1: whatever p (with ties) and W are.
    #[test]
    fn any_potential_and_weights_give_an_acyclic_graph(
        p in prop::collection::vec((-3i32..3).prop_map(f64::from), 1..10),
        w in prop::collection::vec(-2.0f64..2.0, 100),
    ) {
        let d = p.len();
        let skew = Mat::from_fn(d, d, |i, j| w[i * 10 + j] - w[j * 10 + i]);
        prop_assert!(Dag::new(graph_of(skew.as_ref(), &p)).is_ok());
        let full = Mat::from_fn(d, d, |i, j| w[i * 10 + j]);
        prop_assert!(Dag::new(graph_of(full.as_ref(), &p)).is_ok());
        let projected = weights_on_potential(full.as_ref(), &p);
        for i in 0..d {
            for j in 0..d {
                prop_assert_eq!(projected[(i, j)], -projected[(j, i)]);
            }
        }
    }

    /// Theorem (solvep): the potential of a DAG increases along paths, and the DAG maps to itself.
    #[test]
    fn a_dag_maps_to_itself(a in random_dag()) {
        let reach = Reachability::new(a.as_ref());
        let p = potential(&reach);
        let d = p.len();
        let again = graph_of(weights_on_potential(a.as_ref(), &p).as_ref(), &p);
        for i in 0..d {
            for j in 0..d {
                prop_assert!(!reach.reaches(i, j) || p[j] > p[i]);
                // A quotient times its divisor is off by a rounding error at most.
                let gap = (again[(i, j)] - a[(i, j)]).abs();
                prop_assert!(gap <= f64::EPSILON * a[(i, j)].abs());
                prop_assert_eq!(again[(i, j)] != 0.0, a[(i, j)] != 0.0);
            }
        }
        prop_assert_eq!(p[d - 1], 0.0);
    }

    /// On any graph: equal within a strong component, increasing between components.
    #[test]
    fn the_potential_of_a_cyclic_graph_ties_its_components(
        d in 1..14usize,
        edges in prop::collection::vec((0..14usize, 0..14usize), 0..40),
    ) {
        let mut a = Mat::zeros(d, d);
        for (i, j) in edges {
            a[(i % d, j % d)] = 1.0;
        }
        let reach = Reachability::new(a.as_ref());
        let p = potential(&reach);
        for i in 0..d {
            for j in 0..d {
                match (reach.reaches(i, j), reach.reaches(j, i)) {
                    (true, true) => prop_assert_eq!(p[i], p[j]),
                    (true, false) => prop_assert!(p[j] > p[i]),
                    _ => {}
                }
            }
        }
    }
}
