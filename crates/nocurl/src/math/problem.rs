//! What a linear method sees, and what it proposes.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::core::error::list;
use crate::core::{
    Action, Conditions, Dataset, Error, ExperimentSpec, Kind, Knowledge, KnowledgeSpec, Mat,
    MatRef, Moments, Text, Variables,
};
use crate::math::{Experiments, linalg};

/// Rows for each column from which second moments are taken as they are.
const ENOUGH: f64 = 3.0;

/// The second moments of the data, centred or not: all that a linear method sees.
///
/// A variable is one column of them, or a block of columns where it is categorical; then the
/// problem is not [plain](Self::is_plain).
#[derive(Debug, Clone)]
pub struct Problem {
    /// The variables, without levels that no row has.
    variables: Variables,
    rows: u64,
    second_moments: Mat<f64>,
    warnings: Vec<Text>,
    /// Kept beside the second moments where these are not centred.
    covariance: Option<Mat<f64>>,
    /// How far both have to be shrunk towards their diagonals where all variables are used at once.
    shrinkage: Option<f64>,
    /// What that gives, made when it is asked for: second moments, and covariance beside them.
    shrunk: OnceLock<(Mat<f64>, Option<Mat<f64>>)>,
    knowledge: Knowledge,
    /// The moments by condition, where they are told apart.
    conditions: Option<Arc<Conditions>>,
    /// The moments of each variable of its own, where conditions act on some of them.
    experiments: Option<Arc<Experiments>>,
}

impl Problem {
    /// The problem of learning from `moments`, after checks that hold for every method.
    ///
    /// # Errors
    /// Fewer than two rows or two columns, constant columns, or columns of absurd size.
    pub fn new(moments: &Moments, center: bool) -> Result<Self, Error> {
        Self::of(Cow::Borrowed(moments), center)
    }

    /// The same of moments that nobody else needs: their matrix becomes that of the problem.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub(crate) fn of(moments: Cow<'_, Moments>, center: bool) -> Result<Self, Error> {
        if moments.columns() < 2 {
            return Err(Error::TooFewColumns { columns: moments.columns() });
        }
        if moments.rows() < 2 {
            return Err(Error::TooFewRows { rows: moments.rows(), needed: 2 });
        }
        let constant = moments.constant_columns();
        if !constant.is_empty() {
            let names = constant.iter().map(|&j| moments.names()[j].clone()).collect();
            return Err(Error::ConstantColumns { names });
        }
        let moments = match moments {
            Cow::Borrowed(moments) => levels_seen(moments),
            Cow::Owned(moments) if moments.variables().is_plain() => Cow::Owned(moments),
            Cow::Owned(moments) => Cow::Owned(levels_seen(&moments).into_owned()),
        };
        // Beyond these, squares and products of moments leave the range of numbers.
        const SIZES: std::ops::Range<f64> = 1e-150..1e150;
        let variances = moments.variances();
        let second = |j: usize| variances[j] + if center { 0.0 } else { moments.mean()[j].powi(2) };
        let fits = |j: usize| SIZES.contains(&variances[j]) && SIZES.contains(&second(j));
        if let Some(j) = (0..moments.width()).find(|&j| !fits(j)) {
            return Err(Error::ExtremeScale {
                column: moments.variables().column_name(j),
                deviation: variances[j].sqrt(),
            });
        }
        let mut problem = Self {
            variables: moments.variables().clone(),
            rows: moments.rows(),
            covariance: (!center).then(|| moments.second_moments(true)),
            warnings: Vec::new(),
            shrinkage: None,
            shrunk: OnceLock::new(),
            knowledge: Knowledge::unconstrained(moments.names()),
            conditions: moments.conditions().cloned(),
            experiments: None,
            second_moments: match moments {
                Cow::Borrowed(moments) => moments.second_moments(center),
                Cow::Owned(moments) => moments.into_second_moments(center),
            },
        };
        problem.regularise();
        Ok(problem)
    }

    /// The same problem with prior knowledge about its variables.
    ///
    /// # Errors
    /// Those of [`KnowledgeSpec::resolve`].
    pub fn with_knowledge(mut self, knowledge: &KnowledgeSpec) -> Result<Self, Error> {
        if !knowledge.is_empty() {
            self.knowledge = knowledge.resolve(self.names())?;
        }
        Ok(self)
    }

    /// The same problem where the rows come from the conditions of an experiment: each variable then
    /// has its own moments, and nothing acts on the condition. The moments must tell conditions
    /// apart ([`Moments::by_condition`]).
    ///
    /// # Errors
    /// Those of [`ExperimentSpec::resolve`], and conditions that leave a variable without rows.
    pub fn with_experiments(mut self, spec: &ExperimentSpec) -> Result<Self, Error> {
        let Some(targets) = spec.resolve(&self.variables)? else { return Ok(self) };
        let found = self.conditions.as_deref();
        let Some(conditions) = found.filter(|all| all.variable() == targets.condition) else {
            return Err(Error::Experiments {
                reason: format!(
                    "these moments do not tell the conditions of `{}` apart: gather them by \
                     condition, or give the table itself",
                    self.names()[targets.condition]
                ),
            });
        };
        let experiments = Experiments::new(&self.variables, conditions, targets)?;
        self.experiments = Some(Arc::new(experiments));
        Ok(self)
    }

    /// The experiments behind the rows, where there are any.
    pub fn experiments(&self) -> Option<&Experiments> {
        self.experiments.as_deref()
    }

    /// What is known beforehand, which may be nothing.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// Makes second moments regular that are singular or nearly so, with a warning.
    ///
    /// With too few rows they are shrunk towards their diagonal, as far as the oracle approximating
    /// formula says (Chen, Wiesel, Eldar and Hero, 2010); from n = d to n = [`ENOUGH`] d that share
    /// falls to 0, smoothly, so that a row more never changes much. Exact collinearity gets the least ridge
    /// that lets the methods go on.
    fn regularise(&mut self) {
        /// Relative ridge: solutions keep half of the digits.
        const RIDGE: f64 = 1e-8;
        let (n, d) = (self.rows, self.width());
        if n <= d as u64 {
            // There are fewer directions than columns: nothing needs to be looked for.
            self.shrink(1.0, "too few");
            return;
        }
        let missing = (ENOUGH * d as f64 - n as f64) / ((ENOUGH - 1.0) * d as f64);
        if missing > 0.0 {
            self.shrink(missing * missing, "few");
        }
        let Some(set) = linalg::collinear_set(self.covariance()) else { return };
        let columns = set.iter().map(|&j| self.variables.column_name(j));
        let words = format!(
            "columns {} are exactly collinear, so edges among them are arbitrary: ",
            list(&columns.collect::<Vec<_>>())
        );
        let mut names: Vec<String> =
            set.iter().map(|&j| self.names()[self.variables.of_column(j)].clone()).collect();
        names.dedup();
        self.warnings.push(Text::new(words).act(Action::leave_out_one(&names)));
        for matrix in
            [Some(&mut self.second_moments), self.covariance.as_mut()].into_iter().flatten()
        {
            for j in 0..d {
                matrix[(j, j)] *= 1.0 + RIDGE;
            }
        }
    }

    /// Shrinks second moments by a part of what the oracle approximating formula says.
    fn shrink(&mut self, part: f64, rows_are: &str) {
        let (n, d) = (self.rows, self.width());
        let shrinkage = part * oracle_shrinkage(self.sample_covariance(), n);
        let words = format!(
            "{n} rows are {rows_are} for {d} variables: where all are used at once, second moments \
             are shrunk towards their diagonal by {shrinkage:.3}; use more rows, or "
        );
        self.warnings.push(Text::new(words).act(Action::FewerColumns));
        self.shrinkage = Some(shrinkage);
    }

    /// Second moments, and covariance beside them, fit for methods that use all variables at once.
    fn regular(&self) -> (&Mat<f64>, Option<&Mat<f64>>) {
        let Some(shrinkage) = self.shrinkage else {
            return (&self.second_moments, self.covariance.as_ref());
        };
        let (moments, covariance) = self.shrunk.get_or_init(|| {
            let shrunk = |matrix: &Mat<f64>| shrunk(matrix, shrinkage);
            (shrunk(&self.second_moments), self.covariance.as_ref().map(shrunk))
        });
        (moments, covariance.as_ref())
    }

    /// What the user should know about the data, in plain words.
    pub fn warnings(&self) -> &[Text] {
        &self.warnings
    }

    /// Names of the variables.
    pub fn names(&self) -> &[String] {
        self.variables.names()
    }

    /// The variables, without levels that no row has.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Number of variables, d.
    pub fn size(&self) -> usize {
        self.variables.size()
    }

    /// Number of columns of the second moments.
    pub fn width(&self) -> usize {
        self.variables.width()
    }

    /// The columns of a variable.
    pub fn columns(&self, variable: usize) -> Range<usize> {
        self.variables.columns(variable)
    }

    /// True when every variable is one column of the second moments, which all share.
    pub fn is_plain(&self) -> bool {
        self.experiments.is_none() && self.variables.is_plain()
    }

    /// True when means are subtracted.
    pub fn is_centred(&self) -> bool {
        self.covariance.is_none()
    }

    /// Number of rows, n.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether these are the rows that the problem was made from, as far as can be seen.
    ///
    /// # Errors
    /// [`Error::DifferentRows`] about `what`.
    pub(crate) fn check_rows(&self, rows: &Dataset, what: &'static str) -> Result<(), Error> {
        if rows.names() == self.names() && rows.values().nrows() as u64 == self.rows {
            return Ok(());
        }
        Err(Error::DifferentRows { what })
    }

    /// The error for second moments that cannot be inverted.
    pub(crate) fn singular(&self) -> Error {
        Error::Collinear { names: self.names().to_vec() }
    }

    /// `S = X'X / n`.
    pub fn second_moments(&self) -> MatRef<'_, f64> {
        self.regular().0.as_ref()
    }

    /// `X'X / n` of the data as they are: never shrunk, so it may be singular.
    pub(crate) fn sample_moments(&self) -> MatRef<'_, f64> {
        self.second_moments.as_ref()
    }

    /// The correlations of the variables, for methods that do not depend on units and use few
    /// variables at a time: never shrunk, so they may be singular.
    pub fn correlation(&self) -> Mat<f64> {
        correlation_of(self.sample_covariance())
    }

    /// The same problem with every variable scaled to variance 1, means subtracted.
    pub fn standardised(&self) -> Self {
        Self {
            variables: self.variables.clone(),
            rows: self.rows,
            second_moments: correlation_of(self.covariance()),
            warnings: self.warnings.clone(),
            covariance: None,
            shrinkage: None,
            shrunk: OnceLock::new(),
            knowledge: self.knowledge.clone(),
            conditions: None,
            experiments: None,
        }
    }

    /// The covariance of the data as they are: never shrunk, so it may be singular.
    pub(crate) fn sample_covariance(&self) -> MatRef<'_, f64> {
        self.covariance.as_ref().unwrap_or(&self.second_moments).as_ref()
    }

    /// The second moments about the means: regressions on these have an intercept.
    pub fn covariance(&self) -> MatRef<'_, f64> {
        let (moments, covariance) = self.regular();
        covariance.unwrap_or(moments).as_ref()
    }
}

/// The moments without the levels that no row has: their indicators are constant, and where it is
/// the base that is missing, the others add up to 1, so the most common of them takes its place.
pub(crate) fn levels_seen(moments: &Moments) -> Cow<'_, Moments> {
    let variables = moments.variables();
    if variables.is_plain() {
        return Cow::Borrowed(moments);
    }
    let (n, mean) = (moments.rows() as f64, moments.mean());
    let seen = |share: f64| share * n > 0.5;
    let mut kept = Vec::with_capacity(moments.width());
    let mut list = variables.list().to_vec();
    for (v, variable) in list.iter_mut().enumerate() {
        let columns = variables.columns(v);
        if variable.kind != Kind::Categorical {
            kept.push(columns.start);
            continue;
        }
        let shares: Vec<f64> = columns.clone().map(|j| mean[j]).collect();
        let mut levels: Vec<usize> = (0..shares.len()).filter(|&k| seen(shares[k])).collect();
        let mut base = variable.levels[0].clone();
        if !seen(1.0 - shares.iter().sum::<f64>()) {
            let most = levels
                .iter()
                .copied()
                .max_by(|&a, &b| shares[a].total_cmp(&shares[b]).then(b.cmp(&a)));
            levels.retain(|&k| Some(k) != most);
            if let Some(most) = most {
                base = variable.levels[most + 1].clone();
            }
        }
        kept.extend(levels.iter().map(|&k| columns.start + k));
        let rest = levels.iter().map(|&k| variable.levels[k + 1].clone());
        variable.levels = std::iter::once(base).chain(rest).collect();
    }
    if kept.len() == moments.width() {
        return Cow::Borrowed(moments);
    }
    let columns: Vec<Vec<(usize, f64)>> = kept.iter().map(|&j| vec![(j, 1.0)]).collect();
    let recoded = moments.recoded(Variables::new(list), &columns);
    Cow::Owned(match moments.conditions() {
        None => recoded,
        Some(all) => {
            let conditions = all.kept(variables, recoded.variables(), &kept);
            recoded.with_conditions(conditions)
        }
    })
}

fn correlation_of(s: MatRef<'_, f64>) -> Mat<f64> {
    let scale: Vec<f64> = (0..s.ncols()).map(|i| s[(i, i)].sqrt()).collect();
    Mat::from_fn(s.nrows(), s.ncols(), |i, j| s[(i, j)] / scale[i] / scale[j])
}

/// The matrix with all but its diagonal smaller by a part.
fn shrunk(matrix: &Mat<f64>, shrinkage: f64) -> Mat<f64> {
    let keep = 1.0 - shrinkage;
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| match i == j {
        true => matrix[(i, j)] * (keep + shrinkage),
        false => matrix[(i, j)] * keep,
    })
}

/// The shrinkage of a correlation matrix towards the identity with the smallest expected error
/// under normality, estimated from the matrix itself.
fn oracle_shrinkage(s: MatRef<'_, f64>, rows: u64) -> f64 {
    let (n, d) = (rows as f64, s.nrows() as f64);
    let mut squares = 0.0;
    for j in 0..s.ncols() {
        for i in 0..s.nrows() {
            // One factor at a time: products of moments in large units overflow.
            squares += (s[(i, j)] / s[(i, i)]) * (s[(i, j)] / s[(j, j)]);
        }
    }
    let numerator = (1.0 - 2.0 / d) * squares + d * d;
    let denominator = (n + 1.0 - 2.0 / d) * (squares - d);
    if denominator > 0.0 { (numerator / denominator).min(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::simulate::{Simulation, simulate};

    #[test]
    fn moments_that_are_given_away_make_the_same_problem() {
        let simulation = Simulation { variables: 5, rows: 30, ..Simulation::default() };
        let moments = simulate(&simulation, 3).unwrap().data.moments();
        for center in [true, false] {
            let kept = Problem::new(&moments, center).unwrap();
            let given = Problem::of(Cow::Owned(moments.clone()), center).unwrap();
            assert_eq!(kept.second_moments(), given.second_moments());
            assert_eq!(kept.covariance(), given.covariance());
        }
    }
}
