//! What the columns of a table hold, in one pass where all are numbers.

use std::collections::BTreeMap;
use std::sync::Arc;

use nocurl::variable::MOST_LEVELS;
use nocurl::{Dataset, Mat, MatMut, Run, Text, Variable};

use super::collect::Collect;
use super::columns::Selection;
use super::finish::Coded;
use super::kinds::LeftOut;
use super::sample::Sample;
use super::{Input, Missing, Origin, ReadOptions, open};
use crate::Error;

/// Numbers that are kept as rows at most: 8 MiB of them.
const KEPT_NUMBERS: usize = 1 << 20;

/// Bars of a histogram.
const BARS: usize = 8;

/// What the columns of a table hold.
#[derive(Debug, Clone)]
pub struct Overview {
    /// Rows of the table.
    pub rows: u64,
    /// Rows without a gap.
    pub complete: u64,
    /// The columns that are variables.
    pub columns: Vec<ColumnOverview>,
    /// Columns that are none, and why.
    pub left_out: Vec<(String, LeftOut)>,
    /// Complete rows: all where they are few, else a sample spread evenly over the table.
    pub sample: Dataset,
    /// Some of the rows with gaps, with NaN in the gaps, and a column for each of the variables of
    /// `sample`; levels by codes of no meaning here.
    pub gapped: Mat<f64>,
    /// What was read, unless it was a table in memory.
    pub origin: Option<Origin>,
    /// The words for infinite values, where there are some; they count as missing.
    pub infinite: Vec<String>,
    /// What the user should know or decide.
    pub notes: Vec<Text>,
}

/// What a column holds.
#[derive(Debug, Clone)]
pub struct ColumnOverview {
    /// Its name, kind and levels.
    pub variable: Variable,
    /// Cells without a value.
    pub missing: u64,
    /// Different values, roughly where [`Self::exact`] is false.
    pub distinct: u64,
    /// Whether they were counted one by one.
    pub exact: bool,
    /// The least, the greatest and the mean of numbers.
    pub range: Option<[f64; 3]>,
    /// How often each level is there, the most common first.
    pub levels: Vec<(String, u64)>,
    /// How many of the kept rows have values in eight parts between the least and the greatest, or
    /// the levels from the most common on.
    pub histogram: Vec<u64>,
}

/// Looks at a table: kinds, gaps, ranges. Missing values are counted, whatever the options say.
///
/// # Errors
/// Anything wrong with the file, in one line.
pub fn read_overview<'a>(
    input: impl Into<Input<'a>>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<Overview, Error> {
    overview_of(input.into(), options, run)
}

fn overview_of(input: Input<'_>, options: &ReadOptions, run: &Run<'_>) -> Result<Overview, Error> {
    let options = ReadOptions { missing: Missing::Drop, standardize: false, ..options.clone() };
    let (mut found, origin) = open::read::<Glance>(input, &options, run)?;
    let Glance { columns, sample, gapped } = found.take();
    let coded = Coded::new(&found.selection, |slot| columns[slot].codes(), &Mat::new());
    let slots: Vec<usize> = (0..columns.len()).collect();
    let (variables, places) = coded.select(&slots);
    let sample = sample.into_dataset(variables.list().to_vec(), &places, &slots)?;
    let overviews = columns.iter().enumerate().map(|(slot, column)| {
        let coding = found.selection.codings[slot].as_ref();
        let levels = coding.map_or(&[][..], |coding| &coding.levels);
        column.overview(&variables.list()[slot], levels, sample.column(slot))
    });
    let (mut kept, constant): (Vec<_>, Vec<_>) =
        overviews.partition(|column: &ColumnOverview| column.distinct > 1 || !column.exact);
    let mut left_out = std::mem::take(&mut found.left_out);
    left_out.extend(constant.into_iter().map(|column| {
        let why = if column.distinct == 0 { LeftOut::Empty } else { LeftOut::Constant };
        (column.variable.name, why)
    }));
    kept.iter_mut().for_each(|column| column.histogram.truncate(BARS));
    Ok(Overview {
        rows: found.rows,
        complete: found.rows - found.dropped,
        columns: kept,
        left_out,
        sample,
        gapped: gapped.into_matrix(),
        origin,
        infinite: found.infinite.words(),
        notes: std::mem::take(&mut found.warnings),
    })
}

/// Figures of all columns, and some of the rows.
#[derive(Debug)]
pub(super) struct Glance {
    columns: Vec<Figures>,
    sample: Sample,
    /// Rows with gaps.
    gapped: Sample,
}

impl Collect for Glance {
    const GLANCES: bool = true;

    fn start(selection: &Selection) -> Self {
        let d = selection.names.len();
        let most = (KEPT_NUMBERS / d.max(1)).max(super::sample::SAMPLE_ROWS);
        let gapped = Sample::new(super::sample::SAMPLE_ROWS);
        Self { columns: vec![Figures::default(); d], sample: Sample::new(most), gapped }
    }

    fn push(&mut self, block: MatMut<'_, f64>) {
        self.sample.push(block.as_ref());
    }

    fn append(&mut self, later: Self, _: u64, _: u64) {
        self.sample.append(later.sample);
        self.gapped.append(later.gapped);
        for (column, later) in self.columns.iter_mut().zip(later.columns) {
            column.append(later);
        }
    }

    fn observe(&mut self, block: &MatMut<'_, f64>) {
        for (j, column) in self.columns.iter_mut().enumerate() {
            let values = block.as_ref().col(j).try_as_col_major();
            column.take(values.expect("columns of a block are contiguous").as_slice());
        }
        let block = block.as_ref();
        let has_gap = |i: &usize| (0..block.ncols()).any(|j| block[(*i, j)].is_nan());
        let rows: Vec<usize> = (0..block.nrows()).filter(has_gap).collect();
        if !rows.is_empty() {
            let gapped = Mat::from_fn(rows.len(), block.ncols(), |i, j| block[(rows[i], j)]);
            self.gapped.push(gapped.as_ref());
        }
    }
}

/// Figures of a column.
#[derive(Debug, Clone)]
struct Figures {
    missing: u64,
    count: u64,
    mean: f64,
    least: f64,
    greatest: f64,
    /// Different values by their bits, while they are few.
    values: BTreeMap<u64, u64>,
    /// What stands for them once they are many.
    many: Option<Arc<Registers>>,
}

impl Default for Figures {
    fn default() -> Self {
        Self {
            missing: 0,
            count: 0,
            mean: 0.0,
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
            values: BTreeMap::new(),
            many: None,
        }
    }
}

impl Figures {
    fn take(&mut self, values: &[f64]) {
        let (mut sum, mut count) = (0.0, 0_u64);
        for &value in values {
            if value.is_nan() {
                self.missing += 1;
                continue;
            }
            count += 1;
            sum += value;
            self.least = self.least.min(value);
            self.greatest = self.greatest.max(value);
            // One zero.
            let bits = (value + 0.0).to_bits();
            match &mut self.many {
                Some(many) => Arc::make_mut(many).take(bits),
                None => {
                    *self.values.entry(bits).or_default() += 1;
                    self.overflow();
                }
            }
        }
        self.shift(count, sum / count.max(1) as f64);
    }

    fn shift(&mut self, count: u64, mean: f64) {
        self.count += count;
        if self.count > 0 {
            self.mean += (mean - self.mean) * (count as f64 / self.count as f64);
        }
    }

    fn overflow(&mut self) {
        if self.values.len() > MOST_LEVELS {
            let mut many = Registers::default();
            std::mem::take(&mut self.values).into_keys().for_each(|bits| many.take(bits));
            self.many = Some(Arc::new(many));
        }
    }

    fn append(&mut self, later: Self) {
        self.missing += later.missing;
        self.least = self.least.min(later.least);
        self.greatest = self.greatest.max(later.greatest);
        self.shift(later.count, later.mean);
        match (&mut self.many, later.many) {
            (Some(many), Some(other)) => Arc::make_mut(many).append(&other),
            (many @ None, Some(other)) => {
                let mut joined = Arc::unwrap_or_clone(other);
                std::mem::take(&mut self.values).into_keys().for_each(|bits| joined.take(bits));
                *many = Some(Arc::new(joined));
            }
            (Some(many), None) => {
                let many = Arc::make_mut(many);
                later.values.into_keys().for_each(|bits| many.take(bits));
            }
            (None, None) => {
                for (bits, count) in later.values {
                    *self.values.entry(bits).or_default() += count;
                }
                self.overflow();
            }
        }
    }

    /// How often each code of a level was seen.
    fn codes(&self) -> Vec<u64> {
        let mut counts = Vec::new();
        for (&bits, &count) in &self.values {
            let code = f64::from_bits(bits) as usize;
            counts.resize(counts.len().max(code + 1), 0);
            counts[code] = count;
        }
        counts
    }

    fn overview(&self, variable: &Variable, levels: &[String], kept: &[f64]) -> ColumnOverview {
        let discrete = variable.is_discrete();
        let counts = self.codes_of(levels);
        let histogram = match discrete {
            true => counts.iter().map(|(_, count)| *count).collect(),
            false => histogram(kept, self.least, self.greatest),
        };
        ColumnOverview {
            variable: variable.clone(),
            missing: self.missing,
            distinct: self.many.as_ref().map_or(self.values.len() as u64, |many| many.estimate()),
            exact: self.many.is_none(),
            range: (!discrete && self.count > 0).then_some([self.least, self.greatest, self.mean]),
            levels: counts,
            histogram,
        }
    }

    /// Levels that were seen, the most common first.
    fn codes_of(&self, levels: &[String]) -> Vec<(String, u64)> {
        if levels.is_empty() {
            return Vec::new();
        }
        let counts = self.codes();
        let mut seen: Vec<(String, u64)> = levels
            .iter()
            .zip(counts)
            .filter(|(_, count)| *count > 0)
            .map(|(level, count)| (level.clone(), count))
            .collect();
        seen.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        seen
    }
}

/// How many values lie in each of eight parts between two numbers.
fn histogram(values: &[f64], least: f64, greatest: f64) -> Vec<u64> {
    let mut bars = vec![0; BARS];
    // Halves, since the difference of two numbers may leave the range.
    let range = 0.5 * greatest - 0.5 * least;
    for value in values.iter().filter(|_| range > 0.0) {
        let share = (0.5 * value - 0.5 * least) / range;
        bars[((share * BARS as f64) as usize).min(BARS - 1)] += 1;
    }
    bars
}

/// Counts different values in little memory, to some three percent (Flajolet, Fusy, Gandouet and
/// Meunier, HyperLogLog, 2007).
#[derive(Debug, Clone)]
struct Registers([u8; REGISTERS]);

const REGISTERS: usize = 1 << 10;

impl Default for Registers {
    fn default() -> Self {
        Self([0; REGISTERS])
    }
}

impl Registers {
    fn take(&mut self, bits: u64) {
        let hash = nocurl::moments::mix(bits);
        let register = &mut self.0[(hash >> 54) as usize];
        let rank = ((hash << 10) | (1 << 9)).leading_zeros() as u8 + 1;
        *register = (*register).max(rank);
    }

    fn append(&mut self, later: &Self) {
        self.0.iter_mut().zip(later.0).for_each(|(here, there)| *here = (*here).max(there));
    }

    fn estimate(&self) -> u64 {
        let m = REGISTERS as f64;
        let sum: f64 = self.0.iter().map(|&rank| (-f64::from(rank)).exp2()).sum();
        let raw = 0.7213 / (1.0 + 1.079 / m) * m * m / sum;
        let empty = self.0.iter().filter(|&&rank| rank == 0).count() as f64;
        // Few values leave registers empty, and these tell more.
        let found = if raw <= 2.5 * m && empty > 0.0 { m * (m / empty).ln() } else { raw };
        found.round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_values_are_counted_roughly() {
        for many in [300_u64, 2000, 50_000] {
            let mut registers = Registers::default();
            (0..3 * many).for_each(|i| registers.take(((i % many) as f64).sqrt().to_bits()));
            let found = registers.estimate() as f64 / many as f64;
            assert!((found - 1.0).abs() < 0.12, "{many}: {found}");
        }
    }

    #[test]
    fn pieces_do_not_matter() {
        let values: Vec<f64> = (0..5000).map(|i| f64::from(i * i % 977) / 8.0).collect();
        let mut whole = Figures::default();
        whole.take(&values);
        let mut total = Figures::default();
        for piece in values.chunks(123) {
            let mut part = Figures::default();
            part.take(piece);
            total.append(part);
        }
        assert_eq!((whole.least, whole.greatest, whole.count), (total.least, total.greatest, 5000));
        assert!((whole.mean - total.mean).abs() < 1e-12 * whole.mean);
        let distinct = |figures: &Figures| figures.many.as_ref().map(|many| many.estimate());
        assert_eq!(distinct(&whole), distinct(&total));
    }
}
