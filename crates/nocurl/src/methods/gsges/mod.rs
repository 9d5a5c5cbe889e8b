//! Greedy search over equivalence classes by kernel scores (`gsges`).

mod kernel;
mod moves;
mod score;

use std::cmp::Ordering;

use rand::seq::SliceRandom;

use self::moves::Scorer;
use self::score::KernelScore;
use super::fges::{FgesSearch, greedy};
use super::member::member;
use super::{
    Directions, Facts, Method, Needs, Proposal, TakesKnowledge, Task, parameters, require,
};
use crate::core::memory::{Memory, Size, ask};
use crate::core::random::stream;
use crate::core::{Dataset, Determines, Error, Kind, Order, Run, Termination, Text, names};
use crate::math::Problem;
use crate::math::regress::linear_parts;

/// What a variable costs with some parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GsgesScore {
    /// The likelihood of rows that the regression has not seen, by cross-validation.
    CrossValidated,
    /// The marginal likelihood of a Gaussian process.
    #[default]
    Marginal,
}

names!(GsgesScore { CrossValidated = "cross-validated", Marginal = "marginal" });

parameters! {
    /// Greedy search over equivalence classes by kernel scores.
    pub struct Gsges {
        /// What a variable costs with some parents.
        score: GsgesScore = GsgesScore::Marginal, "`cross-validated`, `marginal`";
        /// Folds of the cross-validation.
        folds: usize = 10, "from 2";
        /// The ridge of its regressions, for each row.
        ridge: f64 = 0.01, "above 0";
        /// Most features of a kernel on numbers; more are slower and closer to the kernel.
        features: usize = 50, "from 1";
        /// Whether only pairs that say something about each other alone can get an edge.
        screen: bool = true, "true, false";
    }
}

impl Method for Gsges {
    fn facts(&self) -> Facts {
        Facts {
            name: "gsges",
            class: "GSGES",
            summary: "nonlinear: greedy search over equivalence classes by kernel scores (GSGES)",
            determines: Determines::Class,
            directions: Directions::Independences,
            needs: Needs::Rows,
            linear: false,
            chooses_edges: true,
            depends_on_units: false,
            columns: Kind::ALL,
            knowledge: TakesKnowledge::No {
                reason: "its moves go through whole equivalence classes",
                instead: "order-search",
            },
            most_to_check: 10,
            most_to_resample: Some(10),
            reference: "Huang, Zhang, Lin, Schölkopf and Glymour, Generalized score functions for causal discovery, KDD 2018",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        // Features of every column, products of them in every fold, and for each thread those of
        // some parents.
        let (m, d) = (self.features as f64, size.variables as f64);
        let products = 8.0 * 2.0 * self.folds as f64 * m * m;
        let threads = size.threads as f64;
        Memory::matrices(12.0)
            .and_tables(2.0 + m + 3.0 * m * threads / d.max(1.0))
            .and_bytes((d + 2.0 * threads) * products)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, task.rows_for("gsges")?, self, task.seed, task.run)
    }
}

impl Gsges {
    /// Checks the ranges in the table above.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first value out of range.
    pub fn validate(&self) -> Result<(), Error> {
        require("folds", self.folds, self.folds >= 2, "at least 2 are needed")?;
        let fits = self.ridge > 0.0 && self.ridge.is_finite();
        require("ridge", self.ridge, fits, "it must be a finite positive number")?;
        require("features", self.features, self.features >= 1, "at least 1 is needed")
    }
}

/// The equivalence class that greedy additions and then removals of edges lead to, for effects of
/// any shape and errors of any law.
///
/// A variable is taken to the feature space of a Gaussian kernel and regressed there on its parents,
/// whose kernel is the product of theirs. What it costs is the likelihood of its features: of rows
/// held out, with ridge regressions, or the marginal one of a Gaussian process, which finds better
/// graphs in simulations and is the default. Kernel widths are 2 (marginal: 2.5) times the median
/// distance of two values divided by the root of two. Levels without an order have the kernel that
/// is 1 where two rows have the same one and 0 elsewhere, so that tables of all kinds are taken.
///
/// Kernel matrices are products of a few features, found by incomplete Cholesky factorisation, so
/// that a score costs O(n m^2) for m features, where whole matrices cost O(n^3). With as many
/// features as rows the cross-validated score is that of the authors' program (causal-learn has the
/// same): half of the logarithm of the determinant counts, where the formula of a normal law has
/// all of it. The marginal likelihood keeps its widths and asks half a logarithm of the rows for
/// each of them, where the authors' program searches for the best. Rows are dealt into folds at
/// random. With `screen`, only pairs of which one alone helps to predict the other can get an edge:
/// edges that only work together with others are missed, and the search is many times faster.
///
/// Features of levels alone are exact up to 256 combinations of them: one feature fewer than these.
///
/// The weights returned are *linear parts*, as for [`cam`](super::cam).
///
/// Reference: Huang, Zhang, Lin, Schölkopf and Glymour, *Generalized score functions for causal
/// discovery*, KDD 2018; low-rank features: Zhang et al., *Scalable causal discovery with a
/// generalized score in linear time*, 2024.
///
/// # Errors
/// [`Error::Parameter`], [`Error::Cancelled`], [`Error::TooFewRows`], [`Error::DifferentRows`] when
/// the rows are not those of the problem.
///
/// ```
/// use nocurl::Run;
/// use nocurl::methods::gsges::{self, Gsges};
/// use nocurl::{Dataset, Mat, Problem};
/// // x3 depends on the squares of x1 and x2.
/// let draw = |i: usize, by: f64| (i as f64 * by).fract() * 4.0 - 2.0;
/// let values = Mat::from_fn(200, 3, |i, j| {
///     let (a, b) = (draw(i, 0.618_034), draw(i, 0.414_214));
///     [a, b, a * a + b * b + 0.3 * draw(i, 0.732_051)][j]
/// });
/// let data = Dataset::new(Dataset::default_names(3), values)?;
/// let problem = Problem::new(&data.moments(), true)?;
/// let proposal = gsges::propose(&problem, &data, &Gsges::default(), 0, &Run::default())?;
/// let weights = proposal.weights.unwrap();
/// assert!(weights[(0, 2)] != 0.0 && weights[(1, 2)] != 0.0 && weights[(0, 1)] == 0.0);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(
    problem: &Problem,
    rows: &Dataset,
    params: &Gsges,
    seed: u64,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    params.validate()?;
    problem.check_rows(rows, "rows for `gsges`")?;
    let n = rows.values().nrows();
    let needed = 2 * params.folds;
    if n < needed {
        return Err(Error::TooFewRows { rows: n as u64, needed: needed as u64 });
    }
    let mut order = by_values(rows);
    order.shuffle(&mut stream(seed, 0));
    if !problem.is_plain() {
        // A variable of many levels has more features than one of numbers.
        let levels = rows.variables().list().iter().map(|variable| variable.levels.len());
        ask("the features of levels", 8 * (n * levels.sum::<usize>()) as u64)?;
    }
    let values = |j: usize| order.iter().map(|&row| rows.column(j)[row]).collect();
    let kinds = rows.variables().list().iter().map(|variable| variable.kind);
    let columns = kinds.enumerate().map(|(j, kind)| (values(j), kind)).collect();
    let Gsges { score, folds, ridge, features, screen } = *params;
    let score = KernelScore::new(columns, score, folds, ridge, features);
    let scorer = Scorer::new(score, screen, n, run);
    let found = greedy(&scorer, FgesSearch::TwoPhase, run)?;
    let mut warnings = Vec::new();
    if found.limited {
        warnings.push(Text::new(
            "some variables had so many undirected neighbours that not all ways to add or remove \
             an edge were tried",
        ));
    }
    let member = match problem.is_plain() {
        true => member(problem, &found.class)?,
        false => found.class.to_dag()?,
    };
    Ok(Proposal {
        weights: Some(linear_parts(problem, member.weights())?),
        iterations: found.steps,
        evaluations: found.scored,
        termination: Termination::Converged,
        warnings,
        ..Proposal::direct(Order::of_dag(&member))
    })
}

/// The rows in an order that depends on their values alone: by the numbers, then by the positions of
/// levels, which depend on their names.
fn by_values(rows: &Dataset) -> Vec<usize> {
    let values = rows.values();
    let list = rows.variables().list();
    let mut columns: Vec<usize> = (0..values.ncols()).collect();
    columns.sort_by_key(|&j| !list[j].levels.is_empty());
    let mut order: Vec<usize> = (0..values.nrows()).collect();
    order.sort_by(|&a, &b| {
        let compared = columns.iter().map(|&j| values[(a, j)].total_cmp(&values[(b, j)]));
        compared.fold(Ordering::Equal, Ordering::then)
    });
    order
}
