//! Another graph in the place of the one that a method found.

use super::Fit;
use super::learn::{evidence, loss, problem};
use crate::core::{Dag, Data, Error, Evidence, Order, Pdag};
use crate::math::hodge;
use crate::math::regress::{error_variances, refit};
use crate::methods::member;
use crate::pipeline::Options;

/// What was learnt, with the edges and the determined directions of `graph` in place of its own:
/// the graph on which resampled tables agree, for example. One of its members is drawn, with the
/// weights of the regressions on its parents. Directions that the shape of errors told stay where
/// `graph` leaves them open.
///
/// # Errors
/// A graph of other variables, without a member, or against prior knowledge; data that cannot be
/// regressed.
pub fn redraw<'a>(
    data: impl Into<Data<'a>>,
    options: &Options,
    fit: &Fit,
    graph: &Pdag,
) -> Result<Fit, Error> {
    let data = data.into();
    let problem = problem(&data, options)?;
    if problem.size() != graph.size() || graph.size() != fit.dag.size() {
        return Err(Error::DifferentVariables { what: "graph and data" });
    }
    let mut class = graph.clone();
    problem.knowledge().direct(&mut class);
    let mut determined = class.clone();
    let mut shape = fit.error_shape.clone();
    if let Some(shape) = &mut shape {
        shape.directed.retain(|told| {
            let open = determined.has_undirected(told.from, told.to);
            if open {
                determined.direct(told.from, told.to);
                determined.apply_meek_rules();
            }
            open
        });
        if determined.to_dag().is_err() {
            (determined, shape.directed) = (class.clone(), Vec::new());
        }
    }
    let drawn = match problem.is_plain() && problem.knowledge().is_empty() {
        true => member(&problem, &determined)?,
        false => determined.to_dag()?,
    };
    problem.knowledge().is_satisfied_by(&drawn)?;
    let dag = Dag::new(refit(&problem, drawn.weights())?)?;
    let mut evidence = evidence(&problem, options, &dag, &class);
    for told in shape.iter().flat_map(|shape| &shape.directed) {
        evidence.insert((told.from, told.to), Evidence::ErrorShape);
    }
    let loss = loss(&problem, &dag)?;
    let order = Order::of_dag(&dag);
    Ok(Fit {
        error_variances: error_variances(&problem, &dag),
        potential: hodge::potential_of_order(&order),
        order: order.sequence(),
        unpruned: dag.clone(),
        unpruned_loss: loss,
        loss,
        error_shape: shape,
        dag,
        class,
        determined,
        evidence,
        ..fit.clone()
    })
}
