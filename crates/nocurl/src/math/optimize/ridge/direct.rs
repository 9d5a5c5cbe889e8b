//! The ridge regressions of one iteration by Cholesky factorisations, several columns side by side.

use faer::{Mat, MatRef};

use super::{Iterate, slices};
use crate::core::Error;
use crate::core::error::SIMILAR_UNITS;
use crate::core::parallel::*;
use crate::math::linalg::Lanes;
use crate::math::objective::Grams;

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
    /// The unknowns of all, and for each the lanes that have it.
    union: Vec<usize>,
    has: Vec<f64>,
    diagonal: Vec<f64>,
    /// Ridge and gradient of each lane's column.
    ridge: Vec<Vec<f64>>,
    gradient: Vec<Vec<f64>>,
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

/// A column of a matrix.
fn slice(matrix: MatRef<'_, f64>, j: usize) -> &[f64] {
    matrix.col(j).try_as_col_major().expect("columns are contiguous").as_slice()
}

impl Space {
    fn new(d: usize) -> Self {
        let width = Lanes::width();
        Self {
            systems: Lanes::new(d),
            free: vec![Vec::with_capacity(d); width],
            union: Vec::with_capacity(d),
            ridge: vec![vec![0.0; d]; width],
            gradient: vec![vec![0.0; d]; width],
            has: Vec::with_capacity(d * width),
            diagonal: Vec::with_capacity(d * width),
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
        self.free[columns.len()..].iter_mut().for_each(Vec::clear);
        let most = self.free.iter().map(Vec::len).max().unwrap_or(0);
        let together = self.unite(iterate, most);
        let m = if together { self.union.len() } else { most };
        // Exact collinearity leaves the matrix singular: then a little more ridge, as needed.
        self.jitter.fill(0.0);
        loop {
            if together {
                self.fill_together(iterate);
            } else {
                self.fill_each(iterate, columns, m);
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
        for (lane, step) in steps.iter_mut().enumerate() {
            let slope = &mut self.slopes[first + lane];
            let gradient = &self.gradient[lane];
            let mut take = |i: usize, value: f64| {
                step[i] = value;
                *slope += gradient[i] * value;
            };
            let values = self.systems.solution(lane, m);
            if together {
                let has = self.has.iter().skip(lane).step_by(Lanes::width());
                let own = self.union.iter().zip(values).zip(has).filter(|(_, has)| **has > 0.0);
                own.for_each(|((&i, value), _)| take(i, value));
            } else {
                self.free[lane].iter().zip(values).for_each(|(&i, value)| take(i, value));
            }
        }
        Ok(())
    }

    /// Lists the unknowns of all lanes. True where it pays to solve each lane for all of them: lanes
    /// then share the entries of one matrix, which are read once, and the systems are a little larger.
    /// What comes out has the same bits either way.
    fn unite(&mut self, iterate: Iterate<'_>, most: usize) -> bool {
        self.union.clear();
        let Grams::Shared(s) = iterate.second_moments else { return false };
        let width = Lanes::width();
        self.has.clear();
        self.has.resize(s.nrows() * width, 0.0);
        for (lane, free) in self.free.iter().enumerate() {
            free.iter().for_each(|&i| self.has[i * width + lane] = 1.0);
        }
        for i in 0..s.nrows() {
            let lanes = i * width..(i + 1) * width;
            if self.has[lanes.clone()].iter().any(|&has| has > 0.0) {
                self.has.copy_within(lanes, self.union.len() * width);
                self.union.push(i);
            }
        }
        self.has.truncate(self.union.len() * width);
        // Instructions, about: for the factor, and for the entries of the matrix.
        let union = self.union.len();
        2 * union.pow(3) + 27 * union.pow(2) <= 2 * most.pow(3) + 180 * most.pow(2)
    }

    /// Steps what is not solved with the others, and lists what is; returns the slope of the former.
    fn force(&mut self, iterate: Iterate<'_>, lane: usize, j: usize, step: &mut [f64]) -> f64 {
        let s = iterate.second_moments.of(j);
        let free = &mut self.free[lane];
        free.clear();
        let mut slope = 0.0;
        let (ridges, gradients) = (&mut self.ridge[lane], &mut self.gradient[lane]);
        let smooth = slice(iterate.smooth, j).iter().zip(slice(iterate.weights, j));
        let known = ridges.iter_mut().zip(gradients).zip(smooth);
        for ((i, step), ((ridge, gradient), (smooth, weight))) in
            step.iter_mut().enumerate().zip(known)
        {
            if !iterate.is_free(i, j) {
                *step = 0.0;
                continue;
            }
            *ridge = iterate.ridge(i, j);
            *gradient = smooth + *ridge * weight;
            let moment = s[(i, i)];
            if *ridge <= FORCED * moment {
                free.push(i);
            } else {
                *step = -*gradient / (moment + *ridge);
                slope += *gradient * *step;
            }
        }
        slope
    }

    /// The systems of these columns, all with the same places of one matrix.
    fn fill_together(&mut self, iterate: Iterate<'_>) {
        let s = iterate.second_moments.of(0);
        let (width, m) = (Lanes::width(), self.union.len());
        self.diagonal.clear();
        self.diagonal.resize(m * width, 1.0);
        for (lane, free) in self.free.iter().enumerate() {
            let mut places = 0..m;
            for &k in free {
                let place = places.find(|&place| self.union[place] == k).expect("all are there");
                let diagonal = s[(k, k)] * (1.0 + self.jitter[lane]) + self.ridge[lane][k];
                self.diagonal[place * width + lane] = diagonal;
            }
        }
        self.systems.spread(s, &self.union, &self.has, &self.diagonal);
        for (lane, gradient) in self.gradient.iter().enumerate() {
            let has = self.has.iter().skip(lane).step_by(width);
            let right = self.union.iter().zip(has);
            let right = right.map(|(&k, has)| if *has > 0.0 { -gradient[k] } else { 0.0 });
            self.systems.set(lane, m, right);
        }
    }

    /// The same, each with places of its own, made up to `m` unknowns.
    fn fill_each(&mut self, iterate: Iterate<'_>, columns: &[usize], m: usize) {
        for (lane, &j) in columns.iter().enumerate() {
            let s = iterate.second_moments.of(j);
            let free = &self.free[lane];
            for (b, &k) in free.iter().enumerate() {
                let diagonal = s[(k, k)] * (1.0 + self.jitter[lane]) + self.ridge[lane][k];
                self.systems.gather(lane, b, (slice(s, k), &free[..b]), diagonal);
            }
            self.systems.pad(lane, free.len(), m);
            let right = free.iter().map(|&k| -self.gradient[lane][k]);
            let none = std::iter::repeat_n(0.0, m - free.len());
            self.systems.set(lane, m, right.chain(none));
        }
        for lane in columns.len()..self.free.len() {
            self.systems.pad(lane, 0, m);
            self.systems.set(lane, m, (0..m).map(|_| 0.0));
        }
    }
}
