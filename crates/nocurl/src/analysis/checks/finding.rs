//! What the checks return.

use serde::{Deserialize, Serialize};

/// All findings about one result, in a fixed order; serialised as a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Diagnosis {
    /// The findings.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    /// The findings that are more than [`Verdict::Ok`], the worst first.
    pub fn notable(&self) -> Vec<&Finding> {
        let mut notable: Vec<&Finding> =
            self.findings.iter().filter(|finding| finding.verdict > Verdict::Ok).collect();
        notable.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
        notable
    }
}

/// One check: its name and numbers, what they amount to, and what to do about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What was looked at, with its numbers; serialised as `name` and `numbers`.
    #[serde(flatten)]
    pub check: Check,
    /// What it amounts to.
    pub verdict: Verdict,
    /// What it means and what to do, in one sentence.
    pub sentence: String,
}

/// What a finding amounts to, from harmless to serious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing to do.
    Ok,
    /// Good to know when the result is used.
    Note,
    /// The result may be wrong for this reason.
    Concern,
}

/// The numbers of each check. Numbers that are not there or not finite are `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", content = "numbers", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Check {
    /// Rows against columns and parents.
    SampleSize(SampleSize),
    /// Columns that are nearly combinations of others.
    Collinearity(Collinearity),
    /// Columns that hardly vary.
    NearConstant(NearConstant),
    /// Whether variances rise along the learnt order (Reisach, Seiler and Weichwald, 2021).
    Varsortability(Sortability),
    /// Whether explained shares of variance rise along it (Reisach et al., 2023).
    R2Sortability(Sortability),
    /// Whether errors have similar variances.
    ResidualVariances(ResidualVariances),
    /// Whether residuals are normal.
    NonGaussianity(NonGaussianity),
    /// How far the first estimate was from an order; only for methods that have one.
    HodgeEnergy(HodgeEnergy),
    /// The score of the graph beside trivial ones.
    Bic(Bic),
    /// What changes when all columns are scaled to variance 1.
    Units(Units),
}

impl Check {
    /// The name, as it is serialised.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SampleSize(_) => "sample-size",
            Self::Collinearity(_) => "collinearity",
            Self::NearConstant(_) => "near-constant",
            Self::Varsortability(_) => "varsortability",
            Self::R2Sortability(_) => "r2-sortability",
            Self::ResidualVariances(_) => "residual-variances",
            Self::NonGaussianity(_) => "non-gaussianity",
            Self::HodgeEnergy(_) => "hodge-energy",
            Self::Bic(_) => "bic",
            Self::Units(_) => "units",
        }
    }

    pub(super) fn finding(self, verdict: Verdict, sentence: String) -> Finding {
        Finding { check: self, verdict, sentence }
    }
}

/// Numbers of `sample-size`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleSize {
    /// Rows, n.
    pub rows: u64,
    /// Columns, d.
    pub variables: usize,
    /// n / d.
    pub rows_per_variable: f64,
    /// The most parents that a variable has in the graph.
    pub most_parents: usize,
}

/// Numbers of `collinearity`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Collinearity {
    /// Smallest eigenvalue of the correlation matrix, up to 1000 variables.
    pub smallest_eigenvalue: Option<f64>,
    /// Largest eigenvalue.
    pub largest_eigenvalue: Option<f64>,
    /// Their ratio; none where the smallest one is 0 up to rounding.
    pub condition_number: Option<f64>,
    /// Largest variance inflation factor, `1 / (1 - R2)` on all other columns.
    pub largest_inflation: Option<f64>,
    /// The column that has it.
    pub variable: Option<String>,
    /// That column and those that determine it, where they nearly do.
    pub set: Vec<String>,
}

/// Numbers of `near-constant`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearConstant {
    /// Rows that were looked at for values that repeat.
    pub rows: u64,
    /// The columns that hardly vary.
    pub columns: Vec<NearConstantColumn>,
}

/// A column that hardly varies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearConstantColumn {
    /// Its name.
    pub variable: String,
    /// Standard deviation over the size of the mean.
    pub relative_deviation: Option<f64>,
    /// Share of the rows that have its most common value, where that is more than a half.
    pub most_common_share: Option<f64>,
}

/// Numbers of `varsortability` and `r2-sortability`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sortability {
    /// Share of directed paths along which the number rises; 0.5 is chance. None without edges.
    pub value: Option<f64>,
}

/// Numbers of `residual-variances`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResidualVariances {
    /// Residual variance of each variable given its parents, in the order of the variables.
    pub variances: Vec<f64>,
    /// The largest over the smallest.
    pub ratio: Option<f64>,
    /// The variable with the smallest.
    pub smallest: Option<String>,
    /// The variable with the largest.
    pub largest: Option<String>,
}

/// Numbers of `non-gaussianity`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NonGaussianity {
    /// Rows that were looked at; 0 where only moments are there.
    pub rows: u64,
    /// The shape of the residuals of each variable, in the order of the variables; empty where
    /// there are too few rows.
    pub residuals: Vec<Shape>,
    /// Variables whose residuals are not normal, with a chance of 1% in all that one is named
    /// wrongly; the worst first.
    pub rejected: Vec<String>,
}

/// The shape of the residuals of one variable given its parents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Its name.
    pub variable: String,
    /// Third standardised moment.
    pub skewness: f64,
    /// Fourth standardised moment, less 3.
    pub excess_kurtosis: f64,
    /// Probability of a shape at least as odd when errors are normal.
    pub p_value: f64,
}

/// Numbers of `hodge-energy`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HodgeEnergy {
    /// Energy of the gradient flow: what an order explains.
    pub gradient: f64,
    /// Energy of rotations around triangles.
    pub curl: f64,
    /// Energy of flows around longer cycles.
    pub harmonic: f64,
    /// Share of the gradient in all energy; none for an estimate without edges.
    pub gradient_share: Option<f64>,
    /// Share of the squared weights of the estimate that lie on directed cycles.
    pub cyclic_share: Option<f64>,
    /// Variables on directed cycles of the estimate.
    pub on_cycles: Vec<String>,
}

/// Numbers of `bic`: `sum_j n log(residual variance) + parents log n` for standardised columns, so
/// that the empty graph has 0 and smaller is better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bic {
    /// Of the learnt graph.
    pub learnt: Option<f64>,
    /// Of the learnt order, pruned by BIC.
    pub learnt_order: Option<f64>,
    /// Of the graph without edges.
    pub empty: f64,
    /// Of the order by variance, pruned by BIC.
    pub sortnregress: Option<f64>,
    /// Of the order by R2, pruned by BIC.
    pub r2_sortnregress: Option<f64>,
}

/// Numbers of `units`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Units {
    /// Whether other units could give another graph at all.
    pub depends: bool,
    /// Whether the graph was learnt again from standardised columns.
    pub refitted: bool,
    /// Smallest standard deviation of a column.
    pub smallest_deviation: f64,
    /// Largest standard deviation of a column.
    pub largest_deviation: f64,
    /// Edges that have another direction then.
    pub flipped: Vec<Edge>,
    /// Edges that are not there then.
    pub vanished: Vec<Edge>,
    /// Edges that are there only then.
    pub appeared: Vec<Edge>,
}

/// An edge by names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The cause.
    pub from: String,
    /// The effect.
    pub to: String,
}
