//! The ridge regressions of one iteration by Cholesky factorisations, several columns side by side.

use faer::Mat;

use super::{Iterate, slices};
use crate::core::Error;
use crate::core::error::SIMILAR_UNITS;
use crate::core::parallel::*;
use crate::math::linalg::Lanes;

/// A ridge weight above this multiple of a variable's own second moment leaves it so little room
/// that it is stepped on its own rather than solved with the others.
const FORCED: f64 = 30.0;

/// Columns are solved in this many groups at most, each with work space of its own.
const GROUPS: usize = 16;

/// The ridge regressions of all columns.
pub(super) struct Columns {
    /// Columns by the number of their unknowns, so that those side by side are of like size.
    sequence: Vec<usize>,
    sizes: Vec<usize>,
    spaces: Vec<Space>,
}

/// Work space for columns side by side.
struct Space {
    systems: Lanes,
    /// The unknowns of each.
    free: Vec<Vec<usize>>,
    /// What is added to the diagonal of each, relative to it.
    jitter: Vec<f64>,
    slopes: Vec<f64>,
}

impl Columns {
    pub(super) fn new(d: usize) -> Self {
        let spaces = d.div_ceil(Lanes::width()).min(GROUPS);
        Self {
            sequence: (0..d).collect(),
            sizes: vec![0; d],
            spaces: (0..spaces).map(|_| Space::new(d)).collect(),
        }
    }

    /// Fills `step` and returns the slope of the objective along it.
    pub(super) fn solve(
        &mut self,
        iterate: Iterate<'_>,
        step: &mut Mat<f64>,
    ) -> Result<f64, Error> {
        for (j, size) in self.sizes.iter_mut().enumerate() {
            *size = (0..step.nrows()).filter(|&i| is_solved(iterate, i, j)).count();
        }
        // What is side by side has no influence on results: lanes do not touch each other.
        self.sequence.sort_by_key(|&j| (self.sizes[j], j));
        let mut columns: Vec<Option<&mut [f64]>> = slices(step).into_iter().map(Some).collect();
        let mut steps: Vec<&mut [f64]> = Vec::with_capacity(columns.len());
        steps.extend(self.sequence.iter().filter_map(|&j| columns[j].take()));
        let each = self.sequence.len().div_ceil(self.spaces.len()).next_multiple_of(Lanes::width());
        let parts = self.sequence.chunks(each).zip(steps.chunks_mut(each));
        let work: Vec<_> = parts.zip(&mut self.spaces).collect();
        work.into_par_iter()
            .map(|((columns, steps), space)| space.solve_all(iterate, columns, steps))
            .collect::<Result<Vec<()>, Error>>()?;
        let mut slopes = vec![0.0; self.sequence.len()];
        let found = self.spaces.iter().flat_map(|space| &space.slopes);
        self.sequence.iter().zip(found).for_each(|(&j, &slope)| slopes[j] = slope);
        Ok(slopes.iter().sum())
    }
}

/// True for entries that are solved for together with the others of their column.
fn is_solved(iterate: Iterate<'_>, i: usize, j: usize) -> bool {
    iterate.ridge(i, j) <= FORCED * iterate.moment(i, j) && iterate.is_free(i, j)
}

impl Space {
    fn new(d: usize) -> Self {
        let width = Lanes::width();
        Self {
            systems: Lanes::new(d),
            free: vec![Vec::with_capacity(d); width],
            jitter: vec![0.0; width],
            slopes: Vec::with_capacity(d),
        }
    }

    /// Fills these columns of the step and keeps their parts of the slope.
    fn solve_all(
        &mut self,
        iterate: Iterate<'_>,
        columns: &[usize],
        steps: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        let width = Lanes::width();
        self.slopes.clear();
        let mut parts = columns.chunks(width).zip(steps.chunks_mut(width));
        parts.try_for_each(|(columns, steps)| self.solve(iterate, columns, steps))
    }

    /// The same for as many columns as there are lanes.
    fn solve(
        &mut self,
        iterate: Iterate<'_>,
        columns: &[usize],
        steps: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        let first = self.slopes.len();
        for (lane, (&j, step)) in columns.iter().zip(steps.iter_mut()).enumerate() {
            let slope = self.force(iterate, lane, j, step);
            self.slopes.push(slope);
        }
        let m = self.free[..columns.len()].iter().map(Vec::len).max().unwrap_or(0);
        // Exact collinearity leaves the matrix singular: then a little more ridge, as needed.
        self.jitter.fill(0.0);
        loop {
            for (lane, &j) in columns.iter().enumerate() {
                self.fill(iterate, lane, j, m);
            }
            for lane in columns.len()..self.free.len() {
                self.systems.pad(lane, 0, m);
                self.systems.set(lane, m, (0..m).map(|_| 0.0));
            }
            let mut again = false;
            for (jitter, definite) in self.jitter.iter_mut().zip(self.systems.solve(m)) {
                if definite {
                    continue;
                }
                if *jitter > 1.0 {
                    return Err(Error::OutOfRange {
                        stage: "the first estimate",
                        advice: SIMILAR_UNITS,
                    });
                }
                *jitter = (*jitter * 100.0_f64).max(1e-12);
                again = true;
            }
            if !again {
                break;
            }
        }
        for (lane, (&j, step)) in columns.iter().zip(steps.iter_mut()).enumerate() {
            for (&i, value) in self.free[lane].iter().zip(self.systems.solution(lane, m)) {
                step[i] = value;
                self.slopes[first + lane] += iterate.gradient(i, j) * value;
            }
        }
        Ok(())
    }

    /// Steps what is not solved with the others, and lists what is; returns the slope of the former.
    fn force(&mut self, iterate: Iterate<'_>, lane: usize, j: usize, step: &mut [f64]) -> f64 {
        let s = iterate.second_moments.of(j);
        let free = &mut self.free[lane];
        free.clear();
        let mut slope = 0.0;
        for (i, step) in step.iter_mut().enumerate() {
            if !iterate.is_free(i, j) {
                *step = 0.0;
                continue;
            }
            let weight = iterate.ridge(i, j);
            if weight <= FORCED * s[(i, i)] {
                free.push(i);
            } else {
                let g = iterate.gradient(i, j);
                *step = -g / (s[(i, i)] + weight);
                slope += g * *step;
            }
        }
        slope
    }

    /// The system of a column, made up to `m` unknowns.
    fn fill(&mut self, iterate: Iterate<'_>, lane: usize, j: usize, m: usize) {
        let s = iterate.second_moments.of(j);
        let free = &self.free[lane];
        for (b, &k) in free.iter().enumerate() {
            let source = s.col(k).try_as_col_major().expect("columns are contiguous").as_slice();
            let diagonal = s[(k, k)] * (1.0 + self.jitter[lane]) + iterate.ridge(k, j);
            self.systems.gather(lane, b, (source, &free[..b]), diagonal);
        }
        self.systems.pad(lane, free.len(), m);
        let right = free.iter().map(|&k| -iterate.gradient(k, j));
        let none = std::iter::repeat_n(0.0, m - free.len());
        self.systems.set(lane, m, right.chain(none));
    }
}
