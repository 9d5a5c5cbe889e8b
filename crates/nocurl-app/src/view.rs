//! A part of a graph: what is sure enough, what is around some variables.

use std::collections::BTreeSet;

use nocurl::error::closest;
use nocurl_io::{Class, GraphDocument};

use crate::Error;

/// Which part of a graph is shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    /// Only edges at least this sure, between 0 and 1.
    pub min_confidence: Option<f64>,
    /// Only what is near these variables; all where there are none.
    pub around: Vec<String>,
    /// How many edges away from them, in any direction.
    pub depth: usize,
}

impl View {
    /// This part of a graph, with all that is known about it.
    ///
    /// # Errors
    /// A confidence outside 0 to 1 or a graph that has none, and variables that are not there.
    ///
    /// ```
    /// use nocurl_app::View;
    /// use nocurl_io::{Source, read_graph};
    /// let graph = read_graph(&Source::bytes("g.csv", "from,to\na,b\nb,c\nc,d\n"))?;
    /// let view = View { around: vec!["a".into()], depth: 2, ..View::default() };
    /// assert_eq!(view.of(&graph)?.variables, ["a", "b", "c"]);
    /// # Ok::<(), nocurl_app::Error>(())
    /// ```
    pub fn of(&self, graph: &GraphDocument) -> Result<GraphDocument, Error> {
        let mut part = graph.clone();
        if let Some(least) = self.min_confidence {
            if !(0.0..=1.0).contains(&least) {
                return Err(Error::Confidence { given: least });
            }
            let sure = graph.confidences().ok_or(Error::NoConfidence)?;
            let mut sure = sure.into_iter();
            part.edges.retain(|_| sure.next().is_some_and(|confidence| confidence >= least));
            cut(&mut part);
        }
        if !self.around.is_empty() {
            let kept = self.near(&part)?;
            keep(&mut part, &kept);
            cut(&mut part);
        }
        Ok(part)
    }

    /// The variables within reach.
    fn near(&self, graph: &GraphDocument) -> Result<BTreeSet<String>, Error> {
        let mut kept: BTreeSet<String> = BTreeSet::new();
        for name in &self.around {
            if !graph.variables.contains(name) {
                let like = closest(name, graph.variables.iter().map(String::as_str));
                let like = like.map(str::to_string);
                return Err(Error::NoSuchVariable { name: name.clone(), like });
            }
            kept.insert(name.clone());
        }
        for _ in 0..self.depth {
            let reached: Vec<String> = graph
                .edges
                .iter()
                .flat_map(|edge| [(&edge.from, &edge.to), (&edge.to, &edge.from)])
                .filter(|(one, other)| kept.contains(*one) && !kept.contains(*other))
                .map(|(_, other)| other.clone())
                .collect();
            if reached.is_empty() {
                break;
            }
            kept.extend(reached);
        }
        Ok(kept)
    }
}

/// A part of a graph answers nothing by itself: its mechanisms have parents that are not shown.
fn cut(graph: &mut GraphDocument) {
    (graph.model, graph.error_variances) = (None, None);
    graph.part = true;
}

/// Leaves out variables, and all that speaks of them.
fn keep(graph: &mut GraphDocument, kept: &BTreeSet<String>) {
    let is_kept: Vec<bool> = graph.variables.iter().map(|name| kept.contains(name)).collect();
    let of_variables = |numbers: &mut Vec<f64>| {
        let mut keep = is_kept.iter();
        numbers.retain(|_| keep.next().copied().unwrap_or(false));
    };
    graph.means.iter_mut().for_each(of_variables);
    graph.potential.iter_mut().for_each(of_variables);
    if !graph.sample.is_empty() {
        let mut keep = is_kept.iter();
        graph.sample.retain(|_| keep.next().copied().unwrap_or(false));
    }
    graph.kinds.retain(|described| kept.contains(&described.variable.name));
    // These speak of pairs of variables that may be gone.
    (graph.bootstrap, graph.error_shape) = (None, None);
    graph.variables.retain(|name| kept.contains(name));
    graph.order.retain(|name| kept.contains(name));
    graph.edges.retain(|edge| kept.contains(&edge.from) && kept.contains(&edge.to));
    if let Some(Class { directed, undirected }) = &mut graph.class {
        for pairs in [directed, undirected] {
            pairs.retain(|pair| pair.iter().all(|name| kept.contains(name)));
        }
    }
}
