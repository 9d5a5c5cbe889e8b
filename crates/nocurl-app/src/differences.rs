//! Two graphs edge by edge.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nocurl_io::{Direction, Edge, GraphDocument, GraphFormat};
use nocurl_render::{Diagram, Node, Part};
use nocurl_report::{Compared, Fact, Report, Variable, View};
use serde::Serialize;

/// What two graphs share and where they differ, by the names of their variables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Differences {
    /// What the two graphs are called.
    pub graphs: [String; 2],
    /// Edges of both in the same place, without directions that contradict each other.
    pub shared: usize,
    /// Edges of the first alone.
    pub first: usize,
    /// Edges of the second alone.
    pub second: usize,
    /// Edges of both whose determined directions are opposite.
    pub reversed: usize,
    /// All of them: those that differ before those that are shared.
    pub edges: Vec<Difference>,
    /// Variables that only one of the graphs has.
    pub only: [Vec<String>; 2],
    /// All variables.
    #[serde(skip)]
    variables: Vec<String>,
}

/// One pair of variables that is adjacent in at least one of two graphs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Which of the graphs have it.
    pub part: Part,
    /// The cause, in the first graph that has the edge.
    pub from: String,
    /// The effect there.
    pub to: String,
    /// The edge in each graph.
    pub of: [Option<Side>; 2],
}

/// An edge in one of two graphs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Side {
    /// Its weight, where it is known.
    pub weight: Option<f64>,
    /// What is known of its direction.
    pub direction: Direction,
    /// Whether it is drawn from the effect to the cause.
    pub backward: bool,
}

impl Differences {
    /// Compares two graphs; variables are matched by name.
    ///
    /// ```
    /// use nocurl_app::Differences;
    /// use nocurl_io::{Source, read_graph};
    /// let graph = |text: &str| read_graph(&Source::bytes("g.csv", text.to_string()));
    /// let (one, other) = (graph("a,b\nb,c\nc,d\n")?, graph("b,a\nb,c\na,d\n")?);
    /// let found = Differences::new(["one", "other"], &one, &other);
    /// assert_eq!((found.shared, found.reversed), (1, 1));
    /// assert_eq!((found.first, found.second), (1, 1));
    /// # Ok::<(), nocurl_io::Error>(())
    /// ```
    pub fn new(names: [&str; 2], first: &GraphDocument, second: &GraphDocument) -> Self {
        let key = |edge: &Edge| {
            let (a, b) = (edge.from.clone(), edge.to.clone());
            if a <= b { (a, b) } else { (b, a) }
        };
        let of_second: BTreeMap<(String, String), &Edge> =
            second.edges.iter().map(|edge| (key(edge), edge)).collect();
        let in_first: BTreeSet<(String, String)> = first.edges.iter().map(key).collect();
        let mut edges: Vec<Difference> = first
            .edges
            .iter()
            .map(|edge| difference(edge, Some(edge), of_second.get(&key(edge)).copied()))
            .collect();
        let alone = second.edges.iter().filter(|edge| !in_first.contains(&key(edge)));
        edges.extend(alone.map(|edge| difference(edge, None, Some(edge))));
        let rank = |part: Part| match part {
            Part::Reversed => 0,
            Part::First => 1,
            Part::Second => 2,
            Part::Shared => 3,
        };
        edges.sort_by_key(|edge| rank(edge.part));
        let count = |part: Part| edges.iter().filter(|edge| edge.part == part).count();
        let missing = |one: &GraphDocument, other: &GraphDocument| -> Vec<String> {
            let known: BTreeSet<&String> = other.variables.iter().collect();
            one.variables.iter().filter(|name| !known.contains(name)).cloned().collect()
        };
        let only = [missing(first, second), missing(second, first)];
        Self {
            graphs: names.map(str::to_string),
            shared: count(Part::Shared),
            first: count(Part::First),
            second: count(Part::Second),
            reversed: count(Part::Reversed),
            variables: [&first.variables[..], &only[1]].concat(),
            only,
            edges,
        }
    }

    /// Both graphs in one picture.
    pub fn diagram(&self) -> Diagram {
        let node = |name: &String| Node { name: name.clone(), ..Node::default() };
        Diagram {
            nodes: self.variables.iter().map(node).collect(),
            edges: self.drawn().into_iter().map(|(_, edge)| edge).collect(),
            title: format!(
                "{} and {}: {} edges in both, {} and {} in one alone, {} in opposite directions",
                self.graphs[0], self.graphs[1], self.shared, self.first, self.second, self.reversed
            ),
            compared: Some(self.graphs.clone()),
        }
    }

    /// The edges in the order of the picture, and how they are drawn there.
    fn drawn(&self) -> Vec<(&Difference, nocurl_render::Edge)> {
        let places: BTreeMap<&str, usize> =
            self.variables.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let edge = |found: &Difference| {
            // As the first graph that says where it points; its weights differ and are not shown.
            let known = found.of.iter().flatten().find(|side| points(side));
            let (from, to) = match known {
                Some(Side { backward: true, .. }) => (&found.to, &found.from),
                _ => (&found.from, &found.to),
            };
            nocurl_render::Edge {
                from: places[from.as_str()],
                to: places[to.as_str()],
                direction: match known {
                    Some(_) => nocurl_render::Direction::Determined,
                    None => nocurl_render::Direction::Undetermined,
                },
                part: Some(found.part),
                ..nocurl_render::Edge::default()
            }
        };
        // The layout keeps the directions of early edges, so those of the first graph stand first.
        let mut edges: Vec<&Difference> = self.edges.iter().collect();
        edges.sort_by_key(|edge| edge.of[0].is_none());
        edges.into_iter().map(|found| (found, edge(found))).collect()
    }

    /// Both graphs in a report.
    pub fn report(&self) -> Report {
        let graphs = short(&self.graphs);
        let mut diagram = self.diagram();
        diagram.compared = Some(graphs.clone());
        let mut view = View::new("Both graphs", &diagram);
        for (link, (found, edge)) in view.edges.iter_mut().zip(self.drawn()) {
            // Sides say where they point in relation to the edge as it is drawn.
            let turned = self.variables[edge.from] != found.from;
            let side = |side: Side| nocurl_report::Side {
                weight: side.weight,
                direction: match side.direction {
                    Direction::Determined => nocurl_render::Direction::Determined,
                    Direction::Likely => nocurl_render::Direction::Likely,
                    Direction::Undetermined => nocurl_render::Direction::Undetermined,
                },
                backward: side.backward != turned,
            };
            link.sides = found.of.iter().map(|of| of.map(side)).collect();
        }
        let named = |name: &String| Variable { name: name.clone(), ..Variable::default() };
        let fact = |name: &str, number: usize| Fact(name.into(), number.to_string());
        Report {
            title: format!("{} and {}", graphs[0], graphs[1]),
            summary: format!(
                "{} edges in both, {} and {} in one alone, {} in opposite directions",
                self.shared, self.first, self.second, self.reversed
            ),
            variables: self.variables.iter().map(named).collect(),
            views: vec![view],
            facts: vec![
                Fact("First graph".into(), self.graphs[0].clone()),
                Fact("Second graph".into(), self.graphs[1].clone()),
                fact("Edges in both", self.shared),
                fact("Edges only in the first", self.first),
                fact("Edges only in the second", self.second),
                fact("Edges in opposite directions", self.reversed),
            ],
            compared: Some(Compared { graphs, only: self.only.clone() }),
            still: Some(diagram),
            ..Report::default()
        }
    }

    /// The format of a file that shows both graphs: a picture, or a report.
    ///
    /// # Errors
    /// Another extension.
    pub fn format_of(path: impl AsRef<Path>) -> Result<&'static GraphFormat, nocurl_io::Error> {
        match GraphFormat::of_path(&path) {
            Ok(format) if format.is_report() => Ok(format),
            _ => GraphFormat::picture_of_path(path),
        }
    }

    /// Both graphs as the bytes of a file.
    ///
    /// # Errors
    /// A format that shows one graph alone, or too little memory.
    pub fn bytes(&self, format: &GraphFormat) -> Result<Vec<u8>, nocurl_io::Error> {
        match format.is_report() {
            true => Ok(nocurl_report::html(&self.report()).into_bytes()),
            false => nocurl_io::picture_bytes(&self.diagram(), format),
        }
    }

    /// Writes both graphs to a file, whole or not at all; its extension says how.
    ///
    /// # Errors
    /// Those of [`Self::format_of`] and [`Self::bytes`], or a file that cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), nocurl_io::Error> {
        let bytes = self.bytes(Self::format_of(&path)?)?;
        nocurl_io::write_bytes(path, &bytes)
    }
}

/// The names of files without their folders, where that tells them apart.
fn short(graphs: &[String; 2]) -> [String; 2] {
    let last = |path: &String| {
        let name = path.rsplit(['/', '\\']).next().filter(|name| name.contains('.'));
        name.unwrap_or(path).to_string()
    };
    let names = [last(&graphs[0]), last(&graphs[1])];
    if names[0] == names[1] { graphs.clone() } else { names }
}

/// An edge with its sides, in the direction of `drawn`.
fn difference(drawn: &Edge, first: Option<&Edge>, second: Option<&Edge>) -> Difference {
    let side = |edge: &Edge| Side {
        weight: edge.weight,
        direction: edge.direction,
        backward: edge.from != drawn.from,
    };
    let of = [first.map(side), second.map(side)];
    let part = match of {
        [Some(_), None] => Part::First,
        [None, _] => Part::Second,
        [Some(a), Some(b)] if a.backward != b.backward && points(&a) && points(&b) => {
            Part::Reversed
        }
        _ => Part::Shared,
    };
    Difference { part, from: drawn.from.clone(), to: drawn.to.clone(), of }
}

/// Whether a side says where the edge points.
fn points(side: &Side) -> bool {
    side.direction != Direction::Undetermined
}
