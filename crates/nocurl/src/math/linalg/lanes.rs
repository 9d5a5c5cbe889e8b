//! Symmetric positive definite systems, several side by side in the lanes of vector registers.
//!
//! Small factorisations one at a time leave most of a vector register empty, and most of the time
//! goes into what is around the arithmetic. Several systems of like size fill the lanes instead:
//! every operation is one on whole registers, whatever the sizes.

use std::array::from_fn;

use pulp::{Simd, WithSimd};

/// Columns of the factor that are worked out together, for two rows at a time.
const TILE: usize = 4;

/// Systems of up to some number of unknowns, one in each lane.
///
/// The right-hand side is kept as one row more of the matrix: the factor's row for it is the
/// solution of the lower triangular system.
pub(crate) struct Lanes {
    lanes: usize,
    /// Rows of the lower triangle one after the other, the right-hand side last; for each entry
    /// the values of all lanes.
    rows: Vec<f64>,
    /// One over each diagonal entry of the factor.
    inverse: Vec<f64>,
    arch: pulp::Arch,
}

/// Where a row of the lower triangle begins.
const fn start(row: usize) -> usize {
    row * (row + 1) / 2
}

impl Lanes {
    /// The lanes that a register of this machine has.
    pub(crate) fn width() -> usize {
        struct Width;
        impl WithSimd for Width {
            type Output = usize;
            fn with_simd<S: Simd>(self, _: S) -> usize {
                S::F64_LANES
            }
        }
        pulp::Arch::new().dispatch(Width)
    }

    /// Space for systems of up to `d` unknowns.
    pub(crate) fn new(d: usize) -> Self {
        let lanes = Self::width();
        Self {
            lanes,
            rows: vec![0.0; lanes * start(d + 1)],
            inverse: vec![0.0; lanes * d],
            arch: pulp::Arch::new(),
        }
    }

    /// Row `row` of the matrix in a lane, up to its diagonal; row `m` of systems with m unknowns is
    /// the right-hand side.
    pub(crate) fn set(&mut self, lane: usize, row: usize, values: impl Iterator<Item = f64>) {
        let entries = self.rows[start(row) * self.lanes..].chunks_exact_mut(self.lanes);
        entries.zip(values).for_each(|(entry, value)| entry[lane] = value);
    }

    /// Row `row` of the matrix in a lane: these entries of a column, and the diagonal.
    pub(crate) fn gather(
        &mut self,
        lane: usize,
        row: usize,
        (column, places): (&[f64], &[usize]),
        diagonal: f64,
    ) {
        let end = start(row + 1) * self.lanes;
        let row = &mut self.rows[start(row) * self.lanes..end];
        for (entry, &i) in row.chunks_exact_mut(self.lanes).zip(places) {
            entry[lane] = column[i];
        }
        row[places.len() * self.lanes + lane] = diagonal;
    }

    /// Fills a lane from row `from` on so that its system of `m` unknowns leaves the others alone:
    /// these unknowns are 0.
    pub(crate) fn pad(&mut self, lane: usize, from: usize, m: usize) {
        for row in from..m {
            self.set(lane, row, (0..=row).map(|k| f64::from(u8::from(k == row))));
        }
    }

    /// Solves the systems of `m` unknowns; false for lanes where the matrix is not positive
    /// definite.
    pub(crate) fn solve(&mut self, m: usize) -> impl Iterator<Item = bool> + '_ {
        let (rows, inverse) = (&mut self.rows[..], &mut self.inverse[..m * self.lanes]);
        self.arch.dispatch(Solve { m, rows, inverse });
        let inverse = &self.inverse[..m * self.lanes];
        let definite = |lane| inverse.iter().skip(lane).step_by(self.lanes).all(|&x| x > 0.0);
        (0..self.lanes).map(definite)
    }

    /// The solution in a lane, after [`Self::solve`] with `m` unknowns.
    pub(crate) fn solution(&self, lane: usize, m: usize) -> impl Iterator<Item = f64> + '_ {
        self.rows[start(m) * self.lanes + lane..].iter().step_by(self.lanes).take(m).copied()
    }
}

struct Solve<'a> {
    m: usize,
    rows: &'a mut [f64],
    inverse: &'a mut [f64],
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let m = self.m;
        let (rows, _) = S::as_mut_simd_f64s(self.rows);
        let (inverse, _) = S::as_mut_simd_f64s(self.inverse);
        let mut first = 0;
        while first < m {
            let (known, fresh) = rows.split_at_mut(start(first));
            let (one, other) = fresh.split_at_mut(first + 1);
            let other = &mut other[..first + 1];
            columns(simd, known, inverse, [&mut one[..first], &mut other[..first]]);
            // The two rows among themselves.
            diagonal::<S>(simd, one, &mut inverse[first]);
            let known = [&one[..first], &other[..first]];
            let mut value = other[first];
            for (a, b) in known[0].iter().zip(known[1]) {
                value = simd.negate_mul_add_e_f64s(*a, *b, value);
            }
            other[first] = simd.mul_f64s(value, inverse[first]);
            first += 1;
            if first < m {
                let row = &mut rows[start(first)..][..first + 1];
                diagonal::<S>(simd, row, &mut inverse[first]);
                first += 1;
                if first == m {
                    let (known, fresh) = rows.split_at_mut(start(m));
                    columns(simd, known, inverse, [&mut fresh[..m]]);
                }
            }
        }
        backwards(simd, m, rows, inverse);
    }
}

/// The factor's entries of some rows in all columns before them.
#[inline(always)]
fn columns<S: Simd, const R: usize>(
    simd: S,
    known: &[S::f64s],
    inverse: &[S::f64s],
    mut rows: [&mut [S::f64s]; R],
) {
    let length = rows[0].len();
    let mut at = 0;
    while at + TILE <= length {
        tile::<S, R, TILE>(simd, known, inverse, &mut rows, at);
        at += TILE;
    }
    while at + 2 <= length {
        tile::<S, R, 2>(simd, known, inverse, &mut rows, at);
        at += 2;
    }
    while at < length {
        tile::<S, R, 1>(simd, known, inverse, &mut rows, at);
        at += 1;
    }
}

/// The same in `C` columns from `at` on.
#[inline(always)]
fn tile<S: Simd, const R: usize, const C: usize>(
    simd: S,
    known: &[S::f64s],
    inverse: &[S::f64s],
    rows: &mut [&mut [S::f64s]; R],
    at: usize,
) {
    let column: [&[S::f64s]; C] = from_fn(|c| &known[start(at + c)..][..at + c]);
    let mut sums: [[S::f64s; C]; R] = from_fn(|r| from_fn(|c| rows[r][at + c]));
    {
        let left: [&[S::f64s]; R] = from_fn(|r| &rows[r][..at]);
        let right: [&[S::f64s]; C] = from_fn(|c| &column[c][..at]);
        for k in 0..at {
            let right: [S::f64s; C] = from_fn(|c| right[c][k]);
            for r in 0..R {
                let left = left[r][k];
                for c in 0..C {
                    sums[r][c] = simd.negate_mul_add_e_f64s(left, right[c], sums[r][c]);
                }
            }
        }
    }
    for r in 0..R {
        for c in 0..C {
            let mut value = sums[r][c];
            for before in 0..c {
                let done = rows[r][at + before];
                value = simd.negate_mul_add_e_f64s(done, column[c][at + before], value);
            }
            rows[r][at + c] = simd.mul_f64s(value, inverse[at + c]);
        }
    }
}

/// One over the root of what is left of a row's diagonal entry.
#[inline(always)]
fn diagonal<S: Simd>(simd: S, row: &[S::f64s], inverse: &mut S::f64s) {
    let (last, known) = row.split_last().expect("a row has its diagonal");
    let mut left = *last;
    for value in known {
        left = simd.negate_mul_add_e_f64s(*value, *value, left);
    }
    // NaN and infinity where nothing is left: they are seen at the end.
    *inverse = left;
    for value in pulp::bytemuck::cast_slice_mut::<S::f64s, f64>(std::slice::from_mut(inverse)) {
        *value = if *value > 0.0 { 1.0 / value.sqrt() } else { f64::NAN };
    }
}

/// From the solution of the lower triangular system to that of the whole, in the last row.
#[inline(always)]
fn backwards<S: Simd>(simd: S, m: usize, rows: &mut [S::f64s], inverse: &[S::f64s]) {
    let (known, right) = rows.split_at_mut(start(m));
    for i in (0..m).rev() {
        let value = simd.mul_f64s(right[i], inverse[i]);
        right[i] = value;
        let row = &known[start(i)..][..i];
        for (to, entry) in right[..i].iter_mut().zip(row) {
            *to = simd.negate_mul_add_e_f64s(value, *entry, *to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Systems of several sizes in the lanes of one call, against the equations themselves.
    #[test]
    fn every_lane_solves_its_own_system() {
        let entry = |lane: usize, i: usize, j: usize| {
            let (low, high) = (i.min(j), i.max(j));
            let value = ((7 * low + 3 * high + 11 * lane) % 13) as f64 / 13.0 - 0.4;
            if i == j { 20.0 + value } else { value }
        };
        for m in [1, 2, 3, 4, 5, 8, 11, 24] {
            let mut systems = Lanes::new(m + 3);
            let size = |lane: usize| m - lane.min(m - 1).min(2);
            for lane in 0..Lanes::width() {
                for i in 0..size(lane) {
                    systems.set(lane, i, (0..=i).map(|j| entry(lane, i, j)));
                }
                systems.pad(lane, size(lane), m);
                let right = (0..m).map(|i| if i < size(lane) { 1.0 + i as f64 } else { 0.0 });
                systems.set(lane, m, right);
            }
            assert!(systems.solve(m).all(|definite| definite));
            for lane in 0..Lanes::width() {
                let x: Vec<f64> = systems.solution(lane, m).collect();
                for i in 0..size(lane) {
                    let sum: f64 = (0..size(lane)).map(|j| entry(lane, i, j) * x[j]).sum();
                    assert!((sum - 1.0 - i as f64).abs() < 1e-12, "{m} unknowns, lane {lane}");
                }
                assert!(x[size(lane)..].iter().all(|&value| value == 0.0));
            }
        }
    }

    #[test]
    fn a_lane_that_is_not_definite_is_told_from_the_others() {
        let mut systems = Lanes::new(2);
        let last = Lanes::width() - 1;
        for lane in 0..=last {
            systems.set(lane, 0, [1.0].into_iter());
            let off = if lane == last { 2.0 } else { 0.5 };
            systems.set(lane, 1, [off, 1.0].into_iter());
            systems.set(lane, 2, [1.0, 1.0].into_iter());
        }
        let definite: Vec<bool> = systems.solve(2).collect();
        assert!(!definite[last] && definite[..last].iter().all(|&definite| definite));
    }
}
