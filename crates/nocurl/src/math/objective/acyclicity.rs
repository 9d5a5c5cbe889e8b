//! Smooth penalties that are zero exactly on acyclic graphs.

use faer::linalg::triangular_inverse::{invert_unit_lower_triangular, invert_upper_triangular};

use crate::core::{Mat, MatRef, names};
use crate::math::linalg;

/// Which acyclicity penalty to use, as a function of `B = A∘A`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Acyclicity {
    /// `tr (I + B/d)^d - d`, as the paper and DAG-GNN (Yu et al., 2019).
    #[default]
    Polynomial,
    /// `tr exp(B) - d`, as NOTEARS (Zheng et al., 2018).
    Exponential,
    /// `d log s - log det(sI - B)` with `s = 1`, as DAGMA (Bello et al., 2022). Infinite where
    /// the spectral radius of `B` is not below `s`.
    LogDet,
}

names!(Acyclicity { Polynomial = "polynomial", Exponential = "exponential", LogDet = "log-det" });

/// An acyclicity penalty for graphs of one size, with its work space.
///
/// Every penalty here has a gradient of the same form, `grad h = 2 E' ∘ A`, with a matrix
/// `E >= 0` that counts weighted walks. One evaluation gives the value and `E`.
#[derive(Debug, Clone)]
pub struct Penalty {
    kind: Acyclicity,
    walks: Mat<f64>,
    base: Mat<f64>,
    product: Mat<f64>,
}

/// The `s` of the log-determinant penalty.
const LOG_DET_RADIUS: f64 = 1.0;

/// Terms of the exponential's series after scaling to norm 1/2: 0.5^15 / 15! < 2^-54.
const TAYLOR_TERMS: usize = 14;

impl Penalty {
    /// A penalty for graphs of `d` variables.
    pub fn new(kind: Acyclicity, d: usize) -> Self {
        Self { kind, walks: Mat::zeros(d, d), base: Mat::zeros(d, d), product: Mat::zeros(d, d) }
    }

    /// The value h(A); [`Self::walks`] then holds `E`.
    ///
    /// Cost: about 2 log2(d) products (polynomial), 14 and more (exponential), one
    /// factorisation and inverse (log-determinant).
    pub fn evaluate(&mut self, weights: MatRef<'_, f64>) -> f64 {
        let value = match self.kind {
            Acyclicity::Polynomial => self.polynomial(weights),
            Acyclicity::Exponential => self.exponential(weights),
            Acyclicity::LogDet => self.log_det(weights),
        };
        // Overflow meets a zero weight: the walks are beyond all numbers.
        if value.is_nan() { f64::INFINITY } else { value }
    }

    /// The matrix `E` at the last point evaluated: `grad h = 2 E' ∘ A`.
    pub fn walks(&self) -> MatRef<'_, f64> {
        self.walks.as_ref()
    }

    /// The gradient `2 E' ∘ A` at the last point evaluated, which must be `weights`.
    pub fn gradient(&self, weights: MatRef<'_, f64>) -> Mat<f64> {
        let d = weights.nrows();
        Mat::from_fn(d, d, |i, j| 2.0 * self.walks[(j, i)] * weights[(i, j)])
    }

    /// The slope of h along a step, at the last point evaluated, which must be `weights`.
    pub(crate) fn slope(&self, weights: MatRef<'_, f64>, step: MatRef<'_, f64>) -> f64 {
        let mut sum = 0.0;
        for j in 0..weights.ncols() {
            let both = weights.col(j).iter().zip(step.col(j).iter());
            let walks = self.walks.as_ref().row(j);
            sum += both.zip(walks.iter()).map(|((a, step), e)| e * a * step).sum::<f64>();
        }
        2.0 * sum
    }

    fn polynomial(&mut self, weights: MatRef<'_, f64>) -> f64 {
        let d = weights.nrows();
        // base = I + B/d; walks = base^(d-1) by repeated squaring, most significant bit first.
        self.set_base(weights, 1.0 / d as f64, 1.0);
        let power = d - 1;
        self.walks.copy_from(&self.base);
        for bit in (0..power.max(1).ilog2()).rev() {
            self.square_walks();
            if power >> bit & 1 == 1 {
                linalg::matmul(self.product.as_mut(), self.walks.as_ref(), self.base.as_ref());
                std::mem::swap(&mut self.walks, &mut self.product);
            }
        }
        if power == 0 {
            self.walks = Mat::identity(d, d);
        }
        // tr(walks * base) - d, taken entry by entry so that an acyclic graph gives exactly 0.
        let mut value = 0.0;
        for i in 0..d {
            let mut row = 0.0;
            for k in 0..d {
                row += self.walks[(k, i)] * self.base[(i, k)];
            }
            value += row - 1.0;
        }
        value
    }

    fn exponential(&mut self, weights: MatRef<'_, f64>) -> f64 {
        let d = weights.nrows();
        self.set_base(weights, 1.0, 0.0);
        let norm = (0..d).map(|j| self.base.col(j).iter().sum::<f64>()).fold(0.0, f64::max);
        if !norm.is_finite() {
            return f64::INFINITY;
        }
        let squarings = if norm > 0.5 { (norm * 2.0).log2().ceil() as i32 } else { 0 };
        let scale = (-squarings as f64).exp2();
        self.base *= faer::Scale(scale);
        // Horner's rule on the series; every term is nonnegative, so nothing cancels.
        self.walks = Mat::identity(d, d);
        for term in (1..=TAYLOR_TERMS).rev() {
            linalg::matmul(self.product.as_mut(), self.base.as_ref(), self.walks.as_ref());
            let factor = 1.0 / term as f64;
            for j in 0..d {
                for i in 0..d {
                    let one = f64::from(u8::from(i == j));
                    self.walks[(i, j)] = one + factor * self.product[(i, j)];
                }
            }
        }
        for _ in 0..squarings {
            self.square_walks();
        }
        (0..d).map(|i| self.walks[(i, i)] - 1.0).sum()
    }

    fn log_det(&mut self, weights: MatRef<'_, f64>) -> f64 {
        let d = weights.nrows();
        let s = LOG_DET_RADIUS;
        self.set_base(weights, -1.0, s);
        // Elimination without pivoting: sI - B is an M-matrix exactly when all pivots are
        // positive, and for an acyclic graph every pivot is exactly s.
        let mut value = 0.0;
        for k in 0..d {
            let pivot = self.base[(k, k)];
            if pivot.is_nan() || pivot <= 0.0 {
                return f64::INFINITY;
            }
            value += (s / pivot).ln();
            for i in k + 1..d {
                self.base[(i, k)] /= pivot;
            }
            for j in k + 1..d {
                let factor = self.base[(k, j)];
                if factor != 0.0 {
                    for i in k + 1..d {
                        self.base[(i, j)] -= self.base[(i, k)] * factor;
                    }
                }
            }
        }
        let mut lower = Mat::zeros(d, d);
        let mut upper = Mat::zeros(d, d);
        invert_unit_lower_triangular(lower.as_mut(), self.base.as_ref(), faer::Par::Seq);
        invert_upper_triangular(upper.as_mut(), self.base.as_ref(), faer::Par::Seq);
        for i in 0..d {
            lower[(i, i)] = 1.0;
        }
        linalg::matmul(self.walks.as_mut(), upper.as_ref(), lower.as_ref());
        value
    }

    /// `base = diagonal * I + scale * A∘A`.
    fn set_base(&mut self, weights: MatRef<'_, f64>, scale: f64, diagonal: f64) {
        let d = weights.nrows();
        for j in 0..d {
            for i in 0..d {
                let w = weights[(i, j)];
                self.base[(i, j)] = scale * w * w;
            }
            self.base[(j, j)] += diagonal;
        }
    }

    fn square_walks(&mut self) {
        linalg::matmul(self.product.as_mut(), self.walks.as_ref(), self.walks.as_ref());
        std::mem::swap(&mut self.walks, &mut self.product);
    }
}
