//! Which edges to keep.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::core::{Action, Error, Mat, Order};
use crate::math::local::Blocks;
use crate::math::regress::{Node, blocks, eliminate, is_required, per_variable, refit};
use crate::math::{Price, Problem};

/// A rule that drops edges from the regression on an order.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "rule", rename_all = "kebab-case"))]
pub enum Prune {
    /// Backward elimination by the Bayesian information criterion: a parent goes while that
    /// lowers `n log(residual variance) + parents * log n`.
    Bic,
    /// Backward elimination by the extended criterion (Chen and Chen, 2008): each parent costs
    /// `log n + 2 log d`, which holds the number of false edges down when d is large.
    Ebic,
    /// A t-test of every coefficient in the full regression, with the false discovery rate over
    /// all edges held at `alpha` by Benjamini and Hochberg's rule (1995).
    TTest {
        /// The false discovery rate.
        alpha: f64,
    },
}

impl Prune {
    /// Checks the parameters.
    ///
    /// # Errors
    /// When `alpha` is not strictly between 0 and 1.
    pub fn validate(&self) -> Result<(), Error> {
        match *self {
            Self::TTest { alpha } if !(alpha > 0.0 && alpha < 1.0) => Err(Error::Parameter {
                name: "alpha",
                value: alpha.to_string(),
                reason: "it must lie between 0 and 1",
            }),
            _ => Ok(()),
        }
    }
}

/// The weights that a rule leaves when each variable may have all variables at earlier places as
/// parents, or those of them that prior knowledge allows; parents that it requires stay, and are
/// not tested. Coefficients are those of the regression on the parents that stay. These regressions
/// have an intercept even when the method saw the data without centring: otherwise a parent may
/// stay only because it stands in for a mean.
///
/// Cost O(d^4) in the worst case for backward elimination (O(m^3) for a variable with m
/// predecessors), in parallel over variables.
///
/// # Errors
/// When the second moments are singular or there are too few rows for the test.
pub fn prune(problem: &Problem, order: &Order, rule: Prune) -> Result<Mat<f64>, Error> {
    rule.validate()?;
    let n = problem.rows() as f64;
    if !problem.is_plain() {
        return prune_blocks(problem, order, rule);
    }
    match rule {
        Prune::Bic => eliminate(problem, order, Price::bic(n, 1.0).single()),
        Prune::Ebic => eliminate(problem, order, Price::extended(n, problem.size()).single()),
        Prune::TTest { alpha } => test(problem, order, alpha),
    }
}

/// The same where some variables are blocks of columns: a parent costs `log n` for each pair of
/// columns, and `2 log d` once.
fn prune_blocks(problem: &Problem, order: &Order, rule: Prune) -> Result<Mat<f64>, Error> {
    let (n, d) = (problem.rows() as f64, problem.size());
    let price = match rule {
        Prune::Bic => Price::bic(n, 1.0),
        Prune::Ebic => Price::extended(n, d),
        Prune::TTest { .. } => {
            let list = problem.variables().list().iter();
            let wide = list.filter(|variable| variable.width() > 1);
            let names = wide.map(|variable| variable.name.clone()).collect();
            return Err(Error::NotForCategories { what: Action::set("prune", "ttest"), names });
        }
    };
    let blocks = Blocks::new(problem);
    let parents = per_variable(problem, order, |j, predecessors| {
        Ok(blocks::eliminate(problem, &blocks, price, j, predecessors))
    })?;
    let mut support = Mat::zeros(d, d);
    for (j, parents) in parents.into_iter().enumerate() {
        parents.into_iter().for_each(|i| support[(i, j)] = 1.0);
    }
    refit(problem, support.as_ref())
}

fn test(problem: &Problem, order: &Order, alpha: f64) -> Result<Mat<f64>, Error> {
    let d = problem.size();
    // The last variable has the most parents; all of them and an intercept leave one freedom.
    let last = order.places().last().map_or(0, Vec::len);
    let needed = (order.size() - last) as u64 + 2;
    if problem.rows() < needed {
        return Err(Error::TooFewRows { rows: problem.rows(), needed });
    }
    let tested = per_variable(problem, order, |j, predecessors| {
        let freedom = problem.rows() as f64 - predecessors.len() as f64 - 1.0;
        let node =
            Node::new(problem.covariance(), j, predecessors).ok_or_else(|| problem.singular())?;
        let law = StudentsT::new(0.0, 1.0, freedom).expect("freedom is at least 1");
        let scale = node.residual / freedom;
        Ok((0..node.parents.len())
            .map(|k| {
                let t = node.coefficients[k].abs() / (scale * node.inverse[(k, k)]).sqrt();
                let p = if t.is_finite() { 2.0 * law.sf(t) } else { 0.0 };
                (p, node.parents[k])
            })
            .collect::<Vec<_>>())
    })?;
    // Benjamini-Hochberg: the largest rank k with p_(k) <= alpha k / m sets the cut.
    let mut values: Vec<f64> = tested
        .iter()
        .enumerate()
        .flat_map(|(j, column)| column.iter().filter(move |&&(_, i)| !is_required(problem, i, j)))
        .map(|&(p, _)| p)
        .collect();
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let cut = values
        .iter()
        .enumerate()
        .rev()
        .find(|&(rank, &p)| p <= alpha * (rank + 1) as f64 / count)
        .map_or(-1.0, |(_, &p)| p);
    let mut support = Mat::zeros(d, d);
    for (j, column) in tested.iter().enumerate() {
        for &(p, i) in column {
            support[(i, j)] = f64::from(u8::from(p <= cut || is_required(problem, i, j)));
        }
    }
    refit(problem, support.as_ref())
}
