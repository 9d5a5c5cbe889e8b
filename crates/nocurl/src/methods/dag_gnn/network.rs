//! A network from one number to one number, as the piecewise linear function that it is.

use std::ops::Range;

/// Numbers of a network with this many hidden units: `w`, `b` and `v` of each, and `c`.
pub(super) fn size(hidden: usize) -> usize {
    3 * hidden + 1
}

/// The function `f(x) = c + sum_k v_k max(0, w_k x + b_k)`.
///
/// Between its knots `-b_k / w_k` it is a straight line. With the knots sorted once, a value is a
/// search among them and one line, and the sums over inputs that the gradient needs come from sums
/// over the inputs of each segment: O(N + h log h) for N inputs in long runs (see
/// [`Self::runs`]) and h hidden units, in place of O(N h).
#[derive(Debug, Clone)]
pub(super) struct Network {
    /// Units with their knots, by these.
    units: Vec<(f64, usize)>,
    /// Ascending.
    knots: Vec<f64>,
    /// Of the lines in each segment; segment s lies left of knot s.
    slopes: Vec<f64>,
    intercepts: Vec<f64>,
}

/// For each segment of a network the sums of g and of g x over its inputs x, where g is the
/// derivative of a loss in f(x).
#[derive(Debug, Clone)]
pub(super) struct Sums(Vec<(f64, f64)>);

impl Sums {
    pub(super) fn new(hidden: usize) -> Self {
        Self(vec![(0.0, 0.0); hidden + 1])
    }

    pub(super) fn clear(&mut self) {
        self.0.fill((0.0, 0.0));
    }

    /// Adds the sums over some inputs of one segment.
    pub(super) fn add(&mut self, segment: usize, sum: f64, weighted: f64) {
        self.0[segment].0 += sum;
        self.0[segment].1 += weighted;
    }
}

/// The parts of the numbers of a network.
fn parts(weights: &[f64]) -> (&[f64], &[f64], &[f64], f64) {
    let hidden = (weights.len() - 1) / 3;
    let (w, rest) = weights.split_at(hidden);
    let (b, rest) = rest.split_at(hidden);
    (w, b, &rest[..hidden], rest[hidden])
}

/// Where a unit begins or ceases to act. One that does not depend on x acts everywhere or nowhere.
fn knot(w: f64, b: f64) -> f64 {
    match (w == 0.0, b > 0.0) {
        (false, _) => -b / w,
        (true, true) => f64::NEG_INFINITY,
        (true, false) => f64::INFINITY,
    }
}

/// True for a unit that acts right of its knot.
fn rises(w: f64) -> bool {
    w >= 0.0
}

impl Network {
    pub(super) fn new(hidden: usize) -> Self {
        Self {
            units: (0..hidden).map(|k| (0.0, k)).collect(),
            knots: vec![0.0; hidden],
            slopes: vec![0.0; hidden + 1],
            intercepts: vec![0.0; hidden + 1],
        }
    }

    /// Makes the lines of these weights.
    pub(super) fn prepare(&mut self, weights: &[f64]) {
        let (w, b, v, c) = parts(weights);
        self.units.iter_mut().for_each(|(at, k)| *at = knot(w[*k], b[*k]));
        // Units with the same knot go by number, so that the order depends on the weights alone.
        self.units
            .sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        // Units that rise act in the segments after their knots, the others in those before: both
        // are summed up from where none acts, so that nothing cancels.
        let hidden = self.units.len();
        let (mut slope, mut intercept) = (0.0, c);
        for (s, &(at, k)) in self.units.iter().enumerate() {
            self.knots[s] = at;
            (self.slopes[s], self.intercepts[s]) = (slope, intercept);
            if rises(w[k]) {
                slope += v[k] * w[k];
                intercept += v[k] * b[k];
            }
        }
        (self.slopes[hidden], self.intercepts[hidden]) = (slope, intercept);
        (slope, intercept) = (0.0, 0.0);
        for (s, &(_, k)) in self.units.iter().enumerate().rev() {
            if !rises(w[k]) {
                slope += v[k] * w[k];
                intercept += v[k] * b[k];
            }
            self.slopes[s] += slope;
            self.intercepts[s] += intercept;
        }
    }

    /// Slope and intercept of the line in a segment.
    pub(super) fn line(&self, segment: usize) -> (f64, f64) {
        (self.slopes[segment], self.intercepts[segment])
    }

    /// Cuts sorted inputs into the runs that share a segment.
    pub(super) fn sorted_runs(&self, inputs: &[f64], mut run: impl FnMut(usize, Range<usize>)) {
        let mut start = 0;
        for segment in 0..=self.knots.len() {
            let end = match self.knots.get(segment) {
                Some(&knot) => start + inputs[start..].partition_point(|&x| x <= knot),
                None => inputs.len(),
            };
            if start < end {
                run(segment, start..end);
            }
            start = end;
        }
    }

    /// Cuts inputs in any order into runs that share a segment. Long runs cost least: inputs should
    /// be the values of another network at sorted ones.
    pub(super) fn runs(&self, inputs: &[f64], mut run: impl FnMut(usize, Range<usize>)) {
        let mut start = 0;
        while start < inputs.len() {
            let x = inputs[start];
            let segment = self.knots.partition_point(|&knot| knot < x);
            let low = if segment == 0 { f64::NEG_INFINITY } else { self.knots[segment - 1] };
            let high = self.knots.get(segment).copied().unwrap_or(f64::INFINITY);
            let rest = &inputs[start + 1..];
            let more = rest.iter().position(|&x| !(x > low && x <= high)).unwrap_or(rest.len());
            run(segment, start..start + 1 + more);
            start += 1 + more;
        }
    }

    /// The gradient of a loss in the weights that were prepared, from its sums over all inputs.
    pub(super) fn gradient(&self, weights: &[f64], sums: &Sums, gradient: &mut [f64]) {
        let (w, b, v, _) = parts(weights);
        let hidden = w.len();
        let mut of_unit = |k: usize, (sum, weighted): (f64, f64)| {
            gradient[k] = v[k] * weighted;
            gradient[hidden + k] = v[k] * sum;
            gradient[2 * hidden + k] = w[k] * weighted + b[k] * sum;
        };
        let add = |total: &mut (f64, f64), part: (f64, f64)| {
            total.0 += part.0;
            total.1 += part.1;
        };
        let mut before = (0.0, 0.0);
        for (s, &(_, k)) in self.units.iter().enumerate() {
            add(&mut before, sums.0[s]);
            if !rises(w[k]) {
                of_unit(k, before);
            }
        }
        let mut after = (0.0, 0.0);
        for (s, &(_, k)) in self.units.iter().enumerate().rev() {
            add(&mut after, sums.0[s + 1]);
            if rises(w[k]) {
                of_unit(k, after);
            }
        }
        gradient[3 * hidden] = before.0 + sums.0[hidden].0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn direct(weights: &[f64], x: f64) -> f64 {
        let (w, b, v, c) = parts(weights);
        c + (0..w.len()).map(|k| v[k] * (w[k] * x + b[k]).max(0.0)).sum::<f64>()
    }

    fn value(network: &Network, x: f64) -> f64 {
        let mut value = f64::NAN;
        network.runs(&[x], |segment, _| {
            let (slope, intercept) = network.line(segment);
            value = slope * x + intercept;
        });
        value
    }

    /// Weights of which some are 0, so that units are flat and knots coincide.
    fn weights() -> impl Strategy<Value = Vec<f64>> {
        let number = || prop_oneof![4 => -2.0..2.0_f64, 1 => Just(0.0)];
        (1..9_usize).prop_flat_map(move |hidden| prop::collection::vec(number(), size(hidden)))
    }

    fn inputs() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-4.0..4.0_f64, 1..40)
    }

    proptest! {
        #[test]
        fn values_are_those_of_the_sum_over_units(weights in weights(), inputs in inputs()) {
            let mut network = Network::new((weights.len() - 1) / 3);
            network.prepare(&weights);
            for x in inputs {
                let size = weights.iter().map(|w| w.abs()).sum::<f64>();
                let tolerance = f64::EPSILON * 8.0 * size * size * (1.0 + x.abs());
                prop_assert!((value(&network, x) - direct(&weights, x)).abs() <= tolerance);
            }
        }

        #[test]
        fn runs_cover_all_inputs_in_order(weights in weights(), inputs in inputs()) {
            let mut network = Network::new((weights.len() - 1) / 3);
            network.prepare(&weights);
            let mut next = 0;
            network.runs(&inputs, |segment, range| {
                assert_eq!(range.start, next);
                next = range.end;
                for &x in &inputs[range] {
                    assert_eq!(network.knots.partition_point(|&knot| knot < x), segment);
                }
            });
            prop_assert_eq!(next, inputs.len());
        }

        #[test]
        fn sorted_inputs_have_the_same_runs(weights in weights(), mut inputs in inputs()) {
            inputs.sort_by(f64::total_cmp);
            let mut network = Network::new((weights.len() - 1) / 3);
            network.prepare(&weights);
            let (mut one, mut other) = (Vec::new(), Vec::new());
            network.runs(&inputs, |segment, range| one.push((segment, range)));
            network.sorted_runs(&inputs, |segment, range| other.push((segment, range)));
            prop_assert_eq!(one, other);
        }

        #[test]
        fn the_gradient_is_that_of_the_sum_over_units(weights in weights(), inputs in inputs()) {
            let hidden = (weights.len() - 1) / 3;
            let mut network = Network::new(hidden);
            network.prepare(&weights);
            // The loss is sum_i sin(i + 1) f(x_i).
            let slope = |i: usize| (i as f64 + 1.0).sin();
            let mut sums = Sums::new(hidden);
            network.runs(&inputs, |segment, range| {
                range.for_each(|i| sums.add(segment, slope(i), slope(i) * inputs[i]));
            });
            let mut gradient = vec![0.0; weights.len()];
            network.gradient(&weights, &sums, &mut gradient);
            let (w, b, v, _) = parts(&weights);
            let mut expected = vec![0.0; weights.len()];
            for (i, &x) in inputs.iter().enumerate() {
                for k in 0..hidden {
                    let inner = w[k] * x + b[k];
                    if inner > 0.0 {
                        expected[k] += slope(i) * v[k] * x;
                        expected[hidden + k] += slope(i) * v[k];
                        expected[2 * hidden + k] += slope(i) * inner;
                    }
                }
                expected[3 * hidden] += slope(i);
            }
            let tolerance = f64::EPSILON * 100.0 * inputs.len() as f64;
            for (k, (a, b)) in gradient.iter().zip(&expected).enumerate() {
                prop_assert!((a - b).abs() <= tolerance, "{}: {} {}", k, a, b);
            }
        }

        #[test]
        fn the_gradient_agrees_with_finite_differences(weights in weights(), x in -4.0..4.0_f64) {
            // Away from kinks, where there is a derivative.
            let (w, b, _, _) = parts(&weights);
            prop_assume!((0..w.len()).all(|k| (w[k] * x + b[k]).abs() > 1e-3));
            let mut network = Network::new(w.len());
            network.prepare(&weights);
            let mut segment = 0;
            network.runs(&[x], |found, _| segment = found);
            let mut sums = Sums::new(w.len());
            sums.add(segment, 1.0, x);
            let mut gradient = vec![0.0; weights.len()];
            network.gradient(&weights, &sums, &mut gradient);
            let step = 1e-5;
            for k in 0..weights.len() {
                let at = |shift: f64| {
                    let mut moved = weights.clone();
                    moved[k] += shift;
                    direct(&moved, x)
                };
                let slope = (at(step) - at(-step)) / (2.0 * step);
                prop_assert!((slope - gradient[k]).abs() < 1e-8);
            }
            let slope = (direct(&weights, x + step) - direct(&weights, x - step)) / (2.0 * step);
            prop_assert!((slope - network.line(segment).0).abs() < 1e-8);
        }
    }

    #[test]
    fn inputs_that_are_no_numbers_do_no_harm() {
        let mut network = Network::new(2);
        network.prepare(&[1.0, -1.0, f64::NAN, f64::INFINITY, 1.0, 1.0, 0.0]);
        let inputs = [f64::NAN, f64::NEG_INFINITY, f64::INFINITY, 1.0];
        let mut covered = 0;
        network.runs(&inputs, |_, range| covered += range.len());
        assert_eq!(covered, inputs.len());
    }
}
