//! From what a file says to a document: variables, edges, and which directions are determined.

use std::collections::BTreeMap;

use nocurl::{Dag, Determines, Pdag};

use super::attributes::{OfEdge, OfGraph, OfVariable};
use super::order::order;
use super::{Class, Direction, Edge, GraphDocument};
use crate::error::shorten;

/// More variables than this make no graph that could be compared: the matrix would not fit.
const MOST_VARIABLES: usize = 20_000;

/// Why a text is no graph.
#[derive(Debug)]
pub(super) enum Flaw {
    /// What is wrong.
    Invalid(String),
    /// The variables on a cycle of directed edges, in order.
    Cycle(Vec<String>),
}

impl From<String> for Flaw {
    fn from(reason: String) -> Self {
        Self::Invalid(reason)
    }
}

impl From<&str> for Flaw {
    fn from(reason: &str) -> Self {
        Self::Invalid(reason.into())
    }
}

/// Variables and edges while a file is being read.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) graph: OfGraph,
    names: Vec<String>,
    positions: BTreeMap<String, usize>,
    variables: Vec<OfVariable>,
    edges: Vec<(usize, usize, OfEdge)>,
    places: BTreeMap<(usize, usize), usize>,
}

impl Builder {
    /// The position of a variable, which is added if it is new.
    pub(super) fn variable(&mut self, name: &str) -> usize {
        if let Some(&position) = self.positions.get(name) {
            return position;
        }
        self.positions.insert(name.to_string(), self.names.len());
        self.names.push(name.to_string());
        self.variables.push(OfVariable::default());
        self.names.len() - 1
    }

    /// Adds a variable that must be new.
    pub(super) fn declare(&mut self, name: &str) -> Result<usize, String> {
        if self.positions.contains_key(name) {
            return Err(format!("variable `{}` is there twice", shorten(name, 80)));
        }
        Ok(self.variable(name))
    }

    /// What is known of a variable beside its name.
    pub(super) fn about(&mut self, variable: usize) -> &mut OfVariable {
        &mut self.variables[variable]
    }

    pub(super) fn name(&self, variable: usize) -> &str {
        &self.names[variable]
    }

    /// The position of a variable that must be there.
    pub(super) fn position(&self, name: &str) -> Result<usize, String> {
        let known = self.positions.get(name).copied();
        known.ok_or_else(|| format!("an edge names `{}`, which is no variable", shorten(name, 80)))
    }

    /// Adds an edge. The same edge in the other direction makes it an undirected one.
    pub(super) fn edge(&mut self, from: usize, to: usize, about: OfEdge) -> Result<(), String> {
        let name = |at: usize| shorten(&self.names[at], 80);
        if about.weight.is_some_and(|weight| !weight.is_finite()) {
            return Err(format!("the weight of `{}` -> `{}` is not finite", name(from), name(to)));
        }
        if self.places.insert((from, to), self.edges.len()).is_some() {
            return Err(format!("edge `{}` -> `{}` is there twice", name(from), name(to)));
        }
        self.edges.push((from, to, about));
        Ok(())
    }

    pub(super) fn finish(self) -> Result<GraphDocument, Flaw> {
        if self.names.is_empty() {
            return Err("it has no variables".into());
        }
        self.finish_edges()
    }

    /// As [`Self::finish`], for a format that may name no variable at all.
    pub(super) fn finish_edges(mut self) -> Result<GraphDocument, Flaw> {
        let d = self.names.len();
        if d > MOST_VARIABLES {
            return Err(format!("it has {d} variables, more than {MOST_VARIABLES}").into());
        }
        self.merge();
        let class = self.marked_class();
        let directions = self.directions()?;
        let order = match order(d, &self.ends()) {
            Ok(order) if !self.edges.iter().any(|(_, _, about)| about.undirected) => order,
            _ => self.draw(&directions)?,
        };
        let determines = self.determines(&directions);
        let name = |i: usize| self.names[i].clone();
        let edges = self.edges.iter().zip(directions);
        let edges: Vec<Edge> = edges
            .map(|(&(from, to, about), direction)| Edge {
                from: name(from),
                to: name(to),
                weight: about.weight,
                direction,
                confidence: about.confidence,
                evidence: about.evidence.filter(|_| direction == Direction::Determined),
                ..Edge::default()
            })
            .collect();
        let all = |number: fn(&OfVariable) -> Option<f64>| -> Option<Vec<f64>> {
            self.variables.iter().map(number).collect()
        };
        Ok(GraphDocument {
            order: order.into_iter().map(name).collect(),
            class: class.or_else(|| (determines == Determines::Class).then(|| of_edges(&edges))),
            edges,
            determines,
            potential: all(|variable| variable.potential).filter(|_| d > 0),
            means: all(|variable| variable.mean).filter(|_| d > 0),
            error_variances: all(|variable| variable.error_variance).filter(|_| d > 0),
            method: self.graph.method,
            needs_json: self.graph.needs_json,
            ..GraphDocument::without_edges(self.names)
        })
    }

    fn ends(&self) -> Vec<(usize, usize)> {
        self.edges.iter().map(|&(from, to, _)| (from, to)).collect()
    }

    /// Makes one undirected edge of each pair that is listed in both directions, and takes away
    /// the weights of undirected edges: a weight belongs to a direction.
    fn merge(&mut self) {
        let places = &self.places;
        let edges = std::mem::take(&mut self.edges).into_iter().enumerate();
        self.edges = edges
            .filter_map(|(place, (from, to, mut about))| {
                let other = places.get(&(to, from)).filter(|_| from != to);
                if other.is_some_and(|&other| other < place) {
                    return None;
                }
                let marked = about.direction.is_some() || about.shared.is_some();
                about.undirected = other.is_some() || about.undirected && !marked;
                about.weight = about.weight.filter(|_| !about.undirected);
                about.confidence = about.confidence.filter(|_| !about.undirected);
                Some((from, to, about))
            })
            .collect();
    }

    /// The class by the marks of schema 1, where every edge has one.
    fn marked_class(&self) -> Option<Class> {
        let mut class = Class::default();
        for &(from, to, about) in &self.edges {
            let ends = [self.names[from].clone(), self.names[to].clone()];
            if about.shared? { &mut class.directed } else { &mut class.undirected }.push(ends);
        }
        (!self.edges.is_empty()).then_some(class)
    }

    /// Which directions are determined: as the edge says, else as the graph says.
    fn directions(&self) -> Result<Vec<Direction>, Flaw> {
        let known = |about: &OfEdge| match about {
            OfEdge { undirected: true, .. } => Some(Direction::Undetermined),
            OfEdge { direction: Some(direction), .. } => Some(*direction),
            OfEdge { shared, .. } => match self.graph.determines.unwrap_or_default() {
                Determines::Graph => Some(Direction::Determined),
                Determines::Skeleton => Some(Direction::Undetermined),
                Determines::Class => shared.map(determined_if),
            },
        };
        let known: Option<Vec<Direction>> =
            self.edges.iter().map(|(_, _, about)| known(about)).collect();
        if let Some(directions) = known {
            return Ok(directions);
        }
        // A class without marks is that of the graph as it is drawn.
        order(self.names.len(), &self.ends()).map_err(|cycle| self.cycle(&cycle))?;
        let dag = Dag::from_edges(self.names.len(), &self.ends()).map_err(|e| e.to_string())?;
        let class = Pdag::class_of(&dag);
        Ok(self.edges.iter().map(|&(i, j, _)| determined_if(class.has_directed(i, j))).collect())
    }

    /// Draws the edges of undetermined direction so that there is no cycle: as a member of the
    /// partially directed graph, or along the determined directions where it has none. Returns
    /// the order of the variables.
    fn draw(&mut self, directions: &[Direction]) -> Result<Vec<usize>, Flaw> {
        let d = self.names.len();
        let (mut directed, mut undirected) = (Vec::new(), Vec::new());
        for (&(from, to, _), direction) in self.edges.iter().zip(directions) {
            match direction {
                Direction::Determined => directed.push((from, to)),
                Direction::Likely | Direction::Undetermined => undirected.push((from, to)),
            }
        }
        directed.extend(undirected.iter().copied().filter(|(from, to)| from == to));
        let along = order(d, &directed).map_err(|cycle| self.cycle(&cycle))?;
        let graph = Pdag::new(d, &directed, &undirected).map_err(|error| error.to_string())?;
        let drawn = graph.to_dag().map_or(along, |member| member.order().to_vec());
        let mut rank = vec![0; d];
        drawn.iter().enumerate().for_each(|(place, &i)| rank[i] = place);
        for (from, to, about) in &mut self.edges {
            if rank[*from] > rank[*to] {
                (*from, *to) = (*to, *from);
                (about.weight, about.confidence) = (None, None);
            }
        }
        order(d, &self.ends()).map_err(|cycle| self.cycle(&cycle))
    }

    /// How much of the graph is determined: as the file says, unless its edges contradict. Doubt
    /// about a direction, in the form of its confidence, is no contradiction.
    fn determines(&self, directions: &[Direction]) -> Determines {
        let has = |direction| directions.contains(&direction);
        let all = || self.edges.iter().zip(directions);
        let open = all().any(|((_, _, about), direction)| {
            *direction == Direction::Undetermined && about.confidence.is_none()
        });
        match self.graph.determines {
            Some(Determines::Skeleton) if !has(Direction::Determined) => Determines::Skeleton,
            Some(Determines::Class | Determines::Skeleton) => Determines::Class,
            Some(Determines::Graph) if !open => Determines::Graph,
            _ if directions.iter().any(|&word| word != Direction::Determined) => Determines::Class,
            _ => Determines::Graph,
        }
    }

    fn cycle(&self, cycle: &[usize]) -> Flaw {
        Flaw::Cycle(cycle.iter().map(|&i| self.names[i].clone()).collect())
    }
}

fn determined_if(determined: bool) -> Direction {
    if determined { Direction::Determined } else { Direction::Undetermined }
}

/// The class of the directions that are determined or likely.
fn of_edges(edges: &[Edge]) -> Class {
    let pair = |edge: &Edge| [edge.from.clone(), edge.to.clone()];
    Class {
        directed: edges.iter().filter(|edge| edge.is_directed()).map(pair).collect(),
        undirected: edges.iter().filter(|edge| !edge.is_directed()).map(pair).collect(),
    }
}
