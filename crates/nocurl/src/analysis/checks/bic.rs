//! The score of the graph beside those of trivial ones.

use super::case::{Case, regressions, short};
use super::{Check, Finding, MOST_FOR_REFIT, Verdict};
use crate::core::{Action, Dag, Determines, Error, Order, Run, Text};
use crate::math::regress::{Node, eliminate};
use crate::methods::{Algorithm, MixedScore, OrderSearch, R2SortNRegress, SortNRegress};
use crate::pipeline::{Options, Prune, learn};

/// Difference of two scores below which they are equal; they are in units of log-likelihood times
/// two.
const EQUAL: f64 = 1e-6;

/// Restarts of a search that goes on for long.
const MANY_RESTARTS: u64 = 5000;

/// Numbers of `bic`: `sum_j n log(residual variance) + parents * price` for standardised columns, so
/// that the empty graph has 0 and smaller is better.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bic {
    /// What an edge costs: that of the score by which edges were chosen; `log n` is the plain BIC.
    pub price: f64,
    /// Of the learnt graph.
    pub learnt: Option<f64>,
    /// Of the learnt order, pruned at that price.
    pub learnt_order: Option<f64>,
    /// Of the graph without edges.
    pub empty: f64,
    /// Of the order by variance, pruned at that price.
    pub sortnregress: Option<f64>,
    /// Of the order by R2, pruned at that price.
    pub r2_sortnregress: Option<f64>,
}

pub(super) struct Score;

impl Check for Score {
    fn name(&self) -> &'static str {
        "bic"
    }

    fn run(&self, case: &Case<'_>, _: &Run<'_>) -> Result<Option<Finding>, Error> {
        if case.fit.score == Some(MixedScore::Multinomial) {
            // Another likelihood chose this graph.
            return Ok(None);
        }
        let small = case.moments.columns() <= MOST_FOR_REFIT;
        let baseline = |algorithm| {
            // Under the same prior knowledge.
            let options = Options {
                algorithm,
                refine: None,
                prune: Some(Prune::Bic),
                threshold: None,
                ..case.options.clone()
            };
            match learn(case.moments, &options, &Run::default()) {
                Ok(found) => Ok(pruned(case, &Order::strict(&found.order))),
                // The machine's doing, not the data's.
                Err(error @ Error::OutOfMemory { .. }) => Err(error),
                Err(_) => Ok(None),
            }
        };
        let baseline = |algorithm| if small { baseline(algorithm) } else { Ok(None) };
        let numbers = Bic {
            price: case.edge_price(),
            learnt: case.nodes.as_deref().and_then(|nodes| score(case, nodes)),
            learnt_order: small.then(|| pruned(case, &Order::strict(&case.fit.order))).flatten(),
            empty: 0.0,
            sortnregress: baseline(Algorithm::from(SortNRegress {}))?,
            r2_sortnregress: baseline(Algorithm::from(R2SortNRegress {}))?,
        };
        let (verdict, sentence) = judge(case, &numbers);
        Ok(Some(self.finding(verdict, sentence, numbers)))
    }
}

/// The score of a graph, by the regressions on its parents.
fn score(case: &Case<'_>, nodes: &[Node]) -> Option<f64> {
    let n = case.moments.rows() as f64;
    let (covariance, price) = (case.covariance(), case.edge_price());
    let term = |(j, node): (usize, &Node)| {
        n * (node.residual / covariance[(j, j)]).ln() + node.parents.len() as f64 * price
    };
    Some(nodes.iter().enumerate().map(term).sum()).filter(|score: &f64| score.is_finite())
}

/// The score of an order, pruned at the price of the method.
fn pruned(case: &Case<'_>, order: &Order) -> Option<f64> {
    of_graph(case, &Dag::new(eliminate(&case.problem, order, case.edge_price()).ok()?).ok()?)
}

fn of_graph(case: &Case<'_>, dag: &Dag) -> Option<f64> {
    score(case, &regressions(case.covariance(), dag)?)
}

fn judge(case: &Case<'_>, numbers: &Bic) -> (Verdict, Text) {
    let Some(learnt) = numbers.learnt else {
        return (Verdict::Unchecked, Case::collinear("graphs cannot be scored"));
    };
    let baselines =
        [("variance", numbers.sortnregress), ("explained variance", numbers.r2_sortnregress)];
    let best = baselines
        .iter()
        .filter_map(|&(by, score)| Some((by, score?)))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    // Linear scores are no measure of curved effects, nor is one graph a measure of a skeleton.
    let fair = !case.is_nonlinear() && case.options.determines() != Determines::Skeleton;
    let most = if fair { Verdict::Concern } else { Verdict::Note };
    if case.fit.dag.edge_count() == 0 {
        return without_edges(case, best);
    }
    if learnt >= numbers.empty - EQUAL {
        let sentence = Text::new(format!(
            "The graph fits no better than one without edges (BIC {} against 0). Do not use it.",
            short(learnt)
        ));
        let other = edges_by_fit(case).map(|action| {
            Text::new(" Use ").act(action).say(", which keeps only edges that improve the fit.")
        });
        return (most, sentence.append(other.unwrap_or_default()));
    }
    match best {
        Some((by, score)) => beside_sorting(case, numbers, learnt, (by, score), most),
        None => {
            let sentence = Text::new(format!(
                "The graph fits better than one without edges (BIC {} against 0). With so many \
                 variables it was not compared with sorting the columns: learn with ",
                short(learnt)
            ));
            (Verdict::Ok, sentence.act(Action::method("sortnregress")).say(" to do so."))
        }
    }
}

/// How edges can be chosen by fit, unless they were.
fn edges_by_fit(case: &Case<'_>) -> Option<Action> {
    let chosen = case.options.prune == Some(Prune::Bic)
        || case.options.prune.is_none() && case.options.facts().chooses_edges;
    match case.options.threshold {
        Some(bound) if bound > 0.0 => chosen.then(|| Action::set("threshold", 0)),
        _ if case.options.prune == Some(Prune::Bic) => None,
        _ => Some(Action::set("prune", "bic")),
    }
}

/// What searches for a better score: the search over orders, or more of it.
fn methods_by_score(case: &Case<'_>) -> Text {
    let action = match case.options.algorithm.downcast::<OrderSearch>() {
        None => Action::method("order-search"),
        Some(_) => Action::set_parameter("restarts", MANY_RESTARTS),
    };
    Text::new("Try ").act(action).say(".")
}

fn without_edges(case: &Case<'_>, best: Option<(&str, f64)>) -> (Verdict, Text) {
    let Some((by, score)) = best.filter(|(_, score)| *score < -EQUAL) else {
        return (Verdict::Ok, "No graph fits better than one without edges.".into());
    };
    let sentence = Text::new(format!(
        "The graph has no edges, but sorting by {by} and pruning finds some that fit better (BIC \
         {}). ",
        short(score)
    ));
    let advice = match edges_by_fit(case) {
        Some(action) => Text::new("Use ").act(action).say(" to choose edges by fit."),
        None => methods_by_score(case),
    };
    (Verdict::Note, sentence.append(advice))
}

fn beside_sorting(
    case: &Case<'_>,
    numbers: &Bic,
    learnt: f64,
    (by, score): (&str, f64),
    most: Verdict,
) -> (Verdict, Text) {
    let against = format!("BIC {} against {}", short(learnt), short(score));
    if learnt < score - EQUAL {
        let sentence = format!(
            "The graph fits better than those from sorting the columns ({against}) and than one \
             without edges (0). Nothing needs to be done."
        );
        return (Verdict::Ok, sentence.into());
    }
    if learnt <= score + EQUAL && case.options.determines() == Determines::Class {
        let sentence = format!(
            "Sorting the columns by {by} and pruning fits equally well (BIC {}): this structure is \
             easy to find. Nothing needs to be done.",
            short(learnt)
        );
        return (Verdict::Ok, sentence.into());
    }
    if learnt <= score + EQUAL {
        let advice = match case.options.depends_on_units() {
            true => "Look at `units` before you use them.",
            false => "Judge them by what you know about the variables.",
        };
        let sentence = format!(
            "Sorting the columns by {by} and pruning fits equally well (BIC {}), so the fit does \
             not support these directions. {advice}",
            short(learnt)
        );
        return (Verdict::Note, sentence.into());
    }
    if numbers.learnt_order.is_some_and(|order| order <= score + EQUAL) {
        let sentence = Text::new(format!(
            "The order is as good as that from sorting by {by}, but the edges kept fit less well \
             ({against})."
        ));
        let advice = edges_by_fit(case)
            .map(|action| Text::new(" Use ").act(action).say(" to choose edges by fit."));
        return (Verdict::Note, sentence.append(advice.unwrap_or_default()));
    }
    if case.is_nonlinear() {
        let sentence = Text::new(format!(
            "Straight lines along the order by {by} fit better than along this graph ({against}). \
             This matters only if effects are linear; then use "
        ));
        return (Verdict::Note, sentence.act(Action::method("order-search")).say("."));
    }
    let sentence = Text::new(format!(
        "Sorting the columns by {by} and pruning fits better than this graph ({against}), so the \
         method found less than a trivial one. "
    ));
    (most, sentence.append(methods_by_score(case)))
}
