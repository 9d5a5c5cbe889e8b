//! Rows against columns.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::case::Case;
use super::{Check, Finding, Verdict};
use crate::core::{Action, Error, Run, Text};
use crate::math::regress::Node;

/// Fewer rows than this for each column leave weights uncertain.
const ROWS_EACH: u64 = 10;

/// Level of the tests of all pairs of columns together.
const LEVEL: f64 = 0.05;

/// Numbers of `sample-size`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SampleSize {
    /// Rows, n.
    pub rows: u64,
    /// Columns, d.
    pub variables: usize,
    /// n / d.
    pub rows_per_variable: f64,
    /// The most parents that a variable has in the graph.
    pub most_parents: usize,
    /// Edges that pass a test at 5% for all pairs of columns together, between numbers.
    #[cfg_attr(feature = "serde", serde(default))]
    pub strong_edges: Option<usize>,
}

pub(super) struct Rows;

impl Check for Rows {
    fn name(&self) -> &'static str {
        "sample-size"
    }

    fn takes_blocks(&self) -> bool {
        true
    }

    fn run(&self, case: &Case<'_>, _: &Run<'_>) -> Result<Option<Finding>, Error> {
        // What has to be told apart are the columns that code the variables.
        let (n, d) = (case.moments.rows(), case.problem.width());
        let most_parents =
            (0..case.moments.columns()).map(|j| case.fit.dag.parents(j).count()).max().unwrap_or(0);
        let strong_edges = case.nodes.as_deref().map(|nodes| strong(nodes, n));
        let (verdict, sentence) = if n <= d as u64 {
            let edges = case.fit.dag.edge_count();
            let trusted = match strong_edges {
                Some(strong) if edges > 0 => format!(
                    "; {strong} of {edges} edges are so strong that chance hardly makes one like \
                     them among all pairs of columns, and the others are a guess"
                ),
                _ => ", so the graph is a guess".into(),
            };
            let sentence = Text::new(format!(
                "{n} rows cannot tell {d} columns apart{trusted}. Use more rows, or "
            ));
            (Verdict::Concern, sentence.act(Action::FewerColumns).say("."))
        } else if n < ROWS_EACH * d as u64 {
            let sentence = Text::new(format!(
                "{n} rows are few for {d} columns: some edges may be false, and others missing. \
                 Use more rows, or "
            ));
            // Edges that were chosen at this price or a higher one would stay; a price that suits the
            // table needs no other.
            let strict = case.is_priced_to_suit()
                || case.edge_price() >= case.extended_price() * (1.0 - 1e-9);
            let sentence = match strict {
                true => sentence.act(Action::FewerColumns).say("."),
                false => sentence
                    .say("keep fewer edges with ")
                    .act(Action::set("prune", "ebic"))
                    .say("."),
            };
            (Verdict::Note, sentence)
        } else {
            let sentence = format!(
                "{n} rows are enough for {d} columns with up to {most_parents} parents each. \
                 Nothing needs to be done."
            );
            (Verdict::Ok, sentence.into())
        };
        let rows_per_variable = n as f64 / d as f64;
        let numbers =
            SampleSize { rows: n, variables: d, rows_per_variable, most_parents, strong_edges };
        Ok(Some(self.finding(verdict, sentence, numbers)))
    }
}

/// Edges whose partial correlation would be as large without an edge in one of 20 tables, among all
/// pairs of columns (Bonferroni's bound on Student's test of the weight).
fn strong(nodes: &[Node], rows: u64) -> usize {
    let pairs = (nodes.len() * nodes.len().saturating_sub(1) / 2).max(1) as f64;
    let of = |node: &Node| {
        let freedom = rows as f64 - node.parents.len() as f64 - 1.0;
        let Ok(law) = StudentsT::new(0.0, 1.0, freedom) else { return 0 };
        let passes = |&k: &usize| {
            let share = node.coefficients[k].powi(2) / node.inverse[(k, k)] / node.residual;
            2.0 * law.sf((share * freedom).sqrt()) <= LEVEL / pairs
        };
        (0..node.parents.len()).filter(passes).count()
    };
    nodes.iter().map(of).sum()
}
