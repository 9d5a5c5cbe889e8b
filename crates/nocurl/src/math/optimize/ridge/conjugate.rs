//! Conjugate directions.

use faer::Mat;

use super::Iterate;

/// A direction falls at least at this part of the slope of its plain step.
const DESCENT: f64 = 0.1;

/// Directions made of the plain step and the direction before, as by conjugate gradients with the
/// ridge regressions as preconditioner (Polak and Ribière).
///
/// A step holds the walks fixed. Where edges form a cycle, each column then steps as if the others
/// stood still: the plain steps swing to and fro on some directions and creep along others, at the
/// same pace. Two steps together tell these apart.
pub(super) struct Conjugate {
    /// The plain step before.
    plain: Mat<f64>,
    /// The slope along it where it began; none if there is no step to go on from.
    slope: Option<f64>,
    pub(super) direction: Mat<f64>,
    /// S times the direction.
    pub(super) smooth: Mat<f64>,
}

impl Conjugate {
    pub(super) fn new(d: usize) -> Self {
        let zeros = || Mat::zeros(d, d);
        Self { plain: zeros(), slope: None, direction: zeros(), smooth: zeros() }
    }

    /// Makes the next direction the plain one.
    pub(super) fn forget(&mut self) {
        self.slope = None;
    }

    /// The direction from a plain step, `smooth_plain = S plain` and the slope along the step, which
    /// is negative. Returns the slope along the direction; `plain` is left with the step before.
    pub(super) fn turn(
        &mut self,
        iterate: Iterate<'_>,
        plain: &mut Mat<f64>,
        smooth_plain: &Mat<f64>,
        slope: f64,
    ) -> f64 {
        let (mut share, mut along) = (0.0, slope);
        if let Some(before) = self.slope {
            let (of_plain, of_direction) = self.slopes(iterate);
            let factor = (slope - of_plain) / before;
            if factor > 0.0 && slope + factor * of_direction <= DESCENT * slope {
                (share, along) = (factor, slope + factor * of_direction);
            }
        }
        add(&mut self.direction, share, plain);
        add(&mut self.smooth, share, smooth_plain);
        std::mem::swap(&mut self.plain, plain);
        self.slope = Some(slope);
        along
    }

    /// The slopes along the plain step and the direction before.
    fn slopes(&self, iterate: Iterate<'_>) -> (f64, f64) {
        let (mut of_plain, mut of_direction) = (0.0, 0.0);
        for j in 0..self.plain.ncols() {
            let before = self.plain.col_as_slice(j).iter().zip(self.direction.col_as_slice(j));
            for (gradient, (plain, direction)) in iterate.gradients(j).zip(before) {
                of_plain += gradient * plain;
                of_direction += gradient * direction;
            }
        }
        (of_plain, of_direction)
    }
}

/// `matrix = factor * matrix + addend`.
fn add(matrix: &mut Mat<f64>, factor: f64, addend: &Mat<f64>) {
    for j in 0..matrix.ncols() {
        let both = matrix.col_as_slice_mut(j).iter_mut().zip(addend.col_as_slice(j));
        both.for_each(|(entry, addend)| *entry = factor * *entry + addend);
    }
}
