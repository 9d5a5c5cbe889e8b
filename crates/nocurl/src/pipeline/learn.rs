//! From data to a graph: the stages that all methods share.

use super::prune::prune;
use super::{Fit, Options};
use crate::core::error::SIMILAR_UNITS;
use crate::core::{
    Dag, Data, Determines, Error, Mat, Order, Pdag, Run, Termination, Text, Variable, Variables,
};
use crate::math::objective::least_squares;
use crate::math::regress::{along, linear_parts, restrict, threshold_unless_required};
use crate::math::{Problem, hodge};
use crate::methods::{Facts, Proposal, Task};

/// Learns a graph from the rows of a table (`&Dataset`) or from their moments (`&Moments`).
///
/// ```
/// use nocurl::Run;
/// use nocurl::simulate::{Simulation, simulate};
/// use nocurl::{Options, learn};
/// let simulated = simulate(&Simulation { variables: 5, ..Simulation::default() }, 1)?;
/// let fit = learn(&simulated.data.moments(), &Options::default(), &Run::default())?;
/// assert_eq!(fit.dag.size(), 5);
/// # Ok::<(), nocurl::Error>(())
/// ```
///
/// # Errors
/// Data or parameters that the method cannot use, or a request to stop.
pub fn learn<'a>(
    data: impl Into<Data<'a>>,
    options: &Options,
    run: &Run<'_>,
) -> Result<Fit, Error> {
    options.validate()?;
    let data = data.into();
    let problem = problem(&data, options)?;
    let task = Task { rows: data.rows(), ..Task::new(&problem, run).with_seed(options.seed) };
    let mut proposal = options.algorithm.propose(&task)?;
    repair(&problem, &mut proposal);
    refine(&task, options, &mut proposal)?;
    let unpruned = regress(&problem, &mut proposal)?;
    let dag = choose_edges(&problem, options, &proposal.order, &unpruned)?;
    conclude(&problem, options, proposal, unpruned, dag)
}

/// What the method sees: second moments and prior knowledge.
fn problem(data: &Data<'_>, options: &Options) -> Result<Problem, Error> {
    let problem =
        Problem::new(&data.moments(), options.center)?.with_knowledge(&options.knowledge)?;
    takes(&options.algorithm.facts(), problem.variables())?;
    if let Some(refine) = options.refine {
        takes(&refine.facts(), problem.variables())?;
    }
    if !problem.knowledge().is_empty() {
        options.algorithm.takes_knowledge()?;
    }
    Ok(problem)
}

/// Refuses columns of kinds that a method or a refinement does not take.
fn takes(facts: &Facts, variables: &Variables) -> Result<(), Error> {
    let other = |variable: &&Variable| !facts.columns.contains(&variable.kind);
    let Some(first) = variables.list().iter().find(other) else { return Ok(()) };
    let alike = variables.list().iter().filter(|variable| variable.kind == first.kind);
    Err(Error::ColumnsNotTaken {
        method: facts.phrase(),
        kind: first.kind.name(),
        names: alike.map(|variable| variable.name.clone()).collect(),
        instead: "order-search",
    })
}

/// Brings the proposed order in line with prior knowledge.
fn repair(problem: &Problem, proposal: &mut Proposal) {
    if problem.knowledge().is_empty() {
        return;
    }
    let own = proposal.weights.as_ref();
    let edge = |i, j| own.is_some_and(|weights: &Mat<f64>| weights[(i, j)] != 0.0);
    let repaired = problem.knowledge().repair_keeping(&proposal.order, edge);
    if repaired != proposal.order {
        (proposal.order, proposal.potential) = (repaired, None);
    }
}

/// Looks for a better order from the proposed one, where that is asked for.
fn refine(task: &Task<'_>, options: &Options, proposal: &mut Proposal) -> Result<(), Error> {
    let Some(refine) = options.refine else { return Ok(()) };
    let refined = refine.search(task, &proposal.order)?;
    (proposal.order, proposal.potential) = (refined.order, None);
    proposal.directed = None;
    proposal.weights = match refined.parents {
        None => None,
        Some(parents) => {
            let edge = |i, j: usize| f64::from(u8::from(parents[j].contains(&i)));
            let d = task.problem.size();
            let support = Mat::from_fn(d, d, edge);
            Some(linear_parts(task.problem, support.as_ref())?)
        }
    };
    Ok(())
}

/// Weights along the order: the method's own, or those of a regression on it.
fn regress(problem: &Problem, proposal: &mut Proposal) -> Result<Mat<f64>, Error> {
    match proposal.weights.take() {
        Some(weights) => restrict(problem, &proposal.order, weights),
        None => along(problem, &proposal.order),
    }
}

/// The graph of the edges that pruning and threshold leave.
fn choose_edges(
    problem: &Problem,
    options: &Options,
    order: &Order,
    unpruned: &Mat<f64>,
) -> Result<Dag, Error> {
    let mut weights = match options.prune {
        Some(rule) => prune(problem, order, rule)?,
        None => unpruned.clone(),
    };
    threshold_unless_required(problem, &mut weights, options.effective_threshold());
    if !weights.is_all_finite() {
        return Err(Error::OutOfRange { stage: "the method", advice: SIMILAR_UNITS });
    }
    Dag::new(weights)
}

/// Everything there is to say of the graph.
fn conclude(
    problem: &Problem,
    options: &Options,
    proposal: Proposal,
    unpruned: Mat<f64>,
    dag: Dag,
) -> Result<Fit, Error> {
    let s = problem.second_moments();
    let (unpruned_loss, loss) =
        (least_squares(s, unpruned.as_ref()), least_squares(s, dag.weights()));
    let mut class = Pdag::class_of(&dag);
    if !problem.knowledge().is_empty() {
        // No graph rather than one that breaks what is known.
        let satisfied = problem.knowledge().is_satisfied_by(&dag);
        debug_assert_eq!(satisfied, Ok(()));
        satisfied?;
        problem.knowledge().direct(&mut class);
    }
    let mut warnings = problem.warnings().to_vec();
    warnings.extend(proposal.warnings);
    warnings.extend(ending(proposal.termination));
    let potential = proposal.potential;
    let mut determines = options.determines();
    let determined = match proposal.directed {
        None => determines.determined(&dag, &class),
        Some(edges) => {
            let mut determined = class.clone();
            for (i, j) in edges {
                if determined.has_undirected(i, j) {
                    determined.direct(i, j);
                }
            }
            determined.apply_meek_rules();
            if !determined.is_directed() {
                determines = Determines::Class;
            }
            determined
        }
    };
    Ok(Fit {
        determined,
        class,
        determines,
        potential: potential.unwrap_or_else(|| hodge::potential_of_order(&proposal.order)),
        order: proposal.order.sequence(),
        dag,
        unpruned,
        estimate: proposal.estimate,
        unpruned_loss,
        loss,
        iterations: proposal.iterations,
        evaluations: proposal.evaluations,
        termination: proposal.termination,
        warnings,
    })
}

/// What is to be said of a method that did not come to its end.
fn ending(termination: Termination) -> Option<Text> {
    match termination {
        Termination::MaxIterations => Some(
            "the method stopped at its limit of iterations before it had converged".into(),
        ),
        Termination::PenaltyLimit => Some(
            "the method reached its largest penalty before all cycles were gone: the weakest edges \
             were dropped until none was left"
                .into(),
        ),
        Termination::Direct | Termination::Converged | Termination::Stalled => None,
    }
}
