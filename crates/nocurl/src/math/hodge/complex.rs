//! Vertices, edges and triangles of an undirected graph, and the operators between them.

use crate::core::{Error, Mat, MatRef};

/// An undirected simple graph with its triangles (all sets of three vertices joined pairwise).
///
/// A function on vertices is a slice with one value per vertex. An *alternating* function on edges
/// is a slice with one value per edge of [`Self::edges`], the value in the direction `i -> j` with
/// `i < j`; the other direction has the opposite sign. Likewise one value per triangle of
/// [`Self::triangles`], in the orientation `i < j < k`.
///
/// Inner products count every edge and every triangle once. The paper sums over ordered pairs and
/// so counts each edge twice: its squared norms on edges are twice those given here, and all
/// projections are the same. With the convention used here `grad` and `-div`, and `curl` and
/// [`Self::curl_adjoint`], are exact adjoints of each other.
///
/// The operators panic when a slice has another length than the complex asks for.
///
/// ```
/// use nocurl::hodge::Complex;
/// let triangle = Complex::complete(3);
/// assert_eq!(triangle.edges(), [(0, 1), (0, 2), (1, 2)]);
/// let flow = triangle.grad(&[0.0, 1.0, 5.0]);
/// assert_eq!(flow, [1.0, 5.0, 4.0]);
/// assert_eq!(triangle.curl(&flow), [0.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complex {
    /// Edges `(i, j)` with `i < j`, in increasing order.
    edges: Vec<(usize, usize)>,
    /// `edges[starts[i]..starts[i + 1]]` are those whose smaller vertex is `i`.
    starts: Vec<usize>,
}

impl Complex {
    /// The complete graph on `d` vertices.
    pub fn complete(d: usize) -> Self {
        Self::from_sorted(d, (0..d).flat_map(|i| (i + 1..d).map(move |j| (i, j))).collect())
    }

    /// The graph on `d` vertices with the given edges, in any direction; repeated ones count once.
    ///
    /// # Errors
    /// [`Error::InvalidEdge`] for a vertex outside `0..d` or an edge from a vertex to itself.
    pub fn from_edges(d: usize, edges: &[(usize, usize)]) -> Result<Self, Error> {
        for &(i, j) in edges {
            if i.max(j) >= d || i == j {
                return Err(Error::InvalidEdge { from: i, to: j, variables: d });
            }
        }
        let mut sorted: Vec<_> = edges.iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
        sorted.sort_unstable();
        sorted.dedup();
        Ok(Self::from_sorted(d, sorted))
    }

    /// The graph of the pairs with an entry that is not zero in either direction; the diagonal is
    /// not looked at.
    pub fn of_support(matrix: MatRef<'_, f64>) -> Self {
        assert_eq!(matrix.nrows(), matrix.ncols(), "a graph's matrix is square");
        let d = matrix.nrows();
        let joined = |&(i, j): &(usize, usize)| matrix[(i, j)] != 0.0 || matrix[(j, i)] != 0.0;
        let pairs = (0..d).flat_map(|i| (i + 1..d).map(move |j| (i, j)));
        Self::from_sorted(d, pairs.filter(joined).collect())
    }

    fn from_sorted(d: usize, edges: Vec<(usize, usize)>) -> Self {
        let starts = (0..=d).map(|i| edges.partition_point(|edge| edge.0 < i)).collect();
        Self { edges, starts }
    }

    /// Number of vertices.
    pub fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// Edges `(i, j)` with `i < j`, in increasing order.
    pub fn edges(&self) -> &[(usize, usize)] {
        &self.edges
    }

    /// The edges whose smaller vertex is `i`.
    pub(super) fn edges_from(&self, i: usize) -> &[(usize, usize)] {
        &self.edges[self.starts[i]..self.starts[i + 1]]
    }

    /// Triangles `[i, j, k]` with `i < j < k`, in increasing order; made anew at each call.
    pub fn triangles(&self) -> Vec<[usize; 3]> {
        let mut triangles = Vec::new();
        self.for_each_triangle(|ij, jk, _| {
            triangles.push([self.edges[ij].0, self.edges[ij].1, self.edges[jk].1]);
        });
        triangles
    }

    /// True when every pair of vertices is an edge.
    pub fn is_complete(&self) -> bool {
        let d = self.size();
        self.edges.len() == d * d.saturating_sub(1) / 2
    }

    /// The connected components, each in increasing order of its vertices.
    pub fn components(&self) -> Vec<Vec<usize>> {
        let d = self.size();
        let mut neighbours = vec![Vec::new(); d];
        for &(i, j) in &self.edges {
            neighbours[i].push(j);
            neighbours[j].push(i);
        }
        let mut seen = vec![false; d];
        let mut components = Vec::new();
        for root in 0..d {
            if seen[root] {
                continue;
            }
            seen[root] = true;
            let mut component = vec![root];
            let mut next = 0;
            while next < component.len() {
                for &j in &neighbours[component[next]] {
                    if !seen[j] {
                        seen[j] = true;
                        component.push(j);
                    }
                }
                next += 1;
            }
            component.sort_unstable();
            components.push(component);
        }
        components
    }

    /// The skew part `(M - M') / 2` of a matrix as a function on the edges; for a skew-symmetric
    /// matrix, its entries.
    pub fn from_matrix(&self, matrix: MatRef<'_, f64>) -> Vec<f64> {
        self.check("matrix", matrix.nrows(), self.size());
        self.check("matrix", matrix.ncols(), self.size());
        self.edges.iter().map(|&(i, j)| (matrix[(i, j)] - matrix[(j, i)]) / 2.0).collect()
    }

    /// A function on the edges as a skew-symmetric matrix, zero outside the graph.
    pub fn to_matrix(&self, flow: &[f64]) -> Mat<f64> {
        self.check("function on edges", flow.len(), self.edges.len());
        let mut matrix = Mat::zeros(self.size(), self.size());
        for (&(i, j), &y) in self.edges.iter().zip(flow) {
            matrix[(i, j)] = y;
            matrix[(j, i)] = -y;
        }
        matrix
    }

    /// The gradient `p(j) - p(i)` of a function on the vertices. Cost O(edges).
    pub fn grad(&self, potential: &[f64]) -> Vec<f64> {
        self.check("function on vertices", potential.len(), self.size());
        self.edges.iter().map(|&(i, j)| potential[j] - potential[i]).collect()
    }

    /// The divergence `sum_j Y(i, j)` of a function on the edges. Cost O(edges).
    pub fn div(&self, flow: &[f64]) -> Vec<f64> {
        self.check("function on edges", flow.len(), self.edges.len());
        let mut divergence = vec![0.0; self.size()];
        for (&(i, j), &y) in self.edges.iter().zip(flow) {
            divergence[i] += y;
            divergence[j] -= y;
        }
        divergence
    }

    /// The adjoint of the gradient, `-div`.
    pub fn grad_adjoint(&self, flow: &[f64]) -> Vec<f64> {
        self.div(flow).into_iter().map(|b| -b).collect()
    }

    /// The curl `Y(i, j) + Y(j, k) + Y(k, i)` of a function on the edges, per triangle.
    ///
    /// Cost: the triangles are found by merging neighbour lists, O(edges * degree).
    pub fn curl(&self, flow: &[f64]) -> Vec<f64> {
        self.check("function on edges", flow.len(), self.edges.len());
        let mut curl = Vec::new();
        self.for_each_triangle(|ij, jk, ik| curl.push(flow[ij] + flow[jk] - flow[ik]));
        curl
    }

    /// The adjoint of the curl, `sum_k T(i, j, k)` on each edge. Cost as [`Self::curl`].
    pub fn curl_adjoint(&self, rotation: &[f64]) -> Vec<f64> {
        let mut flow = vec![0.0; self.edges.len()];
        let mut count = 0;
        self.for_each_triangle(|ij, jk, ik| {
            let t = rotation.get(count).copied().unwrap_or(0.0);
            flow[ij] += t;
            flow[jk] += t;
            flow[ik] -= t;
            count += 1;
        });
        self.check("function on triangles", rotation.len(), count);
        flow
    }

    /// The graph Laplacian `-div grad` as a matrix: degrees on the diagonal, -1 on edges.
    pub fn laplacian(&self) -> Mat<f64> {
        let mut laplacian = Mat::zeros(self.size(), self.size());
        for &(i, j) in &self.edges {
            laplacian[(i, i)] += 1.0;
            laplacian[(j, j)] += 1.0;
            laplacian[(i, j)] = -1.0;
            laplacian[(j, i)] = -1.0;
        }
        laplacian
    }

    /// The graph Laplacian applied to a function on the vertices. Cost O(edges).
    pub fn apply_laplacian(&self, potential: &[f64]) -> Vec<f64> {
        self.grad_adjoint(&self.grad(potential))
    }

    /// The graph Helmholtzian `grad grad* + curl* curl` applied to a function on the edges. Cost as
    /// [`Self::curl`].
    pub fn apply_helmholtzian(&self, flow: &[f64]) -> Vec<f64> {
        let gradient = self.grad(&self.grad_adjoint(flow));
        let rotation = self.curl_adjoint(&self.curl(flow));
        gradient.iter().zip(rotation).map(|(g, r)| g + r).collect()
    }

    /// Calls `visit` with the indices of the edges `(i, j)`, `(j, k)` and `(i, k)` of each triangle.
    pub(super) fn for_each_triangle(&self, mut visit: impl FnMut(usize, usize, usize)) {
        for i in 0..self.size() {
            let end = self.starts[i + 1];
            for ij in self.starts[i]..end {
                let j = self.edges[ij].1;
                // Both neighbour lists increase: walk them together.
                let (mut ik, mut jk) = (ij + 1, self.starts[j]);
                while ik < end && jk < self.starts[j + 1] {
                    match self.edges[ik].1.cmp(&self.edges[jk].1) {
                        std::cmp::Ordering::Less => ik += 1,
                        std::cmp::Ordering::Greater => jk += 1,
                        std::cmp::Ordering::Equal => {
                            visit(ij, jk, ik);
                            ik += 1;
                            jk += 1;
                        }
                    }
                }
            }
        }
    }

    fn check(&self, what: &str, given: usize, needed: usize) {
        assert_eq!(given, needed, "length of the {what}");
    }
}
