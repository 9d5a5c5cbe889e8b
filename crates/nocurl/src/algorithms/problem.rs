//! What a linear method sees, and what it proposes.

use serde::{Deserialize, Serialize};

use crate::{Error, Mat, MatRef, Moments, Order};

/// The second moments of the data, centred or not: all that a linear method sees.
#[derive(Debug, Clone)]
pub struct Problem {
    names: Vec<String>,
    rows: u64,
    second_moments: Mat<f64>,
}

impl Problem {
    /// The problem of learning from `moments`, after checks that hold for every method.
    ///
    /// # Errors
    /// Fewer than two rows or two columns, or constant columns.
    pub fn new(moments: &Moments, center: bool) -> Result<Self, Error> {
        if moments.columns() < 2 {
            return Err(Error::TooFewColumns { columns: moments.columns() });
        }
        if moments.rows() < 2 {
            return Err(Error::TooFewRows { rows: moments.rows(), needed: 2 });
        }
        let constant = moments.constant_columns();
        if !constant.is_empty() {
            let names = constant.iter().map(|&j| moments.names()[j].clone()).collect();
            return Err(Error::ConstantColumns { names });
        }
        Ok(Self {
            names: moments.names().to_vec(),
            rows: moments.rows(),
            second_moments: moments.second_moments(center),
        })
    }

    /// Names of the variables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of variables, d.
    pub fn size(&self) -> usize {
        self.names.len()
    }

    /// Number of rows, n.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The error for second moments that cannot be inverted.
    pub(crate) fn singular(&self) -> Error {
        Error::Collinear { names: self.names.clone() }
    }

    /// `S = X'X / n`.
    pub fn second_moments(&self) -> MatRef<'_, f64> {
        self.second_moments.as_ref()
    }
}

/// How a computation ended. Running out of iterations is a result that says so, not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Termination {
    /// The answer is computed directly; there is nothing to converge.
    Direct,
    /// The stopping rule of the method was met.
    Converged,
    /// The limit on iterations came first: the result may still move.
    MaxIterations,
    /// No step along the search direction lowered the objective any more.
    Stalled,
    /// The penalty reached its largest value before the constraint was met.
    PenaltyLimit,
}

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
    /// Iterations used.
    pub iterations: u64,
    /// Evaluations of the objective.
    pub evaluations: u64,
    /// How the method ended.
    pub termination: Termination,
    /// What the user should know, in plain words.
    pub warnings: Vec<String>,
}

impl Proposal {
    /// An order found without iterating.
    pub fn direct(order: Order) -> Self {
        Self {
            order,
            potential: None,
            weights: None,
            iterations: 0,
            evaluations: 0,
            termination: Termination::Direct,
            warnings: Vec::new(),
        }
    }
}
