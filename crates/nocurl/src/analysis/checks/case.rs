//! What the checks share.

use crate::core::parallel::*;

use crate::core::{Action, Dag, Data, Error, Mat, MatRef, Moments, Text};
use crate::math::Problem;
use crate::math::linalg::Cholesky;
use crate::math::regress::Node;
use crate::methods::{Fges, Lingam, OrderSearch};
use crate::pipeline::{Fit, Options, Prune, see};

/// A result with its data, and what several checks compute from them.
pub(super) struct Case<'a> {
    pub(super) data: Data<'a>,
    pub(super) moments: &'a Moments,
    pub(super) options: &'a Options,
    pub(super) fit: &'a Fit,
    pub(super) problem: Problem,
    /// The regression of every variable on its parents; none where columns are collinear.
    pub(super) nodes: Option<Vec<Node>>,
    /// The inverse of the correlation matrix; none where columns are collinear.
    pub(super) precision: Option<Mat<f64>>,
}

impl<'a> Case<'a> {
    pub(super) fn new(
        data: Data<'a>,
        moments: &'a Moments,
        options: &'a Options,
        fit: &'a Fit,
    ) -> Result<Self, Error> {
        let (d, sampled) = (moments.columns(), data.sample());
        if fit.dag.size() != d || sampled.is_some_and(|rows| rows.names() != moments.names()) {
            return Err(Error::DifferentVariables { what: "graph, moments and rows to check" });
        }
        let problem = see(&data, options)?;
        let plain = problem.is_plain();
        let few = moments.rows() <= d as u64;
        let precision = if few { None } else { precision(&problem) };
        let mut case = Self { data, moments, options, fit, problem, nodes: None, precision };
        case.nodes = plain.then(|| regressions(case.covariance(), &fit.dag)).flatten();
        Ok(case)
    }

    /// The covariance that graphs are scored by: regressions on few parents need no shrinkage.
    pub(super) fn covariance(&self) -> MatRef<'_, f64> {
        self.problem.sample_covariance()
    }

    pub(super) fn name(&self, variable: usize) -> String {
        self.moments.names()[variable].clone()
    }

    pub(super) fn names(&self, variables: &[usize]) -> Vec<String> {
        variables.iter().map(|&j| self.name(j)).collect()
    }

    /// What found the order, as the user chose it.
    pub(super) fn method(&self) -> &'static str {
        self.options.facts().phrase()
    }

    /// A method that does not depend on units and assumes no equal variances: another one than the
    /// one in use, and one that takes prior knowledge where there is some.
    pub(super) fn unit_free_method(&self) -> Action {
        let in_use = self.options.algorithm.name();
        let fits = self.options.knowledge.is_empty() && in_use != "fges";
        Action::method(if fits { "fges" } else { "order-search" })
    }

    /// What is to be done where columns are collinear and `reason` says what cannot be done then.
    pub(super) fn collinear(reason: &'static str) -> Text {
        Text::new("The columns are collinear, so ")
            .say(reason)
            .say(". Find columns that repeat others and ")
            .act(Action::leave_out(&[]))
            .say(".")
    }

    /// What an edge costs in the score by which edges were chosen, in units of twice the
    /// log-likelihood: that of the rule that pruned, else that of the method, else of BIC.
    pub(super) fn edge_price(&self) -> f64 {
        let (n, algorithm) = (self.moments.rows() as f64, &self.options.algorithm);
        let own = || {
            let search = algorithm.downcast::<OrderSearch>();
            let known = self.fit.search.and_then(|search| search.price);
            let price =
                search.map(|method| known.unwrap_or_else(|| method.price(&self.problem).single()));
            let greedy = || Some(algorithm.downcast::<Fges>()?.price(&self.problem).single());
            let skewed = || Some(algorithm.downcast::<Lingam>()?.penalty(&self.problem) * n.ln());
            price.or_else(greedy).or_else(skewed)
        };
        match (self.options.prune, self.options.refine) {
            (Some(Prune::Ebic), _) => self.extended_price(),
            (Some(Prune::Bic | Prune::TTest { .. }), _) | (None, Some(_)) => n.ln(),
            (None, None) => own().unwrap_or(n.ln()),
        }
    }

    /// True when the price of an edge was set by what the table holds.
    pub(super) fn is_priced_to_suit(&self) -> bool {
        let search = self.options.algorithm.downcast::<OrderSearch>();
        let alone = self.options.prune.is_none() && self.options.refine.is_none();
        alone && search.is_some_and(|method| method.penalty.is_none())
    }

    /// What an edge costs in the extended BIC.
    pub(super) fn extended_price(&self) -> f64 {
        (self.moments.rows() as f64).ln() + 2.0 * (self.fit.dag.size() as f64).ln()
    }

    /// True when effects are not taken to be linear, so that linear residuals hold more than errors.
    pub(super) fn is_nonlinear(&self) -> bool {
        !self.options.facts().linear
    }
}

/// The inverse of the correlation matrix; none where columns are collinear.
fn precision(problem: &Problem) -> Option<Mat<f64>> {
    let factor = Cholesky::new(problem.correlation().as_ref())?;
    Some(factor.inverse()).filter(|inverse| inverse.is_all_finite())
}

/// The regressions of all variables on their parents in a graph.
pub(super) fn regressions(covariance: MatRef<'_, f64>, dag: &Dag) -> Option<Vec<Node>> {
    let d = dag.size();
    (0..d).into_par_iter().map(|j| Node::new(covariance, j, dag.parents(j).collect())).collect()
}

/// A number, or nothing where it has no meaning.
pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// A number as short as it can be read.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if !(0.01..1e5).contains(&size) => format!("{value:.1e}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// A few names in backticks.
pub(super) fn few(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match (shown.as_slice(), names.len().saturating_sub(SHOWN)) {
        ([first @ .., last], 0) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        (_, 0) => shown.join(", "),
        (_, more) => format!("{} and {more} more", shown.join(", ")),
    }
}
