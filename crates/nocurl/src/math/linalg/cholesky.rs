//! Cholesky factorisations.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor as llt;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Relative size under which a pivot counts as zero: the rounding error of a d x d elimination.
pub(crate) fn pivot_floor(d: usize) -> f64 {
    f64::EPSILON * 16.0 * d as f64
}

/// The lower triangular factor of a symmetric positive definite matrix.
#[derive(Debug, Clone)]
pub struct Cholesky {
    factor: Mat<f64>,
}

impl Cholesky {
    /// Factors `a` (its lower triangle is read); `None` when it is not positive definite.
    pub fn new(a: MatRef<'_, f64>) -> Option<Self> {
        let mut factor = a.to_owned();
        let mut buffer = MemBuffer::new(llt::cholesky_in_place_scratch::<f64>(
            a.nrows(),
            Par::Seq,
            Default::default(),
        ));
        if !factor_in_place(factor.as_mut(), MemStack::new(&mut buffer)) {
            return None;
        }
        for j in 0..factor.ncols() {
            for i in 0..j {
                factor[(i, j)] = 0.0;
            }
        }
        Some(Self { factor })
    }

    /// The factorisation of the matrix without rows.
    pub(crate) fn empty() -> Self {
        Self { factor: Mat::zeros(0, 0) }
    }

    /// The factorisation with a known lower triangular factor.
    pub(super) fn from_lower(factor: MatRef<'_, f64>) -> Self {
        Self { factor: factor.to_owned() }
    }

    /// The lower triangular factor `L` with `a = L L'`; the strict upper triangle is zero.
    pub fn lower(&self) -> MatRef<'_, f64> {
        self.factor.as_ref()
    }

    /// Solves `L x = b` in place, for all columns of `b`.
    pub fn solve_lower(&self, b: MatMut<'_, f64>) {
        solve_lower_triangular_in_place(self.factor.as_ref(), b, Par::Seq);
    }

    /// Solves `L' x = b` in place, for all columns of `b`.
    pub fn solve_upper(&self, b: MatMut<'_, f64>) {
        solve_upper_triangular_in_place(self.factor.transpose(), b, Par::Seq);
    }

    /// The inverse of `L`, lower triangular.
    pub fn inverse_lower(&self) -> Mat<f64> {
        let d = self.factor.nrows();
        let mut inverse = Mat::zeros(d, d);
        invert_lower_triangular(inverse.as_mut(), self.factor.as_ref(), Par::Seq);
        inverse
    }

    /// The inverse of `a`, symmetric.
    pub fn inverse(&self) -> Mat<f64> {
        let lower = self.inverse_lower();
        let d = lower.nrows();
        let mut inverse = Mat::zeros(d, d);
        triangular::matmul(
            inverse.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Replace,
            lower.transpose(),
            BlockStructure::TriangularUpper,
            lower.as_ref(),
            BlockStructure::TriangularLower,
            1.0,
            Par::Seq,
        );
        mirror_lower(&mut inverse);
        inverse
    }
}

/// Copies the lower triangle onto the upper one.
pub(super) fn mirror_lower(a: &mut Mat<f64>) {
    for j in 0..a.ncols() {
        for i in j + 1..a.nrows() {
            a[(j, i)] = a[(i, j)];
        }
    }
}

/// Work space for solving symmetric positive definite systems without allocating.
pub(crate) struct FactorSpace {
    buffer: MemBuffer,
}

impl FactorSpace {
    /// Space for systems of up to `d` unknowns.
    pub(crate) fn new(d: usize) -> Self {
        let factor = llt::cholesky_in_place_scratch::<f64>(d, Par::Seq, Default::default());
        Self { buffer: MemBuffer::new(factor) }
    }

    /// Solves `a x = b` in place: `a` (lower triangle) becomes its factor, `b` the solution.
    /// False, with both spoilt, when `a` is not positive definite.
    pub(crate) fn solve(&mut self, mut a: MatMut<'_, f64>, b: &mut [f64]) -> bool {
        if !factor_in_place(a.rb_mut(), MemStack::new(&mut self.buffer)) {
            return false;
        }
        let mut b = MatMut::from_column_major_slice_mut(b, a.nrows(), 1);
        solve_lower_triangular_in_place(a.rb(), b.rb_mut(), Par::Seq);
        solve_upper_triangular_in_place(a.rb().transpose(), b, Par::Seq);
        true
    }
}

/// Factors the lower triangle in place; false when a pivot is not positive.
pub(crate) fn factor_in_place(a: MatMut<'_, f64>, stack: &mut MemStack) -> bool {
    llt::cholesky_in_place(a, Default::default(), Par::Seq, stack, Default::default()).is_ok()
}
