//! Features of Gaussian kernels: matrices of few columns whose products are near kernel matrices.

use crate::core::{Mat, MatRef};

/// Rows whose distances give the width of a kernel.
const SAMPLE: usize = 1000;

/// What is left of the kernel's diagonal, on average, where a factor ends.
const LEFT: f64 = 1e-6;

/// The width of the kernel of a column: so many times the median distance of two different values,
/// divided by the root of two.
pub(super) fn width(column: &[f64], times: f64) -> f64 {
    let count = column.len().min(SAMPLE);
    let sample: Vec<f64> = (0..count).map(|k| column[k * column.len() / count]).collect();
    let pairs = sample.iter().enumerate().flat_map(|(k, a)| sample[..k].iter().map(move |b| a - b));
    let mut distances: Vec<f64> = pairs.map(f64::abs).filter(|&distance| distance > 0.0).collect();
    if distances.is_empty() {
        return 1.0;
    }
    let middle = distances.len() / 2;
    let (_, median, _) = distances.select_nth_unstable_by(middle, f64::total_cmp);
    times * *median * std::f64::consts::FRAC_1_SQRT_2
}

/// Features of the kernel `exp(-|x - y|^2 / 2)` on rows of these columns, by incomplete Cholesky
/// factorisation with the largest pivot first: at most `most` of them, fewer where the rest is
/// below [`LEFT`]. Each has the mean 0, as kernels are centred. Cost O(n m^2) for m features.
pub(super) fn features(columns: &[&[f64]], most: usize) -> Mat<f64> {
    let n = columns.first().map_or(0, |column| column.len());
    let mut left = vec![1.0_f64; n];
    let mut factor: Vec<Vec<f64>> = Vec::new();
    while factor.len() < most.min(n) {
        let largest = (0..n).max_by(|&a, &b| left[a].total_cmp(&left[b]).then(b.cmp(&a)));
        let Some(pivot) = largest else { break };
        if left.iter().sum::<f64>() <= LEFT * n as f64 || left[pivot] <= f64::EPSILON {
            break;
        }
        let mut column = vec![0.0; n];
        for x in columns {
            let centre = x[pivot];
            for (sum, value) in column.iter_mut().zip(*x) {
                *sum += (value - centre) * (value - centre);
            }
        }
        column.iter_mut().for_each(|square| *square = libm::exp(-0.5 * *square));
        for done in &factor {
            let at_pivot = done[pivot];
            for (value, before) in column.iter_mut().zip(done) {
                *value -= before * at_pivot;
            }
        }
        let root = left[pivot].sqrt();
        for (value, left) in column.iter_mut().zip(&mut left) {
            *value /= root;
            *left = (*left - *value * *value).max(0.0);
        }
        left[pivot] = 0.0;
        factor.push(column);
    }
    for column in &mut factor {
        let mean = column.iter().sum::<f64>() / n as f64;
        column.iter_mut().for_each(|value| *value -= mean);
    }
    Mat::from_fn(n, factor.len(), |i, k| factor[k][i])
}

/// Products of the columns of two matrices over some rows.
pub(super) fn products(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    use faer::linalg::matmul::matmul;
    let mut product = Mat::zeros(a.ncols(), b.ncols());
    matmul(product.as_mut(), faer::Accum::Replace, a.transpose(), b, 1.0, faer::Par::Seq);
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_give_back_the_centred_kernel() {
        let n = 40;
        let x: Vec<f64> = (0..n).map(|k| 2.0 * ((k * k) as f64).sin()).collect();
        let y: Vec<f64> = (0..n).map(|k| (3.0 * k as f64).cos()).collect();
        let features = features(&[&x, &y], n);
        let kernel =
            |a: usize, b: usize| (-0.5 * ((x[a] - x[b]).powi(2) + (y[a] - y[b]).powi(2))).exp();
        let mean = |a: usize| (0..n).map(|b| kernel(a, b)).sum::<f64>() / n as f64;
        let all = (0..n).map(mean).sum::<f64>() / n as f64;
        for a in 0..n {
            for b in 0..n {
                let found: f64 =
                    (0..features.ncols()).map(|k| features[(a, k)] * features[(b, k)]).sum();
                let expected = kernel(a, b) - mean(a) - mean(b) + all;
                assert!((found - expected).abs() < 1e-4, "{found} {expected}");
            }
        }
        assert!(super::features(&[&x], 5).ncols() == 5);
        // One number has a kernel of few features, however many rows there are.
        assert!(super::features(&[&x], n).ncols() < 25);
    }

    #[test]
    fn widths_follow_the_median_distance() {
        let column: Vec<f64> = (0..101).map(f64::from).collect();
        let mut distances: Vec<f64> =
            (0..101).flat_map(|a| (0..a).map(move |b| f64::from(a - b))).collect();
        distances.sort_by(f64::total_cmp);
        let expected = 2.0 * distances[distances.len() / 2] / 2f64.sqrt();
        assert!((width(&column, 2.0) - expected).abs() < 1e-12);
        assert_eq!(width(&[3.0; 9], 2.0), 1.0);
    }
}
