//! What a method returns.

use super::MixedScore;
use crate::core::advice::Text;
use crate::core::{Dag, Mat, Order, Termination};

/// What a method returns: an order, and its own weights where it has them.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The order of the variables.
    pub order: Order,
    /// The potential behind the order, where there is one.
    pub potential: Option<Vec<f64>>,
    /// Weights of the method's own, row -> column, all along the order; without them the variables
    /// are regressed on those before them.
    pub weights: Option<Mat<f64>>,
    /// The same as a graph, from methods that choose few of very many edges; nothing else is then
    /// needed of a matrix.
    pub graph: Option<Dag>,
    /// The first estimate behind the order, row -> column and maybe cyclic, where there is one.
    pub estimate: Option<Mat<f64>>,
    /// Edges whose directions are determined, where these are neither all nor those of the class:
    /// they and what follows from them and the class are.
    pub directed: Option<Vec<(usize, usize)>>,
    /// Iterations used.
    pub iterations: u64,
    /// Evaluations of the objective.
    pub evaluations: u64,
    /// How the method ended.
    pub termination: Termination,
    /// What was fitted to the variables, where the method can choose.
    pub score: Option<MixedScore>,
    /// How stable the search was, where it was one with restarts.
    pub search: Option<SearchReport>,
    /// What the user should know, in plain words.
    pub warnings: Vec<Text>,
}

impl Proposal {
    /// An order found without iterating.
    pub fn direct(order: Order) -> Self {
        Self {
            order,
            potential: None,
            weights: None,
            graph: None,
            estimate: None,
            directed: None,
            iterations: 0,
            evaluations: 0,
            termination: Termination::Direct,
            score: None,
            search: None,
            warnings: Vec::new(),
        }
    }
}

/// How stable a search with restarts was.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SearchReport {
    /// Searches that were independent of each other.
    pub runs: u64,
    /// How many of them ended at the best score.
    pub agreed: u64,
    /// Restarts of all of them.
    pub restarts: u64,
    /// Restarts that ended at the best score.
    pub reached_best: u64,
    /// The best graph with another score that was met.
    pub runner_up: Option<RunnerUp>,
    /// What an edge between two numbers cost, in units of twice the log-likelihood.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub price: Option<f64>,
}

impl SearchReport {
    /// Whether there were several searches and no two ended at the best score.
    pub fn is_unsettled(&self) -> bool {
        self.runs >= 2 && self.agreed < 2
    }
}

/// A graph that is not the best.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RunnerUp {
    /// By how much its score is above the best, in units of -2 log-likelihood.
    pub gap: f64,
    /// Pairs of variables that its class joins differently.
    pub differs: usize,
}
