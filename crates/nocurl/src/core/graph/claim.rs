//! How much of a graph is meant.

use serde::{Deserialize, Serialize};

use crate::core::{Cpdag, Dag};

/// What a method claims about the edges of the graph it returns.
///
/// Every result is a directed acyclic graph, so that it can be drawn, simulated from and used with
/// weights; but not every method has reasons for all the directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// Adjacencies and all directions.
    #[default]
    Dag,
    /// The Markov equivalence class: directions that its CPDAG leaves open are arbitrary.
    Class,
    /// Adjacencies alone: every direction is arbitrary.
    Skeleton,
}

impl Claim {
    /// Every claim there is, from the most to the least.
    pub const ALL: [Self; 3] = [Self::Dag, Self::Class, Self::Skeleton];

    /// The name of the claim in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dag => "dag",
            Self::Class => "class",
            Self::Skeleton => "skeleton",
        }
    }

    /// A graph of an equivalence class with an undirected edge wherever its direction is not meant.
    ///
    /// # Panics
    /// When the graphs have different numbers of variables.
    pub fn meant(self, dag: &Dag, class: &Cpdag) -> Cpdag {
        assert_eq!(dag.size(), class.size(), "a graph and its class");
        let (directed, open): (Vec<_>, Vec<_>) =
            dag.edges().map(|(i, j, _)| (i, j)).partition(|&(i, j)| match self {
                Self::Dag => true,
                Self::Class => class.has_directed(i, j),
                Self::Skeleton => false,
            });
        Cpdag::new(dag.size(), &directed, &open).expect("a pair has one edge in a DAG")
    }
}
