//! The multinomial likelihood of tables of levels, from counts.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Mutex;

use super::{Fit, Local};
use crate::core::Codes;

/// Tables of counts with more cells than this are kept as a map of the cells that are met.
const MOST_CELLS: usize = 1 << 16;

/// Parts of what is remembered, so that threads seldom wait for each other.
const SHARDS: usize = 64;

/// Logarithms are whole multiples of one over this: sums do not depend on their order then, so a
/// set of parents has one deviance, whoever works it out.
const SCALE: f64 = (1u64 << 24) as f64;

/// `c log c`, scaled.
fn count_log(count: u32) -> i64 {
    match count {
        0 | 1 => 0,
        count => (f64::from(count) * f64::from(count).ln() * SCALE).round() as i64,
    }
}

/// Deviances by the sorted parents, with the variable last.
type Known = HashMap<Box<[u32]>, f64, BuildHasherDefault<Mixed>>;

/// The likelihood in which every level of a variable has a probability of its own for every
/// combination of levels of its parents: the deviance is that of the relative frequencies, and
/// parents of `q` combinations add `(q - 1) (k - 1)` parameters to a variable of `k` levels.
///
/// A fit is one pass over the codes, and is remembered.
#[derive(Debug)]
pub(crate) struct Multinomial<'a> {
    codes: &'a Codes,
    /// One more than the largest code of each variable.
    levels: Vec<usize>,
    /// The levels of each variable that some row has.
    seen: Vec<usize>,
    rows: f64,
    known: Vec<Mutex<Known>>,
}

impl<'a> Multinomial<'a> {
    /// The likelihood of these rows.
    pub(crate) fn new(codes: &'a Codes) -> Self {
        let seen = |v: usize| {
            let mut seen = [false; 256];
            codes.column(v).iter().for_each(|&code| seen[usize::from(code)] = true);
            let last = seen.iter().rposition(|&seen| seen).map_or(0, |last| last + 1);
            (last, seen.iter().filter(|&&seen| seen).count())
        };
        let (levels, seen) = (0..codes.size()).map(seen).unzip();
        let rows = match codes.counts() {
            None => codes.rows() as f64,
            Some(counts) => counts.iter().map(|&count| f64::from(count)).sum(),
        };
        let known = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { codes, levels, seen, rows, known }
    }

    /// For each row the combination of levels of the parents, counted from 0 in the order in which
    /// they come, and how many there are.
    fn combinations(&self, parents: &[usize]) -> (Vec<u32>, usize) {
        let n = self.codes.rows();
        let mut cells = vec![0_u32; n];
        let mut count = 1;
        for &parent in parents {
            let (levels, column) = (self.levels[parent], self.codes.column(parent));
            // Combinations that do not occur are left out as we go, so that numbers stay small.
            let mut places = Places::new(count * levels);
            for (cell, &code) in cells.iter_mut().zip(column) {
                *cell = places.of(*cell as usize * levels + usize::from(code));
            }
            count = places.count as usize;
        }
        (cells, count)
    }

    /// The deviance of a variable given combinations.
    fn deviance(&self, variable: usize, cells: &[u32], count: usize) -> f64 {
        let (levels, column) = (self.levels[variable], self.codes.column(variable));
        let mut table = vec![0_u32; count * levels];
        let at = |cell: u32, code: u8| cell as usize * levels + usize::from(code);
        match self.codes.counts() {
            None => cells.iter().zip(column).for_each(|(&cell, &code)| table[at(cell, code)] += 1),
            Some(counts) => {
                for ((&cell, &code), &count) in cells.iter().zip(column).zip(counts) {
                    table[at(cell, code)] += count;
                }
            }
        }
        let of_row = |row: &[u32]| {
            let total: u32 = row.iter().sum();
            count_log(total) - row.iter().map(|&count| count_log(count)).sum::<i64>()
        };
        2.0 * table.chunks_exact(levels).map(of_row).sum::<i64>() as f64 / SCALE
    }

    /// What is remembered of a variable and a set of parents, or else is worked out and then
    /// remembered. The key is made in `space`.
    fn remembered(
        &self,
        variable: usize,
        parents: &[usize],
        space: &mut Vec<u32>,
        work: impl FnOnce() -> f64,
    ) -> f64 {
        space.clear();
        space.extend(parents.iter().map(|&parent| parent as u32));
        space.sort_unstable();
        space.push(variable as u32);
        let mut hash = Mixed::default();
        space.iter().for_each(|&v| hash.write_u32(v));
        let shard = &self.known[(hash.finish() >> 32) as usize & (SHARDS - 1)];
        let lock = || shard.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(&deviance) = lock().get(space.as_slice()) {
            return deviance;
        }
        let deviance = work();
        lock().insert(space.as_slice().into(), deviance);
        deviance
    }
}

/// Hashes a few small numbers quickly. Nobody chooses them to be awkward.
#[derive(Debug, Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(4) {
            let mut padded = [0; 4];
            padded[..word.len()].copy_from_slice(word);
            self.write_u32(u32::from_le_bytes(padded));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u32(number as u32);
    }

    fn finish(&self) -> u64 {
        // The low bits, which a map goes by, are the weakest of a product.
        self.0 ^ (self.0 >> 29)
    }
}

/// Numbers given to cells in the order in which they are met.
enum Seen {
    Table(Vec<u32>),
    Map(HashMap<usize, u32>),
}

struct Places {
    seen: Seen,
    count: u32,
}

impl Places {
    fn new(cells: usize) -> Self {
        let seen = match cells <= MOST_CELLS {
            true => Seen::Table(vec![u32::MAX; cells]),
            false => Seen::Map(HashMap::new()),
        };
        Self { seen, count: 0 }
    }

    fn of(&mut self, cell: usize) -> u32 {
        let place = match &mut self.seen {
            Seen::Table(table) => &mut table[cell],
            Seen::Map(map) => map.entry(cell).or_insert(u32::MAX),
        };
        if *place == u32::MAX {
            *place = self.count;
            self.count += 1;
        }
        *place
    }
}

impl Local for Multinomial<'_> {
    /// Most are remembered.
    fn operations(&self) -> f64 {
        self.rows()
    }

    fn size(&self) -> usize {
        self.levels.len()
    }

    fn rows(&self) -> f64 {
        self.rows
    }

    fn least(&self) -> f64 {
        0.0
    }

    fn freedom(&self, variable: usize, parents: &[usize]) -> f64 {
        let combinations: f64 = parents.iter().map(|&parent| self.seen[parent] as f64).product();
        (combinations - 1.0) * (self.seen[variable] as f64 - 1.0)
    }

    fn fit(&self, variable: usize, parents: &[usize]) -> Fit {
        let deviance = self.remembered(variable, parents, &mut Vec::with_capacity(16), || {
            let mut set = parents.to_vec();
            set.sort_unstable();
            let (cells, count) = self.combinations(&set);
            self.deviance(variable, &cells, count)
        });
        Fit { deviance, freedom: self.freedom(variable, parents) }
    }

    fn fits_with(
        &self,
        variable: usize,
        parents: &[usize],
        candidates: &[usize],
        pays: &dyn Fn(f64) -> bool,
        see: &mut dyn FnMut(usize, Fit),
    ) {
        let mut sorted = parents.to_vec();
        sorted.sort_unstable();
        let mut shared: Option<(Vec<u32>, usize)> = None;
        let mut set = parents.to_vec();
        let (mut joint, mut space) = (Vec::new(), Vec::with_capacity(16));
        for &candidate in candidates {
            set.push(candidate);
            let freedom = self.freedom(variable, &set);
            if pays(freedom) {
                let deviance = self.remembered(variable, &set, &mut space, || {
                    let (cells, count) = shared.get_or_insert_with(|| self.combinations(&sorted));
                    let levels = self.levels[candidate] as u32;
                    joint.clear();
                    let column = self.codes.column(candidate).iter();
                    joint.extend(
                        cells.iter().zip(column).map(|(&cell, &c)| cell * levels + u32::from(c)),
                    );
                    self.deviance(variable, &joint, *count * levels as usize)
                });
                see(candidate, Fit { deviance, freedom });
            }
            set.pop();
        }
    }
}
