//! What a variable costs with some parents: regression in the feature space of its kernel.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::GsgesScore;
use super::kernel::{Column, features, products};
use crate::core::{Kind, Mat};
use crate::math::linalg::{Cholesky, eigen};

/// The variance of features that is noise in any case.
const NOISE: f64 = 0.01;

/// The share of the determinant's logarithm that counts, as in the authors' program; a normal law
/// has all of it, which adds edges to ancestors.
const DETERMINANT: f64 = 0.5;

/// The kernel widths of the two scores, in median distances.
const WIDTH: f64 = 2.0;
const MARGINAL_WIDTH: f64 = 2.5;

/// Ratios of noise to signal that the marginal likelihood may choose, as logarithms, and steps of
/// the search for the best.
const RATIOS: Range<f64> = -12.0..12.0;
const STEPS: usize = 40;

/// Kernel scores on one table, each computed once.
pub(super) struct KernelScore {
    kind: GsgesScore,
    folds: Vec<Range<usize>>,
    lambda: f64,
    most: usize,
    columns: Vec<Column>,
    /// Each column as the one that is predicted, or as the only parent.
    targets: Vec<Features>,
    known: Mutex<BTreeMap<(usize, Vec<usize>), f64>>,
}

/// Features of some columns, and their products in each fold and in all.
struct Features {
    values: Mat<f64>,
    folds: Vec<Mat<f64>>,
    total: Mat<f64>,
}

impl Features {
    fn new(values: Mat<f64>, folds: &[Range<usize>]) -> Self {
        let folds: Vec<Mat<f64>> =
            folds.iter().map(|fold| in_fold(&values, &values, fold)).collect();
        Self { total: total(&folds), folds, values }
    }
}

impl KernelScore {
    /// Columns of these kinds, whose rows are in an order that says nothing.
    pub(super) fn new(
        columns: Vec<(Vec<f64>, Kind)>,
        kind: GsgesScore,
        folds: usize,
        lambda: f64,
        most: usize,
    ) -> Self {
        let n = columns.first().map_or(0, |(values, _)| values.len());
        let folds: Vec<Range<usize>> =
            (0..folds).map(|k| k * n / folds..(k + 1) * n / folds).collect();
        let times = if kind == GsgesScore::Marginal { MARGINAL_WIDTH } else { WIDTH };
        let column = |(values, kind)| Column::new(values, kind, times);
        let columns: Vec<Column> = columns.into_iter().map(column).collect();
        // These are kept, without room for more.
        let kept = |column: &Column| features(&[column], most).as_ref().to_owned();
        let target = |column: &Column| Features::new(kept(column), &folds);
        let targets = columns.iter().map(target).collect();
        Self { kind, folds, lambda, most, columns, targets, known: Mutex::default() }
    }

    /// Operations of a score that is not known yet.
    pub(super) fn operations(&self) -> f64 {
        let rows = self.columns.first().map_or(0, Column::len);
        (rows * self.most * self.most) as f64
    }

    pub(super) fn size(&self) -> usize {
        self.columns.len()
    }

    /// The negative log-likelihood of a variable given parents in rising order, up to a constant.
    pub(super) fn local(&self, target: usize, parents: &[usize]) -> f64 {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (target, parents.to_vec());
        if let Some(&score) = lock().get(&key) {
            return score;
        }
        let made;
        let given = match parents {
            [] => {
                let rows = self.targets[target].values.nrows();
                made = Features::new(Mat::zeros(rows, 0), &self.folds);
                &made
            }
            [parent] => &self.targets[*parent],
            _ => {
                let columns: Vec<&Column> = parents.iter().map(|&i| &self.columns[i]).collect();
                made = Features::new(features(&columns, self.most), &self.folds);
                &made
            }
        };
        let score = match self.kind {
            GsgesScore::CrossValidated => self.cross_validated(&self.targets[target], given),
            GsgesScore::Marginal => self.marginal(&self.targets[target], given, parents.len()),
        };
        lock().insert(key, score);
        score
    }

    /// Ridge regression of the features on those of the parents, judged by the normal law of its
    /// residuals on rows that it has not seen.
    fn cross_validated(&self, target: &Features, given: &Features) -> f64 {
        let n = target.values.nrows() as f64;
        let own = &given.folds;
        let cross: Vec<Mat<f64>> =
            self.folds.iter().map(|fold| in_fold(&given.values, &target.values, fold)).collect();
        let all_cross = total(&cross);
        let mut sum = 0.0;
        for (k, fold) in self.folds.iter().enumerate() {
            let (tested, trained) = (fold.len() as f64, n - fold.len() as f64);
            let mut ridge = &given.total - &own[k];
            let seen = Moments {
                target: &target.total - &target.folds[k],
                cross: &all_cross - &cross[k],
                own: ridge.clone(),
            };
            (0..ridge.nrows()).for_each(|a| ridge[(a, a)] += trained * self.lambda);
            let mut weights = seen.cross.clone();
            if weights.nrows() > 0 {
                let Some(factor) = Cholesky::new(ridge.as_ref()) else { return f64::INFINITY };
                factor.solve_lower(weights.as_mut());
                factor.solve_upper(weights.as_mut());
            }

            let mut covariance = seen.residuals(&weights);
            covariance *= faer::Scale(1.0 / trained);
            (0..covariance.nrows()).for_each(|a| covariance[(a, a)] += NOISE);
            let Some(factor) = Cholesky::new(covariance.as_ref()) else { return f64::INFINITY };
            let (target, cross) = (target.folds[k].clone(), cross[k].clone());
            let unseen = Moments { target, cross, own: own[k].clone() }.residuals(&weights);
            let inverse = factor.inverse();
            let m = unseen.nrows();
            let distance: f64 =
                (0..m).map(|a| (0..m).map(|b| inverse[(a, b)] * unseen[(b, a)]).sum::<f64>()).sum();
            let roots = (0..m).map(|a| libm::log(factor.lower()[(a, a)] / NOISE.sqrt()));
            sum += DETERMINANT * tested * roots.sum::<f64>() + 0.5 * distance;
        }
        sum
    }

    /// Features as independent draws from a Gaussian process on the parents, with the best ratio of
    /// noise to signal; half a logarithm of the rows is the price of each width and of the ratio.
    fn marginal(&self, target: &Features, given: &Features, parents: usize) -> f64 {
        let n = target.values.nrows() as f64;
        let m = target.values.ncols() as f64;
        let squares: f64 = (0..target.total.nrows()).map(|a| target.total[(a, a)]).sum();
        let cost = |rest: f64, log_det: f64| {
            0.5 * m * (n * libm::log(rest.max(f64::MIN_POSITIVE) / (n * m)) + log_det)
        };
        if parents == 0 {
            return cost(squares, 0.0);
        }
        let Some((values, vectors)) = eigen(given.total.as_ref()) else { return f64::INFINITY };
        let cross = products(given.values.as_ref(), target.values.as_ref());
        let rotated = products(vectors.as_ref(), cross.as_ref());
        let shares: Vec<f64> = (0..values.len())
            .map(|k| (0..rotated.ncols()).map(|b| rotated[(k, b)] * rotated[(k, b)]).sum())
            .collect();
        let at = |log_ratio: f64| {
            let ratio = libm::exp(log_ratio);
            let (mut explained, mut log_det) = (0.0, 0.0);
            for (value, share) in values.iter().zip(&shares) {
                let value = value.max(0.0);
                explained += share / (value + ratio);
                log_det += libm::log((value + ratio) / ratio);
            }
            cost(squares - explained, log_det)
        };
        smallest(at) + 0.5 * libm::log(n) * (parents + 1) as f64
    }
}

/// Products of features: of the target's, of the parents' with them, of the parents'.
struct Moments {
    target: Mat<f64>,
    cross: Mat<f64>,
    own: Mat<f64>,
}

impl Moments {
    /// Products of the residuals of the target's features with these weights.
    fn residuals(&self, weights: &Mat<f64>) -> Mat<f64> {
        let fitted = products(weights.as_ref(), self.cross.as_ref());
        let spread = products(weights.as_ref(), (&self.own * weights).as_ref());
        let m = self.target.nrows();
        Mat::from_fn(m, m, |a, b| {
            self.target[(a, b)] - fitted[(a, b)] - fitted[(b, a)] + spread[(a, b)]
        })
    }
}

fn in_fold(a: &Mat<f64>, b: &Mat<f64>, fold: &Range<usize>) -> Mat<f64> {
    products(a.subrows(fold.start, fold.len()), b.subrows(fold.start, fold.len()))
}

fn total(parts: &[Mat<f64>]) -> Mat<f64> {
    let (rows, columns) = parts.first().map_or((0, 0), |part| part.shape());
    parts.iter().fold(Mat::zeros(rows, columns), |sum, part| sum + part)
}

/// The smallest value of a function on [`RATIOS`]: the best of a grid, then golden sections.
fn smallest(function: impl Fn(f64) -> f64) -> f64 {
    const GRID: usize = 24;
    let step = (RATIOS.end - RATIOS.start) / GRID as f64;
    let place = |k: usize| RATIOS.start + step * k as f64;
    let best = (0..=GRID)
        .map(|k| (function(place(k)), k))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(0, |(_, k)| k);
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut low, mut high) = (place(best.saturating_sub(1)), place((best + 1).min(GRID)));
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_a, mut at_b) = (function(a), function(b));
    for _ in 0..STEPS {
        if at_a < at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - golden * (high - low);
            at_a = function(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + golden * (high - low);
            at_b = function(b);
        }
    }
    at_a.min(at_b).min(function(place(best)))
}

#[cfg(test)]
mod tests {
    use super::super::kernel::width;
    use super::*;

    type Columns = Vec<(Vec<f64>, Kind)>;

    fn columns(n: usize) -> Columns {
        let x: Vec<f64> = (0..n).map(|k| 2.0 * ((k * k) as f64 * 0.7).sin()).collect();
        let y: Vec<f64> = (0..n).map(|k| ((k * k * k) as f64 * 0.3).cos()).collect();
        let z = x.iter().zip(&y).enumerate();
        let z = z.map(|(k, (x, y))| x * x + y + 0.3 * (k as f64 * 1.9).sin()).collect();
        [x, y, z].map(|values| (values, Kind::Continuous)).to_vec()
    }

    /// The same with levels: three that depend on x, and two that depend on them and on y.
    fn mixed(n: usize) -> Columns {
        let mut columns = columns(n);
        let draw = |k: usize| (k as f64 * 0.618_034).fract();
        let levels: Vec<f64> = (0..n)
            .map(|k| if draw(k) < 0.3 { 2.0 } else { f64::from(u8::from(columns[0].0[k] > 0.2)) })
            .collect();
        let two = |k: usize| f64::from(u8::from(columns[1].0[k] + 0.5 * levels[k] > draw(3 * k)));
        let two = (0..n).map(two).collect();
        columns.push((levels, Kind::Categorical));
        columns.push((two, Kind::Binary));
        columns
    }

    /// The centred kernel matrix of some columns: Gaussian for numbers in units of their widths, 1
    /// or 0 for levels.
    fn kernel(columns: &[&(Vec<f64>, Kind)], times: f64) -> Mat<f64> {
        let n = columns[0].0.len();
        let mut raw = Mat::from_fn(n, n, |_, _| 1.0);
        for (values, kind) in columns {
            let width = width(values, times);
            raw = Mat::from_fn(n, n, |a, b| match kind {
                Kind::Binary | Kind::Categorical if values[a] == values[b] => raw[(a, b)],
                Kind::Binary | Kind::Categorical => 0.0,
                _ => raw[(a, b)] * (-0.5 * ((values[a] - values[b]) / width).powi(2)).exp(),
            });
        }
        let centre = Mat::from_fn(n, n, |a, b| f64::from(u8::from(a == b)) - 1.0 / n as f64);
        &centre * raw * &centre
    }

    fn inverse(a: &Mat<f64>) -> Mat<f64> {
        Cholesky::new(a.as_ref()).unwrap().inverse()
    }

    fn log_det(a: &Mat<f64>) -> f64 {
        let factor = Cholesky::new(a.as_ref()).unwrap();
        (0..a.nrows()).map(|k| 2.0 * factor.lower()[(k, k)].ln()).sum()
    }

    fn identity(n: usize) -> Mat<f64> {
        Mat::identity(n, n)
    }

    /// The cross-validated score from whole kernel matrices, as published.
    fn dense(columns: &Columns, target: usize, parents: &[usize], folds: usize) -> f64 {
        let n = columns[0].0.len();
        let (lambda, gamma) = (0.01, NOISE);
        let kx = kernel(&[&columns[target]], WIDTH);
        let given: Vec<_> = parents.iter().map(|&i| &columns[i]).collect();
        let kp = if parents.is_empty() { Mat::zeros(n, n) } else { kernel(&given, WIDTH) };
        let mut sum = 0.0;
        for k in 0..folds {
            let (from, to) = (k * n / folds, (k + 1) * n / folds);
            let (test, train): (Vec<usize>, Vec<usize>) =
                (0..n).partition(|&row| row >= from && row < to);
            let part = |m: &Mat<f64>, a: &[usize], b: &[usize]| {
                Mat::from_fn(a.len(), b.len(), |i, j| m[(a[i], b[j])])
            };
            let (n1, nv) = (train.len() as f64, test.len() as f64);
            let one = inverse(&(part(&kp, &train, &train) + n1 * lambda * identity(train.len())));
            let two = &one * part(&kx, &train, &train) * &one;
            let c = n1 * lambda * lambda / gamma;
            let b = c * &two + identity(train.len());
            let three = &one * inverse(&b) * &one;
            let (xx, xt) = (part(&kx, &train, &train), part(&kx, &train, &test));
            let pt = part(&kp, &train, &test);
            let a = part(&kx, &test, &test) + pt.transpose() * &two * &pt
                - 2.0 * xt.transpose() * &one * &pt
                - c * xt.transpose() * &three * &xt
                - c * pt.transpose() * &one * &xx * &three * &xx * &one * &pt
                + 2.0 * c * xt.transpose() * &three * &xx * &one * &pt;
            let trace: f64 = (0..test.len()).map(|i| a[(i, i)]).sum();
            sum += 0.25 * nv * log_det(&b) + 0.5 * trace / gamma;
        }
        sum
    }

    #[test]
    fn it_is_the_score_of_whole_kernel_matrices() {
        let (n, folds) = (60, 5);
        let columns = mixed(n);
        let score = KernelScore::new(columns.clone(), GsgesScore::CrossValidated, folds, 0.01, n);
        let numbers: [(usize, &[usize]); 6] =
            [(2, &[]), (2, &[0]), (2, &[1]), (2, &[0, 1]), (0, &[1, 2]), (1, &[0, 2])];
        let levels: [(usize, &[usize]); 7] = [
            (3, &[]),
            (3, &[0]),
            (3, &[4]),
            (4, &[1, 3]),
            (4, &[3]),
            (2, &[3, 4]),
            (2, &[0, 3, 4]),
        ];
        for (target, parents) in numbers.into_iter().chain(levels) {
            let (found, expected) =
                (score.local(target, parents), dense(&columns, target, parents, folds));
            let close = 1e-3 * expected.abs();
            assert!((found - expected).abs() < close, "{target} {parents:?} {found} {expected}");
        }
    }

    #[test]
    fn the_marginal_likelihood_is_that_of_whole_kernel_matrices() {
        let n = 50;
        let columns = mixed(n);
        let score = KernelScore::new(columns.clone(), GsgesScore::Marginal, 5, 0.01, n);
        let sets: [(usize, &[usize]); 4] = [(2, &[0, 1]), (2, &[0, 3]), (3, &[0, 4]), (3, &[4])];
        for (target, parents) in sets {
            let features = &score.targets[target].values;
            let (rows, m) = (n as f64, features.ncols() as f64);
            let kx = kernel(&[&columns[target]], MARGINAL_WIDTH);
            let given: Vec<_> = parents.iter().map(|&i| &columns[i]).collect();
            let kp = kernel(&given, MARGINAL_WIDTH);
            let best = (-1200..=1200)
                .map(|step| {
                    let ratio = (f64::from(step) / 100.0).exp();
                    let covariance = &kp * faer::Scale(1.0 / ratio) + identity(n);
                    let distance = inverse(&covariance) * &kx;
                    let rest: f64 = (0..n).map(|a| distance[(a, a)]).sum();
                    0.5 * m * (rows * (rest / (rows * m)).ln() + log_det(&covariance))
                })
                .fold(f64::INFINITY, f64::min);
            let price = 0.5 * rows.ln() * (parents.len() + 1) as f64;
            let found = score.local(target, parents) - price;
            let close = 1e-2 * best.abs().max(1.0);
            assert!((found - best).abs() < close, "{target} {parents:?} {found} {best}");
        }
        // Levels are regressed as one feature fewer than there are.
        assert_eq!(score.targets[3].values.ncols(), 2);
        assert_eq!(score.targets[4].values.ncols(), 1);
    }

    #[test]
    fn parents_that_matter_gain_and_others_do_not() {
        for kind in [GsgesScore::CrossValidated, GsgesScore::Marginal] {
            let mut columns = columns(300);
            let other = (0..300).map(|k| ((k * 37 % 101) as f64 * 0.9).sin()).collect();
            columns.push((other, Kind::Continuous));
            let score = KernelScore::new(columns, kind, 10, 0.01, 60);
            let cost = |parents: &[usize]| score.local(2, parents);
            assert!(cost(&[0]) < cost(&[]) && cost(&[0, 1]) < cost(&[0]), "{kind:?}");
            assert!(cost(&[3]) > cost(&[]) && cost(&[0, 1, 3]) > cost(&[0, 1]), "{kind:?}");
        }
    }
}
