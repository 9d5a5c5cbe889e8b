//! From what was gathered to a table of variables: levels in their order, gaps estimated, columns
//! that do not vary left out.

use nocurl::missing::{EmParams, expectation_maximization};
use nocurl::{Action, Dataset, Kind, Mat, Moments, OneHot, Run, Text, Variable, Variables};

use super::collect::Assembly;
use super::columns::{Selection, without};
use super::kinds::{LeftOut, left_out_note};
use super::{Missing, Origin, ReadOptions, Table};
use crate::Error;

/// The variables of a table, with the places that codes have among their levels.
pub(super) struct Coded {
    variables: Variables,
    places: Vec<Vec<usize>>,
}

impl Coded {
    /// Variables by how often codes were seen in complete rows, and in those with gaps.
    pub(super) fn new(
        selection: &Selection,
        counts: impl Fn(usize) -> Vec<u64>,
        incomplete: &Mat<f64>,
    ) -> Self {
        let slots = selection.names.iter().zip(&selection.codings).enumerate();
        let (variables, places) = slots
            .map(|(slot, (name, coding))| {
                let Some(coding) = coding else {
                    let transforms = selection.transforms[slot].iter().cloned().collect();
                    return (Variable { transforms, ..Variable::continuous(name) }, Vec::new());
                };
                if coding.kind == Kind::Binary && coding.levels == ["false", "true"] {
                    // Truth values are 0 and 1, whichever of them a table has.
                    let (kind, levels) = (Kind::Binary, coding.levels.clone());
                    return (Variable::with_levels(name, kind, levels), vec![0, 1]);
                }
                let mut counts = counts(slot);
                counts.resize(coding.levels.len(), 0);
                if incomplete.nrows() > 0 {
                    let seen = incomplete.col_as_slice(slot);
                    counts.iter_mut().zip(counted(seen)).for_each(|(count, more)| *count += more);
                }
                Variable::of_levels(name, coding.kind, &coding.levels, &counts)
            })
            .unzip::<_, _, Vec<Variable>, Vec<_>>();
        Self { variables: variables.into(), places }
    }

    /// Variables that are known: their codes are the positions of levels.
    pub(super) fn given(variables: &[Variable]) -> Self {
        let places = variables.iter().map(|v| (0..v.levels.len()).collect()).collect();
        Self { variables: variables.to_vec().into(), places }
    }

    pub(super) fn moments(&self, gathered: OneHot) -> Moments {
        gathered.finish(self.variables.clone(), &self.places)
    }

    pub(super) fn dataset(&self, values: Mat<f64>) -> Result<Dataset, nocurl::Error> {
        Dataset::of_codes(self.variables.list().to_vec(), values, &self.places)
    }

    /// Some of the variables, with their places.
    pub(super) fn select(&self, kept: &[usize]) -> (Variables, Vec<Vec<usize>>) {
        (self.variables.select(kept), kept.iter().map(|&v| self.places[v].clone()).collect())
    }

    /// Rows with gaps in the columns that code the variables.
    fn coded(&self, incomplete: &Mat<f64>) -> Mat<f64> {
        let mut values = incomplete.clone();
        for (v, places) in self.places.iter().enumerate().filter(|(_, places)| !places.is_empty()) {
            for value in values.col_as_slice_mut(v).iter_mut().filter(|value| !value.is_nan()) {
                *value = places[*value as usize] as f64;
            }
        }
        self.variables.coded(values.as_ref())
    }
}

/// How often each code was seen.
pub(super) fn counted(codes: &[f64]) -> Vec<u64> {
    let mut counts = Vec::new();
    for &code in codes.iter().filter(|code| !code.is_nan()) {
        let code = code as usize;
        if counts.len() <= code {
            counts.resize(code + 1, 0);
        }
        counts[code] += 1;
    }
    counts
}

/// What is known of a table besides its data.
pub(super) struct About {
    dropped: u64,
    missing: u64,
    gaps: Vec<(String, u64)>,
    left_out: Vec<(String, LeftOut)>,
    origin: Option<Origin>,
    warnings: Vec<Text>,
}

impl About {
    pub(super) fn new(found: &mut Assembly, origin: Option<Origin>) -> Self {
        Self {
            dropped: found.dropped,
            missing: found.missing,
            gaps: found.gaps_by_column(),
            left_out: std::mem::take(&mut found.left_out),
            origin,
            warnings: std::mem::take(&mut found.warnings),
        }
    }

    /// Notes columns that do not vary; returns the others.
    pub(super) fn without_constants(
        &mut self,
        moments: &Moments,
        options: &ReadOptions,
    ) -> Vec<usize> {
        let constant = match options.keep_constant || options.part || moments.rows() < 2 {
            true => Vec::new(),
            false => moments.constant_columns(),
        };
        self.left_out.extend(constant.iter().map(|&v| constant_column(moments, v)));
        without(moments.columns(), &constant)
    }

    /// Notes columns that do not vary, neither in complete rows nor in those with gaps: nothing can
    /// be estimated from them.
    fn constant(
        &mut self,
        moments: &Moments,
        incomplete: &Mat<f64>,
        options: &ReadOptions,
    ) -> Vec<usize> {
        if options.keep_constant || options.part || moments.rows() < 2 {
            return Vec::new();
        }
        let mut constant = moments.constant_columns();
        constant.retain(|&v| {
            moments.variables().columns(v).all(|j| {
                let seen = incomplete.col_as_slice(j).iter().filter(|value| !value.is_nan());
                let seen: Vec<f64> = seen.copied().collect();
                let near = |value: &f64| (value - moments.mean()[j]).abs() <= 1e-9 * value.abs();
                seen.iter().all(near)
            })
        });
        self.left_out.extend(constant.iter().map(|&v| constant_column(moments, v)));
        constant
    }

    /// The table, unless it is too small to learn from.
    pub(super) fn table<T>(
        self,
        rows: u64,
        columns: usize,
        data: T,
        part: bool,
    ) -> Result<Table<T>, Error> {
        let left = left_out_note(&self.left_out);
        if columns < 2 && (rows > 1 || part) {
            return Err(match left {
                Some(left) => Error::FewLeft { columns, left },
                None => nocurl::Error::TooFewColumns { columns }.into(),
            });
        }
        if rows < 2 && !part {
            return Err(match self.dropped {
                0 => nocurl::Error::TooFewRows { rows, needed: 2 }.into(),
                dropped => Error::FewComplete { rows, dropped },
            });
        }
        let mut warnings = self.warnings;
        warnings.extend(left);
        Ok(Table {
            rows,
            rows_dropped: self.dropped,
            missing_values: self.missing,
            gaps: self.gaps,
            left_out: self.left_out,
            data,
            origin: self.origin,
            warnings,
        })
    }
}

/// Why a column that does not vary is left out: of one value, or of values that differ by more than
/// rounding makes of one.
pub(super) fn constant_column(moments: &Moments, v: usize) -> (String, LeftOut) {
    let j = moments.variables().columns(v).start;
    let deviation = moments.variances()[j].sqrt();
    let varies = deviation > 8.0 * f64::EPSILON * moments.mean()[j].abs();
    let why = if varies { LeftOut::TooClose } else { LeftOut::Constant };
    (moments.names()[v].clone(), why)
}

/// Moments after EM where that is asked for, and without columns that do not vary; with the columns
/// that are left.
pub(super) fn complete(
    mut moments: Moments,
    incomplete: &Mat<f64>,
    coded: &Coded,
    mut about: About,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Table<Moments>, Vec<usize>), Error> {
    let mut varying: Vec<usize> = (0..moments.columns()).collect();
    if options.missing == Missing::Em && incomplete.nrows() > 0 {
        let mut rows = coded.coded(incomplete);
        let constant = about.constant(&moments, &rows, options);
        if !constant.is_empty() {
            varying = without(moments.columns(), &constant);
            let places: Vec<usize> =
                varying.iter().flat_map(|&v| moments.variables().columns(v)).collect();
            rows = Mat::from_fn(rows.nrows(), places.len(), |i, j| rows[(i, places[j])]);
            moments = moments.select(&varying);
        }
        let fit = expectation_maximization(&moments, rows.as_ref(), &EmParams::default(), run)?;
        if fit.termination != nocurl::Termination::Converged {
            let words = format!(
                "the estimate from incomplete rows had not settled after {} iterations; compare \
                 with ",
                fit.iterations
            );
            about.warnings.push(Text::new(words).act(Action::set("missing", "drop")));
        }
        if coded.variables.list().iter().any(|variable| variable.kind == Kind::Categorical) {
            let words = "gaps among categories were estimated as if their indicators were \
                         Gaussian; compare with ";
            about.warnings.push(Text::new(words).act(Action::set("missing", "drop")));
        }
        moments = fit.moments;
    }
    let kept = about.without_constants(&moments, options);
    if kept.len() < moments.columns() {
        moments = moments.select(&kept);
    }
    let kept = kept.into_iter().map(|v| varying[v]).collect();
    if options.standardize {
        moments = moments.standardized();
    }
    let table = about.table(moments.rows(), moments.columns(), moments, options.part)?;
    Ok((table, kept))
}
