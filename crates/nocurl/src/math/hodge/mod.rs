//! Hodge calculus on graphs: which part of a pairwise comparison is an order, and which is not.
//!
//! A function on the edges of an undirected graph that changes sign with the direction of the edge
//! (a skew-symmetric matrix) is the orthogonal sum of a gradient flow, which ranks the vertices, a
//! local rotation around triangles, and a harmonic flow around longer cycles. [`Complex`] has the
//! operators and the decomposition for any graph; [`potential`], [`weights_on_potential`] and
//! [`graph_of`] are the special case by which DAG-NoCurl turns an estimate into an acyclic graph.
//!
//! Signs follow the paper: `grad(p)(i, j) = p(j) - p(i)`, `div(Y)(i) = sum_j Y(i, j)`.
//!
//! References: Yu, Gao, Yin and Ji, *DAGs with No Curl*, ICML 2021; Jiang, Lim, Yao and Ye,
//! *Statistical ranking and combinatorial Hodge theory*, Math. Programming 127, 2011.

mod complex;
mod decomposition;
mod potential;

pub use complex::Complex;
pub use decomposition::{Decomposition, Energies, order_energy};
pub use potential::{graph_of, potential, potential_of_order, weights_on_potential};
