//! What a method returns.

use crate::core::advice::Text;
use crate::core::{Mat, Order, Termination};

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
            estimate: None,
            directed: None,
            iterations: 0,
            evaluations: 0,
            termination: Termination::Direct,
            warnings: Vec::new(),
        }
    }
}
