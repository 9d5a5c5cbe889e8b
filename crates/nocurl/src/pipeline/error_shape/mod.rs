//! Directions that independences leave undetermined, told by the shape of errors.
//!
//! Where effects are linear and errors are not Gaussian, the regression of an effect on its cause
//! leaves errors that are independent of the cause, and the regression the other way does not. A
//! class of graphs with the same independences has undirected parts, in which every variable has
//! the same known parents. With these taken out by regression, an undirected edge `i - j` is judged
//! by the likelihood ratio of the two directions (Hyvärinen and Smith, 2013), with a standard error
//! by leaving out groups of rows in turn.
//!
//! A third variable that is next to both ends could cause both and mislead. So `i -> j` is accepted
//! only together with `i -> c` for every `c` that is next to both by edges without direction: all
//! of them must be significant. Then what follows by Meek's rules is directed too, the variables
//! that became known parents are taken out, and so on. Level: with a chance of 1% in all that noise
//! directs an edge, by Bonferroni's correction for the undetermined edges. An edge is left alone
//! where the errors of the better direction do not reject normality at that level: normal errors
//! have no shape to tell.
//!
//! Curved effects, errors that grow with the cause, and columns of few values also leave residuals
//! that are not normal, and direct edges backwards. So it is off unless asked for
//! ([`Options::error_shape`](crate::Options::error_shape)).

mod pair;

use std::collections::BTreeMap;

use self::pair::{Judge, Ratio};
use crate::core::parallel::*;
use crate::core::{Dataset, Error, Pdag, Progress, Run};
use crate::math::Problem;

/// Chance in all that noise directs an edge.
const LEVEL: f64 = 0.01;

/// Operations of judging a pair, for each row: two regressions with all of their entropies, in each
/// of 25 groups of rows.
const PAIR: f64 = 3000.0;

/// Fewer rows than this cannot tell the shape of errors.
const FEWEST_ROWS: usize = 50;

/// What the shape of errors says about the directions of a class.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ErrorShape {
    /// Rows that were looked at.
    pub rows: u64,
    /// Edges that independences left undetermined.
    pub undetermined: usize,
    /// Those of them that it directs.
    pub directed: Vec<ShapeDirection>,
}

/// A direction told by the shape of errors.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ShapeDirection {
    /// The cause.
    pub from: usize,
    /// The effect.
    pub to: usize,
    /// The p-value of the likelihood ratio of the two directions, under effects that are linear and
    /// errors that are independent; that of the direction behind it where it follows from another.
    /// It says nothing where effects are curved.
    pub p_value: f64,
    /// True when it follows from another direction, because turning it would make a cycle or a
    /// collider.
    pub follows: bool,
}

/// Directs the undirected edges of `class` that the shape of errors tells the direction of; the
/// graph with these directions has the colliders of `class` and a member.
///
/// Cost: O(n) for each undirected edge, times 25 groups of rows where errors are not normal, with at
/// most 10,000 rows; edges are judged again when a variable next to both ends became a cause.
///
/// # Errors
/// A request to stop.
pub fn direct(
    problem: &Problem,
    rows: &Dataset,
    class: &Pdag,
    run: &Run<'_>,
) -> Result<(ErrorShape, Pdag), Error> {
    let undetermined = class.undirected().count();
    let mut shape =
        ErrorShape { rows: rows.values().nrows() as u64, undetermined, directed: Vec::new() };
    let mut graph = class.clone();
    if undetermined == 0 || rows.values().nrows() < FEWEST_ROWS {
        return Ok((shape, graph));
    }
    let mut search = Search {
        judge: Judge::new(problem, rows, LEVEL / undetermined as f64),
        known: BTreeMap::new(),
        refused: Vec::new(),
    };
    loop {
        let (stage, total) = ("looking at the shape of errors", Some(undetermined as u64));
        let done = shape.directed.len() as u64;
        run.step(Progress { stage, done, total, objective: None })?;
        let judged = search.judge_open(&graph);
        run.worked(PAIR * (judged * rows.values().nrows()) as f64);
        let Some(group) = search.best(&graph) else { return Ok((shape, graph)) };
        match accept(&graph, &group) {
            None => search.refused.push((group.cause, group.effects)),
            Some(directed) => {
                let new = graph.undirected().filter(|&(i, j)| !directed.has_undirected(i, j));
                shape.directed.extend(new.map(|(i, j)| {
                    let (from, to) = if directed.has_directed(i, j) { (i, j) } else { (j, i) };
                    let follows = from != group.cause || !group.effects.contains(&to);
                    ShapeDirection { from, to, p_value: group.p_value, follows }
                }));
                graph = directed;
            }
        }
    }
}

/// The graph with these directions and what follows from them; nothing when it has no member.
fn accept(graph: &Pdag, group: &Group) -> Option<Pdag> {
    let mut directed = graph.clone();
    group.effects.iter().for_each(|&effect| directed.direct(group.cause, effect));
    directed.apply_meek_rules();
    directed.to_dag().is_ok().then_some(directed)
}

/// Variables that one cause acts on, which are linked with each other beside it.
struct Group {
    cause: usize,
    effects: Vec<usize>,
    /// The largest of the directions.
    p_value: f64,
    statistic: f64,
}

struct Search<'a> {
    judge: Judge<'a>,
    /// The ratio of each pair `i < j`, with the parents that were taken out.
    known: BTreeMap<(usize, usize), (Vec<usize>, Option<Ratio>)>,
    refused: Vec<(usize, Vec<usize>)>,
}

impl Search<'_> {
    /// Judges the undirected edges whose common parents have changed; how many.
    fn judge_open(&mut self, graph: &Pdag) -> usize {
        let open: Vec<((usize, usize), Vec<usize>)> = graph
            .undirected()
            .map(|pair| (pair, common_parents(graph, pair)))
            .filter(|(pair, parents)| {
                self.known.get(pair).is_none_or(|(judged, _)| judged != parents)
            })
            .collect();
        let judge = &self.judge;
        let ratios: Vec<Option<Ratio>> =
            open.par_iter().map(|((i, j), parents)| judge.ratio(*i, *j, parents)).collect();
        let judged = open.len();
        for ((pair, parents), ratio) in open.into_iter().zip(ratios) {
            self.known.insert(pair, (parents, ratio));
        }
        judged
    }

    /// The statistic and the p-value of `from -> to`, where it is significant.
    fn significant(&self, graph: &Pdag, from: usize, to: usize) -> Option<(f64, f64)> {
        // A cause of one end that is linked with the other may be a cause of both.
        let unclear = |c| graph.has_directed(c, from) && graph.has_undirected(c, to);
        if graph.adjacent(from).any(unclear) {
            return None;
        }
        let (_, ratio) = self.known.get(&(from.min(to), from.max(to)))?;
        let ratio = ratio.as_ref()?;
        let statistic = if from < to { ratio.statistic } else { -ratio.statistic };
        (statistic > 0.0).then_some((statistic, ratio.p_value))
    }

    /// The group of directions with the largest statistic.
    fn best(&self, graph: &Pdag) -> Option<Group> {
        let groups = (0..graph.size()).flat_map(|cause| {
            groups(graph, cause).into_iter().filter_map(move |effects| {
                let mut group = Group { cause, effects, p_value: 0.0, statistic: f64::INFINITY };
                for &effect in &group.effects {
                    let (statistic, p_value) = self.significant(graph, cause, effect)?;
                    group.statistic = group.statistic.min(statistic);
                    group.p_value = group.p_value.max(p_value);
                }
                let refused = self.refused.iter().any(|(c, e)| (c, e) == (&cause, &group.effects));
                (!refused).then_some(group)
            })
        });
        // The first of equals.
        groups.fold(None, |best: Option<Group>, group| match best {
            Some(best) if best.statistic >= group.statistic => Some(best),
            _ => Some(group),
        })
    }
}

/// Variables with directed edges to both.
fn common_parents(graph: &Pdag, (i, j): (usize, usize)) -> Vec<usize> {
    graph.adjacent(i).filter(|&p| graph.has_directed(p, i) && graph.has_directed(p, j)).collect()
}

/// The variables with undirected edges to `cause`, in groups that are linked with each other.
fn groups(graph: &Pdag, cause: usize) -> Vec<Vec<usize>> {
    let mut rest: Vec<usize> =
        graph.adjacent(cause).filter(|&v| graph.has_undirected(cause, v)).collect();
    let mut groups = Vec::new();
    while let Some(first) = rest.first().copied() {
        let mut group = vec![first];
        rest.remove(0);
        let mut next = 0;
        while let Some(&member) = group.get(next) {
            let (linked, others) = rest.iter().partition(|&&v| graph.is_adjacent(member, v));
            group.extend::<Vec<usize>>(linked);
            rest = others;
            next += 1;
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}
