//! The order of each layer, with few crossings.
//!
//! Layers are sorted by the means and medians of their neighbours, downwards and upwards (Sugiyama,
//! Tagawa and Toda, 1981), then members are moved one by one to their best place (sifting: Matuszewski,
//! Schönfeld and Molitor, 1999), from several starts. The work is bounded by counts, not by time,
//! so that a graph always has the same picture.

/// A graph whose edges join neighbouring layers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Levels {
    /// Members of each layer, from left to right.
    pub(crate) layers: Vec<Vec<usize>>,
    /// Neighbours above and below each member.
    pub(crate) up: Vec<Vec<usize>>,
    pub(crate) down: Vec<Vec<usize>>,
    /// Place of each member in its layer.
    pub(crate) place: Vec<usize>,
}

impl Levels {
    /// Adds a member to a layer.
    pub(crate) fn push(&mut self, layer: usize) -> usize {
        let member = self.place.len();
        if self.layers.len() <= layer {
            self.layers.resize(layer + 1, Vec::new());
        }
        self.place.push(self.layers[layer].len());
        self.layers[layer].push(member);
        self.up.push(Vec::new());
        self.down.push(Vec::new());
        member
    }

    pub(crate) fn join(&mut self, above: usize, below: usize) {
        self.down[above].push(below);
        self.up[below].push(above);
    }

    fn number(&mut self, layer: usize) {
        for (place, &member) in self.layers[layer].iter().enumerate() {
            self.place[member] = place;
        }
    }

    fn set(&mut self, layers: &[Vec<usize>]) {
        self.layers = layers.to_vec();
        (0..layers.len()).for_each(|layer| self.number(layer));
    }

    /// Crossings between a layer and the next.
    fn crossings_below(&self, layer: usize, tree: &mut Vec<usize>) -> usize {
        let Some(next) = self.layers.get(layer + 1) else { return 0 };
        tree.clear();
        tree.resize(next.len() + 1, 0);
        let (mut total, mut before) = (0, 0);
        let mut places = Vec::new();
        for &member in &self.layers[layer] {
            places.clear();
            places.extend(self.down[member].iter().map(|&w| self.place[w]));
            // Edges of earlier members that end further to the right.
            for &place in &places {
                let mut at = place + 1;
                let mut not_right = 0;
                while at > 0 {
                    not_right += tree[at];
                    at &= at - 1;
                }
                total += before - not_right;
            }
            for &place in &places {
                let mut at = place + 1;
                while at <= next.len() {
                    tree[at] += 1;
                    at += at & at.wrapping_neg();
                }
            }
            before += places.len();
        }
        total
    }

    /// Crossings of edges between neighbouring layers.
    pub(crate) fn crossings(&self) -> usize {
        let mut tree = Vec::new();
        (0..self.layers.len()).map(|layer| self.crossings_below(layer, &mut tree)).sum()
    }

    /// Sorts a layer by its neighbours on one side; members without neighbours stay.
    fn sort(&mut self, layer: usize, downwards: bool, by_median: bool) {
        let members = &self.layers[layer];
        let mut keyed = Vec::with_capacity(members.len());
        let mut fixed = Vec::new();
        for (place, &member) in members.iter().enumerate() {
            let side = if downwards { &self.up[member] } else { &self.down[member] };
            let mut places: Vec<usize> = side.iter().map(|&v| self.place[v]).collect();
            if places.is_empty() {
                fixed.push((place, member));
                continue;
            }
            let key = if by_median {
                places.sort_unstable();
                let middle = places.len() / 2;
                (places[middle] + places[(places.len() - 1) / 2]) as f64 / 2.0
            } else {
                places.iter().sum::<usize>() as f64 / places.len() as f64
            };
            keyed.push((key, member));
        }
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut sorted: Vec<usize> = keyed.into_iter().map(|(_, member)| member).collect();
        for (place, member) in fixed {
            sorted.insert(place.min(sorted.len()), member);
        }
        self.layers[layer] = sorted;
        self.number(layer);
    }

    fn sweep(&mut self, downwards: bool, by_median: bool) {
        let count = self.layers.len();
        for step in 1..count {
            let layer = if downwards { step } else { count - 1 - step };
            self.sort(layer, downwards, by_median);
        }
    }

    /// Moves each member of a layer to its best place; returns the crossings saved. With `neutral`
    /// it also moves where that changes nothing, which lets others move later.
    fn sift(&mut self, layer: usize, window: usize, neutral: bool) -> usize {
        let sides: Vec<[Vec<usize>; 2]> = self.layers[layer]
            .iter()
            .map(|&member| {
                [&self.up[member], &self.down[member]].map(|side| {
                    let mut places: Vec<usize> = side.iter().map(|&v| self.place[v]).collect();
                    places.sort_unstable();
                    places
                })
            })
            .collect();
        // From here members are known by their places at the start.
        let n = sides.len();
        let mut line: Vec<usize> = (0..n).collect();
        let mut saved = 0;
        for who in 0..n {
            let at = line.iter().position(|&member| member == who).expect("it is in the line");
            let (mut best, mut least) = (at, 0_i64);
            let mut change = 0;
            for place in (at.saturating_sub(window)..at).rev() {
                change += exchange(&sides[line[place]], &sides[who]);
                if change < least || neutral && change == least && change == 0 {
                    (best, least) = (place, change);
                }
            }
            change = 0;
            for place in at + 1..n.min(at + 1 + window) {
                change += exchange(&sides[who], &sides[line[place]]);
                if change < least {
                    (best, least) = (place, change);
                }
            }
            if best != at {
                line.remove(at);
                line.insert(best, who);
                saved += least.unsigned_abs() as usize;
            }
        }
        let members = &self.layers[layer];
        self.layers[layer] = line.into_iter().map(|place| members[place]).collect();
        self.number(layer);
        saved
    }

    /// Sifts until nothing changes; returns the number of passes.
    fn sift_all(&mut self, window: usize, passes: usize) -> usize {
        for pass in 0..passes {
            let count = self.layers.len();
            let saved: usize = (0..count)
                .map(|step| {
                    let layer = if pass % 2 == 0 { step } else { count - 1 - step };
                    self.sift(layer, window, pass % 4 == 3)
                })
                .sum();
            if saved == 0 && pass >= 4 {
                return pass + 1;
            }
        }
        passes
    }

    /// Sorts from the order at hand, then sifts; the best that was seen stays. Returns its crossings
    /// and the passes it took.
    fn improve(&mut self, sweeps: usize, window: usize, passes: usize) -> (usize, usize) {
        let mut best = (self.crossings(), self.layers.clone());
        let mut idle = 0;
        for round in 0..sweeps {
            self.sweep(round % 2 == 0, round % 4 >= 2);
            let found = self.crossings();
            if found < best.0 {
                best = (found, self.layers.clone());
                idle = 0;
            } else {
                idle += 1;
            }
            if best.0 == 0 || idle == 6 {
                break;
            }
        }
        if sweeps > 0 {
            self.set(&best.1);
        }
        if best.0 == 0 {
            return (0, 0);
        }
        let passes = self.sift_all(window, passes);
        let found = self.crossings();
        if found > best.0 {
            self.set(&best.1);
        }
        (found.min(best.0), passes)
    }

    /// Orders all layers; `work` says about how many steps it may take.
    pub(crate) fn order(&mut self, work: usize) {
        let members = self.place.len();
        let widest = self.layers.iter().map(Vec::len).max().unwrap_or(0);
        let segments: usize = self.down.iter().map(Vec::len).sum();
        let window = widest.min((work / 16 / (members + 1)).max(2));
        let pass: usize =
            segments + self.layers.iter().map(|l| 4 * l.len() * l.len().min(window)).sum::<usize>();
        let sweep = 24 * (members + segments);
        let first = self.layers.clone();
        let mut best: Option<(usize, Vec<Vec<usize>>)> = None;
        let mut random = Random(0x6e6f_6375_726c);
        let mut spent = 0;
        for start in 0.. {
            match start {
                0 => {}
                1 => self.walk(false),
                2 => self.walk(true),
                3 => {
                    let turned: Vec<Vec<usize>> =
                        first.iter().map(|layer| layer.iter().rev().copied().collect()).collect();
                    self.set(&turned);
                }
                // From here on near the best, shaken.
                _ => {
                    if let Some((_, layers)) = &best {
                        let layers = layers.clone();
                        self.set(&layers);
                    }
                    self.shake(&mut random);
                }
            }
            let (sweeps, passes) = if start < 4 { (24, 12) } else { (0, 8) };
            let (found, passes) = self.improve(sweeps, window, passes);
            spent += passes * pass + sweeps * sweep / 2;
            // A graph of the same crossings is as good to go on from.
            if best.as_ref().is_none_or(|(least, _)| found <= *least) {
                best = Some((found, self.layers.clone()));
            }
            if spent >= work || start == 200 || best.as_ref().is_some_and(|best| best.0 == 0) {
                break;
            }
        }
        if let Some((_, layers)) = best {
            self.set(&layers);
        }
    }

    /// Orders layers as a walk in depth meets their members, from the top or from the bottom.
    fn walk(&mut self, from_below: bool) {
        let count = self.layers.len();
        let mut level = vec![0; self.place.len()];
        for (layer, members) in self.layers.iter().enumerate() {
            members.iter().for_each(|&member| level[member] = layer);
        }
        let mut found: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut seen = vec![false; self.place.len()];
        for step in 0..count {
            let layer = if from_below { count - 1 - step } else { step };
            for &start in &self.layers[layer] {
                let mut stack = vec![start];
                while let Some(member) = stack.pop() {
                    if std::mem::replace(&mut seen[member], true) {
                        continue;
                    }
                    found[level[member]].push(member);
                    let (near, far) = (&self.down[member], &self.up[member]);
                    let (first, second) = if from_below { (far, near) } else { (near, far) };
                    stack.extend(second.iter().rev());
                    stack.extend(first.iter().rev());
                }
            }
        }
        self.set(&found);
    }

    /// Moves some members of a few layers somewhere else in them.
    fn shake(&mut self, random: &mut Random) {
        let count = self.layers.len();
        let from = random.below(count);
        for layer in from..count.min(from + 3) {
            let n = self.layers[layer].len();
            if n < 2 {
                continue;
            }
            for _ in 0..1 + n / 5 {
                let (from, to) = (random.below(n), random.below(n));
                let member = self.layers[layer].remove(from);
                self.layers[layer].insert(to, member);
            }
            self.number(layer);
        }
    }
}

/// How many crossings more there are when two neighbours are exchanged.
fn exchange(left: &[Vec<usize>; 2], right: &[Vec<usize>; 2]) -> i64 {
    left.iter().zip(right).map(|(left, right)| pairs(left, right)).sum()
}

/// Pairs in order less pairs out of order, of one place on the left and one on the right.
fn pairs(left: &[usize], right: &[usize]) -> i64 {
    let (mut less, mut equal, mut total) = (0, 0, 0_i64);
    for &r in right {
        while less < left.len() && left[less] < r {
            less += 1;
        }
        equal = equal.max(less);
        while equal < left.len() && left[equal] == r {
            equal += 1;
        }
        total += less as i64 - (left.len() - equal) as i64;
    }
    total
}

/// SplitMix64: a fixed sequence, so that pictures are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Crossings by looking at all pairs of edges.
    fn by_pairs(levels: &Levels) -> usize {
        let mut total = 0;
        for members in &levels.layers {
            let edges: Vec<(usize, usize)> = members
                .iter()
                .flat_map(|&v| levels.down[v].iter().map(move |&w| (v, w)))
                .map(|(v, w)| (levels.place[v], levels.place[w]))
                .collect();
            for (k, a) in edges.iter().enumerate() {
                total += edges[..k]
                    .iter()
                    .filter(|b| (a.0 < b.0 && a.1 > b.1) || (a.0 > b.0 && a.1 < b.1))
                    .count();
            }
        }
        total
    }

    fn random_levels(seed: u64) -> Levels {
        let mut random = Random(seed);
        let mut levels = Levels::default();
        let members: Vec<Vec<usize>> =
            (0..4).map(|layer| (0..6).map(|_| levels.push(layer)).collect()).collect();
        for pair in members.windows(2) {
            for _ in 0..9 {
                let (above, below) = (pair[0][random.below(6)], pair[1][random.below(6)]);
                if !levels.down[above].contains(&below) {
                    levels.join(above, below);
                }
            }
        }
        levels
    }

    #[test]
    fn crossings_are_those_of_all_pairs() {
        for seed in 0..20 {
            let mut levels = random_levels(seed);
            assert_eq!(levels.crossings(), by_pairs(&levels));
            levels.order(100_000);
            assert_eq!(levels.crossings(), by_pairs(&levels));
        }
    }

    #[test]
    fn sifting_saves_as_much_as_it_says() {
        for seed in 0..20 {
            let mut levels = random_levels(seed);
            let before = levels.crossings();
            let saved = levels.sift(1, 10, false) + levels.sift(2, 10, false);
            assert_eq!(before - saved, levels.crossings());
        }
    }

    #[test]
    fn a_tree_has_no_crossings() {
        let mut levels = Levels::default();
        let top = levels.push(0);
        let middle: Vec<usize> = (0..4).map(|_| levels.push(1)).collect();
        let bottom: Vec<usize> = (0..16).map(|_| levels.push(2)).collect();
        middle.iter().for_each(|&m| levels.join(top, m));
        bottom.iter().enumerate().for_each(|(k, &b)| levels.join(middle[k % 4], b));
        levels.order(100_000);
        assert_eq!(levels.crossings(), 0);
    }
}
