//! A bounded sample of the rows, taken while moments are computed.

use std::sync::Arc;

use nocurl::moments::mix;
use nocurl::{Codes, Dataset, Mat, MatMut, MatRef, Variable};

use super::collect::{Collect, Hot, Rows};
use super::columns::Selection;

/// Rows that a sample holds at most.
pub(crate) const SAMPLE_ROWS: usize = 2000;

/// Moments of all rows, and some of the rows; of levels alone, all rows as codes too.
#[derive(Debug)]
pub(super) struct SampledMoments {
    pub(super) moments: Hot,
    pub(super) sample: Sample,
    pub(super) codes: Option<Codes>,
    places: Arc<Vec<Vec<usize>>>,
}

impl Collect for SampledMoments {
    fn start(selection: &Selection) -> Self {
        let coded = !selection.discrete().contains(&false);
        Self {
            moments: Hot::start(selection),
            sample: Sample::new(SAMPLE_ROWS),
            codes: coded.then(|| Codes::new(selection.names.len())),
            places: Arc::clone(&selection.places),
        }
    }

    fn push(&mut self, block: MatMut<'_, f64>) {
        // First the sample: the moments use the block as work space.
        self.sample.push(block.as_ref());
        if let Some(codes) = &mut self.codes {
            codes.push(block.as_ref());
        }
        self.moments.push(block);
    }

    fn append(&mut self, later: Self, rows: u64, lines: u64) {
        self.sample.append(later.sample);
        if let (Some(codes), Some(later)) = (&mut self.codes, later.codes) {
            codes.append(later, &self.places);
        }
        self.moments.append(later.moments, rows, lines);
    }
}

/// Numbers that are kept as rows at most: 64 MiB of them.
const KEPT_NUMBERS: usize = 1 << 23;

/// Moments of all rows, some of the rows, and all of them while they are few.
#[derive(Debug)]
pub(super) struct KeptMoments {
    pub(super) sampled: SampledMoments,
    /// Gone once they are too many.
    pub(super) rows: Option<Rows>,
    numbers: usize,
}

impl Collect for KeptMoments {
    fn start(selection: &Selection) -> Self {
        let (sampled, rows) = (SampledMoments::start(selection), Some(Rows::start(selection)));
        Self { sampled, rows, numbers: 0 }
    }

    fn push(&mut self, block: MatMut<'_, f64>) {
        self.count(block.nrows() * block.ncols());
        if let Some(rows) = &mut self.rows {
            rows.keep(block.as_ref());
        }
        self.sampled.push(block);
    }

    fn append(&mut self, later: Self, before: u64, lines: u64) {
        self.count(later.numbers);
        self.rows = self.rows.take().zip(later.rows).map(|(mut rows, later)| {
            rows.append(later, before, lines);
            rows
        });
        self.sampled.append(later.sampled, before, lines);
    }
}

impl KeptMoments {
    fn count(&mut self, numbers: usize) {
        self.numbers += numbers;
        if self.numbers > KEPT_NUMBERS {
            self.rows = None;
        }
    }
}

/// Numbers that ranks are taken from at most: 32 MiB of them.
const RANKED_NUMBERS: usize = 1 << 22;

/// Rows to take ranks from: all of them while they are few, else a large sample.
#[derive(Debug)]
pub(super) struct Ranked(pub(super) Sample);

impl Collect for Ranked {
    fn start(selection: &Selection) -> Self {
        Self(Sample::new((RANKED_NUMBERS / selection.names.len().max(1)).max(SAMPLE_ROWS)))
    }

    fn push(&mut self, block: MatMut<'_, f64>) {
        self.0.push(block.as_ref());
    }

    fn push_incomplete(&mut self, block: MatRef<'_, f64>) {
        self.0.push(block);
    }

    fn append(&mut self, later: Self, _: u64, _: u64) {
        self.0.append(later.0);
    }
}

/// The rows with the smallest keys, where a key is a hash of the place of the row in its piece of
/// the file. Pieces depend on the file alone and are put together in order, so the sample is the
/// same for any number of threads; and it is spread evenly over the file, whatever its order.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) rows: Vec<SampledRow>,
    /// Rows that it holds at most.
    most: usize,
    /// Rows seen.
    pub(crate) seen: u64,
    /// Rows with keys from here on cannot be among those kept.
    bound: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SampledRow {
    pub(crate) key: u64,
    pub(crate) place: u64,
    pub(crate) values: Box<[f64]>,
}

impl Default for Sample {
    fn default() -> Self {
        Self::new(SAMPLE_ROWS)
    }
}

/// Whatever order they stand in.
impl PartialEq for Sample {
    fn eq(&self, other: &Self) -> bool {
        self.seen == other.seen && self.clone().rows_in_order() == other.clone().rows_in_order()
    }
}

impl Sample {
    pub(super) fn new(most: usize) -> Self {
        Self { rows: Vec::new(), most, seen: 0, bound: None }
    }

    /// The values of a column that are there, in no order.
    pub(super) fn column(&self, slot: usize) -> Vec<f64> {
        let values = self.rows.iter().map(|row| row.values[slot]);
        values.filter(|value| !value.is_nan()).collect()
    }

    pub(super) fn push(&mut self, block: MatRef<'_, f64>) {
        self.push_some(block, None);
    }

    /// Takes rows that count as often as their weights say.
    pub(super) fn push_weighted(&mut self, block: MatRef<'_, f64>, weights: &[f64]) {
        self.push_some(block, Some(weights));
    }

    fn push_some(&mut self, block: MatRef<'_, f64>, weights: Option<&[f64]>) {
        for i in 0..block.nrows() {
            let place = self.seen + i as u64;
            let weight = weights.map_or(1.0, |weights| weights[i]);
            let Some(key) = weighted(mix(place), weight) else { continue };
            if self.bound.is_none_or(|bound| key < bound) {
                let values = block.row(i).iter().copied().collect();
                self.rows.push(SampledRow { key, place, values });
                // Twice as many as needed, so that rows are sorted out rarely.
                if self.rows.len() >= 2 * self.most {
                    self.sort_out();
                }
            }
        }
        self.seen += block.nrows() as u64;
    }

    pub(crate) fn append(&mut self, later: Self) {
        let seen = self.seen;
        let shifted = |row: SampledRow| SampledRow { place: row.place + seen, ..row };
        self.rows.extend(later.rows.into_iter().map(shifted));
        self.seen += later.seen;
        self.sort_out();
    }

    /// Keeps the rows with the smallest keys, earlier ones among equal keys.
    fn sort_out(&mut self) {
        self.keep(self.most);
    }

    /// Keeps at most so many rows.
    pub(crate) fn keep(&mut self, most: usize) {
        if self.rows.len() > most && most > 0 {
            let order = |row: &SampledRow| (row.key, row.place);
            let (_, last, _) = self.rows.select_nth_unstable_by_key(most - 1, order);
            self.bound = Some(last.key);
        }
        self.rows.truncate(most);
    }

    /// These rows, of so many.
    pub(crate) fn of(rows: Vec<SampledRow>, seen: u64) -> Self {
        Self { rows, seen, ..Self::default() }
    }

    /// The rows in the order of the file.
    pub(crate) fn rows_in_order(mut self) -> Vec<SampledRow> {
        self.rows.sort_unstable_by_key(|row| row.place);
        self.rows
    }

    /// The same rows with positions of levels in place of codes.
    pub(super) fn recoded(mut self, places: &[Vec<usize>]) -> Self {
        for (v, places) in places.iter().enumerate().filter(|(_, places)| !places.is_empty()) {
            for row in &mut self.rows {
                row.values[v] = places[row.values[v] as usize] as f64;
            }
        }
        self
    }

    /// The rows in the order of the file.
    pub(super) fn into_matrix(mut self) -> Mat<f64> {
        self.sort_out();
        let rows = self.rows_in_order();
        let columns = rows.first().map_or(0, |row| row.values.len());
        Mat::from_fn(rows.len(), columns, |i, j| rows[i].values[j])
    }

    /// The sample as a table, in the order of the file, with these of its columns, whose codes have
    /// these places.
    pub(super) fn into_dataset(
        mut self,
        variables: Vec<Variable>,
        places: &[Vec<usize>],
        columns: &[usize],
    ) -> Result<Dataset, nocurl::Error> {
        self.sort_out();
        self.rows.sort_unstable_by_key(|row| row.place);
        let values =
            Mat::from_fn(self.rows.len(), columns.len(), |i, j| self.rows[i].values[columns[j]]);
        Dataset::of_codes(variables, values, places)
    }
}

/// The key of a row that counts as often as its weight says; none for one that does not count. The
/// smallest keys are then a sample by weights (Efraimidis and Spirakis, 2006).
fn weighted(key: u64, weight: f64) -> Option<u64> {
    const ALL: f64 = 18_446_744_073_709_551_616.0;
    if weight == 1.0 {
        return Some(key);
    }
    let share = (key as f64 + 0.5) / ALL;
    // The distribution of the smallest of so many.
    (weight > 0.0).then(|| (-((-share).ln_1p() / weight).exp_m1() * ALL) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample of the numbers from `start` on, in one column.
    fn of(start: usize, rows: usize, block: usize) -> Sample {
        let mut sample = Sample::new(SAMPLE_ROWS);
        let mut done = 0;
        while done < rows {
            let size = block.min(rows - done);
            let values = Mat::from_fn(size, 1, |i, _| (start + done + i) as f64);
            sample.push(values.as_ref());
            done += size;
        }
        sample
    }

    fn values(sample: Sample) -> Vec<f64> {
        let data = sample.into_dataset(vec![Variable::continuous("a")], &[vec![]], &[0]).unwrap();
        data.column(0).to_vec()
    }

    #[test]
    fn small_tables_are_kept_whole() {
        let mut sample = of(0, 700, 64);
        sample.append(of(700, 800, 1000));
        assert_eq!(values(sample), (0..1500).map(f64::from).collect::<Vec<_>>());
    }

    #[test]
    fn blocks_do_not_matter_and_the_sample_is_even() {
        let rows = 50_000;
        let taken = values(of(0, rows, 1024));
        assert_eq!(taken, values(of(0, rows, 77)));
        assert_eq!(taken.len(), SAMPLE_ROWS);
        assert!(taken.windows(2).all(|pair| pair[0] < pair[1]));
        // Ten stretches of the file, each with about a tenth: 200 with a deviation of 13.
        for tenth in 0..10 {
            let inside = |v: &&f64| (**v as usize) * 10 / rows == tenth;
            let count = taken.iter().filter(inside).count();
            assert!((140..=260).contains(&count), "{tenth}: {count}");
        }
    }

    #[test]
    fn pieces_have_their_share() {
        let mut sample = of(0, 30_000, 1024);
        sample.append(of(30_000, 10_000, 1024));
        let taken = values(sample);
        assert_eq!(taken.len(), SAMPLE_ROWS);
        let first = taken.iter().filter(|&&v| v < 30_000.0).count();
        assert!((1400..=1600).contains(&first), "{first}");
    }
}
