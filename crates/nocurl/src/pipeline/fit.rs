//! What was learnt.

use crate::core::{Dag, Determines, Mat, Pdag, Termination, Text};
use crate::methods::SearchReport;

/// What was learnt.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fit {
    /// The graph with its weights, row -> column.
    pub dag: Dag,
    /// The variables from causes to effects.
    pub order: Vec<usize>,
    /// A potential that rises along every edge.
    pub potential: Vec<f64>,
    /// The graphs that independences cannot tell apart, of those that prior knowledge allows.
    pub class: Pdag,
    /// How much of the graph is determined.
    pub determines: Determines,
    /// Which directions are determined: an undirected edge wherever one is not.
    pub determined: Pdag,
    /// Weights before pruning and threshold, along the order.
    pub unpruned: Mat<f64>,
    /// The first estimate, maybe cyclic, for methods that make an order of one.
    pub estimate: Option<Mat<f64>>,
    /// Least-squares loss of the unpruned weights.
    pub unpruned_loss: f64,
    /// Least-squares loss of the graph.
    pub loss: f64,
    /// Iterations of the method.
    pub iterations: u64,
    /// Evaluations of its objective.
    pub evaluations: u64,
    /// How the method ended.
    pub termination: Termination,
    /// How stable the search was, where it was one with restarts.
    pub search: Option<SearchReport>,
    /// What the user should know, in plain words.
    pub warnings: Vec<Text>,
}
