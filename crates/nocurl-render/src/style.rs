//! How edges and variables look.

use serde::Serialize;

use crate::diagram::{Diagram, Direction, Edge, Part};

/// A colour: red, green, blue.
pub(crate) type Colour = [u8; 3];

pub(crate) const WHITE: Colour = [255, 255, 255];
pub(crate) const INK: Colour = [26, 26, 26];
pub(crate) const FAINT: Colour = [110, 110, 110];
pub(crate) const BORDER: Colour = [85, 85, 85];
pub(crate) const PAPER: Colour = [244, 244, 244];
pub(crate) const PAPER_CATEGORY: Colour = [232, 240, 250];
pub(crate) const PAPER_CONTEXT: Colour = [253, 243, 214];

/// Blue and vermilion of Okabe and Ito (2008), which people with any kind of colour vision tell
/// apart; in print negative edges are dashed too.
pub(crate) const POSITIVE: Colour = [0, 114, 178];
pub(crate) const NEGATIVE: Colour = [213, 94, 0];
const REVERSED: Colour = [150, 60, 130];
const PLAIN: Colour = [80, 80, 80];

/// How an edge looks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Line {
    /// Red, green, blue.
    pub colour: Colour,
    /// Width in points.
    pub width: f64,
    /// From 0 to 1.
    pub opacity: f64,
    /// Lengths of dashes and of the gaps between them; nothing for a full line.
    pub dash: Option<[f64; 2]>,
    /// Which head it has at the effect.
    pub head: Direction,
    /// Whether it has a head at the cause too.
    pub both: bool,
}

impl Line {
    /// The colour as `#rrggbb`.
    ///
    /// ```
    /// use nocurl_render::{Diagram, Edge, Node, lines};
    /// let edge = Edge { from: 0, to: 1, weight: Some(-0.5), ..Edge::default() };
    /// let nodes = vec![Node::default(); 2];
    /// let diagram = Diagram { nodes, edges: vec![edge], ..Diagram::default() };
    /// assert_eq!(lines(&diagram, false)[0].hex(), "#d55e00");
    /// ```
    pub fn hex(&self) -> String {
        hex(self.colour)
    }
}

/// A colour as `#rrggbb`.
pub(crate) fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// What the width of edges says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Widths {
    Strength,
    Rank,
    Alike,
}

pub(crate) fn widths(diagram: &Diagram) -> Widths {
    let all = |has: fn(&Edge) -> bool| !diagram.edges.is_empty() && diagram.edges.iter().all(has);
    if all(|edge| edge.strength.is_some()) {
        Widths::Strength
    } else if all(|edge| edge.weight.is_some()) {
        Widths::Rank
    } else {
        Widths::Alike
    }
}

/// How each edge looks: colour by the sign of its weight, width by strength, opacity by confidence.
/// The lines of an overview are thinner.
pub fn lines(diagram: &Diagram, overview: bool) -> Vec<Line> {
    let kind = widths(diagram);
    let ranks = ranks(&diagram.edges);
    let scale = if overview { 0.4 } else { 1.0 };
    let line = |(edge, rank): (&Edge, f64)| {
        let share = match kind {
            Widths::Strength => edge.strength.unwrap_or(0.0).clamp(0.0, 1.0).sqrt(),
            Widths::Rank => rank,
            Widths::Alike => 0.3,
        };
        let (colour, dash) = look(edge);
        let confidence = edge.confidence.unwrap_or(1.0).clamp(0.0, 1.0);
        let opacity = (0.25 + 0.75 * confidence) * if overview { 0.75 } else { 1.0 };
        let width = scale * (0.9 + 2.1 * share);
        let dash = dash.map(|dash| dash.map(|part| part * if overview { 0.5 } else { 1.0 }));
        let both = edge.part == Some(Part::Reversed);
        Line { colour, width, opacity, dash, head: edge.direction, both }
    };
    diagram.edges.iter().zip(ranks).map(line).collect()
}

/// Colour and dashes of an edge.
pub(crate) fn look(edge: &Edge) -> (Colour, Option<[f64; 2]>) {
    match (edge.part, edge.weight) {
        (Some(Part::Shared), _) => (PLAIN, None),
        (Some(Part::First), _) => (POSITIVE, None),
        (Some(Part::Second), _) => (NEGATIVE, Some([5.0, 3.0])),
        (Some(Part::Reversed), _) => (REVERSED, Some([2.0, 2.0])),
        (None, Some(weight)) if weight < 0.0 => (NEGATIVE, Some([5.0, 3.0])),
        (None, Some(_)) => (POSITIVE, None),
        (None, None) => (PLAIN, None),
    }
}

/// The rank of the size of each weight, from 0 to 1; equal sizes share a rank.
fn ranks(edges: &[Edge]) -> Vec<f64> {
    let size = |edge: &Edge| edge.weight.map_or(0.0, f64::abs);
    let mut sizes: Vec<f64> = edges.iter().map(size).collect();
    sizes.sort_by(f64::total_cmp);
    let last = edges.len().saturating_sub(1).max(1) as f64;
    let rank = |edge: &Edge| {
        let first = sizes.partition_point(|&other| other < size(edge));
        let end = sizes.partition_point(|&other| other <= size(edge));
        (first + end).saturating_sub(1) as f64 / 2.0 / last
    };
    edges.iter().map(rank).collect()
}
