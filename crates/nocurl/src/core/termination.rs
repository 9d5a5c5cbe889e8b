//! How a computation ended.

/// How a computation ended. Running out of iterations is a result that says so, not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
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
