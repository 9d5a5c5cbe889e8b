//! A method by its name: the command line, Python, the benchmarks and the documentation take them
//! from here.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::method::AnyMethod;
use super::{Facts, METHODS, Method, OrderSearch, Proposal, TakesKnowledge, Task};
use crate::core::error::closest;
use crate::core::memory::{Memory, Size, ask};
use crate::core::{Dag, Error, Value, parallel};

/// A method with its parameters, whichever it is.
///
/// With the feature `serde` it is serialised as one object with the method's name under `method` and its parameters beside it.
///
/// ```
/// use nocurl::methods::NoCurl;
/// use nocurl::{Algorithm, Value};
/// assert_eq!(Algorithm::from_name("eq-td")?.name(), "eq-td");
/// let error = Algorithm::from_name("nocurll").unwrap_err();
/// assert_eq!(error.to_string(), "unknown method `nocurll`: did you mean `nocurl`?");
/// let nocurl = Algorithm::from(NoCurl { lambdas: vec![100.0], ..NoCurl::default() });
/// assert_eq!(nocurl.parameters()["lambdas"], Value::from(vec![100.0]));
/// # Ok::<(), nocurl::Error>(())
/// ```
#[derive(Clone)]
pub struct Algorithm(Arc<dyn AnyMethod>);

/// The search over orders: it does not depend on units, and on no kind of data that was tried does
/// a trivial baseline beat it (`nocurl bench default`).
impl Default for Algorithm {
    fn default() -> Self {
        Self::of::<OrderSearch>()
    }
}

impl<M: Method> From<M> for Algorithm {
    fn from(method: M) -> Self {
        Self(Arc::new(method))
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(other.0.as_ref())
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Algorithm {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = self.parameters();
        object.insert("method", self.name().into());
        object.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Algorithm {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let mut object = BTreeMap::<String, Value>::deserialize(deserializer)?;
        let Some(Value::Text(name)) = object.remove("method") else {
            return Err(D::Error::missing_field("method"));
        };
        let algorithm = Self::from_name(&name).map_err(D::Error::custom)?;
        let mut parameters = object.into_iter();
        parameters
            .try_fold(algorithm, |algorithm, (name, value)| algorithm.with_parameter(&name, value))
            .map_err(D::Error::custom)
    }
}

impl Algorithm {
    /// A method with its published parameters.
    pub(super) fn of<M: Method>() -> Self {
        M::default().into()
    }

    /// All methods with their published parameters.
    pub fn all() -> Vec<Self> {
        METHODS.iter().flat_map(|file| file.iter()).map(|method| method()).collect()
    }

    /// The method of this name with its published parameters.
    ///
    /// # Errors
    /// [`Error::UnknownMethod`] with the closest known name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        let all = Self::all();
        all.iter().find(|method| method.name() == name).cloned().ok_or_else(|| {
            Error::UnknownMethod {
                name: name.into(),
                suggestion: closest(name, all.iter().map(Self::name)).map(Into::into),
            }
        })
    }

    /// What there is to know about the method.
    pub fn facts(&self) -> Facts {
        self.0.facts()
    }

    /// The name under which users know the method.
    pub fn name(&self) -> &'static str {
        self.facts().name
    }

    /// The method in its own type, if it is of that type.
    pub fn downcast<M: Method>(&self) -> Option<&M> {
        self.0.as_any().downcast_ref()
    }

    /// The parameters of the method with their values, by name.
    ///
    /// ```
    /// use nocurl::{Algorithm, Value};
    /// let parameters = Algorithm::from_name("notears")?.parameters();
    /// assert_eq!(parameters["lambda1"], Value::Number(0.0));
    /// # Ok::<(), nocurl::Error>(())
    /// ```
    pub fn parameters(&self) -> BTreeMap<&'static str, Value> {
        self.0.parameters().into_iter().collect()
    }

    /// The method with one parameter replaced.
    ///
    /// # Errors
    /// [`Error::UnknownParameter`] with what would be right, or [`Error::ParameterType`] for a
    /// value that the parameter cannot hold. Whether it is in range, learning says.
    ///
    /// ```
    /// use nocurl::{Algorithm, Value};
    /// let notears = Algorithm::from_name("notears")?.with_parameter("lambda1", 0.1.into())?;
    /// assert_eq!(notears.parameters()["lambda1"], Value::Number(0.1));
    /// let error = notears.with_parameter("lamda1", 0.1.into()).unwrap_err();
    /// assert!(error.to_string().contains("did you mean `lambda1`?"));
    /// let error = notears.with_parameter("lambda1", "abc".into()).unwrap_err();
    /// assert!(error.to_string().contains("expected a number from 0, got `abc`"));
    /// # Ok::<(), nocurl::Error>(())
    /// ```
    pub fn with_parameter(&self, name: &str, value: Value) -> Result<Self, Error> {
        let known = self.parameters();
        if !known.contains_key(name) {
            return Err(self.unknown_parameter(name, &known));
        }
        let method = self.0.with_parameter(name, &value);
        method.map(Self).map_err(|reason| Error::ParameterType { name: name.into(), reason })
    }

    fn unknown_parameter(&self, name: &str, known: &BTreeMap<&'static str, Value>) -> Error {
        let elsewhere = Self::all()
            .into_iter()
            .filter(|other| other.parameters().contains_key(name))
            .map(|other| other.name())
            .collect();
        Error::UnknownParameter {
            name: name.into(),
            method: self.name(),
            suggestion: closest(name, known.keys().copied()).map(Into::into),
            known: known.keys().map(|&name| name.into()).collect(),
            elsewhere,
        }
    }

    /// What a list of methods says of this one: its facts, and its parameters with their values
    /// (feature `serde`).
    #[cfg(feature = "serde")]
    pub fn describe(&self) -> serde_json::Value {
        use serde_json::json;
        let facts = self.facts();
        let mut object = json!(facts);
        object["default"] = (*self == Self::default()).into();
        object["assumption"] = facts.directions.sentence().into();
        object["assumes_equal_variances"] = facts.assumes_equal_variances().into();
        object["takes_knowledge"] = self.takes_knowledge().is_ok().into();
        object["about"] = json!(facts.parameters);
        object["parameters"] = json!(self.parameters());
        object
    }

    /// Whether the method can honour prior knowledge.
    ///
    /// # Errors
    /// [`Error::TakesNoKnowledge`] with what to use instead.
    pub fn takes_knowledge(&self) -> Result<(), Error> {
        let facts = self.facts();
        match facts.knowledge {
            TakesKnowledge::Yes => Ok(()),
            TakesKnowledge::No { reason, instead } => {
                Err(Error::TakesNoKnowledge { method: facts.name, reason, instead })
            }
        }
    }

    /// Whether the method can learn from experiments.
    ///
    /// # Errors
    /// [`Error::TakesNoExperiments`].
    pub fn takes_experiments(&self) -> Result<(), Error> {
        let facts = self.facts();
        let method = facts.name;
        if facts.experiments { Ok(()) } else { Err(Error::TakesNoExperiments { method }) }
    }

    /// Memory that proposing takes at its peak, from above, beside the second moments and the rows.
    pub fn memory(&self, size: &Size) -> Memory {
        self.0.memory(size)
    }

    /// Whether the method takes so many variables, found before any data is read; `informed` with
    /// prior knowledge.
    ///
    /// # Errors
    /// [`Error::TooManyColumns`] with its limit and what to do instead.
    ///
    /// ```
    /// use nocurl::Algorithm;
    /// let error = Algorithm::from_name("exact")?.takes(30, false).unwrap_err();
    /// assert!(error.to_string().contains("at most 29 variables, the data has 30"));
    /// # Ok::<(), nocurl::Error>(())
    /// ```
    pub fn takes(&self, variables: usize, informed: bool) -> Result<(), Error> {
        self.0.takes(variables, informed)
    }

    pub(crate) fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        self.ask(task)?;
        self.0.propose(task)
    }

    /// Asks for the memory that the method takes.
    fn ask(&self, task: &Task<'_>) -> Result<(), Error> {
        let problem = task.problem;
        let rows = problem.rows();
        let size = Size { variables: problem.size(), rows, threads: parallel::threads() };
        ask("the method", self.memory(&size).at(size.variables, rows))
    }

    /// Proposes an order from a graph that was learnt from data like this, where the method can.
    pub(crate) fn propose_from(&self, task: &Task<'_>, from: &Dag) -> Result<Proposal, Error> {
        self.ask(task)?;
        self.0.warm(task, from).unwrap_or_else(|| self.0.propose(task))
    }
}
