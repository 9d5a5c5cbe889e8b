//! Symmetric positive definite systems, several side by side in the lanes of vector registers.
//!
//! Small factorisations one at a time leave most of a vector register empty, and most of the time
//! goes into what is around the arithmetic. Several systems of like size fill the lanes instead:
//! every operation is one on whole registers, whatever the sizes.

use std::array::from_fn;

use faer::MatRef;
use pulp::{Simd, WithSimd};

/// Rows of a panel: a panel holds the entries of its rows in one column next to each other, so that
/// what is multiplied together is read in one go.
const PANEL: usize = 4;

/// Systems of up to some number of unknowns, one in each lane.
///
/// A factor stays until the next one is made, for as many right-hand sides as come.
pub(crate) struct Lanes {
    lanes: usize,
    /// The panels of the lower triangle one after the other; for each entry the values of all lanes.
    entries: Vec<f64>,
    /// One over each diagonal entry of the factor.
    inverse: Vec<f64>,
    solution: Vec<f64>,
    arch: pulp::Arch,
}

/// Where a panel begins.
const fn start(panel: usize) -> usize {
    PANEL * PANEL * panel * (panel + 1) / 2
}

/// Where an entry is.
const fn place(row: usize, column: usize) -> usize {
    start(row / PANEL) + column * PANEL + row % PANEL
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
            entries: vec![0.0; lanes * start(d.div_ceil(PANEL))],
            inverse: vec![0.0; lanes * d],
            solution: vec![0.0; lanes * d],
            arch: pulp::Arch::new(),
        }
    }

    /// Row `row` of the matrix in a lane, up to its diagonal.
    fn set(&mut self, lane: usize, row: usize, values: impl Iterator<Item = f64>) {
        let entries = self.entries[place(row, 0) * self.lanes + lane..].iter_mut();
        entries.step_by(PANEL * self.lanes).zip(values).for_each(|(entry, value)| *entry = value);
    }

    /// Row `row` of the matrix in a lane: these entries of a column, and the diagonal.
    pub(crate) fn gather(
        &mut self,
        lane: usize,
        row: usize,
        (column, places): (&[f64], &[usize]),
        diagonal: f64,
    ) {
        let values = places.iter().map(|&i| column[i]);
        self.set(lane, row, values.chain(std::iter::once(diagonal)));
    }

    /// Fills all lanes with the entries of one symmetric matrix at `places`, as far as a lane has them:
    /// `has` is 1 for its own places and 0 for others, which then leave its system alone. `diagonal`
    /// holds the diagonal of each lane, 1 at places that it does not have. Both go place by place.
    pub(crate) fn spread(
        &mut self,
        matrix: MatRef<'_, f64>,
        places: &[usize],
        has: &[f64],
        diagonal: &[f64],
    ) {
        let entries = &mut self.entries[..];
        self.arch.dispatch(Spread { entries, matrix, places, has, diagonal });
    }

    /// Fills a lane from row `from` on so that its system of `m` unknowns leaves the others alone:
    /// these unknowns are 0.
    pub(crate) fn pad(&mut self, lane: usize, from: usize, m: usize) {
        for row in from..m {
            self.set(lane, row, (0..=row).map(|k| f64::from(u8::from(k == row))));
        }
    }

    /// Factorises the systems of `m` unknowns; false for lanes where the matrix is not positive
    /// definite.
    pub(crate) fn factor(&mut self, m: usize) -> impl Iterator<Item = bool> + '_ {
        let inverse = &mut self.inverse[..m * self.lanes];
        self.arch.dispatch(Factor { entries: &mut self.entries, inverse });
        let inverse = &self.inverse[..m * self.lanes];
        let definite = |lane| inverse.iter().skip(lane).step_by(self.lanes).all(|&x| x > 0.0);
        (0..self.lanes).map(definite)
    }

    /// The right-hand sides of systems with `m` unknowns, all 0; unknown by unknown the values of
    /// all lanes.
    pub(crate) fn right(&mut self, m: usize) -> &mut [f64] {
        let right = &mut self.solution[..m * self.lanes];
        right.fill(0.0);
        right
    }

    /// Solves the systems of `m` unknowns by their factors, for [`Self::right`].
    pub(crate) fn solve(&mut self, m: usize) {
        self.arch.dispatch(Solve {
            entries: &self.entries,
            inverse: &self.inverse[..m * self.lanes],
            solution: &mut self.solution[..m * self.lanes],
        });
    }

    /// The solutions after [`Self::solve`], as the right-hand sides.
    pub(crate) fn solution(&self) -> &[f64] {
        &self.solution
    }
}

struct Factor<'a> {
    entries: &'a mut [f64],
    inverse: &'a mut [f64],
}

impl WithSimd for Factor<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (entries, _) = S::as_mut_simd_f64s(self.entries);
        let (inverse, _) = S::as_mut_simd_f64s(self.inverse);
        let m = inverse.len();
        for panel in 0..m.div_ceil(PANEL) {
            let (known, fresh) = entries.split_at_mut(start(panel));
            let fresh = &mut fresh[..PANEL * PANEL * (panel + 1)];
            for before in 0..panel {
                let columns = &known[start(before)..start(before + 1)];
                let inverse = &inverse[before * PANEL..(before + 1) * PANEL];
                tile::<S>(simd, columns, inverse, fresh, before * PANEL);
            }
            let last = (m - panel * PANEL).min(PANEL);
            triangle(simd, fresh, &mut inverse[panel * PANEL..panel * PANEL + last]);
        }
    }
}

struct Solve<'a> {
    entries: &'a [f64],
    inverse: &'a [f64],
    solution: &'a mut [f64],
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (entries, _) = S::as_simd_f64s(self.entries);
        let (inverse, _) = S::as_simd_f64s(self.inverse);
        let (solution, _) = S::as_mut_simd_f64s(self.solution);
        forwards(simd, entries, inverse, solution);
        backwards(simd, entries, inverse, solution);
    }
}

/// The entries of a panel in the columns of one before it, which begin at `first`.
#[inline(always)]
fn tile<S: Simd>(
    simd: S,
    columns: &[S::f64s],
    inverse: &[S::f64s],
    panel: &mut [S::f64s],
    first: usize,
) {
    // Two rows at a time: their sums and what they are made of fit into the registers.
    for half in [0, 2] {
        let (known, fresh) = panel.split_at_mut(first * PANEL);
        let fresh = &mut fresh[..PANEL * PANEL];
        let mut sums: [[S::f64s; PANEL]; 2] = from_fn(|r| from_fn(|c| fresh[c * PANEL + half + r]));
        let (left, _) = known.as_chunks::<PANEL>();
        let (right, corner) = columns.split_at(first * PANEL);
        let (right, _) = right.as_chunks::<PANEL>();
        for (left, right) in left.iter().zip(right) {
            for r in 0..2 {
                for c in 0..PANEL {
                    let left = left[half + r];
                    sums[r][c] = simd.negate_mul_add_e_f64s(left, right[c], sums[r][c]);
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            for c in 0..PANEL {
                let mut value = sums[c];
                for k in 0..c {
                    let done = fresh[k * PANEL + half + r];
                    value = simd.negate_mul_add_e_f64s(done, corner[k * PANEL + c], value);
                }
                fresh[c * PANEL + half + r] = simd.mul_f64s(value, inverse[c]);
            }
        }
    }
}

/// The rows of a panel among themselves, once all columns before are known; as many as `inverse` is
/// long, since the last panel may not be full.
#[inline(always)]
fn triangle<S: Simd>(simd: S, panel: &mut [S::f64s], inverse: &mut [S::f64s]) {
    let (known, own) = panel.split_at_mut(panel.len() - PANEL * PANEL);
    let mut sums: [[S::f64s; PANEL]; PANEL] = from_fn(|c| from_fn(|r| own[c * PANEL + r]));
    let (known, _) = known.as_chunks::<PANEL>();
    for known in known {
        for c in 0..PANEL {
            for r in c..PANEL {
                sums[c][r] = simd.negate_mul_add_e_f64s(known[r], known[c], sums[c][r]);
            }
        }
    }
    for c in 0..inverse.len().min(PANEL) {
        inverse[c] = inverse_root::<S>(sums[c][c]);
        for r in c + 1..PANEL {
            sums[c][r] = simd.mul_f64s(sums[c][r], inverse[c]);
            own[c * PANEL + r] = sums[c][r];
        }
        for next in c + 1..PANEL {
            for r in next..PANEL {
                sums[next][r] =
                    simd.negate_mul_add_e_f64s(sums[c][r], sums[c][next], sums[next][r]);
            }
        }
    }
}

/// One over the root, lane by lane; no number where nothing is left, which is seen at the end.
#[inline(always)]
fn inverse_root<S: Simd>(mut left: S::f64s) -> S::f64s {
    for value in pulp::bytemuck::cast_slice_mut::<S::f64s, f64>(std::slice::from_mut(&mut left)) {
        *value = if *value > 0.0 { 1.0 / value.sqrt() } else { f64::NAN };
    }
    left
}

/// From the right-hand side to the solution of the lower triangular system.
#[inline(always)]
fn forwards<S: Simd>(simd: S, entries: &[S::f64s], inverse: &[S::f64s], solution: &mut [S::f64s]) {
    for panel in 0..solution.len().div_ceil(PANEL) {
        let first = panel * PANEL;
        let (known, own) = solution.split_at_mut(first);
        let rows = own.len().min(PANEL);
        let (columns, _) = entries[start(panel)..start(panel + 1)].as_chunks::<PANEL>();
        let (before, corner) = columns.split_at(first);
        let mut sums: [S::f64s; PANEL] =
            from_fn(|r| own.get(r).copied().unwrap_or(simd.splat_f64s(0.0)));
        for (column, known) in before.iter().zip(known) {
            for r in 0..PANEL {
                sums[r] = simd.negate_mul_add_e_f64s(column[r], *known, sums[r]);
            }
        }
        for c in 0..rows {
            own[c] = simd.mul_f64s(sums[c], inverse[first + c]);
            for r in c + 1..PANEL {
                sums[r] = simd.negate_mul_add_e_f64s(corner[c][r], own[c], sums[r]);
            }
        }
    }
}

/// From the solution of the lower triangular system to that of the whole.
#[inline(always)]
fn backwards<S: Simd>(simd: S, entries: &[S::f64s], inverse: &[S::f64s], solution: &mut [S::f64s]) {
    for i in (0..solution.len()).rev() {
        let (before, own) = solution.split_at_mut(i);
        own[0] = simd.mul_f64s(own[0], inverse[i]);
        let (row, _) = entries[start(i / PANEL)..].as_chunks::<PANEL>();
        for (to, entry) in before.iter_mut().zip(row) {
            *to = simd.negate_mul_add_e_f64s(own[0], entry[i % PANEL], *to);
        }
    }
}

/// The entries of one matrix in all lanes.
struct Spread<'a> {
    entries: &'a mut [f64],
    matrix: MatRef<'a, f64>,
    places: &'a [usize],
    has: &'a [f64],
    diagonal: &'a [f64],
}

impl WithSimd for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (entries, _) = S::as_mut_simd_f64s(self.entries);
        let (has, _) = S::as_simd_f64s(self.has);
        let (diagonal, _) = S::as_simd_f64s(self.diagonal);
        for (b, &k) in self.places.iter().enumerate() {
            let column = self.matrix.col(k);
            let column = column.try_as_col_major().expect("columns are contiguous").as_slice();
            let (row, _) = entries[start(b / PANEL)..].as_chunks_mut::<PANEL>();
            let before = self.places[..b].iter().zip(&has[..b]);
            for (entry, (&i, own)) in row.iter_mut().zip(before) {
                entry[b % PANEL] =
                    simd.mul_f64s(simd.mul_f64s(simd.splat_f64s(column[i]), *own), has[b]);
            }
            row[b][b % PANEL] = diagonal[b];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_lane(systems: &Lanes, lane: usize, m: usize) -> Vec<f64> {
        (0..m).map(|i| systems.solution()[i * Lanes::width() + lane]).collect()
    }

    /// Systems of several sizes in the lanes of one call, against the equations themselves.
    #[test]
    fn every_lane_solves_its_own_system() {
        let entry = |lane: usize, i: usize, j: usize| {
            let (low, high) = (i.min(j), i.max(j));
            let value = ((7 * low + 3 * high + 11 * lane) % 13) as f64 / 13.0 - 0.4;
            if i == j { 20.0 + value } else { value }
        };
        let width = Lanes::width();
        for m in [1, 2, 3, 4, 5, 8, 11, 24] {
            let mut systems = Lanes::new(m + 3);
            let size = |lane: usize| m - lane.min(m - 1).min(2);
            for lane in 0..width {
                for i in 0..size(lane) {
                    systems.set(lane, i, (0..=i).map(|j| entry(lane, i, j)));
                }
                systems.pad(lane, size(lane), m);
            }
            assert!(systems.factor(m).all(|definite| definite));
            // One factor serves any number of right-hand sides.
            for first in [1.0, -3.0] {
                let right = systems.right(m);
                for lane in 0..width {
                    (0..size(lane)).for_each(|i| right[i * width + lane] = first + i as f64);
                }
                systems.solve(m);
                for lane in 0..width {
                    let x = of_lane(&systems, lane, m);
                    for i in 0..size(lane) {
                        let sum: f64 = (0..size(lane)).map(|j| entry(lane, i, j) * x[j]).sum();
                        let error = (sum - first - i as f64).abs();
                        assert!(error < 1e-12, "{m} unknowns, lane {lane}: {error}");
                    }
                    assert!(x[size(lane)..].iter().all(|&value| value == 0.0));
                }
            }
        }
    }

    /// One matrix in all lanes, each with its own places of it.
    #[test]
    fn lanes_share_a_matrix() {
        let d = 13;
        let matrix = faer::Mat::from_fn(d, d, |i, j| {
            if i == j { 15.0 } else { ((i * j + i + j) % 7) as f64 / 7.0 }
        });
        let places: Vec<usize> = (0..d).filter(|i| i % 5 != 3).collect();
        let (m, width) = (places.len(), Lanes::width());
        let has = |lane: usize, i: usize| i % (width + 1) != lane;
        let mut systems = Lanes::new(m);
        let each = |value: fn(usize, bool) -> f64| -> Vec<f64> {
            let lanes = |&i: &usize| (0..width).map(move |lane| value(i + lane, has(lane, i)));
            places.iter().flat_map(lanes).collect()
        };
        let diagonal = each(|k, has| if has { 15.0 + k as f64 } else { 1.0 });
        systems.spread(
            matrix.as_ref(),
            &places,
            &each(|_, has| f64::from(u8::from(has))),
            &diagonal,
        );
        assert!(systems.factor(m).all(|definite| definite));
        let right = systems.right(m);
        for (a, &i) in places.iter().enumerate() {
            for lane in (0..width).filter(|&lane| has(lane, i)) {
                right[a * width + lane] = i as f64 + 1.0;
            }
        }
        systems.solve(m);
        for lane in 0..width {
            let x = of_lane(&systems, lane, m);
            for (a, &i) in places.iter().enumerate() {
                if !has(lane, i) {
                    assert_eq!(x[a], 0.0);
                    continue;
                }
                let others = places.iter().zip(&x).filter(|&(&k, _)| k != i && has(lane, k));
                let others: f64 = others.map(|(&k, x)| matrix[(i, k)] * x).sum();
                let sum = others + (15 + i + lane) as f64 * x[a];
                assert!((sum - 1.0 - i as f64).abs() < 1e-12, "lane {lane}, {i}");
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
        }
        let definite: Vec<bool> = systems.factor(2).collect();
        assert!(!definite[last] && definite[..last].iter().all(|&definite| definite));
    }
}
