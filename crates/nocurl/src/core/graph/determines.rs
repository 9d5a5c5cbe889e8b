//! How much of a graph a method determines.

use crate::core::{Dag, Pdag};

/// What a method determines of the graph it returns.
///
/// Every result is a directed acyclic graph, so that it can be drawn, simulated from and used with
/// weights; but not every method determines all the directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Determines {
    /// The whole graph: adjacencies and all directions.
    #[default]
    #[cfg_attr(feature = "serde", serde(alias = "dag"))]
    Graph,
    /// The Markov equivalence class: the directions that all its members share.
    Class,
    /// The skeleton: adjacencies alone, no direction.
    Skeleton,
}

impl Determines {
    /// Every value there is, from the most to the least.
    pub const ALL: [Self; 3] = [Self::Graph, Self::Class, Self::Skeleton];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Class => "class",
            Self::Skeleton => "skeleton",
        }
    }

    /// The value of this name; `dag` is the name that older files have for `graph`.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name == "dag" { "graph" } else { name };
        Self::ALL.into_iter().find(|value| value.name() == name)
    }

    /// The partially directed graph that says which directions are determined: a graph of a class,
    /// with an undirected edge wherever its direction is undetermined.
    ///
    /// ```
    /// use nocurl::{Dag, Determines, Pdag};
    /// let chain = Dag::from_edges(3, &[(0, 1), (1, 2)])?;
    /// let class = Pdag::class_of(&chain);
    /// assert_eq!(Determines::Graph.determined(&chain, &class).directed().count(), 2);
    /// assert_eq!(Determines::Class.determined(&chain, &class).directed().count(), 0);
    /// # Ok::<(), nocurl::Error>(())
    /// ```
    ///
    /// # Panics
    /// When the graphs have different numbers of variables.
    pub fn determined(self, dag: &Dag, class: &Pdag) -> Pdag {
        assert_eq!(dag.size(), class.size(), "a graph and its class");
        let (directed, undirected): (Vec<_>, Vec<_>) =
            dag.edges().map(|(i, j, _)| (i, j)).partition(|&(i, j)| match self {
                Self::Graph => true,
                Self::Class => class.has_directed(i, j),
                Self::Skeleton => false,
            });
        Pdag::new(dag.size(), &directed, &undirected).expect("a pair has one edge in a DAG")
    }
}
