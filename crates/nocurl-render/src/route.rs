//! The way of an edge: smooth, downwards, and clear of variables.

/// Where an edge passes a layer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bend {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Half of the height of the layer.
    pub(crate) half: f64,
    /// Distances to the nearest variables on the left and on the right.
    pub(crate) clear: [f64; 2],
}

/// Distance that an edge keeps from variables that it passes.
const MARGIN: f64 = 4.0;

/// How flat an edge may be at its ends, in width by height.
const FLATTEST: f64 = 1.6;

/// Bézier curves from `start` down to `stop`.
///
/// Through a layer the edge is straight, and not flatter than the variables beside it allow.
/// Between layers its slope changes steadily, without turning back (Fritsch and Carlson, 1980).
pub(crate) fn curve(start: [f64; 2], bends: &[Bend], stop: [f64; 2]) -> Vec<[f64; 2]> {
    let slope = |a: [f64; 2], b: [f64; 2]| (b[0] - a[0]) / (b[1] - a[1]).max(1.0);
    let middles: Vec<[f64; 2]> = std::iter::once(start)
        .chain(bends.iter().map(|bend| [bend.x, bend.y]))
        .chain([stop])
        .collect();
    let slopes: Vec<f64> = middles.windows(2).map(|pair| slope(pair[0], pair[1])).collect();
    // Points with the slope that the edge has there.
    let mut knots: Vec<([f64; 2], f64)> = vec![(start, 0.0)];
    for (bend, around) in bends.iter().zip(slopes.windows(2)) {
        let (a, b) = (around[0], around[1]);
        let smooth = if a * b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 };
        let clear = (bend.clear[0].min(bend.clear[1]) - MARGIN).max(0.0);
        let most = clear / bend.half.max(0.1);
        let lean = smooth.clamp(-most, most);
        if clear > a.abs().max(b.abs()) * bend.half {
            // No variable is near enough to matter.
            knots.push(([bend.x, bend.y], smooth));
            continue;
        }
        knots.push(([bend.x - lean * bend.half, bend.y - bend.half], lean));
        knots.push(([bend.x + lean * bend.half, bend.y + bend.half], lean));
    }
    knots.push((stop, 0.0));
    let last = knots.len() - 1;
    let chord = |k: usize| slope(knots[k].0, knots[k + 1].0);
    let (first, final_) = (chord(0), chord(last - 1));
    knots[0].1 = first.clamp(-FLATTEST, FLATTEST);
    knots[last].1 = final_.clamp(-FLATTEST, FLATTEST);
    let mut points = vec![start];
    for pair in knots.windows(2) {
        let ((from, lean), (to, next)) = (pair[0], pair[1]);
        let steady = slope(from, to);
        let calm = |lean: f64| {
            if lean * steady <= 0.0 {
                0.0
            } else {
                lean.clamp(-3.0 * steady.abs(), 3.0 * steady.abs())
            }
        };
        let third = (to[1] - from[1]) / 3.0;
        // Inside a layer both slopes are those of the straight line.
        points.push([from[0] + calm(lean) * third, from[1] + third]);
        points.push([to[0] - calm(next) * third, to[1] - third]);
        points.push(to);
    }
    points
}

/// A point of a Bézier curve, `t` from 0 to 1.
fn at(curve: &[[f64; 2]], t: f64) -> [f64; 2] {
    let s = 1.0 - t;
    let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
    [0, 1].map(|axis| weights.iter().zip(curve).map(|(w, point)| w * point[axis]).sum())
}

/// Points along all curves of a way, `steps` on each.
pub(crate) fn samples(points: &[[f64; 2]], steps: usize) -> Vec<[f64; 2]> {
    let mut line: Vec<[f64; 2]> = points.first().copied().into_iter().collect();
    for piece in 0..points.len().saturating_sub(1) / 3 {
        let curve = &points[3 * piece..3 * piece + 4];
        line.extend((1..=steps).map(|step| at(curve, step as f64 / steps as f64)));
    }
    line
}
