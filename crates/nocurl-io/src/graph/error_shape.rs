//! What the shape of errors says about directions, by name.

use nocurl::error_shape::ErrorShape;
use serde::{Deserialize, Serialize};

/// What the shape of errors says about directions that independences leave undetermined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorShapeSummary {
    /// Rows that were looked at.
    pub rows: u64,
    /// Edges that independences left undetermined.
    pub undetermined: usize,
    /// Those of them that it directs.
    pub directed: Vec<ErrorShapeEdge>,
}

/// A direction told by the shape of errors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorShapeEdge {
    /// The cause.
    pub from: String,
    /// The effect.
    pub to: String,
    /// The p-value of the likelihood ratio of the two directions; files of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
    /// True when it follows from another direction, which has this p-value.
    pub follows: bool,
}

impl ErrorShapeSummary {
    /// What was found about variables of these names.
    ///
    /// # Panics
    /// When there are fewer names than variables.
    pub fn new(found: &ErrorShape, names: &[String]) -> Self {
        let directed = found.directed.iter().map(|edge| ErrorShapeEdge {
            from: names[edge.from].clone(),
            to: names[edge.to].clone(),
            p_value: Some(edge.p_value),
            follows: edge.follows,
        });
        Self { rows: found.rows, undetermined: found.undetermined, directed: directed.collect() }
    }
}
