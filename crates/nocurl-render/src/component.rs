//! The layout of one connected part of a graph.

use std::collections::BTreeMap;

use crate::diagram::Edge;
use crate::layers;
use crate::layout::Place;
use crate::order::Levels;
use crate::place;
use crate::route::{self, Bend};

/// Bends of long edges up to which all are routed; beyond, the longest edges go straight.
const MOST_BENDS: usize = 120_000;

/// Steps that ordering may take, for all components.
const WORK: usize = 5_000_000;

/// Distances, for boxes or for dots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// Between two variables of a layer.
    between: f64,
    /// Between a variable and an edge that passes.
    beside: f64,
    /// Between two edges that pass.
    lane: f64,
    /// Between two layers.
    gap: f64,
    pub(crate) overview: bool,
    /// Whether weights are written.
    pub(crate) weights: bool,
    /// How often there may be more room.
    pub(crate) attempts: usize,
}

impl Sizes {
    pub(crate) fn new(overview: bool, weights: bool) -> Self {
        if overview {
            let (between, beside, lane, gap) = (8.0, 3.5, 2.5, 26.0);
            return Self { between, beside, lane, gap, overview, weights: false, attempts: 0 };
        }
        let gap = if weights { 40.0 } else { 32.0 };
        Self { between: 16.0, beside: 11.0, lane: 9.0, gap, overview, weights, attempts: 6 }
    }

    pub(crate) fn roomier(self) -> Self {
        Self {
            gap: 1.25 * self.gap,
            between: 1.1 * self.between,
            lane: 1.15 * self.lane,
            attempts: self.attempts - 1,
            ..self
        }
    }
}

/// A connected part of a graph.
#[derive(Debug)]
pub(crate) struct Component {
    /// Its variables, by their numbers in the diagram.
    pub(crate) nodes: Vec<usize>,
    /// Its edges, by their numbers in the diagram, with ends by places in `nodes`.
    edges: Vec<(usize, usize, usize)>,
    /// Ends from top to bottom, without cycles.
    drawn: Vec<(usize, usize)>,
    layer: Vec<usize>,
    rows: Rows,
}

/// A component with places, from its own corner.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Middle and layer of each variable of the component.
    pub(crate) nodes: Vec<(f64, f64, usize)>,
    /// Points of each edge, by its number in the diagram, from cause to effect.
    pub(crate) edges: Vec<(usize, Vec<[f64; 2]>)>,
}

impl Component {
    /// The connected parts with more than one variable, the largest first, with their layers in
    /// order.
    pub(crate) fn all(nodes: &[Place], edges: &[Edge], sizes: &Sizes) -> Vec<Self> {
        let n = nodes.len();
        let mut leader: Vec<usize> = (0..n).collect();
        fn find(leader: &mut [usize], mut v: usize) -> usize {
            while leader[v] != v {
                leader[v] = leader[leader[v]];
                v = leader[v];
            }
            v
        }
        for edge in edges {
            let (a, b) = (find(&mut leader, edge.from), find(&mut leader, edge.to));
            leader[a.max(b)] = a.min(b);
        }
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for v in 0..n {
            members.entry(find(&mut leader, v)).or_default().push(v);
        }
        let mut local = vec![0; n];
        for nodes in members.values() {
            nodes.iter().enumerate().for_each(|(place, &v)| local[v] = place);
        }
        let mut own: BTreeMap<usize, Vec<(usize, usize, usize)>> = BTreeMap::new();
        for (number, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.from != edge.to) {
            let ends = (number, local[edge.from], local[edge.to]);
            own.entry(find(&mut leader, edge.from)).or_default().push(ends);
        }
        let mut components: Vec<Self> = own
            .into_iter()
            .map(|(leader, own)| {
                let members = members.remove(&leader).unwrap_or_default();
                let ends: Vec<(usize, usize)> = own.iter().map(|&(_, u, v)| (u, v)).collect();
                let drawn = layers::acyclic(members.len(), &ends);
                let boxes: Vec<&Place> = members.iter().map(|&v| &nodes[v]).collect();
                let (layer, rows) = ordered(&drawn, &boxes, sizes, WORK / edges.len() * own.len());
                Self { nodes: members, edges: own, drawn, layer, rows }
            })
            .collect();
        components.sort_by_key(|component| std::cmp::Reverse(component.nodes.len()));
        components
    }

    /// Places for variables and ways for edges.
    pub(crate) fn layout(&self, all: &[Place], sizes: &Sizes) -> Part {
        let boxes: Vec<&Place> = self.nodes.iter().map(|&v| &all[v]).collect();
        let (rows, layer) = (&self.rows, &self.layer);
        let n = boxes.len();
        let width = |member: usize| if member < n { boxes[member].width } else { 0.0 };
        let apart = |left: usize, right: usize| {
            let gap = match (left < n, right < n) {
                (true, true) => sizes.between,
                (false, false) => sizes.lane,
                _ => sizes.beside,
            };
            (width(left) + width(right)) / 2.0 + gap
        };
        let mut x = place::places(&rows.levels, &|member| member >= n, &apart);
        let low = (0..x.len()).map(|m| x[m] - width(m) / 2.0).fold(f64::INFINITY, f64::min);
        x.iter_mut().for_each(|x| *x -= low);
        let right = |x: &[f64]| (0..x.len()).map(|m| x[m] + width(m) / 2.0).fold(0.0, f64::max);
        let (.., high) = self.heights(&x, &boxes, sizes, right(&x));
        let factor = 0.95 * high / right(&x);
        stretch(&mut x, &width, factor);
        let right = right(&x);
        let (middles, halves, bottom) = self.heights(&x, &boxes, sizes, right);
        let clear = |member: usize| -> [f64; 2] {
            // To the nearest variables on both sides of a bend.
            let row = &rows.levels.layers[rows.row[member]];
            let at = rows.levels.place[member];
            let left = row[..at].iter().rev().find(|&&m| m < n);
            let right = row[at + 1..].iter().find(|&&m| m < n);
            [
                left.map_or(f64::INFINITY, |&m| x[member] - x[m] - width(m) / 2.0),
                right.map_or(f64::INFINITY, |&m| x[m] - width(m) / 2.0 - x[member]),
            ]
        };
        let ports = self.ports(&x, &boxes, sizes);
        let edges = self.edges.iter().zip(&self.drawn).enumerate();
        let edges = edges
            .map(|(k, (&(number, from, _), &(top, bottom)))| {
                let bends: Vec<Bend> = rows.chains[k]
                    .iter()
                    .map(|&m| Bend {
                        x: x[m],
                        y: middles[rows.row[m]],
                        half: halves[rows.row[m]],
                        clear: clear(m),
                    })
                    .collect();
                let end = |v: usize, side: f64, port: f64| {
                    if sizes.overview {
                        return [x[v], middles[layer[v]] + side * boxes[v].height / 2.0];
                    }
                    [x[v] + port, middles[layer[v]] + side * boxes[v].height / 2.0]
                };
                let start = end(top, 1.0, ports[k][0]);
                let stop = end(bottom, -1.0, ports[k][1]);
                // Beside higher variables of the same layers the edge goes straight down.
                let leave = [start[0], middles[layer[top]] + halves[layer[top]]];
                let reach = [stop[0], middles[layer[bottom]] - halves[layer[bottom]]];
                let mut points = route::curve(leave, &bends, reach);
                if leave[1] - start[1] > 0.5 && !sizes.overview {
                    points.splice(0..0, [start, start, leave]);
                }
                if stop[1] - reach[1] > 0.5 && !sizes.overview {
                    points.extend([reach, stop, stop]);
                }
                if from != top {
                    points.reverse();
                }
                (number, points)
            })
            .collect();
        let nodes = (0..n).map(|v| (x[v], middles[layer[v]], layer[v])).collect();
        Part { width: right, height: bottom, nodes, edges }
    }

    /// Middle and half height of each layer, and where the last one ends.
    fn heights(
        &self,
        x: &[f64],
        boxes: &[&Place],
        sizes: &Sizes,
        width: f64,
    ) -> (Vec<f64>, Vec<f64>, f64) {
        let n = boxes.len();
        let levels = &self.rows.levels;
        let layers = &levels.layers;
        let (mut middles, mut halves) = (Vec::new(), Vec::new());
        let mut y = 0.0;
        // An overview is as high as the shape of a page asks for.
        let even = width / 1.4 / layers.len().max(1) as f64;
        for (row, members) in layers.iter().enumerate() {
            let half = members
                .iter()
                .filter(|&&m| m < n)
                .map(|&m| boxes[m].height / 2.0)
                .fold(0.0, f64::max);
            middles.push(y + half);
            halves.push(half);
            y += 2.0 * half;
            if row + 1 < layers.len() {
                // Flat edges are hard to follow: the further they go, the more height they get.
                let longest = members
                    .iter()
                    .flat_map(|&m| levels.down[m].iter().map(move |&w| (x[m] - x[w]).abs()))
                    .fold(0.0, f64::max);
                y += if sizes.overview {
                    (even - 2.0 * half).clamp(sizes.gap, 400.0)
                } else {
                    sizes.gap.max((0.16 * longest).min(2.2 * sizes.gap))
                };
            }
        }
        (middles, halves, y)
    }

    /// Where each edge leaves its upper end and reaches its lower one, from their middles.
    fn ports(&self, x: &[f64], boxes: &[&Place], sizes: &Sizes) -> Vec<[f64; 2]> {
        let mut ports = vec![[0.0; 2]; self.drawn.len()];
        if sizes.overview {
            return ports;
        }
        let mut ends: Vec<[Vec<(f64, usize)>; 2]> = vec![Default::default(); boxes.len()];
        for (k, &(top, bottom)) in self.drawn.iter().enumerate() {
            let chain = &self.rows.chains[k];
            let after = chain.first().map_or(x[bottom], |&m| x[m]);
            let before = chain.last().map_or(x[top], |&m| x[m]);
            ends[top][0].push((after, k));
            ends[bottom][1].push((before, k));
        }
        for (v, sides) in ends.iter_mut().enumerate() {
            for (side, list) in sides.iter_mut().enumerate() {
                list.sort_by(|a, b| a.0.total_cmp(&b.0));
                let room = boxes[v].width - 16.0;
                let count = list.len();
                let step = if count > 1 { (room / (count - 1) as f64).min(13.0) } else { 0.0 };
                let start = -step * (count.max(1) - 1) as f64 / 2.0;
                // A fan may lean to where its edges come from.
                let mean = list.iter().map(|(x, _)| x).sum::<f64>() / count.max(1) as f64;
                let slack = (room + 2.0 * start).max(0.0) / 2.0;
                let lean = (0.5 * (mean - x[v])).clamp(-slack, slack);
                for (place, &(_, k)) in list.iter().enumerate() {
                    ports[k][side] = start + lean + step * place as f64;
                }
            }
        }
        ports
    }
}

/// Layers in order, of several ways to choose them the one with the fewest crossings.
fn ordered(
    drawn: &[(usize, usize)],
    boxes: &[&Place],
    sizes: &Sizes,
    work: usize,
) -> (Vec<usize>, Rows) {
    let (first, bounded) = layers(drawn, boxes, sizes);
    let mut choices = vec![first];
    if !sizes.overview && !bounded {
        choices.extend(layers::extremes(boxes.len(), drawn));
    }
    let share = work / choices.len();
    let tried = choices.into_iter().map(|layer| {
        let mut rows = Rows::new(&layer, drawn, sizes);
        rows.levels.order(share);
        (rows.levels.crossings(), layer, rows)
    });
    let best = tried.min_by_key(|(crossings, _, rows)| (*crossings, rows.row.len()));
    let (_, layer, rows) = best.expect("there is a choice");
    (layer, rows)
}

/// The layers that fit a page best: edges as short as can be, unless that is too wide;
/// and whether it was.
fn layers(drawn: &[(usize, usize)], boxes: &[&Place], sizes: &Sizes) -> (Vec<usize>, bool) {
    let n = boxes.len();
    let widths: Vec<f64> = boxes.iter().map(|node| node.width + sizes.between).collect();
    let shape = |layer: &[usize]| {
        let count = layer.iter().max().map_or(1, |last| last + 1);
        let mut width = vec![0.0; count];
        (0..n).for_each(|v| width[layer[v]] += widths[v]);
        for &(top, bottom) in drawn {
            (layer[top] + 1..layer[bottom]).for_each(|passed| width[passed] += sizes.lane);
        }
        let widest = width.into_iter().fold(0.0, f64::max);
        let height = count as f64 * (boxes[0].height + sizes.gap);
        (widest, height)
    };
    let mut best = layers::shortest(n, drawn);
    if sizes.overview {
        return (best, false);
    }
    let mut was_bounded = false;
    let (mut width, mut height) = shape(&best);
    let mut most = width;
    for _ in 0..12 {
        if width <= 1.5 * height || width < 420.0 {
            break;
        }
        most *= 0.82;
        let tried = layers::bounded(n, drawn, &widths, most);
        let found = shape(&tried);
        if found.0 < width {
            (width, height) = found;
            best = tried;
            was_bounded = true;
        }
    }
    (best, was_bounded)
}

/// Spreads members of layers, where a picture is too high for its width.
fn stretch(x: &mut [f64], width: &dyn Fn(usize) -> f64, factor: f64) {
    let factor = factor.clamp(1.0, 2.0);
    x.iter_mut().for_each(|x| *x *= factor);
    let low = (0..x.len()).map(|m| x[m] - width(m) / 2.0).fold(f64::INFINITY, f64::min);
    x.iter_mut().for_each(|x| *x -= low);
}

/// Layers with a member for each variable and for each layer that an edge passes.
#[derive(Debug)]
struct Rows {
    levels: Levels,
    /// The layer of each member.
    row: Vec<usize>,
    /// The bends of each edge, from top to bottom.
    chains: Vec<Vec<usize>>,
}

impl Rows {
    fn new(layer: &[usize], drawn: &[(usize, usize)], sizes: &Sizes) -> Self {
        let mut levels = Levels::default();
        let mut row = layer.to_vec();
        for &layer in layer {
            levels.push(layer);
        }
        let mut order: Vec<usize> = (0..drawn.len()).collect();
        order.sort_by_key(|&k| (layer[drawn[k].1] - layer[drawn[k].0], k));
        let mut chains = vec![Vec::new(); drawn.len()];
        let mut left = if sizes.overview { MOST_BENDS } else { usize::MAX };
        for k in order {
            let (top, bottom) = drawn[k];
            let passed = layer[bottom] - layer[top] - 1;
            if passed > left {
                break;
            }
            left -= passed;
            let mut last = top;
            for between in layer[top] + 1..layer[bottom] {
                let bend = levels.push(between);
                row.push(between);
                levels.join(last, bend);
                chains[k].push(bend);
                last = bend;
            }
            levels.join(last, bottom);
        }
        Self { levels, row, chains }
    }
}
