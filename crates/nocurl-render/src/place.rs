//! Where the members of layers stand from left to right.
//!
//! The method of Brandes and Köpf (2001): members are aligned with a median neighbour in four ways
//! (from above or below, from the left or the right), which makes long edges straight; each way is
//! set as tight as it can be, and a member stands in the middle of its four places.

use std::collections::HashSet;

use crate::order::Levels;

/// Passes that relax the places.
const RELAXING: usize = 12;

/// The places of all members, so that neighbours of a layer are at least `apart` from each other.
/// `is_bend` says which members are where a long edge passes a layer.
pub(crate) fn places(
    levels: &Levels,
    is_bend: &dyn Fn(usize) -> bool,
    apart: &dyn Fn(usize, usize) -> f64,
) -> Vec<f64> {
    let conflicts = conflicts(levels, is_bend);
    let mut ways = Vec::new();
    for from_above in [true, false] {
        for from_left in [true, false] {
            ways.push((from_left, one_way(levels, &conflicts, apart, from_above, from_left)));
        }
    }
    let extent = |xs: &[f64]| {
        let low = xs.iter().copied().fold(f64::INFINITY, f64::min);
        let high = xs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (low, high)
    };
    let narrowest = ways
        .iter()
        .map(|(_, xs)| extent(xs))
        .min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)))
        .unwrap_or((0.0, 0.0));
    for (from_left, xs) in &mut ways {
        let (low, high) = extent(xs);
        let shift = if *from_left { narrowest.0 - low } else { narrowest.1 - high };
        xs.iter_mut().for_each(|x| *x += shift);
    }
    let mut x: Vec<f64> = (0..levels.place.len())
        .map(|member| {
            let mut four = [0, 1, 2, 3].map(|way| ways[way].1[member]);
            four.sort_by(f64::total_cmp);
            f64::midpoint(four[1], four[2])
        })
        .collect();
    relax(levels, is_bend, apart, &mut x);
    x
}

/// Moves members towards their neighbours, layer by layer, as far as the distances allow. Long
/// edges become smooth rather than straight, and the picture narrower.
fn relax(
    levels: &Levels,
    is_bend: &dyn Fn(usize) -> bool,
    apart: &dyn Fn(usize, usize) -> f64,
    x: &mut [f64],
) {
    let count = levels.layers.len();
    let pull = |a: usize, b: usize| match (is_bend(a), is_bend(b)) {
        (true, true) => 4.0,
        (false, false) => 1.0,
        _ => 2.0,
    };
    for pass in 0..RELAXING {
        for step in 0..count {
            let layer = &levels.layers[if pass % 2 == 0 { step } else { count - 1 - step }];
            let wanted: Vec<(f64, f64)> = layer
                .iter()
                .map(|&member| {
                    let around = levels.up[member].iter().chain(&levels.down[member]);
                    let (mut sum, mut weight) = (0.05 * x[member], 0.05);
                    for &other in around {
                        sum += pull(member, other) * x[other];
                        weight += pull(member, other);
                    }
                    (sum / weight, weight)
                })
                .collect();
            set_apart(layer, &wanted, apart, x);
        }
    }
}

/// The places nearest to the wanted ones, by weighted squares, that keep the distances: those of
/// neighbours that meet are averaged (isotonic regression).
fn set_apart(
    layer: &[usize],
    wanted: &[(f64, f64)],
    apart: &dyn Fn(usize, usize) -> f64,
    x: &mut [f64],
) {
    // Less the room of everything to the left, places only have to rise.
    let mut offsets = Vec::with_capacity(layer.len());
    let mut offset = 0.0;
    // Blocks of members that stand as close as they may: their place, weight and number.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (at, &(place, weight)) in wanted.iter().enumerate() {
        if at > 0 {
            offset += apart(layer[at - 1], layer[at]);
        }
        offsets.push(offset);
        let mut block = (place - offset, weight, 1);
        while let Some(&(before, heavy, members)) = blocks.last() {
            if before < block.0 {
                break;
            }
            let both = heavy + block.1;
            block = ((before * heavy + block.0 * block.1) / both, both, members + block.2);
            blocks.pop();
        }
        blocks.push(block);
    }
    let mut at = 0;
    for (place, _, members) in blocks {
        for _ in 0..members {
            x[layer[at]] = place + offsets[at];
            at += 1;
        }
    }
}

/// Edges of variables that cross a part of a long edge: these are not aligned.
fn conflicts(levels: &Levels, is_bend: &dyn Fn(usize) -> bool) -> HashSet<(usize, usize)> {
    let mut found = HashSet::new();
    for (above, below) in levels.layers.iter().zip(levels.layers.iter().skip(1)) {
        let mut left = 0;
        let mut start = 0;
        for (place, &member) in below.iter().enumerate() {
            let inner = is_bend(member).then(|| levels.up[member][0]).filter(|&up| is_bend(up));
            if inner.is_none() && place + 1 < below.len() {
                continue;
            }
            let right = inner.map_or(above.len(), |up| levels.place[up]);
            for &between in &below[start..=place] {
                for &up in &levels.up[between] {
                    let at = levels.place[up];
                    let is_inner = is_bend(between) && is_bend(up);
                    if (at < left || at > right) && !is_inner {
                        found.insert((up, between));
                    }
                }
            }
            start = place + 1;
            left = right;
        }
    }
    found
}

/// One of the four ways.
fn one_way(
    levels: &Levels,
    conflicts: &HashSet<(usize, usize)>,
    apart: &dyn Fn(usize, usize) -> f64,
    from_above: bool,
    from_left: bool,
) -> Vec<f64> {
    let mirrored = |place: usize, n: usize| if from_left { place } else { n - 1 - place };
    let mut layers: Vec<Vec<usize>> = levels.layers.clone();
    if !from_above {
        layers.reverse();
    }
    if !from_left {
        layers.iter_mut().for_each(|layer| layer.reverse());
    }
    let mut place = levels.place.clone();
    for layer in &layers {
        for &member in layer {
            place[member] = mirrored(place[member], layer.len());
        }
    }
    let root = align(levels, &layers, &place, conflicts, from_above);
    let gap = |left: usize, right: usize| {
        if from_left { apart(left, right) } else { apart(right, left) }
    };
    let xs = compact(&layers, &root, &gap);
    match from_left {
        true => xs,
        false => xs.into_iter().map(|x| -x).collect(),
    }
}

/// The first member of the vertical line that each member stands on.
fn align(
    levels: &Levels,
    layers: &[Vec<usize>],
    place: &[usize],
    conflicts: &HashSet<(usize, usize)>,
    from_above: bool,
) -> Vec<usize> {
    let mut root: Vec<usize> = (0..place.len()).collect();
    for layer in layers.iter().skip(1) {
        let mut free = 0;
        for &member in layer {
            let side = if from_above { &levels.up[member] } else { &levels.down[member] };
            if side.is_empty() {
                continue;
            }
            let mut neighbours = side.clone();
            neighbours.sort_unstable_by_key(|&v| place[v]);
            let medians = [(neighbours.len() - 1) / 2, neighbours.len() / 2];
            for other in medians.map(|at| neighbours[at]) {
                let ends = if from_above { (other, member) } else { (member, other) };
                if root[member] == member && place[other] >= free && !conflicts.contains(&ends) {
                    root[member] = root[other];
                    free = place[other] + 1;
                }
            }
        }
    }
    root
}

/// Places of vertical lines, as far to the left as they can be, then closer to what is right of
/// them where there is room.
fn compact(layers: &[Vec<usize>], root: &[usize], gap: &dyn Fn(usize, usize) -> f64) -> Vec<f64> {
    let n = root.len();
    let mut right: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n];
    let mut waiting = vec![0; n];
    for layer in layers {
        for pair in layer.windows(2) {
            right[root[pair[0]]].push((root[pair[1]], gap(pair[0], pair[1])));
            waiting[root[pair[1]]] += 1;
        }
    }
    let mut order: Vec<usize> = (0..n).filter(|&v| root[v] == v && waiting[v] == 0).collect();
    let mut x = vec![0.0_f64; n];
    let mut next = 0;
    while let Some(&line) = order.get(next) {
        next += 1;
        for &(other, gap) in &right[line] {
            x[other] = x[other].max(x[line] + gap);
            waiting[other] -= 1;
            if waiting[other] == 0 {
                order.push(other);
            }
        }
    }
    for &line in order.iter().rev() {
        let room = right[line].iter().map(|&(other, gap)| x[other] - gap).reduce(f64::min);
        x[line] = room.map_or(x[line], |room| x[line].max(room));
    }
    (0..n).map(|member| x[root[member]]).collect()
}
