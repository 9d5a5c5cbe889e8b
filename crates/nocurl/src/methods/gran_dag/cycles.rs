//! The penalty `h(A) = tr exp(A) - d` on a matrix without negative entries.

use crate::core::Mat;
use crate::core::graph::Reachability;
use crate::math::linalg;

/// Reciprocals of the factorials up to 12.
const SERIES: [f64; 13] = {
    let mut series = [1.0; 13];
    let mut k = 1;
    while k < 13 {
        series[k] = series[k - 1] / k as f64;
        k += 1;
    }
    series
};

/// A norm up to which twelve terms of the series are exact to rounding.
const NEAR: f64 = 0.5;

/// The penalty, one strongly connected component after the other: entries between two components
/// are on no cycle, so that they neither count nor have a derivative.
#[derive(Debug)]
pub(super) struct Cycles {
    /// The components with more than one variable, and of each the exponential of its entries.
    parts: Vec<(Vec<usize>, Mat<f64>)>,
    /// Place of each variable: its part and where it is there.
    places: Vec<Option<(usize, usize)>>,
    /// Entries that were not zero when the components were found.
    entries: usize,
}

impl Cycles {
    pub(super) fn new(d: usize) -> Self {
        Self { parts: Vec::new(), places: vec![None; d], entries: usize::MAX }
    }

    /// The penalty of a matrix. Entries may become zero from one call to the next, not come back.
    pub(super) fn evaluate(&mut self, matrix: &Mat<f64>) -> f64 {
        let d = matrix.nrows();
        let entries = (0..d).map(|j| matrix.col_as_slice(j).iter().filter(|&&x| x != 0.0).count());
        let entries = entries.sum();
        if entries != self.entries {
            self.entries = entries;
            self.find(matrix);
        }
        let mut total = 0.0;
        for (variables, walks) in &mut self.parts {
            let m = variables.len();
            let own = Mat::from_fn(m, m, |a, b| matrix[(variables[a], variables[b])]);
            *walks = exponential(own);
            total += (0..m).map(|a| walks[(a, a)] - 1.0).sum::<f64>();
        }
        if total.is_nan() { f64::INFINITY } else { total }
    }

    fn find(&mut self, matrix: &Mat<f64>) {
        self.parts.clear();
        self.places.fill(None);
        for component in Reachability::new(matrix.as_ref()).components() {
            if component.len() > 1 {
                for (at, &v) in component.iter().enumerate() {
                    self.places[v] = Some((self.parts.len(), at));
                }
                self.parts.push((component.clone(), Mat::zeros(0, 0)));
            }
        }
    }

    /// The derivative of the last value in the entry `from -> to`.
    pub(super) fn slope(&self, from: usize, to: usize) -> f64 {
        match (self.places[from], self.places[to]) {
            (Some((part, a)), Some((other, b))) if part == other => self.parts[part].1[(b, a)],
            _ => 0.0,
        }
    }
}

/// The exponential by its series, with as few products as can be (Paterson and Stockmeyer, 1973),
/// and squarings. Every term is nonnegative, so nothing cancels.
fn exponential(mut matrix: Mat<f64>) -> Mat<f64> {
    let m = matrix.nrows();
    let norm = (0..m).map(|j| matrix.col_as_slice(j).iter().sum::<f64>()).fold(0.0, f64::max);
    if !norm.is_finite() {
        return Mat::from_fn(m, m, |_, _| f64::INFINITY);
    }
    let squarings = if norm > NEAR { (norm / NEAR).log2().ceil() as i32 } else { 0 };
    matrix *= faer::Scale((-squarings as f64).exp2());
    let product = |a: &Mat<f64>, b: &Mat<f64>| {
        let mut product = Mat::zeros(m, m);
        linalg::matmul(product.as_mut(), a.as_ref(), b.as_ref());
        product
    };
    let second = product(&matrix, &matrix);
    let third = product(&second, &matrix);
    let fourth = product(&second, &second);
    let four_terms = |first: usize, more: Option<&Mat<f64>>| {
        Mat::from_fn(m, m, |i, j| {
            let one = f64::from(u8::from(i == j));
            let powers = [one, matrix[(i, j)], second[(i, j)], third[(i, j)]];
            let terms = powers.iter().zip(&SERIES[first..]);
            more.map_or(0.0, |more| more[(i, j)]) + terms.map(|(p, c)| p * c).sum::<f64>()
        })
    };
    let mut last = fourth.clone();
    last *= faer::Scale(SERIES[12]);
    let upper = four_terms(8, Some(&last));
    let middle = four_terms(4, Some(&product(&fourth, &upper)));
    let mut result = four_terms(0, Some(&product(&fourth, &middle)));
    for _ in 0..squarings {
        result = product(&result, &result);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::objective::{Acyclicity, Penalty};

    fn matrix(d: usize, edge: impl Fn(usize, usize) -> bool) -> Mat<f64> {
        Mat::from_fn(d, d, |i, j| {
            if i != j && edge(i, j) {
                0.1 + 0.4 * ((5 * i + 3 * j) as f64).sin().abs()
            } else {
                0.0
            }
        })
    }

    /// The penalty of the other methods is on squares.
    #[test]
    fn it_is_the_trace_of_the_exponential() {
        let apart = |i: usize, j: usize| i % 2 == j % 2 || (i == 0 && j == 1);
        for d in [2, 5, 9] {
            for matrix in [matrix(d, |_, _| true), matrix(d, apart)] {
                let mut cycles = Cycles::new(d);
                let h = cycles.evaluate(&matrix);
                let roots = Mat::from_fn(d, d, |i, j| matrix[(i, j)].sqrt());
                let mut penalty = Penalty::new(Acyclicity::Exponential, d);
                let expected = penalty.evaluate(roots.as_ref());
                assert!((h - expected).abs() < 1e-13 * expected.max(1.0) * d as f64);
                for j in 0..d {
                    for i in (0..d).filter(|&i| matrix[(i, j)] > 0.0) {
                        let on_cycle = cycles.slope(i, j);
                        let walks = penalty.walks()[(j, i)];
                        let close = 1e-13 * walks.max(1.0) * d as f64;
                        assert!((on_cycle - walks).abs() < close, "{on_cycle} {walks}");
                    }
                }
            }
        }
    }

    #[test]
    fn it_is_zero_without_cycles_and_follows_entries_that_go() {
        let mut m = matrix(6, |i, j| i < j || (i, j) == (5, 0));
        let mut cycles = Cycles::new(6);
        assert!(cycles.evaluate(&m) > 0.0);
        m[(5, 0)] = 0.0;
        assert_eq!(cycles.evaluate(&m), 0.0);
        assert_eq!(cycles.slope(0, 5), 0.0);
        m[(5, 0)] = f64::INFINITY;
        assert_eq!(cycles.evaluate(&m), f64::INFINITY);
    }
}
