//! What is drawn: variables and edges, without a place yet.

use serde::{Deserialize, Serialize};

/// A graph to be drawn. Edges may form cycles, as in a comparison of two graphs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Diagram {
    /// The variables.
    pub nodes: Vec<Node>,
    /// The edges, by the positions of their ends in [`Diagram::nodes`].
    pub edges: Vec<Edge>,
    /// What the picture shows, for readers who cannot see it and for the head of a file.
    pub title: String,
    /// What the two graphs of a comparison are called; empty in the picture of one graph.
    pub compared: Option<[String; 2]>,
}

/// A variable.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What kind of variable it is.
    #[serde(default)]
    pub kind: Kind,
}

/// Kinds of variables that have shapes of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A number.
    #[default]
    Continuous,
    /// Binary, categorical or ordinal.
    Categorical,
    /// The condition that rows were recorded under.
    Context,
}

/// An edge.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// Position of the cause.
    pub from: usize,
    /// Position of the effect.
    pub to: usize,
    /// The weight, whose sign gives the colour.
    #[serde(default)]
    pub weight: Option<f64>,
    /// How strong the edge is, between 0 and 1, which gives the width; by the rank of the weight
    /// where an edge has none.
    #[serde(default)]
    pub strength: Option<f64>,
    /// How sure the edge is, between 0 and 1, which gives the opacity.
    #[serde(default)]
    pub confidence: Option<f64>,
    /// What is known of the direction.
    #[serde(default)]
    pub direction: Direction,
    /// Which graphs of a comparison have it.
    #[serde(default)]
    pub part: Option<Part>,
}

/// What is known of the direction of an edge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// A full head.
    #[default]
    Determined,
    /// An open head.
    Likely,
    /// No head.
    Undetermined,
}

/// Which graphs of a comparison have an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Both, in the same direction.
    Shared,
    /// The first alone.
    First,
    /// The second alone.
    Second,
    /// Both, in opposite directions; the edge is drawn as in the first.
    Reversed,
}
