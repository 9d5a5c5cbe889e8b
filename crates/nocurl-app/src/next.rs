//! The next experiment, from the description of a graph.

use nocurl::error::closest;
use nocurl::next::{Next, WeightedClass, next};
use nocurl::{Error as EngineError, Pdag};
use nocurl_io::GraphDocument;
use serde_json::{Value, json};

use crate::Error;

/// Which experiments to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextRequest {
    /// Variables to act on at once.
    pub targets: usize,
    /// Variables that can be acted on; all where there are none.
    pub only: Vec<String>,
    /// Variables that cannot.
    pub never: Vec<String>,
    /// Seed of the graphs that are drawn where a class has too many.
    pub seed: u64,
}

impl Default for NextRequest {
    fn default() -> Self {
        Self { targets: 1, only: Vec::new(), never: Vec::new(), seed: 0 }
    }
}

impl NextRequest {
    /// The experiments, with the names of the variables that the numbers in them stand for.
    ///
    /// # Errors
    /// Names that are no variables, or nothing to act on.
    pub fn propose(&self, graph: GraphDocument) -> Result<(Next, Vec<String>), Error> {
        let graph = match graph.experiments.clone() {
            Some(experiments) => graph.without(&experiments.condition),
            None => graph,
        };
        let wrong = |reason: &str| Err(EngineError::Experiments { reason: reason.into() });
        if self.targets == 0 {
            return Ok(wrong("an experiment acts on one variable at least")?);
        }
        let candidates = self.candidates(&graph)?;
        if candidates.is_empty() {
            return Ok(wrong("no variable is left to act on")?);
        }
        let found = next(&classes(&graph)?, &candidates, self.targets, self.seed)?;
        Ok((found, graph.variables))
    }

    fn candidates(&self, graph: &GraphDocument) -> Result<Vec<usize>, EngineError> {
        let place = |name: &String| {
            graph.variables.iter().position(|variable| variable == name).ok_or_else(|| {
                let like = closest(name, graph.variables.iter().map(String::as_str));
                let like =
                    like.map_or_else(String::new, |like| format!(": did you mean `{like}`?"));
                EngineError::Experiments {
                    reason: format!("`{name}` is no variable of the graph{like}"),
                }
            })
        };
        let never = self.never.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        let all = match self.only.is_empty() {
            true => (0..graph.variables.len()).collect(),
            false => self.only.iter().map(place).collect::<Result<Vec<_>, _>>()?,
        };
        Ok(all.into_iter().filter(|v| !never.contains(v)).collect())
    }
}

/// The classes of the resampled tables, or that of the graph itself.
fn classes(graph: &GraphDocument) -> Result<Vec<WeightedClass>, Error> {
    let place = |name: &String| graph.variables.iter().position(|variable| variable == name);
    let pairs = |list: &[[String; 2]]| -> Vec<(usize, usize)> {
        list.iter().filter_map(|[from, to]| Some((place(from)?, place(to)?))).collect()
    };
    let d = graph.variables.len();
    let mut all = Vec::new();
    for counted in graph.bootstrap.iter().flat_map(|bootstrap| &bootstrap.classes) {
        let class = Pdag::new(d, &pairs(&counted.directed), &pairs(&counted.undirected))?;
        all.push(WeightedClass { class, weight: counted.count as f64 });
    }
    if all.is_empty() {
        all.push(WeightedClass { class: graph.determined()?, weight: 1.0 });
    }
    Ok(all)
}

/// The experiments as JSON.
pub fn describe_next(found: &Next, names: &[String]) -> Value {
    json!({
        "undetermined": found.undetermined,
        "graphs": found.graphs,
        "experiments": found.experiments.iter().map(|one| json!({
            "targets": one.targets.iter().map(|&v| &names[v]).collect::<Vec<_>>(),
            "expected": one.settled,
            "least": one.range.0,
            "most": one.range.1,
        })).collect::<Vec<_>>(),
    })
}
