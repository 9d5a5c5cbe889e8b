//! Components side by side, and variables without edges below them.

use crate::component::{Component, Part};
use crate::layout::{LINE, Note, Place, Route, SMALL};
use crate::text::text_width;

/// Width of a page by its height.
const ASPECT: f64 = 1.33;

/// Room around the picture, and between components.
const BORDER: f64 = 12.0;
const BETWEEN: f64 = 28.0;

/// Variables without edges that are shown by name, or as dots.
const MOST_ALONE: usize = 80;
const MOST_DOTS: usize = 6000;

/// Gives everything its place; returns the size of the whole.
pub(crate) fn pack(
    components: &[Component],
    parts: Vec<Part>,
    nodes: &mut [Place],
    edges: &mut [Route],
    notes: &mut Vec<Note>,
    overview: bool,
) -> (f64, f64) {
    let area: f64 = parts.iter().map(|p| (p.width + BETWEEN) * (p.height + BETWEEN)).sum();
    let widest = parts.iter().map(|part| part.width).fold(0.0, f64::max);
    let wanted = widest.max((area * ASPECT).sqrt());
    let (mut x, mut y, mut row, mut right) = (BORDER, BORDER, 0.0_f64, 0.0_f64);
    for (component, part) in components.iter().zip(parts) {
        if x > BORDER && x + part.width > BORDER + wanted {
            (x, y, row) = (BORDER, y + row + BETWEEN, 0.0);
        }
        for (&v, (own_x, own_y, layer)) in component.nodes.iter().zip(part.nodes) {
            (nodes[v].x, nodes[v].y, nodes[v].layer) = (x + own_x, y + own_y, Some(layer));
        }
        for (number, mut points) in part.edges {
            points.iter_mut().for_each(|point| *point = [point[0] + x, point[1] + y]);
            edges[number].points = points;
        }
        right = right.max(x + part.width);
        x += part.width + BETWEEN;
        row = row.max(part.height);
    }
    let below = if components.is_empty() { BORDER } else { y + row + BETWEEN };
    let (right, bottom) = alone(nodes, notes, below, right, overview, components.is_empty());
    let bottom = if bottom > below { bottom } else { below - BETWEEN };
    for node in nodes.iter_mut().filter(|node| node.shown && !overview) {
        node.name = Some(node.area());
    }
    let picture = if components.is_empty() && bottom <= BORDER { BORDER + 20.0 } else { bottom };
    (right.max(60.0) + BORDER, picture + BORDER)
}

/// Sets variables without edges in rows from `top` on; returns the right and lower ends.
fn alone(
    nodes: &mut [Place],
    notes: &mut Vec<Note>,
    top: f64,
    right: f64,
    overview: bool,
    nothing_else: bool,
) -> (f64, f64) {
    let members: Vec<usize> = (0..nodes.len()).filter(|&v| nodes[v].degree == 0).collect();
    if members.is_empty() {
        return (right, top);
    }
    let most = if overview { MOST_DOTS } else { MOST_ALONE };
    let shown = members.len().min(most);
    let heading = match members.len() {
        1 => "1 variable without edges".to_string(),
        many if shown < many => format!("{many} variables without edges, {shown} of them shown"),
        many => format!("{many} variables without edges"),
    };
    let heading_width = text_width(&heading, SMALL);
    notes.push(Note { x: BORDER, y: top + SMALL, text: heading });
    let gap = if overview { 3.0 } else { 10.0 };
    let total: f64 =
        members[..shown].iter().map(|&v| (nodes[v].width + gap) * (nodes[v].height + gap)).sum();
    let wanted = if nothing_else { (total * ASPECT).sqrt() } else { right - BORDER };
    let wanted = wanted.max(heading_width).max(160.0);
    let (mut x, mut y, mut row, mut end) = (BORDER, top + LINE + 4.0, 0.0_f64, right);
    for (place, &v) in members.iter().enumerate() {
        let node = &mut nodes[v];
        node.shown = place < shown;
        node.layer = None;
        if !node.shown {
            continue;
        }
        if x > BORDER && x + node.width > BORDER + wanted {
            (x, y, row) = (BORDER, y + row + gap, 0.0);
        }
        (node.x, node.y) = (x + node.width / 2.0, y + node.height / 2.0);
        end = end.max(x + node.width);
        x += node.width + gap;
        row = row.max(node.height);
    }
    (end.max(BORDER + heading_width), y + row)
}
