//! The ridge regressions of one iteration by Cholesky factorisations, several columns side by side.

use faer::Mat;

use super::{Iterate, column, slices};
use crate::core::Error;
use crate::core::error::SIMILAR_UNITS;
use crate::core::parallel::*;
use crate::math::linalg::Lanes;
use crate::math::objective::Grams;

/// A ridge weight above this multiple of a variable's own second moment leaves it so little room
/// that it is stepped on its own rather than solved with the others.
const FORCED: f64 = 30.0;

/// The ridge regressions of all columns.
pub(super) struct Columns {
    /// Columns by the number of their unknowns, so that those side by side are of like size.
    sequence: Vec<usize>,
    sizes: Vec<usize>,
    /// Columns side by side, in this sequence.
    blocks: Vec<Block>,
}

/// As many columns as there are lanes, with their factors.
struct Block {
    systems: Lanes,
    /// The unknowns of each, where they are in its system, and what is stepped alone.
    free: Vec<Vec<usize>>,
    places: Vec<Vec<usize>>,
    forced: Vec<Vec<usize>>,
    /// The unknowns of all, and for each the lanes that have it.
    union: Vec<usize>,
    has: Vec<f64>,
    /// Unknowns of the systems, with those that change nothing.
    unknowns: usize,
    diagonal: Vec<f64>,
    /// The gradient of each lane's column.
    gradient: Vec<Vec<f64>>,
    /// What is added to the diagonal of each, relative to it.
    jitter: Vec<f64>,
    slopes: Vec<f64>,
}

impl Columns {
    pub(super) fn new(d: usize) -> Self {
        Self {
            sequence: (0..d).collect(),
            sizes: vec![0; d],
            blocks: (0..d.div_ceil(Lanes::width())).map(|_| Block::new(d)).collect(),
        }
    }

    /// Fills `step` and returns the slope of the objective along it; by the factors of before,
    /// unless these are to be made anew.
    pub(super) fn solve(
        &mut self,
        iterate: Iterate<'_>,
        anew: bool,
        step: &mut Mat<f64>,
    ) -> Result<f64, Error> {
        if anew {
            for (j, size) in self.sizes.iter_mut().enumerate() {
                *size = (0..step.nrows()).filter(|&i| is_solved(iterate, i, j)).count();
            }
            // What is side by side has no influence on results: lanes do not touch each other.
            self.sequence.sort_by_key(|&j| (self.sizes[j], j));
        }
        let mut columns: Vec<Option<&mut [f64]>> = slices(step).into_iter().map(Some).collect();
        let mut steps: Vec<&mut [f64]> = Vec::with_capacity(columns.len());
        steps.extend(self.sequence.iter().filter_map(|&j| columns[j].take()));
        let width = Lanes::width();
        let parts = self.sequence.chunks(width).zip(steps.chunks_mut(width));
        let work: Vec<_> = parts.zip(&mut self.blocks).collect();
        work.into_par_iter()
            .map(|((columns, steps), block)| block.solve(iterate, anew, columns, steps))
            .collect::<Result<Vec<()>, Error>>()?;
        let mut slopes = vec![0.0; self.sequence.len()];
        let found = self.blocks.iter().flat_map(|block| &block.slopes);
        self.sequence.iter().zip(found).for_each(|(&j, &slope)| slopes[j] = slope);
        Ok(slopes.iter().sum())
    }
}

/// True for entries that are solved for together with the others of their column.
fn is_solved(iterate: Iterate<'_>, i: usize, j: usize) -> bool {
    iterate.ridge(i, j) <= FORCED * iterate.moment(i, j) && iterate.is_free(i, j)
}

impl Block {
    fn new(d: usize) -> Self {
        let width = Lanes::width();
        Self {
            systems: Lanes::new(d),
            free: vec![Vec::with_capacity(d); width],
            places: vec![Vec::with_capacity(d); width],
            forced: vec![Vec::with_capacity(d); width],
            union: Vec::with_capacity(d),
            has: Vec::with_capacity(d * width),
            unknowns: 0,
            diagonal: Vec::with_capacity(d * width),
            gradient: vec![vec![0.0; d]; width],
            jitter: vec![0.0; width],
            slopes: vec![0.0; width],
        }
    }

    /// Fills these columns of the step and keeps their parts of the slope.
    fn solve(
        &mut self,
        iterate: Iterate<'_>,
        anew: bool,
        columns: &[usize],
        steps: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        if anew {
            self.factor(iterate, columns)?;
        }
        let width = Lanes::width();
        let right = self.systems.right(self.unknowns);
        for (lane, &j) in columns.iter().enumerate() {
            let gradient = &mut self.gradient[lane];
            gradient.iter_mut().zip(iterate.gradients(j)).for_each(|(to, from)| *to = from);
            let own = self.free[lane].iter().zip(&self.places[lane]);
            own.for_each(|(&i, &place)| right[place * width + lane] = -gradient[i]);
        }
        self.systems.solve(self.unknowns);
        let solution = self.systems.solution();
        for (lane, (&j, step)) in columns.iter().zip(steps).enumerate() {
            let gradient = &self.gradient[lane];
            let mut slope = 0.0;
            for (&i, &place) in self.free[lane].iter().zip(&self.places[lane]) {
                step[i] = solution[place * width + lane];
                slope += gradient[i] * step[i];
            }
            for &i in &self.forced[lane] {
                // Since the factors were made the ridge may have fallen.
                let moment = iterate.moment(i, j);
                step[i] = -gradient[i] / (moment + iterate.ridge(i, j).max(FORCED * moment));
                slope += gradient[i] * step[i];
            }
            self.slopes[lane] = slope;
        }
        Ok(())
    }

    /// Factorises the systems of these columns.
    fn factor(&mut self, iterate: Iterate<'_>, columns: &[usize]) -> Result<(), Error> {
        let d = iterate.weights.nrows();
        for lane in 0..Lanes::width() {
            self.free[lane].clear();
            self.forced[lane].clear();
            let Some(&j) = columns.get(lane) else { continue };
            for i in (0..d).filter(|&i| iterate.is_free(i, j)) {
                let list = if is_solved(iterate, i, j) { &mut self.free } else { &mut self.forced };
                list[lane].push(i);
            }
        }
        let together = self.unite(iterate);
        // Exact collinearity leaves the matrix singular: then a little more ridge, as needed.
        self.jitter.fill(0.0);
        loop {
            if together {
                self.fill_together(iterate, columns);
            } else {
                self.fill_each(iterate, columns);
            }
            let mut again = false;
            for (jitter, definite) in self.jitter.iter_mut().zip(self.systems.factor(self.unknowns))
            {
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
                return Ok(());
            }
        }
    }

    /// Lists the unknowns of all lanes and their places. True where it pays to solve each lane for all
    /// of them: lanes then share the entries of one matrix, which are read once, and the systems are
    /// a little larger. What comes out has the same bits either way.
    fn unite(&mut self, iterate: Iterate<'_>) -> bool {
        let most = self.free.iter().map(Vec::len).max().unwrap_or(0);
        for (places, free) in self.places.iter_mut().zip(&self.free) {
            places.clear();
            places.extend(0..free.len());
        }
        self.unknowns = most;
        let Grams::Shared(s) = iterate.second_moments else { return false };
        let width = Lanes::width();
        self.union.clear();
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
        if 2 * union.pow(3) + 27 * union.pow(2) > 2 * most.pow(3) + 180 * most.pow(2) {
            return false;
        }
        self.unknowns = union;
        for (lane, places) in self.places.iter_mut().enumerate() {
            places.clear();
            places.extend((0..union).filter(|&place| self.has[place * width + lane] > 0.0));
        }
        true
    }

    /// The systems of these columns, all with the same places of one matrix.
    fn fill_together(&mut self, iterate: Iterate<'_>, columns: &[usize]) {
        let width = Lanes::width();
        self.diagonal.clear();
        self.diagonal.resize(self.unknowns * width, 1.0);
        for (lane, &j) in columns.iter().enumerate() {
            for (&k, &place) in self.free[lane].iter().zip(&self.places[lane]) {
                self.diagonal[place * width + lane] = self.diagonal_entry(iterate, lane, k, j);
            }
        }
        let s = iterate.second_moments.of(0);
        self.systems.spread(s, &self.union, &self.has, &self.diagonal);
    }

    /// The same, each with places of its own.
    fn fill_each(&mut self, iterate: Iterate<'_>, columns: &[usize]) {
        for lane in 0..Lanes::width() {
            let free = &self.free[lane];
            if let Some(&j) = columns.get(lane) {
                let s = iterate.second_moments.of(j);
                for (b, &k) in free.iter().enumerate() {
                    let diagonal = self.diagonal_entry(iterate, lane, k, j);
                    self.systems.gather(lane, b, (column(s, k), &free[..b]), diagonal);
                }
            }
            self.systems.pad(lane, free.len(), self.unknowns);
        }
    }

    fn diagonal_entry(&self, iterate: Iterate<'_>, lane: usize, k: usize, j: usize) -> f64 {
        iterate.moment(k, j) * (1.0 + self.jitter[lane]) + iterate.ridge(k, j)
    }
}
