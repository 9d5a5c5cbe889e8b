//! The ridge regressions of one iteration by conjugate gradients on all columns together.

use faer::Mat;

use super::{Iterate, slices};
use crate::core::parallel::*;

/// A column is done when its residual has fallen to this part of the first.
const RESIDUAL: f64 = 0.1;

/// Conjugate gradient steps at most; fewer make the outer iterations many more.
const MAX_STEPS: usize = 20;

/// Conjugate gradients for all columns, preconditioned by the diagonal.
///
/// One step costs one product with S for the columns still at work. Columns sit in slots, those at
/// work first. Started from zero, every iterate is a descent direction.
pub(super) struct Columns {
    /// The column in each slot.
    column: Vec<usize>,
    slots: Vec<Slot>,
    residual: Mat<f64>,
    direction: Mat<f64>,
    product: Mat<f64>,
    step: Mat<f64>,
    smooth_step: Mat<f64>,
}

/// The scalars of one column's conjugate gradients.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// Residual times preconditioned residual.
    energy: f64,
    /// Where to stop.
    target: f64,
}

impl Columns {
    pub(super) fn new(d: usize) -> Self {
        let zeros = || Mat::zeros(d, d);
        Self {
            column: (0..d).collect(),
            slots: vec![Slot::default(); d],
            residual: zeros(),
            direction: zeros(),
            product: zeros(),
            step: zeros(),
            smooth_step: zeros(),
        }
    }

    /// Fills `step` and `smooth_step = S step`; returns the slope of the objective along it.
    pub(super) fn solve(
        &mut self,
        iterate: Iterate<'_>,
        step: &mut Mat<f64>,
        smooth_step: &mut Mat<f64>,
    ) -> f64 {
        self.start(iterate);
        let d = self.column.len();
        let mut active = d;
        for _ in 0..MAX_STEPS {
            let directions = self.direction.as_ref().subcols(0, active);
            let products = self.product.as_mut().subcols_mut(0, active);
            iterate.second_moments.times(products, directions, |slot| self.column[slot]);
            self.advance(iterate, active);
            // Columns that are done change places with the last one at work.
            for slot in (0..active).rev() {
                if self.slots[slot].energy <= self.slots[slot].target {
                    active -= 1;
                    self.exchange(slot, active);
                }
            }
            if active == 0 {
                break;
            }
        }
        let mut slope = 0.0;
        for (slot, &j) in self.column.iter().enumerate() {
            for i in 0..d {
                step[(i, j)] = self.step[(i, slot)];
                smooth_step[(i, j)] = self.smooth_step[(i, slot)];
            }
        }
        for j in 0..d {
            for i in 0..d {
                slope += iterate.gradient(i, j) * step[(i, j)];
            }
        }
        slope
    }

    /// Sets the first residual, minus the gradient, and the first direction.
    fn start(&mut self, iterate: Iterate<'_>) {
        let columns = &self.column;
        slices(&mut self.residual)
            .into_par_iter()
            .zip(slices(&mut self.direction))
            .zip(slices(&mut self.step).into_par_iter().zip(slices(&mut self.smooth_step)))
            .zip(self.slots.par_iter_mut())
            .enumerate()
            .for_each(|(k, (((residual, direction), (step, smooth_step)), slot))| {
                let j = columns[k];
                step.fill(0.0);
                smooth_step.fill(0.0);
                let mut energy = 0.0;
                for i in 0..residual.len() {
                    let value = if iterate.is_free(i, j) { -iterate.gradient(i, j) } else { 0.0 };
                    residual[i] = value;
                    direction[i] = value / (iterate.moment(i, j) + iterate.ridge(i, j));
                    energy += value * direction[i];
                }
                *slot = Slot { energy, target: RESIDUAL * RESIDUAL * energy };
            });
    }

    /// One conjugate gradient step of every column at work, given `product = S direction`.
    fn advance(&mut self, iterate: Iterate<'_>, active: usize) {
        let columns = &self.column;
        slices(&mut self.residual)
            .into_par_iter()
            .zip(slices(&mut self.direction).into_par_iter().zip(slices(&mut self.product)))
            .zip(slices(&mut self.step).into_par_iter().zip(slices(&mut self.smooth_step)))
            .zip(self.slots.par_iter_mut())
            .enumerate()
            .take(active)
            .for_each(|(k, ((work, (step, smooth_step)), slot))| {
                let (residual, (direction, product)) = work;
                let j = columns[k];
                let curvature: f64 = (0..residual.len())
                    .map(|i| direction[i] * (product[i] + iterate.ridge(i, j) * direction[i]))
                    .sum();
                if curvature.is_nan() || curvature <= 0.0 {
                    slot.energy = 0.0;
                    return;
                }
                let length = slot.energy / curvature;
                let mut energy = 0.0;
                for i in 0..residual.len() {
                    let ridge = iterate.ridge(i, j);
                    step[i] += length * direction[i];
                    smooth_step[i] += length * product[i];
                    if iterate.is_free(i, j) {
                        residual[i] -= length * (product[i] + ridge * direction[i]);
                        // The preconditioned residual takes the place of the product.
                        product[i] = residual[i] / (iterate.moment(i, j) + ridge);
                        energy += residual[i] * product[i];
                    } else {
                        product[i] = 0.0;
                    }
                }
                let momentum = energy / slot.energy;
                slot.energy = energy;
                for i in 0..residual.len() {
                    direction[i] = product[i] + momentum * direction[i];
                }
            });
    }

    fn exchange(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        self.column.swap(a, b);
        self.slots.swap(a, b);
        for matrix in
            [&mut self.residual, &mut self.direction, &mut self.step, &mut self.smooth_step]
        {
            let (left, right) = matrix.as_mut().split_at_col_mut(b);
            left.col_mut(a)
                .iter_mut()
                .zip(right.col_mut(0).iter_mut())
                .for_each(|(x, y)| std::mem::swap(x, y));
        }
    }
}
