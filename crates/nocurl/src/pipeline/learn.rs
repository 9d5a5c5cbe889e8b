//! From data to a graph: the stages that all methods share.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::canonical::{Canonical, Sorted};
use super::prune::prune;
use super::{Fit, Options, error_shape};
use crate::core::error::SIMILAR_UNITS;
use crate::core::memory::{Memory, ask};
use crate::core::{
    Dag, Data, Dataset, Determines, Error, Evidence, Mat, Moments, Order, Pdag, Run, Termination,
    Text, Variable, Variables,
};
use crate::math::objective::{least_squares, least_squares_of};
use crate::math::regress::{
    along, blocks, error_variances, linear_dag, linear_parts, restrict, threshold_unless_required,
};
use crate::math::{Experiments, Problem, hodge};
use crate::methods::{Facts, Proposal, Task, member};

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
    stages(data.into(), options, None, run)
}

/// Learns from data that is like the data `from` was learnt from: methods that can start there.
pub(crate) fn learn_from(
    data: Data<'_>,
    options: &Options,
    from: &Dag,
    run: &Run<'_>,
) -> Result<Fit, Error> {
    stages(data, options, Some(from), run)
}

fn stages(
    data: Data<'_>,
    options: &Options,
    from: Option<&Dag>,
    run: &Run<'_>,
) -> Result<Fit, Error> {
    options.validate()?;
    let moments = data.moments();
    let fit = match Canonical::of(moments.variables()) {
        None => in_order(&problem(&data, options)?, Some(data), options, from, run)?,
        Some(canonical) => {
            let from = from.map(|dag| canonical.sorted_dag(dag)).transpose()?;
            let from = from.as_ref();
            let fit = match canonical.sorted(data, options.needs_rows())? {
                Sorted::Rows(rows) => {
                    let data = Data::Rows(&rows);
                    in_order(&problem(&data, options)?, Some(data), options, from, run)?
                }
                // Nobody else needs these: their matrix becomes that of the problem.
                Sorted::Moments(moments) => {
                    let (rows, d) = (moments.rows(), moments.columns());
                    ready(rows, d, options)?;
                    let problem = problem_of(Cow::Owned(moments), options)?;
                    in_order(&problem, None, options, from, run)?
                }
            };
            canonical.back(fit, moments.variables())?
        }
    };
    // A law of two or three values has a shape, but no errors that are added to anything.
    let applies = options.uses_error_shape() && moments.variables().is_continuous();
    let Some(rows) = data.sample().filter(|_| applies) else { return Ok(fit) };
    direct_by_shape(&problem(&data, options)?, rows, fit, run)
}

/// Learns from variables in the order of their names.
fn in_order(
    problem: &Problem,
    data: Option<Data<'_>>,
    options: &Options,
    from: Option<&Dag>,
    run: &Run<'_>,
) -> Result<Fit, Error> {
    let codes = data.filter(|_| counts(options, problem)).and_then(Data::codes);
    let task = Task {
        rows: data.and_then(Data::rows),
        codes: codes.as_deref(),
        ..Task::new(problem, run).with_seed(options.seed)
    };
    let alone = run.unkept();
    let first = Task { run: if keeps_refinement(options) { &alone } else { run }, ..task };
    let mut proposal = match from {
        Some(dag) => options.algorithm.propose_from(&first, dag)?,
        None => options.algorithm.propose(&first)?,
    };
    repair(problem, &mut proposal);
    refine(&task, options, &mut proposal)?;
    let (unpruned, dag) = weigh(problem, options, &mut proposal)?;
    conclude(problem, options, proposal, unpruned, dag)
}

/// What the method sees: second moments and prior knowledge.
pub(super) fn problem(data: &Data<'_>, options: &Options) -> Result<Problem, Error> {
    let moments = data.moments();
    ready(moments.rows(), moments.columns(), options)?;
    problem_of(data.moments_for(&options.experiments)?, options)
}

/// Whether the method takes so many columns, and memory is there for their moments.
fn ready(rows: u64, columns: usize, options: &Options) -> Result<(), Error> {
    options.algorithm.takes(columns, !options.knowledge.is_empty())?;
    // Where there are more columns than rows no set of collinear ones is looked for.
    let matrices = if rows <= columns as u64 { 1.0 } else { 4.0 };
    ask("the second moments", Memory::matrices(matrices).at(columns, 0))
}

fn problem_of(moments: Cow<'_, Moments>, options: &Options) -> Result<Problem, Error> {
    let problem = see_moments(moments, options)?;
    // The condition is what moments are told apart by, whatever columns a method takes.
    let condition = problem.experiments().map(Experiments::condition);
    takes(&options.algorithm.facts(), problem.variables(), condition)?;
    if let Some(refine) = options.refine {
        takes(&refine.facts(), problem.variables(), None)?;
    }
    if !options.knowledge.is_empty() && !problem.knowledge().is_empty() {
        options.algorithm.takes_knowledge()?;
    }
    if problem.experiments().is_some() {
        options.algorithm.takes_experiments()?;
    }
    Ok(problem)
}

/// The second moments with prior knowledge and experiments, for every stage that looks at them.
pub(crate) fn see(data: &Data<'_>, options: &Options) -> Result<Problem, Error> {
    see_moments(data.moments_for(&options.experiments)?, options)
}

fn see_moments(moments: Cow<'_, Moments>, options: &Options) -> Result<Problem, Error> {
    let problem = Problem::of(moments, options.center)?;
    if options.experiments.is_empty() {
        return problem.with_knowledge(&options.knowledge);
    }
    let knowledge = options.knowledge.clone().merge(options.experiments.knowledge())?;
    problem.with_knowledge(&knowledge)?.with_experiments(&options.experiments)
}

/// True when the method counts levels and all columns have some.
fn counts(options: &Options, problem: &Problem) -> bool {
    let list = problem.variables().list();
    options.algorithm.facts().counts && list.iter().all(|variable| variable.is_discrete())
}

/// Refuses columns of kinds that a method or a refinement does not take.
fn takes(facts: &Facts, variables: &Variables, but: Option<usize>) -> Result<(), Error> {
    let list = variables.list().iter().enumerate().filter(|(v, _)| Some(*v) != but);
    let mut list = list.map(|(_, variable)| variable);
    let other = |variable: &&Variable| !facts.columns.contains(&variable.kind);
    let Some(first) = list.find(other) else { return Ok(()) };
    let alike = std::iter::once(first).chain(list.filter(|other| other.kind == first.kind));
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

/// Whether the one state that is kept is that of the refinement: a search on moments before it is
/// quick next to it, a training is not.
fn keeps_refinement(options: &Options) -> bool {
    let method = options.algorithm.facts();
    let refined = options.refine.is_some_and(|refine| refine.facts().checkpoint);
    refined && (!method.checkpoint || !method.needs_rows())
}

/// Looks for a better order from the proposed one, where that is asked for.
fn refine(task: &Task<'_>, options: &Options, proposal: &mut Proposal) -> Result<(), Error> {
    let Some(refine) = options.refine else { return Ok(()) };
    let alone = task.run.unkept();
    let run = if keeps_refinement(options) { task.run } else { &alone };
    let refined = refine.search(&Task { run, ..*task }, &proposal.order)?;
    (proposal.order, proposal.potential) = (refined.order, None);
    (proposal.directed, proposal.graph) = (refined.directed, None);
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

/// The graph before and after pruning and threshold.
fn weigh(
    problem: &Problem,
    options: &Options,
    proposal: &mut Proposal,
) -> Result<(Dag, Dag), Error> {
    if let Some(graph) = proposal.graph.take() {
        if options.prune.is_none() && problem.knowledge().is_empty() {
            if graph.edges().any(|(_, _, weight)| !weight.is_finite()) {
                return Err(Error::OutOfRange { stage: "the method", advice: SIMILAR_UNITS });
            }
            let dag = graph.thresholded(options.effective_threshold())?;
            return Ok((graph, dag));
        }
        proposal.weights = Some(graph.weights().to_owned());
    }
    let unpruned = regress(problem, proposal)?;
    let dag = choose_edges(problem, options, &proposal.order, &unpruned)?;
    Ok((Dag::new(unpruned)?, dag))
}

/// Weights along the order: the method's own, or those of a regression on it.
fn regress(problem: &Problem, proposal: &mut Proposal) -> Result<Mat<f64>, Error> {
    ask("the regression on the order", Memory::matrices(6.0).at(problem.size(), 0))?;
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
    let condition = problem.experiments().map(Experiments::condition);
    // What the condition shifts was chosen by a score: its strength is no weight.
    let chosen = condition.map(|c| (c, weights.row(c).to_owned()));
    threshold_unless_required(problem, &mut weights, options.effective_threshold());
    if let Some((c, row)) = chosen {
        weights.row_mut(c).copy_from(row);
    }
    if !weights.is_all_finite() {
        return Err(Error::OutOfRange { stage: "the method", advice: SIMILAR_UNITS });
    }
    Dag::new(weights)
}

/// Up to so many variables the loss is that of a matrix.
const FEW: usize = 200;

/// The least-squares loss of a graph.
pub(super) fn loss(problem: &Problem, dag: &Dag) -> Result<f64, Error> {
    match problem.is_plain() {
        true if dag.size() <= FEW => Ok(least_squares(problem.second_moments(), dag.weights())),
        true => Ok(least_squares_of(problem.sample_moments(), dag)),
        false => blocks::loss(problem, dag.weights()),
    }
}

/// Everything there is to say of the graph.
fn conclude(
    problem: &Problem,
    options: &Options,
    proposal: Proposal,
    unpruned: Dag,
    dag: Dag,
) -> Result<Fit, Error> {
    let (unpruned_loss, loss) = (loss(problem, &unpruned)?, loss(problem, &dag)?);
    let mut class = Pdag::class_of(&dag);
    if !problem.knowledge().is_empty() {
        // No graph rather than one that breaks what is known.
        let satisfied = problem.knowledge().is_satisfied_by(&dag);
        debug_assert_eq!(satisfied, Ok(()));
        satisfied?;
        if let Some(experiments) = problem.experiments() {
            experiments.targets().direct(&mut class, |i, j| dag.has_edge(i, j));
        }
        problem.knowledge().direct(&mut class);
    }
    let mut warnings = problem.warnings().to_vec();
    warnings.extend(proposal.warnings);
    warnings.extend(ending(proposal.termination));
    let potential = proposal.potential;
    let evidence = evidence(problem, options, &dag, &class);
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
        variables: problem.variables().clone(),
        evidence,
        error_shape: None,
        error_variances: error_variances(problem, &dag),
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
        score: proposal.score.filter(|_| !problem.variables().is_continuous()),
        search: proposal.search,
        warnings,
    })
}

/// What each determined direction comes from.
pub(super) fn evidence(
    problem: &Problem,
    options: &Options,
    dag: &Dag,
    class: &Pdag,
) -> BTreeMap<(usize, usize), Evidence> {
    let alone = Pdag::class_of(dag);
    let by_experiments = problem.experiments().map(|all| all.targets().class_of(dag));
    let settled = |i, j| by_experiments.as_ref().is_some_and(|class| class.has_directed(i, j));
    let of = |i, j| match options.determines() {
        Determines::Graph if settled(i, j) => Some(Evidence::Experiments),
        Determines::Graph if !problem.knowledge().allows(j, i) => Some(Evidence::Knowledge),
        Determines::Graph => options.facts().directions.evidence(),
        Determines::Class if alone.has_directed(i, j) => Some(Evidence::Independences),
        Determines::Class if settled(i, j) => Some(Evidence::Experiments),
        Determines::Class if class.has_directed(i, j) => Some(Evidence::Knowledge),
        Determines::Class | Determines::Skeleton => None,
    };
    dag.edges().filter_map(|(i, j, _)| Some(((i, j), of(i, j)?))).collect()
}

/// Directs what independences leave undetermined by the shape of errors, where it tells. The graph
/// is drawn anew where it was drawn another way.
fn direct_by_shape(
    problem: &Problem,
    rows: &Dataset,
    mut fit: Fit,
    run: &Run<'_>,
) -> Result<Fit, Error> {
    let (shape, determined) = error_shape::direct(problem, rows, &fit.determined, run)?;
    let wrongly_drawn =
        shape.directed.iter().any(|direction| !fit.dag.has_edge(direction.from, direction.to));
    if wrongly_drawn {
        let support = member(problem, &determined)?;
        let redrawn = linear_dag(problem, &support)?;
        let order = Order::of_dag(&redrawn);
        let order = problem.knowledge().repair_keeping(&order, |i, j| redrawn.has_edge(i, j));
        let order = order.sequence();
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(k, &variable)| place[variable] = k);
        let follows = redrawn.edges().all(|(i, j, _)| place[i] < place[j]);
        if !follows || problem.knowledge().is_satisfied_by(&redrawn).is_err() {
            return Ok(fit);
        }
        fit.order = order;
        fit.potential = hodge::potential_of_order(&Order::strict(&fit.order));
        fit.loss = loss(problem, &redrawn)?;
        (fit.unpruned, fit.unpruned_loss) = (redrawn.clone(), fit.loss);
        fit.error_variances = error_variances(problem, &redrawn);
        fit.dag = redrawn;
    }
    for direction in &shape.directed {
        fit.evidence.insert((direction.from, direction.to), Evidence::ErrorShape);
    }
    (fit.determined, fit.error_shape) = (determined, Some(shape));
    Ok(fit)
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
