//! The score of the graph beside those of trivial ones.

use super::case::{Case, regressions, short};
use super::{Bic, Check, Finding, MOST_FOR_REFIT, Verdict};
use crate::core::{Dag, Determines, Order, Run};
use crate::math::regress::Node;
use crate::methods::{Algorithm, R2SortNRegress, SortNRegress};
use crate::pipeline::{Options, Prune, learn, prune};

/// Difference of two scores below which they are equal; they are in units of log-likelihood times
/// two.
const EQUAL: f64 = 1e-6;

pub(super) fn check(case: &Case<'_>) -> Finding {
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
        of_graph(case, &learn(case.moments, &options, &Run::default()).ok()?.dag)
    };
    let numbers = Bic {
        learnt: case.nodes.as_deref().and_then(|nodes| score(case, nodes)),
        learnt_order: small.then(|| pruned(case, &Order::strict(&case.fit.order))).flatten(),
        empty: 0.0,
        sortnregress: small.then(|| baseline(Algorithm::from(SortNRegress {}))).flatten(),
        r2_sortnregress: small.then(|| baseline(Algorithm::from(R2SortNRegress {}))).flatten(),
    };
    let (verdict, sentence) = judge(case, &numbers);
    Check::Bic(numbers).finding(verdict, sentence)
}

/// The score of a graph, by the regressions on its parents.
fn score(case: &Case<'_>, nodes: &[Node]) -> Option<f64> {
    let n = case.moments.rows() as f64;
    let covariance = case.problem.covariance();
    let term = |(j, node): (usize, &Node)| {
        n * (node.residual / covariance[(j, j)]).ln() + node.parents.len() as f64 * n.ln()
    };
    Some(nodes.iter().enumerate().map(term).sum()).filter(|score: &f64| score.is_finite())
}

/// The score of an order, pruned by BIC.
fn pruned(case: &Case<'_>, order: &Order) -> Option<f64> {
    of_graph(case, &Dag::new(prune(&case.problem, order, Prune::Bic).ok()?).ok()?)
}

fn of_graph(case: &Case<'_>, dag: &Dag) -> Option<f64> {
    score(case, &regressions(case.problem.covariance(), dag)?)
}

fn judge(case: &Case<'_>, numbers: &Bic) -> (Verdict, String) {
    let Some(learnt) = numbers.learnt else {
        let sentence = "The columns are collinear, so graphs cannot be scored; drop columns that \
                        say the same (--drop).";
        return (Verdict::Ok, sentence.into());
    };
    let baselines =
        [("variance", numbers.sortnregress), ("explained variance", numbers.r2_sortnregress)];
    let best = baselines
        .iter()
        .filter_map(|&(by, score)| Some((by, score?)))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    let told = format!("BIC {}", short(learnt));
    // Linear scores are no measure of curved effects, nor is one graph a measure of a skeleton.
    let fair = !case.is_nonlinear() && case.options.determines() != Determines::Skeleton;
    let most = if fair { Verdict::Concern } else { Verdict::Note };
    if case.fit.dag.edge_count() == 0 {
        return match best {
            Some((by, score)) if score < -EQUAL => {
                let sentence = format!(
                    "The graph has no edges, but sorting by {by} and pruning finds some that fit \
                     better (BIC {}); lower the threshold or use --prune bic.",
                    short(score)
                );
                (Verdict::Note, sentence)
            }
            _ => (Verdict::Ok, "No graph fits better than one without edges.".into()),
        };
    }
    if learnt >= numbers.empty - EQUAL {
        let sentence = format!(
            "The graph fits no better than one without edges ({told} against 0): do not use it; \
             --prune bic keeps only edges that pay."
        );
        return (most, sentence);
    }
    let Some((by, score)) = best else {
        let sentence = format!(
            "The graph fits better than one without edges ({told} against 0); with so many \
             variables, compare with --method sortnregress yourself."
        );
        return (Verdict::Ok, sentence);
    };
    let against = format!("{told} against {}", short(score));
    if learnt < score - EQUAL {
        let sentence = format!(
            "The graph fits better than those from sorting the columns ({against}) and than one \
             without edges (0); nothing needs to be done."
        );
        (Verdict::Ok, sentence)
    } else if learnt <= score + EQUAL {
        let sentence = format!(
            "Sorting the columns by {by} and pruning fits as well ({told}): the fit is no evidence \
             for the method, so look at `units` before you rely on directions."
        );
        (Verdict::Note, sentence)
    } else if numbers.learnt_order.is_some_and(|order| order <= score + EQUAL) {
        let sentence = format!(
            "The order is as good as from sorting by {by}, but the edges kept fit less well \
             ({against}); --prune bic chooses edges by fit."
        );
        (Verdict::Note, sentence)
    } else if case.is_nonlinear() {
        let sentence = format!(
            "Straight lines along the order by {by} fit better than along this graph ({against}), \
             which matters only if effects are linear; then use a linear method."
        );
        (Verdict::Note, sentence)
    } else {
        let sentence = format!(
            "Merely sorting the columns by {by} and pruning fits better ({against}): the method \
             has found less than a trivial one; try --method fges or --refine bic."
        );
        (most, sentence)
    }
}
