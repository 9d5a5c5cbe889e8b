//! From a document to what is drawn.

use std::collections::BTreeMap;

use nocurl_render::{Diagram, Node};

use super::{Direction, EdgeSupport, GraphDocument};
use crate::Error;

impl GraphDocument {
    /// The graph as it is drawn: edges with their weights and, where they are known, how sure they
    /// are.
    ///
    /// # Errors
    /// An edge between variables that are not there; not in a document that was read.
    ///
    /// ```
    /// use nocurl_io::{Source, read_graph};
    /// let graph = read_graph(&Source::bytes("g.csv", "from,to\nrain,wet\n"))?;
    /// let diagram = graph.diagram()?;
    /// let layout = nocurl_render::layout(&diagram);
    /// assert!(nocurl_render::svg(&diagram, &layout).contains(">rain</text>"));
    /// # Ok::<(), nocurl_io::Error>(())
    /// ```
    pub fn diagram(&self) -> Result<Diagram, Error> {
        let support = self.bootstrap.as_ref().map(super::BootstrapSummary::edges);
        let edges = self.indexed_edges()?.into_iter().map(|(from, to, edge)| nocurl_render::Edge {
            from,
            to,
            weight: edge.weight,
            strength: edge.strength,
            confidence: sure(support.as_ref(), edge),
            direction: match edge.direction {
                Direction::Determined => nocurl_render::Direction::Determined,
                Direction::Likely => nocurl_render::Direction::Likely,
                Direction::Undetermined => nocurl_render::Direction::Undetermined,
            },
            part: None,
        });
        let mut nodes: Vec<Node> = self
            .variables
            .iter()
            .map(|name| Node { name: name.clone(), ..Node::default() })
            .collect();
        for (node, described) in nodes.iter_mut().zip(&self.kinds) {
            if described.variable.is_discrete() {
                node.kind = nocurl_render::Kind::Categorical;
            }
        }
        if let Some(experiments) = &self.experiments {
            let condition = nodes.iter_mut().filter(|node| node.name == experiments.condition);
            condition.for_each(|node| node.kind = nocurl_render::Kind::Context);
        }
        Ok(Diagram { edges: edges.collect(), nodes, title: self.title(), compared: None })
    }

    /// What the graph is, in a line.
    fn title(&self) -> String {
        let edges = self.edges.len();
        let edges = format!("{edges} edge{}", if edges == 1 { "" } else { "s" });
        let by = if self.method.is_empty() { "" } else { " by " };
        format!("{edges} among {} variables{by}{}", self.variables.len(), self.method)
    }

    /// How sure each edge is, in the order of the edges, if that is known.
    pub fn confidences(&self) -> Option<Vec<f64>> {
        let support = self.bootstrap.as_ref().map(super::BootstrapSummary::edges);
        self.edges.iter().map(|edge| sure(support.as_ref(), edge)).collect()
    }
}

/// How sure an edge is: its own confidence, or the share of resampled tables that have it.
fn sure(support: Option<&BTreeMap<(&str, &str), EdgeSupport>>, edge: &super::Edge) -> Option<f64> {
    let counted = || {
        let found = support?.get(&(edge.from.as_str(), edge.to.as_str()));
        Some(found.map_or(0.0, |found| found.adjacent))
    };
    edge.confidence.map(|sure| sure.adjacent).or_else(counted)
}
