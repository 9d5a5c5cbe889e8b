//! Tables like the one given.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Kind;
use crate::core::advice::Action;
use crate::core::memory::ask;
use crate::core::moments::{Conditions, Part};
use crate::core::{Data, Dataset, Error, Mat, Moments};
use crate::math::linalg;
use crate::pipeline::Options;

/// The random stream of each replicate: they begin 2^128 draws apart, and none of them is the
/// stream that the method itself makes of the seed.
pub(super) fn streams(seed: u64, replicates: usize) -> Vec<Xoshiro256PlusPlus> {
    let mut next = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut stream = || {
        next.jump();
        next.clone()
    };
    (0..replicates).map(|_| stream()).collect()
}

/// What replicates are drawn from.
pub(super) enum Resampler<'a> {
    /// Rows, of which a method sees the moments.
    Moments(&'a Dataset),
    /// The same, drawn within the levels of a variable, which are told apart.
    Conditions(&'a Dataset, usize),
    /// Rows, which the method itself or the shape of errors needs.
    Rows(&'a Dataset),
    /// The law behind given moments.
    Gaussian(Gaussian<'a>),
    /// The same for each condition.
    GaussianConditions(ByCondition<'a>),
    /// Moments that were drawn by somebody who has the rows.
    Drawn(&'a [Moments]),
}

impl<'a> Resampler<'a> {
    pub(super) fn new(data: Data<'a>, options: &Options) -> Result<Self, Error> {
        // Without rows and codes, categories were learnt from their moments, and are so again.
        let coded = matches!(data, Data::Rows(_) | Data::Coded(..));
        let counts = coded
            && options.algorithm.facts().counts
            && data.moments().variables().is_categorical();
        let shape = options.uses_error_shape() && data.moments().variables().is_continuous();
        let needs_rows = options.needs_rows() || counts;
        if let Some(targets) = options.experiments.resolve(data.moments().variables())? {
            if let Some(rows) = data.rows() {
                return Ok(Self::Conditions(rows, targets.condition));
            }
            let law = ByCondition::new(data.moments(), targets.condition);
            return law.map(Self::GaussianConditions).ok_or(Error::Experiments {
                reason:
                    "moments that do not tell conditions apart cannot be resampled within them: \
                         give the table itself"
                        .into(),
            });
        }
        match data {
            Data::Rows(rows) if needs_rows || shape => Ok(Self::Rows(rows)),
            Data::Rows(rows) => Ok(Self::Moments(rows)),
            Data::Moments(_) | Data::Sampled(..) | Data::Coded(..) if needs_rows => {
                Err(Error::NeedsRows { what: Action::method(options.algorithm.name()) })
            }
            Data::Moments(moments) | Data::Sampled(moments, _) | Data::Coded(moments, ..)
                if moments.rows() < 2 =>
            {
                Err(Error::TooFewRows { rows: moments.rows(), needed: 2 })
            }
            Data::Moments(moments) | Data::Sampled(moments, _) | Data::Coded(moments, ..) => {
                Ok(Self::Gaussian(Gaussian::new(Cow::Borrowed(moments))))
            }
        }
    }

    /// Tables of which somebody else has drawn the moments.
    pub(super) fn drawn(drawn: &'a [Moments], options: &Options) -> Result<Self, Error> {
        match options.needs_rows() {
            true => Err(Error::NeedsRows { what: Action::method(options.algorithm.name()) }),
            false => Ok(Self::Drawn(drawn)),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Moments(_) | Self::Conditions(..) | Self::Rows(_) | Self::Drawn(_) => Kind::Rows,
            Self::Gaussian(_) | Self::GaussianConditions(_) => Kind::Gaussian,
        }
    }

    pub(super) fn columns(&self) -> usize {
        match self {
            Self::Moments(rows) | Self::Conditions(rows, _) | Self::Rows(rows) => {
                rows.names().len()
            }
            Self::Gaussian(law) => law.moments.columns(),
            Self::GaussianConditions(law) => law.moments.columns(),
            Self::Drawn(drawn) => drawn.first().map_or(0, Moments::columns),
        }
    }

    /// Operations that drawing a table takes.
    pub(super) fn operations(&self) -> u64 {
        let gaussian = |moments: &Moments| (moments.width() as u64).pow(3);
        match self {
            Self::Moments(rows) | Self::Conditions(rows, _) => {
                // A number by chance for each row, and its products, several at a time.
                let (n, d) = rows.values().shape();
                n as u64 * (10 + (d * d) as u64 / 4)
            }
            Self::Rows(rows) => rows.values().nrows() as u64 * (10 + rows.values().ncols() as u64),
            Self::Gaussian(law) => gaussian(&law.moments),
            Self::GaussianConditions(law) => gaussian(&law.moments),
            Self::Drawn(drawn) => drawn.first().map_or(0, |moments| moments.width().pow(2) as u64),
        }
    }

    /// Draws a table, or takes the one of this number, and hands it on.
    pub(super) fn draw<T>(
        &self,
        number: usize,
        mut stream: Xoshiro256PlusPlus,
        learn: impl FnOnce(Data<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self {
            Self::Moments(rows) => {
                learn((&rows.sample_moments(&counts(rows.values().nrows(), &mut stream))).into())
            }
            Self::Conditions(rows, condition) => {
                let counts = counts_within(rows.column(*condition), &mut stream);
                learn((&rows.sample_by_condition(*condition, &counts)).into())
            }
            Self::Rows(rows) => {
                let (n, d) = rows.values().shape();
                ask("a resampled table", 8 * n as u64 * d as u64)?;
                learn((&rows.sample(&counts(rows.values().nrows(), &mut stream))).into())
            }
            Self::Gaussian(law) => learn((&law.draw(&mut stream)?).into()),
            Self::GaussianConditions(law) => learn((&law.draw(&mut stream)?).into()),
            Self::Drawn(drawn) => learn((&drawn[number]).into()),
        }
    }
}

/// How often each of `n` rows is drawn, in `n` draws.
fn counts(n: usize, stream: &mut Xoshiro256PlusPlus) -> Vec<u32> {
    let mut counts = vec![0; n];
    for _ in 0..n {
        counts[stream.random_range(0..n)] += 1;
    }
    counts
}

/// The same with as many draws in each condition as it has rows.
fn counts_within(conditions: &[f64], stream: &mut Xoshiro256PlusPlus) -> Vec<u32> {
    let mut rows: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (i, &level) in conditions.iter().enumerate() {
        rows.entry(level as u64).or_default().push(i);
    }
    let mut counts = vec![0; conditions.len()];
    for rows in rows.values() {
        for _ in rows {
            counts[rows[stream.random_range(0..rows.len())]] += 1;
        }
    }
    counts
}

/// The Gaussian law with the mean and covariance of some moments.
pub(super) struct Gaussian<'a> {
    moments: Cow<'a, Moments>,
    /// `factor factor'` is the covariance.
    factor: Mat<f64>,
}

impl<'a> Gaussian<'a> {
    fn new(moments: Cow<'a, Moments>) -> Self {
        let covariance = moments.second_moments(true);
        Self { moments, factor: linalg::semidefinite_factor(covariance.as_ref()) }
    }

    /// The moments of as many rows of this law.
    fn draw(&self, stream: &mut Xoshiro256PlusPlus) -> Result<Moments, Error> {
        let (rows, d) = (self.moments.rows(), self.moments.width());
        let n = rows as f64;
        let scatter = wishart_of_factor(&self.factor, rows - 1, stream);
        let normal: Vec<f64> = (0..d).map(|_| StandardNormal.sample(stream)).collect();
        let mean = (0..d)
            .map(|i| {
                let noise: f64 = (0..d).map(|j| self.factor[(i, j)] * normal[j]).sum();
                self.moments.mean()[i] + noise / n.sqrt()
            })
            .collect();
        let covariance = Mat::from_fn(d, d, |i, j| scatter[(i, j)] / n);
        Moments::from_covariance(self.moments.variables().clone(), rows, mean, covariance.as_ref())
    }
}

/// What each condition is drawn from.
pub(super) struct ByCondition<'a> {
    moments: Cow<'a, Moments>,
    variable: usize,
    /// By the position of the level.
    laws: Vec<Law>,
}

enum Law {
    /// Rows that are kept, drawn with replacement.
    Rows {
        width: usize,
        values: Vec<f64>,
    },
    Gaussian(Gaussian<'static>),
}

impl<'a> ByCondition<'a> {
    /// Nothing where the moments do not tell the levels of this variable apart.
    fn new(moments: Cow<'a, Moments>, variable: usize) -> Option<Self> {
        let conditions = moments.conditions().filter(|all| all.variable() == variable)?;
        let law = |part: &Part| match part {
            Part::Moments(of) if of.rows() > 1 => {
                Law::Gaussian(Gaussian::new(Cow::Owned(of.clone())))
            }
            Part::Moments(of) => Law::Rows { width: of.width(), values: of.mean().to_vec() },
            Part::Rows { width, values } => Law::Rows { width: *width, values: values.clone() },
        };
        let laws = conditions.parts().iter().map(law).collect();
        Some(Self { moments, variable, laws })
    }

    /// Moments by condition, of as many rows in each.
    fn draw(&self, stream: &mut Xoshiro256PlusPlus) -> Result<Moments, Error> {
        let variables = self.moments.variables();
        let mut conditions = Conditions::new(variables, self.variable);
        for (level, law) in self.laws.iter().enumerate() {
            conditions.set(
                level,
                match law {
                    Law::Gaussian(law) => Part::Moments(law.draw(stream)?),
                    Law::Rows { width, values } => {
                        let rows: Vec<&[f64]> = values.chunks_exact((*width).max(1)).collect();
                        let drawn =
                            (0..rows.len()).map(|_| rows[stream.random_range(0..rows.len())]);
                        Part::Rows { width: *width, values: drawn.flatten().copied().collect() }
                    }
                },
            );
        }
        Ok(Moments::of_conditions(variables.clone(), conditions))
    }
}

/// A draw from the Wishart distribution: the scatter matrix of rows of a Gaussian law with this
/// covariance and mean zero, `degrees` of them. Its mean is `degrees` times the covariance. The
/// lower triangle is filled, the upper one zero.
///
/// `F A A' F'` for a factor `F` of the covariance and `A` the lower triangular matrix of Bartlett
/// (1933): independent standard normal numbers below the diagonal, and on it, at place j counted
/// from 0, the root of a chi-squared number with `degrees - j` degrees of freedom. Where these run
/// out the columns are zero, and so the draw is singular, as the scatter of few rows is. Cost
/// O(d^3) whatever the degrees.
///
/// The covariance may be singular; its lower triangle is read.
pub fn wishart(
    covariance: crate::core::MatRef<'_, f64>,
    degrees: u64,
    stream: &mut Xoshiro256PlusPlus,
) -> Mat<f64> {
    wishart_of_factor(&linalg::semidefinite_factor(covariance), degrees, stream)
}

fn wishart_of_factor(factor: &Mat<f64>, degrees: u64, stream: &mut Xoshiro256PlusPlus) -> Mat<f64> {
    let d = factor.nrows();
    let mut bartlett = Mat::zeros(d, d);
    for j in (0..d).take_while(|&j| (j as u64) < degrees) {
        let freedom = (degrees - j as u64) as f64;
        let squared = ChiSquared::new(freedom).expect("the degrees of freedom are positive");
        bartlett[(j, j)] = f64::sqrt(squared.sample(stream));
        for i in j + 1..d {
            bartlett[(i, j)] = StandardNormal.sample(stream);
        }
    }
    let mut root = Mat::zeros(d, d);
    linalg::matmul(root.as_mut(), factor.as_ref(), bartlett.as_ref());
    let mut scatter = Mat::zeros(d, d);
    linalg::gram_accumulate(&mut scatter, root.transpose());
    scatter
}
