//! Words on the picture that must find room: weights beside edges, names beside dots.

use std::collections::HashMap;

use crate::diagram::Diagram;
use crate::layout::{Area, Place, Route, SMALL};
use crate::route::samples;
use crate::text::text_width;

/// Room around the head of an edge.
const HEAD: f64 = 9.0;

/// Samples on each piece of an edge.
const STEPS: usize = 10;

/// Things that are in the way, by the cells of a grid.
struct Grid<T> {
    cells: HashMap<(i64, i64), Vec<T>>,
}

const CELL: f64 = 40.0;

impl<T: Copy> Grid<T> {
    fn new() -> Self {
        Self { cells: HashMap::new() }
    }

    fn span(area: &Area) -> impl Iterator<Item = (i64, i64)> + use<T> {
        let cell = |value: f64| (value / CELL).floor() as i64;
        let (left, right) = (cell(area.x - area.width / 2.0), cell(area.x + area.width / 2.0));
        let (top, bottom) = (cell(area.y - area.height / 2.0), cell(area.y + area.height / 2.0));
        (left..=right).flat_map(move |i| (top..=bottom).map(move |j| (i, j)))
    }

    fn add(&mut self, area: &Area, thing: T) {
        for cell in Self::span(area) {
            self.cells.entry(cell).or_default().push(thing);
        }
    }

    fn any(&self, area: &Area, mut found: impl FnMut(&T) -> bool) -> bool {
        Self::span(area)
            .any(|cell| self.cells.get(&cell).is_some_and(|all| all.iter().any(&mut found)))
    }

    fn count(&self, area: &Area, mut found: impl FnMut(&T) -> bool) -> usize {
        Self::span(area)
            .filter_map(|cell| self.cells.get(&cell))
            .flatten()
            .filter(|thing| found(thing))
            .count()
    }
}

/// A number as short as it can be read, with a minus as wide as a plus.
///
/// ```
/// assert_eq!(nocurl_render::number(-0.41666), "\u{2212}0.42");
/// ```
pub fn number(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        0.0 => "0".to_string(),
        _ if (9.995..99999.5).contains(&size) => format!("{:.*}", usize::from(size < 99.95), size),
        _ if (0.00995..9.995).contains(&size) => format!("{size:.2}"),
        _ if (0.00095..0.00995).contains(&size) => format!("{size:.3}"),
        _ => format!("{size:.1e}"),
    };
    if value < 0.0 { format!("\u{2212}{text}") } else { text }
}

/// Writes weights beside their edges; false when one found no room. `leave_out` lets go of those.
pub(crate) fn weights(
    diagram: &Diagram,
    nodes: &[Place],
    edges: &mut [Route],
    size: (f64, f64),
    leave_out: bool,
) -> bool {
    let mut taken = Grid::new();
    for node in nodes.iter().filter(|node| node.shown) {
        let area = node.area().padded(1.5);
        taken.add(&area, area);
    }
    let lines: Vec<Vec<[f64; 2]>> = edges.iter().map(|edge| samples(&edge.points, STEPS)).collect();
    let mut points = Grid::new();
    for (k, line) in lines.iter().enumerate() {
        for &[x, y] in line {
            points.add(&Area { x, y, width: 0.0, height: 0.0 }, (k, x, y));
        }
        for end in [line.first(), line.last()].into_iter().flatten() {
            let head = Area { x: end[0], y: end[1], width: HEAD, height: 2.0 * HEAD };
            taken.add(&head, head);
        }
    }
    // Short edges have the least choice.
    let mut order: Vec<usize> =
        (0..edges.len()).filter(|&k| diagram.edges[k].weight.is_some()).collect();
    order.sort_by_key(|&k| lines[k].len());
    let mut all = true;
    for k in order {
        let Some(weight) = diagram.edges[k].weight else { continue };
        let text = number(weight);
        let (width, height) = (text_width(&text, SMALL) + 4.0, SMALL + 3.0);
        let found = candidates(&lines[k], width, height).into_iter().filter_map(|(area, cost)| {
            let near = area.padded(1.0);
            if !inside(&area, size) {
                return None;
            }
            if taken.any(&near, |other: &Area| near.overlaps(other)) {
                return None;
            }
            let crossed = points.count(&near, |&(other, x, y)| {
                other != k && near.overlaps(&Area { x, y, width: 1.0, height: 1.0 })
            });
            Some((area, cost + 3.0 * crossed as f64))
        });
        match found.min_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((area, _)) => {
                taken.add(&area, area);
                edges[k].label = Some((area, text));
            }
            None if leave_out => all = false,
            None => return false,
        }
    }
    all
}

/// Whether an area lies in a picture of some size.
fn inside(area: &Area, (width, height): (f64, f64)) -> bool {
    (area.width / 2.0..=width - area.width / 2.0).contains(&area.x)
        && (area.height / 2.0..=height - area.height / 2.0).contains(&area.y)
}

/// Places for a label on its edge, or beside it, with what speaks against each.
fn candidates(line: &[[f64; 2]], width: f64, height: f64) -> Vec<(Area, f64)> {
    let last = line.len().saturating_sub(1).max(1) as f64;
    let mut found = Vec::new();
    for (place, &[x, y]) in line.iter().enumerate() {
        let off = (place as f64 / last - 0.45).abs();
        found.push((Area { x, y, width, height }, 4.0 * off));
        for side in [-1.0, 1.0] {
            let beside = x + side * (width / 2.0 + 1.0);
            found.push((Area { x: beside, y, width, height }, 3.0 + 4.0 * off));
        }
    }
    found
}

/// Writes names beside dots where there is room, those with most edges first.
pub(crate) fn names(nodes: &mut [Place], size: (f64, f64)) {
    let mut taken = Grid::new();
    for node in nodes.iter().filter(|node| node.shown) {
        let area = node.area().padded(0.5);
        taken.add(&area, area);
    }
    let mut order: Vec<usize> = (0..nodes.len()).filter(|&v| nodes[v].shown).collect();
    order.sort_by_key(|&v| std::cmp::Reverse(nodes[v].degree));
    for v in order {
        let node = &nodes[v];
        let width = text_width(&node.lines[0], SMALL) + 2.0;
        let height = SMALL + 2.0;
        let (beside, above) = ((node.width + width) / 2.0 + 1.0, (node.height + height) / 2.0);
        let tries = [
            (beside, 0.0),
            (-beside, 0.0),
            (0.0, -above),
            (0.0, above),
            (0.8 * beside, -above),
            (0.8 * beside, above),
            (-0.8 * beside, -above),
            (-0.8 * beside, above),
        ];
        let free = tries.into_iter().map(|(dx, dy)| Area {
            x: node.x + dx,
            y: node.y + dy,
            width,
            height,
        });
        let found = free
            .filter(|area| inside(area, size))
            .find(|area| !taken.any(area, |other: &Area| area.overlaps(other)));
        if let Some(area) = found {
            taken.add(&area, area);
            nodes[v].name = Some(area);
        }
    }
}
