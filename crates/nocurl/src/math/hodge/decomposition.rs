//! The three-way Hodge decomposition.

use super::Complex;
use crate::core::{Mat, MatMut, MatRef, Termination};
use crate::math::linalg::{self, Cholesky};

/// Largest connected component whose Laplacian is factored as a dense matrix.
const DENSE_COMPONENT: usize = 2000;

/// Share of all pairs from which a matrix product beats a walk over the triangles.
const DENSE_SHARE: f64 = 1.0 / 3.0;

/// Restarts of the conjugate gradients on what rounding left over.
const RESTARTS: usize = 4;

/// Squared norms of the three parts; their sum is the squared norm of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Energies {
    /// Of the gradient flow: what an order of the vertices explains.
    pub gradient: f64,
    /// Of the local rotation: inconsistencies around triangles.
    pub curl: f64,
    /// Of the harmonic flow: inconsistencies around longer cycles only.
    pub harmonic: f64,
}

impl Energies {
    /// The squared norm of the whole function.
    pub fn total(&self) -> f64 {
        self.gradient + self.curl + self.harmonic
    }

    /// Share of the energy that no order explains, from 0 (an order explains all) to 1; 0 for the
    /// zero function.
    pub fn inconsistency(&self) -> f64 {
        let total = self.total();
        if total == 0.0 { 0.0 } else { (self.curl + self.harmonic) / total }
    }
}

/// `Y = gradient + curl + harmonic`, three orthogonal functions on the edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Decomposition {
    /// A potential whose gradient is the gradient part, zero at the last vertex of each connected
    /// component (and so at the last vertex of a connected graph, as in the paper).
    pub potential: Vec<f64>,
    /// The gradient flow `grad(potential)`, free of curl.
    pub gradient: Vec<f64>,
    /// The part `curl*(T)` for some function T on triangles, free of divergence.
    pub curl: Vec<f64>,
    /// The harmonic part, in the kernel of the Helmholtzian: free of curl and of divergence.
    pub harmonic: Vec<f64>,
    /// Squared norms of the parts.
    pub energies: Energies,
    /// `Direct` without iterations, else how the conjugate gradients ended.
    pub termination: Termination,
}

impl Complex {
    /// The orthogonal decomposition `Y = grad(p) + curl*(T) + H` (Hodge; Jiang et al., 2011).
    ///
    /// On the complete graph there are closed forms, `p_i = -(b_i - b_d) / d` with `b = div Y` and
    /// no harmonic part, at O(d^2). Elsewhere the potential solves the least-squares problem
    /// `min ||Y - grad p||` by a Cholesky factorisation per connected component, and the curl part
    /// is the projection of the rest onto the range of `curl* curl` by conjugate gradients, at most
    /// O(d^3) per step and usually a few dozen steps.
    ///
    /// ```
    /// use nocurl::hodge::Complex;
    /// let ring = Complex::from_edges(4, &[(0, 1), (1, 2), (2, 3), (3, 0)])?;
    /// // One unit all the way round: edge (0, 3) is passed against its direction.
    /// let parts = ring.decompose(&[1.0, -1.0, 1.0, 1.0]);
    /// assert_eq!(parts.energies.harmonic, 4.0);
    /// assert_eq!(parts.energies.gradient, 0.0);
    /// # Ok::<(), nocurl::Error>(())
    /// ```
    pub fn decompose(&self, flow: &[f64]) -> Decomposition {
        assert_eq!(flow.len(), self.edges().len(), "length of the function on edges");
        let (potential, solved) = if self.is_complete() {
            (self.complete_potential(flow), Termination::Direct)
        } else {
            self.least_squares_potential(flow)
        };
        let gradient = self.grad(&potential);
        let rest = difference(flow, &gradient);
        let (curl, harmonic, projected) = if self.is_complete() {
            let zero = vec![0.0; rest.len()];
            (rest, zero, Termination::Direct)
        } else {
            let (curl, termination) = self.curl_part(&rest);
            let harmonic = difference(&rest, &curl);
            (curl, harmonic, termination)
        };
        let energies = Energies {
            gradient: square_norm(&gradient),
            curl: square_norm(&curl),
            harmonic: square_norm(&harmonic),
        };
        let termination = if solved == Termination::Direct { projected } else { solved };
        Decomposition { potential, gradient, curl, harmonic, energies, termination }
    }

    /// Eq. (lap0) of the paper in closed form.
    fn complete_potential(&self, flow: &[f64]) -> Vec<f64> {
        let divergence = self.div(flow);
        let last = divergence.last().copied().unwrap_or(0.0);
        divergence.iter().map(|b| -(b - last) / divergence.len() as f64).collect()
    }

    /// Solves `Laplacian * p = -div Y` with the last vertex of each component grounded.
    fn least_squares_potential(&self, flow: &[f64]) -> (Vec<f64>, Termination) {
        let target = self.grad_adjoint(flow);
        let mut potential = vec![0.0; self.size()];
        // Components too large to factor, or singular by rounding, are left to conjugate gradients.
        let mut all_factored = true;
        let mut place = vec![0; self.size()];
        for component in self.components() {
            let (&last, inner) = component.split_last().expect("a component has a vertex");
            if inner.len() >= DENSE_COMPONENT {
                all_factored = false;
                continue;
            }
            place[last] = inner.len();
            inner.iter().enumerate().for_each(|(position, &i)| place[i] = position);
            let mut laplacian = Mat::zeros(component.len(), component.len());
            for &i in inner {
                for &(_, j) in self.edges_from(i) {
                    let (a, b) = (place[i], place[j]);
                    laplacian[(a, a)] += 1.0;
                    laplacian[(b, b)] += 1.0;
                    laplacian[(b.max(a), a.min(b))] = -1.0;
                }
            }
            let grounded = laplacian.submatrix(0, 0, inner.len(), inner.len());
            let mut solution: Vec<f64> = inner.iter().map(|&i| target[i]).collect();
            let Some(factor) = Cholesky::new(grounded) else {
                all_factored = false;
                continue;
            };
            let mut column = MatMut::from_column_major_slice_mut(&mut solution, inner.len(), 1);
            factor.solve_lower(column.as_mut());
            factor.solve_upper(column);
            inner.iter().zip(solution).for_each(|(&i, p)| potential[i] = p);
        }
        if all_factored {
            return (potential, Termination::Direct);
        }
        let mut laplacian = |p: &[f64], out: &mut [f64]| {
            out.copy_from_slice(&self.apply_laplacian(p));
        };
        let tolerance = self.rounding() * square_norm(flow).sqrt();
        let termination = conjugate_gradients(&mut laplacian, &target, tolerance, &mut potential);
        for component in self.components() {
            let ground = potential[component[component.len() - 1]];
            component.iter().for_each(|&i| potential[i] -= ground);
        }
        (potential, termination)
    }

    /// The projection of a divergence-free flow R onto the range of `K = curl* curl`: the solution
    /// of `K u = K R` that conjugate gradients reach from zero, for they never leave that range.
    fn curl_part(&self, rest: &[f64]) -> (Vec<f64>, Termination) {
        let mut curl_curl = CurlCurl::new(self);
        let mut curl_curl = |flow: &[f64], out: &mut [f64]| curl_curl.apply(self, flow, out);
        let mut target = vec![0.0; rest.len()];
        curl_curl(rest, &mut target);
        let mut curl = vec![0.0; rest.len()];
        if target.iter().all(|&t| t == 0.0) {
            return (curl, Termination::Direct);
        }
        let tolerance = self.rounding() * square_norm(rest).sqrt();
        let termination = conjugate_gradients(&mut curl_curl, &target, tolerance, &mut curl);
        (curl, termination)
    }

    /// Rounding error of one application of a Laplacian: the eigenvalues of both are at most d.
    fn rounding(&self) -> f64 {
        16.0 * f64::EPSILON * self.size() as f64
    }
}

/// The operator `curl* curl`, made ready to be applied many times.
enum CurlCurl {
    /// Sparse graphs: the edges of every triangle.
    Triangles(Vec<[u32; 3]>),
    /// Dense graphs, whose triangles need too much room: with adjacency M and skew matrix Y it is
    /// `(M M)∘Y - M Y + (M Y)'` on each edge.
    Product { adjacency: Mat<f64>, triangle_counts: Vec<f64>, flow: Mat<f64>, product: Mat<f64> },
}

impl CurlCurl {
    fn new(complex: &Complex) -> Self {
        let pairs = (complex.size() * complex.size()) as f64 / 2.0;
        if complex.edges().len() as f64 > DENSE_SHARE * pairs {
            Self::by_product(complex)
        } else {
            Self::by_triangles(complex)
        }
    }

    fn by_triangles(complex: &Complex) -> Self {
        let mut triangles = Vec::new();
        complex.for_each_triangle(|ij, jk, ik| triangles.push([ij, jk, ik].map(|e| e as u32)));
        Self::Triangles(triangles)
    }

    fn by_product(complex: &Complex) -> Self {
        let d = complex.size();
        let mut adjacency = Mat::zeros(d, d);
        for &(i, j) in complex.edges() {
            adjacency[(i, j)] = 1.0;
            adjacency[(j, i)] = 1.0;
        }
        let mut product = Mat::zeros(d, d);
        linalg::matmul(product.as_mut(), adjacency.as_ref(), adjacency.as_ref());
        let triangle_counts = complex.edges().iter().map(|&edge| product[edge]).collect();
        Self::Product { adjacency, triangle_counts, flow: Mat::zeros(d, d), product }
    }

    fn apply(&mut self, complex: &Complex, y: &[f64], out: &mut [f64]) {
        match self {
            Self::Triangles(triangles) => {
                out.fill(0.0);
                for edges in triangles {
                    let [ij, jk, ik] = edges.map(|e| e as usize);
                    let rotation = y[ij] + y[jk] - y[ik];
                    out[ij] += rotation;
                    out[jk] += rotation;
                    out[ik] -= rotation;
                }
            }
            Self::Product { adjacency, triangle_counts, flow, product } => {
                for (&(i, j), &value) in complex.edges().iter().zip(y) {
                    flow[(i, j)] = value;
                    flow[(j, i)] = -value;
                }
                linalg::matmul(product.as_mut(), adjacency.as_ref(), flow.as_ref());
                for (e, &(i, j)) in complex.edges().iter().enumerate() {
                    out[e] = triangle_counts[e] * y[e] - product[(i, j)] + product[(j, i)];
                }
            }
        }
    }
}

/// Conjugate gradients for a consistent, maybe singular, positive semidefinite system.
///
/// Each restart works on the true residual, which takes back what rounding let drift.
fn conjugate_gradients(
    matrix: &mut dyn FnMut(&[f64], &mut [f64]),
    target: &[f64],
    tolerance: f64,
    x: &mut [f64],
) -> Termination {
    let n = target.len();
    let mut image = vec![0.0; n];
    for _ in 0..RESTARTS {
        matrix(x, &mut image);
        let mut residual = difference(target, &image);
        let mut direction = residual.clone();
        let mut square = square_norm(&residual);
        if square.sqrt() <= tolerance {
            return Termination::Converged;
        }
        for _ in 0..2 * n + 50 {
            matrix(&direction, &mut image);
            let curvature: f64 = direction.iter().zip(&image).map(|(a, b)| a * b).sum();
            let step = square / curvature;
            if !step.is_finite() || step <= 0.0 {
                break;
            }
            for i in 0..n {
                x[i] += step * direction[i];
                residual[i] -= step * image[i];
            }
            let next = square_norm(&residual);
            if next.sqrt() <= tolerance / 2.0 {
                break;
            }
            for i in 0..n {
                direction[i] = residual[i] + next / square * direction[i];
            }
            square = next;
        }
    }
    matrix(x, &mut image);
    let left = square_norm(&difference(target, &image)).sqrt();
    if left <= tolerance { Termination::Converged } else { Termination::MaxIterations }
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn square_norm(a: &[f64]) -> f64 {
    a.iter().map(|a| a * a).sum()
}

/// How far an estimate is from ranking its variables: the energies of its flow on the graph of its
/// own edges.
///
/// The flow along a pair is `(|A(i, j)| - |A(j, i)|) / 2`: magnitudes, since the sign of a weight
/// says nothing of the direction of its edge. A graph that is a forest, or whose weights add up
/// along paths, has gradient energy alone; a ring of equal weights has none. For other functions of
/// an estimate take [`Complex::of_support`], [`Complex::from_matrix`] and [`Complex::decompose`].
///
/// ```
/// use nocurl::{Mat, hodge::order_energy};
/// let mut ring = Mat::zeros(3, 3);
/// ring[(0, 1)] = 2.0;
/// ring[(1, 2)] = -2.0;
/// ring[(2, 0)] = 2.0;
/// let energies = order_energy(ring.as_ref());
/// assert_eq!((energies.gradient, energies.curl, energies.harmonic), (0.0, 3.0, 0.0));
/// ```
pub fn order_energy(weights: MatRef<'_, f64>) -> Energies {
    let complex = Complex::of_support(weights);
    let strength = |&(i, j): &(usize, usize)| (weights[(i, j)].abs() - weights[(j, i)].abs()) / 2.0;
    let flow: Vec<f64> = complex.edges().iter().map(strength).collect();
    complex.decompose(&flow).energies
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs at distance at most `reach`: a band of triangles.
    fn band(d: usize, reach: usize) -> Complex {
        let edges: Vec<_> =
            (0..d).flat_map(|i| (i + 1..d.min(i + reach + 1)).map(move |j| (i, j))).collect();
        Complex::from_edges(d, &edges).unwrap()
    }

    fn flow(complex: &Complex) -> Vec<f64> {
        (0..complex.edges().len()).map(|e| (1.0 + 3.7 * e as f64).sin()).collect()
    }

    #[test]
    fn the_product_and_the_walk_over_triangles_agree() {
        for reach in [1, 2, 7, 19] {
            let complex = band(20, reach);
            let flow = flow(&complex);
            let (mut walked, mut product) = (vec![0.0; flow.len()], vec![0.0; flow.len()]);
            CurlCurl::by_triangles(&complex).apply(&complex, &flow, &mut walked);
            CurlCurl::by_product(&complex).apply(&complex, &flow, &mut product);
            let gap = square_norm(&difference(&walked, &product)).sqrt();
            assert!(gap <= 1e-13 * 20.0 * square_norm(&flow).sqrt(), "{reach}: {gap}");
        }
    }

    #[test]
    fn a_long_strip_of_triangles_converges() {
        // A strip has no cycle that is not filled in: the harmonic part is zero. Its smallest
        // eigenvalues fall with the square of its length.
        let complex = band(400, 2);
        let parts = complex.decompose(&flow(&complex));
        assert_eq!(parts.termination, Termination::Converged);
        assert!(parts.energies.harmonic <= 1e-18 * parts.energies.total(), "{:?}", parts.energies);
    }

    #[test]
    fn numbers_without_meaning_end() {
        let complex = band(12, 3);
        let mut broken = flow(&complex);
        broken[3] = f64::NAN;
        assert!(complex.decompose(&broken).energies.total().is_nan());
    }
}
