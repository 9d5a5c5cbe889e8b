//! What edges cost in scores by information criteria.

/// What an edge costs, in units of twice the log-likelihood.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Price {
    /// Of each parameter that the edge adds.
    pub(crate) parameter: f64,
    /// Of the edge itself, whatever number of parameters it adds.
    pub(crate) edge: f64,
}

impl Price {
    /// `penalty * log n` for each parameter; 1 is the plain BIC.
    pub(crate) fn bic(rows: f64, penalty: f64) -> Self {
        Self { parameter: penalty * rows.ln(), edge: 0.0 }
    }

    /// The extended BIC (Chen and Chen, 2008): `log n` for each parameter, and `2 log d` for each
    /// edge, since there are about d^2 to choose from. The choice is of an edge, not of each of its
    /// parameters.
    pub(crate) fn extended(rows: f64, variables: usize) -> Self {
        Self { parameter: rows.ln(), edge: 2.0 * (variables as f64).ln() }
    }

    /// What an edge between two variables of one column each costs.
    pub(crate) fn single(self) -> f64 {
        self.parameter + self.edge
    }
}
