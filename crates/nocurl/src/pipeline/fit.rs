//! What was learnt.

use std::collections::BTreeMap;

use super::error_shape::ErrorShape;
use crate::core::{Dag, Determines, Evidence, Mat, Pdag, Termination, Text, Variables};
use crate::methods::{MixedScore, SearchReport};

/// What was learnt.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fit {
    /// The graph with its weights, row -> column.
    pub dag: Dag,
    /// The variables, with the levels that some row has.
    pub variables: Variables,
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
    /// What each determined direction comes from, by edge; nothing for what is no evidence.
    pub evidence: BTreeMap<(usize, usize), Evidence>,
    /// What the shape of errors says about directions that independences leave undetermined, where
    /// there were rows to look at.
    pub error_shape: Option<ErrorShape>,
    /// The variances of the errors: what the parents leave of each variable, with the weights of
    /// the graph; nothing where some variable is a block of columns.
    pub error_variances: Option<Vec<f64>>,
    /// Weights before pruning and threshold, along the order.
    pub unpruned: Dag,
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
    /// What was fitted to the variables, where the method can choose and some have levels.
    pub score: Option<MixedScore>,
    /// How stable the search was, where it was one with restarts.
    pub search: Option<SearchReport>,
    /// What the user should know, in plain words.
    pub warnings: Vec<Text>,
}
