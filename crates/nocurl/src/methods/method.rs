//! What a method is.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use super::{Facts, Proposal};
use crate::core::memory::{Memory, Size};
use crate::core::{Action, Codes, Dag, Dataset, Error, Run, Value};
use crate::math::Problem;

/// What a method is given to learn from.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Task<'a> {
    /// The second moments, with prior knowledge.
    pub problem: &'a Problem,
    /// The rows behind them; there for every method that [`Facts::needs_rows`].
    pub rows: Option<&'a Dataset>,
    /// The same as compact codes; there where all variables have levels and the method
    /// [counts](Facts::counts) them.
    pub codes: Option<&'a Codes>,
    /// The only source of randomness.
    pub seed: u64,
    /// Who watches and may stop the work.
    pub run: &'a Run<'a>,
}

impl<'a> Task<'a> {
    /// The task of learning from moments alone.
    pub fn new(problem: &'a Problem, run: &'a Run<'a>) -> Self {
        Self { problem, rows: None, codes: None, seed: 0, run }
    }

    /// The same with the rows behind the moments.
    pub fn with_rows(self, rows: &'a Dataset) -> Self {
        Self { rows: Some(rows), ..self }
    }

    /// The same with another seed.
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The rows, for the method of this name.
    pub(crate) fn rows_for(&self, method: &'static str) -> Result<&'a Dataset, Error> {
        self.rows.ok_or(Error::NeedsRows { what: Action::method(method) })
    }
}

/// The parameters of a method by name.
///
/// The macro `parameters!` implements it; a type without parameters has an empty
/// implementation.
pub trait Parameters {
    /// Names and values, in the order of the fields.
    fn values(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// Replaces the value of the parameter of this name, if there is one.
    ///
    /// # Errors
    /// What was expected, when it cannot hold this value.
    fn set(&mut self, _name: &str, _value: &Value) -> Result<(), String> {
        Ok(())
    }
}

/// A way to learn a graph: a type whose fields are its parameters.
///
/// To add one, write a file with the type, its facts and how it proposes an order, and add a line
/// to the list in `methods/mod.rs`. The command line, Python, the benchmarks, the documentation and
/// the tests of all methods then have it.
pub trait Method: Debug + Clone + Default + PartialEq + Send + Sync + Parameters + 'static {
    /// What there is to know about it, with these parameters.
    fn facts(&self) -> Facts;

    /// Memory that proposing takes at its peak, from above, beside the second moments and the rows.
    fn memory(&self, _size: &Size) -> Memory {
        Memory::matrices(12.0)
    }

    /// Whether it takes so many variables, found before any data is read; `informed` with prior
    /// knowledge.
    ///
    /// # Errors
    /// [`Error::TooManyColumns`] with its limit.
    fn takes(&self, _variables: usize, _informed: bool) -> Result<(), Error> {
        Ok(())
    }

    /// Proposes an order of the variables, and weights where it has its own.
    ///
    /// # Errors
    /// Parameters out of range, data it cannot use, or a request to stop.
    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error>;

    /// Proposes an order for data that is like the data `from` was learnt from, starting there: a
    /// resampled table. None where the method has no quicker way than [`Self::propose`].
    fn warm(&self, _task: &Task<'_>, _from: &Dag) -> Option<Result<Proposal, Error>> {
        None
    }
}

/// [`Method`] behind a pointer.
pub(super) trait AnyMethod: Debug + Send + Sync {
    fn facts(&self) -> Facts;
    fn memory(&self, size: &Size) -> Memory;
    fn takes(&self, variables: usize, informed: bool) -> Result<(), Error>;
    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error>;
    fn warm(&self, task: &Task<'_>, from: &Dag) -> Option<Result<Proposal, Error>>;
    fn parameters(&self) -> Vec<(&'static str, Value)>;
    fn with_parameter(&self, name: &str, value: &Value) -> Result<Arc<dyn AnyMethod>, String>;
    fn equals(&self, other: &dyn AnyMethod) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<M: Method> AnyMethod for M {
    fn facts(&self) -> Facts {
        Method::facts(self)
    }

    fn memory(&self, size: &Size) -> Memory {
        Method::memory(self, size)
    }

    fn takes(&self, variables: usize, informed: bool) -> Result<(), Error> {
        Method::takes(self, variables, informed)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        Method::propose(self, task)
    }

    fn warm(&self, task: &Task<'_>, from: &Dag) -> Option<Result<Proposal, Error>> {
        Method::warm(self, task, from)
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.values()
    }

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Arc<dyn AnyMethod>, String> {
        let mut method = self.clone();
        method.set(name, value)?;
        Ok(Arc::new(method))
    }

    fn equals(&self, other: &dyn AnyMethod) -> bool {
        other.as_any().downcast_ref::<M>().is_some_and(|other| self == other)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
