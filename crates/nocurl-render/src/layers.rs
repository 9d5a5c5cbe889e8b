//! Which layer each variable stands on, so that edges point downwards and are short.
//!
//! The total length of edges is minimised by the network simplex method (Gansner, Koutsofios, North
//! and Vo, 1993). Where that makes layers too wide for a page, variables are scheduled on layers of
//! a given width instead, in the manner of Coffman and Graham (1972).

/// Variables up to which the simplex method is used; its steps cost O(edges) each.
const MOST_SIMPLEX: usize = 1500;

/// The ends of edges so that there is no cycle: the first edges as they are, and later ones that
/// would close a cycle turned around.
pub(crate) fn acyclic(n: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    if topological(n, edges).is_some() {
        return edges.to_vec();
    }
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut seen = vec![usize::MAX; n];
    let mut drawn = Vec::with_capacity(edges.len());
    for (step, &(from, to)) in edges.iter().enumerate() {
        let mut stack = vec![to];
        let mut closes = false;
        while let Some(at) = stack.pop() {
            closes |= at == from;
            if !closes && std::mem::replace(&mut seen[at], step) != step {
                stack.extend(&below[at]);
            }
        }
        let (top, bottom) = if closes { (to, from) } else { (from, to) };
        below[top].push(bottom);
        drawn.push((top, bottom));
    }
    drawn
}

/// An order in which edges point forwards, if there is one.
fn topological(n: usize, edges: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut above = vec![0; n];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); n];
    for &(from, to) in edges {
        above[to] += 1;
        below[from].push(to);
    }
    let mut order: Vec<usize> = (0..n).filter(|&v| above[v] == 0).collect();
    let mut next = 0;
    while let Some(&v) = order.get(next) {
        next += 1;
        for &w in &below[v] {
            above[w] -= 1;
            if above[w] == 0 {
                order.push(w);
            }
        }
    }
    (order.len() == n).then_some(order)
}

/// Layers from 0 with edges as short as can be, for a connected graph without cycles.
pub(crate) fn shortest(n: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let order = topological(n, edges).expect("there is no cycle");
    let mut rank = vec![0_i64; n];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); n];
    edges.iter().for_each(|&(from, to)| below[from].push(to));
    for &v in &order {
        for &w in &below[v] {
            rank[w] = rank[w].max(rank[v] + 1);
        }
    }
    if n > 1 && n <= MOST_SIMPLEX {
        Simplex::new(edges, &mut rank).run();
    }
    let lowest = rank.iter().copied().min().unwrap_or(0);
    let mut layers: Vec<usize> = rank.iter().map(|&rank| (rank - lowest) as usize).collect();
    balance(edges, &order, &mut layers, &vec![1.0; n], f64::INFINITY);
    layers
}

/// Layers with every variable as high as it may be, and with every variable as low as it may be.
pub(crate) fn extremes(n: usize, edges: &[(usize, usize)]) -> [Vec<usize>; 2] {
    let order = topological(n, edges).expect("there is no cycle");
    let (mut above, mut below) = (vec![Vec::new(); n], vec![Vec::new(); n]);
    for &(from, to) in edges {
        above[to].push(from);
        below[from].push(to);
    }
    let (mut high, mut depth) = (vec![0; n], vec![0; n]);
    for &v in &order {
        high[v] = above[v].iter().map(|&u| high[u] + 1).max().unwrap_or(0);
    }
    for &v in order.iter().rev() {
        depth[v] = below[v].iter().map(|&w| depth[w] + 1).max().unwrap_or(0);
    }
    let last = depth.iter().copied().max().unwrap_or(0);
    [high, depth.into_iter().map(|depth: usize| last - depth).collect()]
}

/// Layers no wider than `most` where that is possible.
pub(crate) fn bounded(n: usize, edges: &[(usize, usize)], widths: &[f64], most: f64) -> Vec<usize> {
    let order = topological(n, edges).expect("there is no cycle");
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut waiting = vec![0; n];
    for &(from, to) in edges {
        below[from].push(to);
        waiting[to] += 1;
    }
    // How many layers are needed below a variable: the longest paths are scheduled first.
    let mut depth = vec![0; n];
    for &v in order.iter().rev() {
        depth[v] = below[v].iter().map(|&w| depth[w] + 1).max().unwrap_or(0);
    }
    let mut ready: Vec<usize> = (0..n).filter(|&v| waiting[v] == 0).collect();
    let mut layers = vec![0; n];
    let mut layer = 0;
    while !ready.is_empty() {
        ready.sort_by_key(|&v| (std::cmp::Reverse(depth[v]), v));
        let mut room = most;
        let (mut placed, mut left) = (Vec::new(), Vec::new());
        for v in ready {
            if placed.is_empty() || widths[v] <= room {
                room -= widths[v];
                layers[v] = layer;
                placed.push(v);
            } else {
                left.push(v);
            }
        }
        for v in placed {
            for &w in &below[v] {
                waiting[w] -= 1;
                if waiting[w] == 0 {
                    left.push(w);
                }
            }
        }
        ready = left;
        layer += 1;
    }
    balance(edges, &order, &mut layers, widths, most);
    layers
}

/// Moves single variables where that makes edges shorter or layers more alike, and keeps to the
/// width.
fn balance(
    edges: &[(usize, usize)],
    order: &[usize],
    layers: &mut [usize],
    widths: &[f64],
    most: f64,
) {
    let n = layers.len();
    let count = layers.iter().max().map_or(0, |last| last + 1);
    let (mut above, mut below) = (vec![Vec::new(); n], vec![Vec::new(); n]);
    for &(from, to) in edges {
        above[to].push(from);
        below[from].push(to);
    }
    let mut filled = vec![0.0; count];
    (0..n).for_each(|v| filled[layers[v]] += widths[v]);
    for pass in 0..8 {
        let mut moved = false;
        for step in 0..n {
            let v = if pass % 2 == 0 { order[n - 1 - step] } else { order[step] };
            let low = above[v].iter().map(|&u| layers[u] + 1).max().unwrap_or(0);
            let high = below[v].iter().map(|&w| layers[w] - 1).min().unwrap_or(count - 1);
            let pull = above[v].len() as f64 - below[v].len() as f64;
            let cost = |layer: usize| {
                let others = filled[layer] - if layer == layers[v] { widths[v] } else { 0.0 };
                let full = others > 0.0 && others + widths[v] > most;
                // Where edges have the same length, the emptier layer; else where it was.
                let tie = if pull == 0.0 { others + widths[v] } else { 0.0 };
                (full, pull * layer as f64, tie, layer != layers[v])
            };
            let best = (low..=high)
                .min_by(|&a, &b| cost(a).partial_cmp(&cost(b)).expect("widths are numbers"));
            if let Some(best) = best.filter(|&best| best != layers[v]) {
                filled[layers[v]] -= widths[v];
                filled[best] += widths[v];
                layers[v] = best;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
}

/// The network simplex method on a connected graph.
struct Simplex<'a> {
    edges: &'a [(usize, usize)],
    rank: &'a mut [i64],
    /// Edges of the spanning tree, all of them as short as they may be.
    tree: Vec<usize>,
    in_tree: Vec<bool>,
    /// Edges that leave a variable less those that enter it.
    supply: Vec<i64>,
}

/// The tree seen from its root.
struct Rooted {
    /// The edge to the parent of each variable.
    up: Vec<usize>,
    /// Variables in the order of a walk, and the part of it that is the subtree of each.
    walk: Vec<usize>,
    place: Vec<usize>,
    end: Vec<usize>,
}

impl Rooted {
    fn holds(&self, top: usize, v: usize) -> bool {
        (self.place[top]..self.end[top]).contains(&self.place[v])
    }
}

impl<'a> Simplex<'a> {
    fn new(edges: &'a [(usize, usize)], rank: &'a mut [i64]) -> Self {
        let mut supply = vec![0; rank.len()];
        for &(from, to) in edges {
            supply[from] += 1;
            supply[to] -= 1;
        }
        let in_tree = vec![false; edges.len()];
        let mut simplex = Self { edges, rank, tree: Vec::new(), in_tree, supply };
        simplex.span();
        simplex
    }

    fn slack(&self, edge: usize) -> i64 {
        let (from, to) = self.edges[edge];
        self.rank[to] - self.rank[from] - 1
    }

    /// Grows a tree of edges of length 1; its part of the graph is moved until all is in it.
    fn span(&mut self) {
        let n = self.rank.len();
        let mut inside = vec![false; n];
        inside[0] = true;
        for _ in 1..n {
            let leaving = (0..self.edges.len()).filter(|&e| {
                let (from, to) = self.edges[e];
                inside[from] != inside[to]
            });
            let Some(edge) = leaving.min_by_key(|&e| self.slack(e)) else { return };
            let (from, to) = self.edges[edge];
            let shift = if inside[from] { self.slack(edge) } else { -self.slack(edge) };
            for (v, rank) in self.rank.iter_mut().enumerate() {
                *rank += if inside[v] { shift } else { 0 };
            }
            (inside[from], inside[to]) = (true, true);
            self.in_tree[edge] = true;
            self.tree.push(edge);
        }
    }

    fn run(&mut self) {
        // Steps of length 0 could go in circles; few graphs need more than a step for each edge.
        let mut next = 0;
        for _ in 0..4 * self.edges.len() {
            let rooted = self.rooted();
            let gain = self.gains(&rooted);
            let count = self.tree.len();
            let Some(place) =
                (0..count).map(|k| (next + k) % count).find(|&k| gain[self.tree[k]] < 0)
            else {
                return;
            };
            next = place + 1;
            self.exchange(place, &rooted);
        }
    }

    fn rooted(&self) -> Rooted {
        let n = self.rank.len();
        let mut neighbours: Vec<Vec<(usize, usize)>> = vec![Vec::new(); n];
        for &edge in &self.tree {
            let (from, to) = self.edges[edge];
            neighbours[from].push((to, edge));
            neighbours[to].push((from, edge));
        }
        let mut rooted = Rooted {
            up: vec![usize::MAX; n],
            walk: Vec::with_capacity(n),
            place: vec![0; n],
            end: vec![n; n],
        };
        let mut stack = vec![0];
        while let Some(v) = stack.pop() {
            rooted.place[v] = rooted.walk.len();
            rooted.walk.push(v);
            for &(w, edge) in &neighbours[v] {
                if edge != rooted.up[v] {
                    rooted.up[w] = edge;
                    stack.push(w);
                }
            }
        }
        let mut size = vec![1; n];
        for &v in rooted.walk.iter().rev() {
            rooted.end[v] = rooted.place[v] + size[v];
            if rooted.up[v] != usize::MAX {
                let (from, to) = self.edges[rooted.up[v]];
                size[from + to - v] += size[v];
            }
        }
        rooted
    }

    /// What the total length changes by when a tree edge grows by 1. Of the edges between the two
    /// parts of the tree only the difference counts, which is the supply of one part.
    fn gains(&self, rooted: &Rooted) -> Vec<i64> {
        let mut sum = self.supply.clone();
        let mut gain = vec![0; self.edges.len()];
        for &v in rooted.walk.iter().rev() {
            let edge = rooted.up[v];
            if edge == usize::MAX {
                continue;
            }
            let (from, to) = self.edges[edge];
            gain[edge] = if from == v { sum[v] } else { -sum[v] };
            sum[from + to - v] += sum[v];
        }
        gain
    }

    /// Takes an edge out of the tree, moves one part until another edge has length 1, and takes
    /// that one in.
    fn exchange(&mut self, place: usize, rooted: &Rooted) {
        let leaving = self.tree[place];
        let (from, to) = self.edges[leaving];
        let child = if rooted.up[from] == leaving { from } else { to };
        // The part with the tail moves up; edges from the other part into it limit that.
        let in_tail = |v: usize| rooted.holds(child, v) == (child == from);
        let entering = (0..self.edges.len())
            .filter(|&e| !self.in_tree[e])
            .filter(|&e| !in_tail(self.edges[e].0) && in_tail(self.edges[e].1))
            .min_by_key(|&e| self.slack(e));
        let Some(entering) = entering else { return };
        let shift = self.slack(entering);
        for v in 0..self.rank.len() {
            if in_tail(v) {
                self.rank[v] -= shift;
            }
        }
        self.in_tree[leaving] = false;
        self.in_tree[entering] = true;
        self.tree[place] = entering;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(layers: &[usize], edges: &[(usize, usize)]) -> usize {
        edges.iter().map(|&(from, to)| layers[to] - layers[from]).sum()
    }

    /// The least total length by trying every layer for every variable.
    fn by_force(n: usize, edges: &[(usize, usize)]) -> usize {
        let mut best = usize::MAX;
        for code in 0..n.pow(n as u32) {
            let layers: Vec<usize> = (0..n).map(|v| code / n.pow(v as u32) % n).collect();
            if edges.iter().all(|&(from, to)| layers[from] < layers[to]) {
                best = best.min(length(&layers, edges));
            }
        }
        best
    }

    #[test]
    fn edges_are_as_short_as_can_be() {
        let graphs: [&[(usize, usize)]; 4] = [
            &[(0, 1), (1, 2), (0, 3), (3, 2), (4, 2), (0, 5), (5, 2)],
            &[(0, 1), (1, 2), (2, 3), (4, 3), (4, 5), (0, 5)],
            &[(0, 1), (2, 1), (2, 3), (4, 3), (4, 5), (1, 5)],
            &[(0, 5), (1, 5), (2, 5), (3, 4), (4, 5), (0, 3)],
        ];
        for edges in graphs {
            assert_eq!(length(&shortest(6, edges), edges), by_force(6, edges), "{edges:?}");
        }
    }

    #[test]
    fn layers_keep_to_a_width() {
        let star: Vec<(usize, usize)> = (1..40).map(|leaf| (0, leaf)).collect();
        let layers = bounded(40, &star, &[10.0; 40], 100.0);
        for layer in 0..=*layers.iter().max().unwrap() {
            assert!(layers.iter().filter(|&&l| l == layer).count() <= 10);
        }
        assert!(star.iter().all(|&(from, to)| layers[from] < layers[to]));
    }

    #[test]
    fn cycles_are_cut_at_later_edges() {
        assert_eq!(acyclic(3, &[(0, 1), (1, 2), (2, 0)]), [(0, 1), (1, 2), (0, 2)]);
    }
}
