//! Features of kernels: matrices of few columns whose products are near kernel matrices.

use std::collections::BTreeMap;

use crate::core::variable::MOST_LEVELS;
use crate::core::{Kind, Mat, MatRef};

/// Rows whose distances give the width of a kernel.
const SAMPLE: usize = 1000;

/// What is left of the kernel's diagonal, on average, where a factor ends.
const LEFT: f64 = 1e-6;

/// Where numbers and levels are parents together, each of the first so many combinations of levels
/// adds to the features that there may be.
const COMBINATIONS: usize = 4;

/// A variable as its kernel sees it.
#[derive(Debug, Clone)]
pub(super) enum Column {
    /// Numbers in units of the width of a Gaussian kernel.
    Numbers(Vec<f64>),
    /// Positions of levels, which a kernel takes as the same or not.
    Levels(Vec<usize>),
}

impl Column {
    /// Levels without an order have the kernel that is 1 where two are the same and 0 elsewhere;
    /// all others have a Gaussian one, `times` as wide as usual.
    pub(super) fn new(values: Vec<f64>, kind: Kind, times: f64) -> Self {
        if matches!(kind, Kind::Binary | Kind::Categorical) {
            return Self::Levels(values.into_iter().map(|code| code as usize).collect());
        }
        let width = width(&values, times);
        Self::Numbers(values.into_iter().map(|value| value / width).collect())
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Levels(codes) => codes.len(),
        }
    }
}

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

/// Features of the product of the kernels of these columns, each with the mean 0, as kernels are
/// centred; at most `most` where all are numbers.
pub(super) fn features(columns: &[&Column], most: usize) -> Mat<f64> {
    let numbers = columns.iter().filter_map(|column| match column {
        Column::Numbers(values) => Some(&values[..]),
        Column::Levels(_) => None,
    });
    let numbers: Vec<&[f64]> = numbers.collect();
    let n = columns.first().map_or(0, |column| column.len());
    let (cells, count) = cells(columns, n);
    let mut features = match numbers.is_empty() {
        true => contrasts(&cells, count.min(most.max(MOST_LEVELS))),
        false => factor(&numbers, &cells, most * count.min(COMBINATIONS)),
    };
    for k in 0..features.ncols() {
        let column = features.col_as_slice_mut(k);
        let mean = column.iter().sum::<f64>() / n as f64;
        column.iter_mut().for_each(|value| *value -= mean);
    }
    features
}

/// For each row which combination of levels it has, and how many there are. The most common one is
/// the first; names and positions of levels do not matter.
fn cells(columns: &[&Column], n: usize) -> (Vec<usize>, usize) {
    let mut cells = vec![0; n];
    let mut count = 1;
    for column in columns {
        let Column::Levels(codes) = column else { continue };
        let mut known: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (cell, &code) in cells.iter_mut().zip(codes) {
            let next = known.len();
            *cell = *known.entry((*cell, code)).or_insert(next);
        }
        count = known.len();
    }
    let mut rows = vec![0_usize; count];
    cells.iter().for_each(|&cell| rows[cell] += 1);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&cell| std::cmp::Reverse(rows[cell]));
    let mut places = vec![0; count];
    order.iter().enumerate().for_each(|(place, &cell)| places[cell] = place);
    cells.iter_mut().for_each(|cell| *cell = places[*cell]);
    (cells, count)
}

/// Features of the kernel that is 1 within a cell and 0 elsewhere, one fewer than there are cells:
/// once they are centred, the indicators of all cells add up to 0, and these contrasts (Helmert's)
/// have the same products. Cells from `count` on are left out.
fn contrasts(cells: &[usize], count: usize) -> Mat<f64> {
    Mat::from_fn(cells.len(), count - 1, |row, before| {
        let k = before + 1;
        let scale = 1.0 / ((k * (k + 1)) as f64).sqrt();
        match cells[row].cmp(&k) {
            std::cmp::Ordering::Less => scale,
            std::cmp::Ordering::Equal => -(k as f64) * scale,
            std::cmp::Ordering::Greater => 0.0,
        }
    })
}

/// Features of the kernel `exp(-|x - y|^2 / 2)` on rows of these columns, 0 between rows in
/// different cells, by incomplete Cholesky factorisation with the largest pivot first: at most
/// `most` of them, fewer where the rest is below [`LEFT`]. Cost O(n m^2) for m features.
///
/// There is room for `most` in any case: pieces of memory of one size leave no gaps when they are
/// given back, where those of many sizes took several times what is in use.
fn factor(columns: &[&[f64]], cells: &[usize], most: usize) -> Mat<f64> {
    let n = cells.len();
    let (mut left, mut column) = (vec![1.0_f64; n], vec![0.0; n]);
    let mut factor: Mat<f64> = Mat::zeros(n, most.min(n));
    let mut done = 0;
    while done < factor.ncols() {
        let largest = (0..n).max_by(|&a, &b| left[a].total_cmp(&left[b]).then(b.cmp(&a)));
        let Some(pivot) = largest else { break };
        if left.iter().sum::<f64>() <= LEFT * n as f64 || left[pivot] <= f64::EPSILON {
            break;
        }
        column.fill(0.0);
        for x in columns {
            let centre = x[pivot];
            for (sum, value) in column.iter_mut().zip(*x) {
                *sum += (value - centre) * (value - centre);
            }
        }
        for (square, &cell) in column.iter_mut().zip(cells) {
            *square = if cell == cells[pivot] { libm::exp(-0.5 * *square) } else { 0.0 };
        }
        for k in 0..done {
            let before = factor.col_as_slice(k);
            let at_pivot = before[pivot];
            for (value, before) in column.iter_mut().zip(before) {
                *value -= before * at_pivot;
            }
        }
        let root = left[pivot].sqrt();
        for (value, left) in column.iter_mut().zip(&mut left) {
            *value /= root;
            *left = (*left - *value * *value).max(0.0);
        }
        left[pivot] = 0.0;
        factor.col_as_slice_mut(done).copy_from_slice(&column);
        done += 1;
    }
    factor.truncate(n, done);
    factor
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
        let [a, b] = [&x, &y].map(|values| Column::Numbers(values.clone()));
        let features = features(&[&a, &b], n);
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
        assert!(super::features(&[&a], 5).ncols() == 5);
        // One number has a kernel of few features, however many rows there are.
        assert!(super::features(&[&a], n).ncols() < 25);
    }

    /// Levels whose share halves from one to the next.
    fn levels(n: usize, count: usize) -> Vec<usize> {
        (0..n).map(|k| (k + 1).trailing_zeros() as usize % count).collect()
    }

    #[test]
    fn contrasts_give_back_the_centred_indicators() {
        let n = 64;
        let (a, b) = (levels(n, 4), (0..n).map(|k| k % 3).collect::<Vec<_>>());
        let same = |x: usize, y: usize| f64::from(u8::from(a[x] == a[y] && b[x] == b[y]));
        let mean = |x: usize| (0..n).map(|y| same(x, y)).sum::<f64>() / n as f64;
        let all = (0..n).map(mean).sum::<f64>() / n as f64;
        let columns = [a.clone(), b.clone()].map(Column::Levels);
        let features = features(&[&columns[0], &columns[1]], 1);
        let combinations: std::collections::BTreeSet<_> = a.iter().zip(&b).collect();
        // However few features there may be of numbers.
        assert_eq!(features.ncols(), combinations.len() - 1);
        for x in 0..n {
            for y in 0..n {
                let found: f64 =
                    (0..features.ncols()).map(|k| features[(x, k)] * features[(y, k)]).sum();
                let expected = same(x, y) - mean(x) - mean(y) + all;
                assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
        }
    }

    /// Renamed and moved levels are the same levels.
    #[test]
    fn features_do_not_depend_on_the_codes_of_levels() {
        let n = 100;
        let x = Column::Numbers((0..n).map(|k| (k as f64).sin()).collect());
        let codes = levels(n, 5);
        let moved = Column::Levels(codes.iter().map(|&code| (3 * code + 2) % 5).collect());
        let codes = Column::Levels(codes);
        assert_eq!(features(&[&codes], 9), features(&[&moved], 9));
        assert_eq!(features(&[&codes, &x], 9), features(&[&x, &moved], 9));
        // Numbers have as many features in each of the first cells as they have alone.
        assert!(features(&[&codes, &x], 9).ncols() > 9);
    }

    #[test]
    fn rare_combinations_of_very_many_are_left_out() {
        let n = 1000;
        let columns = [31, 37].map(|count| Column::Levels((0..n).map(|k| k % count).collect()));
        let features = features(&[&columns[0], &columns[1]], 50);
        assert_eq!(features.ncols(), MOST_LEVELS - 1);
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
