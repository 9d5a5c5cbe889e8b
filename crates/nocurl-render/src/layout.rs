//! Places for variables and ways for edges.

use serde::Serialize;

use crate::component::{Component, Part, Sizes};
use crate::diagram::Diagram;
use crate::labels;
use crate::pack;
use crate::text::{text_width, wrap};

/// Variables with edges up to which each is a box with its name; of more there is an overview.
pub const MOST_BOXES: usize = 60;

/// Edges up to which weights are written beside them.
pub const MOST_WEIGHTS: usize = 70;

/// Size of the font of names, and the height of a line of them.
pub(crate) const FONT: f64 = 11.0;
pub(crate) const LINE: f64 = 13.0;

/// Size of the font of weights and of small print.
pub(crate) const SMALL: f64 = 8.5;

/// The width at which names are cut into lines.
const NAME_WIDTH: f64 = 110.0;

/// A picture's geometry, in points from the top left corner.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Layout {
    /// Width of all of it.
    pub width: f64,
    /// Height of all of it.
    pub height: f64,
    /// Whether it is an overview: dots instead of boxes, and names where there is room.
    pub overview: bool,
    /// The places of the variables, in their order.
    pub nodes: Vec<Place>,
    /// The ways of the edges, in their order.
    pub edges: Vec<Route>,
    /// Words beside the graph.
    pub notes: Vec<Note>,
}

/// Where a variable stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Place {
    /// Middle of the box or dot.
    pub x: f64,
    /// Middle of the box or dot.
    pub y: f64,
    /// Width of the box or dot.
    pub width: f64,
    /// Height of the box or dot.
    pub height: f64,
    /// Its layer, from 0 for causes; variables without edges have none.
    pub layer: Option<usize>,
    /// Number of its edges.
    pub degree: usize,
    /// The name in lines.
    pub lines: Vec<String>,
    /// Where the name stands; nowhere if there is no room for it.
    pub name: Option<Area>,
    /// False for a variable that is left out, since it is one of very many without edges.
    pub shown: bool,
}

impl Place {
    /// The area of the box or dot.
    pub fn area(&self) -> Area {
        Area { x: self.x, y: self.y, width: self.width, height: self.height }
    }
}

/// The way of an edge.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Route {
    /// Points of cubic Bézier curves from the cause to the effect: a start, then three for each.
    pub points: Vec<[f64; 2]>,
    /// Where its weight is written, and how.
    pub label: Option<(Area, String)>,
}

/// A rectangle by its middle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Area {
    /// Its middle.
    pub x: f64,
    /// Its middle.
    pub y: f64,
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

impl Area {
    /// True when the two have a point in common that is not on their borders.
    pub fn overlaps(&self, other: &Area) -> bool {
        (self.x - other.x).abs() * 2.0 < self.width + other.width
            && (self.y - other.y).abs() * 2.0 < self.height + other.height
    }

    /// This with a border around it.
    pub(crate) fn padded(&self, by: f64) -> Self {
        Self { width: self.width + 2.0 * by, height: self.height + 2.0 * by, ..*self }
    }
}

/// Words beside the graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Note {
    /// Where they start.
    pub x: f64,
    /// Their base line.
    pub y: f64,
    /// The words.
    pub text: String,
}

/// Lays a graph out.
///
/// Layers follow the directions, causes on top; crossings are few; long edges are smooth; no name,
/// weight or box overlaps another. The same graph has the same layout everywhere. The cost is about
/// linear in edges times layers.
///
/// ```
/// use nocurl_render::{Diagram, Edge, Node, layout};
/// let node = |name: &str| Node { name: name.into(), ..Node::default() };
/// let diagram = Diagram {
///     nodes: vec![node("rain"), node("wet")],
///     edges: vec![Edge { from: 0, to: 1, weight: Some(0.8), ..Edge::default() }],
///     ..Diagram::default()
/// };
/// let layout = layout(&diagram);
/// assert!(layout.nodes[0].y < layout.nodes[1].y);
/// ```
///
/// # Panics
/// When an edge ends at a variable that is not there.
pub fn layout(diagram: &Diagram) -> Layout {
    let n = diagram.nodes.len();
    let (mut above, mut below) = (vec![0; n], vec![0; n]);
    for edge in &diagram.edges {
        below[edge.from] += 1;
        above[edge.to] += 1;
    }
    let degree: Vec<usize> = above.iter().zip(&below).map(|(above, below)| above + below).collect();
    let connected = degree.iter().filter(|&&degree| degree > 0).count();
    let overview = connected > MOST_BOXES;
    let mut nodes: Vec<Place> = (0..n)
        .map(|v| {
            let ports = above[v].max(below[v]);
            place(&diagram.nodes[v].name, degree[v], ports, overview)
        })
        .collect();
    let mut sizes = Sizes::new(overview, diagram.edges.len() <= MOST_WEIGHTS);
    let components = Component::all(&nodes, &diagram.edges, &sizes);
    let mut edges;
    let mut notes;
    let mut size;
    // Weights that find no room get more of it.
    loop {
        let parts: Vec<Part> =
            components.iter().map(|component| component.layout(&nodes, &sizes)).collect();
        edges = vec![Route::default(); diagram.edges.len()];
        notes = Vec::new();
        size = pack::pack(&components, parts, &mut nodes, &mut edges, &mut notes, overview);
        let is_last = sizes.attempts == 0;
        if !sizes.weights || labels::weights(diagram, &nodes, &mut edges, size, is_last) || is_last
        {
            break;
        }
        sizes = sizes.roomier();
    }
    if overview {
        labels::names(&mut nodes, size);
    }
    Layout { width: size.0, height: size.1, overview, nodes, edges, notes }
}

/// The size of a variable with so many edges, and at most so many on one side.
fn place(name: &str, degree: usize, ports: usize, overview: bool) -> Place {
    if overview {
        let radius = (2.0 + 1.2 * (degree as f64).sqrt()).min(10.0);
        let lines = vec![crate::text::shorten(name, SMALL, NAME_WIDTH)];
        let (width, height) = (2.0 * radius, 2.0 * radius);
        return Place { width, height, degree, lines, shown: true, ..Place::default() };
    }
    let lines = wrap(name, FONT, NAME_WIDTH);
    let text = lines.iter().map(|line| text_width(line, FONT)).fold(0.0, f64::max);
    // Many edges need room to end side by side.
    let width = (text + 16.0).max(34.0).max((10.0 + 5.0 * ports as f64).min(180.0)).ceil();
    let height = LINE * lines.len() as f64 + 10.0;
    Place { width, height, degree, lines, shown: true, ..Place::default() }
}
