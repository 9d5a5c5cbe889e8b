//! The price of an edge that suits a table.

use crate::core::Dag;
use crate::math::regress::Node;
use crate::math::{Price, Problem};

// Chosen on simulated graphs alone: bench/penalty.py.

/// How many edges between a pair of variables a search may take for one, for each there is.
const TIMES: f64 = 2.0;

/// Edges count as weak up to so many standard errors beyond the strict bound.
const WINDOW: f64 = 3.0;

/// What is assumed of the number of weak edges before the data are seen weighs as so many standard
/// errors of it.
const WEIGHT: f64 = 2.0;

/// ... which is as many as graphs of this degree with weights of unit scale have.
const DEGREE: f64 = 2.0;

/// The price at which one more edge is as likely to be there as not, by what a strict search found.
///
/// An edge that is not there gains the square of a standard normal number, whatever the table, and
/// there are about d^2 / 2 of these. Of those that are there, some gain little: as many for each
/// standard error as in the window above the bound of the extended BIC, where nearly all that is
/// found is true. With `r` of them for each standard error the two are equally frequent where
/// `2 N phi(z) = r`, so the price is `z^2 = 2 log(2 N / (sqrt(2 pi) r))`. For graphs of unit weights
/// this is `log n + 2 log(d / degree)` (the modified BIC of Bogdan, Ghosh and Doerge, 2004), which
/// stands in for what few edges cannot say. Where all edges are strong the price rises to that of
/// the extended BIC, where many are weak it falls, as far as the plain BIC.
pub(super) fn adapted(problem: &Problem, found: &Dag) -> Price {
    let (n, d) = (problem.rows() as f64, problem.size() as f64);
    let strict = Price::extended(n, problem.size()).single();
    let pairs = TIMES * d * (d - 1.0) / 2.0;
    let absent = 2.0 * pairs / std::f64::consts::TAU.sqrt();
    let usual = n.ln() + 2.0 * (d / DEGREE).max(1.0).ln();
    let assumed = absent * (-usual / 2.0).exp();
    let bounds = strict.sqrt()..strict.sqrt() + WINDOW;
    let weak = gains(problem, found).filter(|gain| bounds.contains(&gain.sqrt())).count();
    let present = (weak as f64 + WEIGHT * assumed) / (WINDOW + WEIGHT);
    let price = 2.0 * (absent / present).ln();
    Price { parameter: n.ln(), edge: price.clamp(n.ln(), strict) - n.ln() }
}

/// What each edge of a graph gains beside the others: twice the log-likelihood.
fn gains(problem: &Problem, dag: &Dag) -> impl Iterator<Item = f64> {
    let (n, correlation) = (problem.rows() as f64, problem.correlation());
    (0..problem.size()).flat_map(move |j| {
        let node = Node::new(correlation.as_ref(), j, dag.parents(j).collect());
        let gain = |node: &Node, k: usize| {
            let explained = node.coefficients[k] * node.coefficients[k] / node.inverse[(k, k)];
            n * (explained / node.residual.max(f64::EPSILON)).ln_1p()
        };
        // Where parents repeat each other nothing can be said of one of them.
        let all = |node: Node| (0..node.parents.len()).map(|k| gain(&node, k)).collect();
        node.map_or_else(Vec::new, all)
    })
}
