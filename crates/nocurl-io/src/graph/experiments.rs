//! Experiments in the document of a graph.

use serde::{Deserialize, Serialize};

use super::GraphDocument;

/// The conditions that rows came from, and what they act on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExperimentSummary {
    /// The column of the conditions, which is a variable of the graph unless it is hidden.
    pub condition: String,
    /// Whether the condition is left out of the graph.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// The conditions, in the order of their levels.
    pub conditions: Vec<ConditionSummary>,
}

/// One condition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ConditionSummary {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: u64,
    /// What it is known to act on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<KnownTarget>,
    /// What else it acts on directly, as far as the data tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acts_on: Vec<FoundTarget>,
}

/// A known target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownTarget {
    /// The variable.
    pub variable: String,
    /// Whether it is set, or its weights change alone.
    pub kind: nocurl::experiments::Intervention,
}

/// A target that the data tell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FoundTarget {
    /// The variable.
    pub variable: String,
    /// The shift, in standard deviations of what its causes leave of it; none where only resampled
    /// tables have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<f64>,
    /// The share of resampled tables that tell it, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

impl GraphDocument {
    /// The graph without one of its variables. Nothing else changes: the variable was a source, so
    /// no edge between others hangs on whether it is shown.
    pub fn without(mut self, name: &str) -> Self {
        let Some(place) = self.variables.iter().position(|variable| variable == name) else {
            return self;
        };
        let cut = |list: &mut Vec<f64>| {
            if place < list.len() {
                list.remove(place);
            }
        };
        self.variables.remove(place);
        self.order.retain(|variable| variable != name);
        self.edges.retain(|edge| edge.from != name && edge.to != name);
        [&mut self.potential, &mut self.means, &mut self.error_variances]
            .into_iter()
            .flatten()
            .for_each(cut);
        if place < self.kinds.len() {
            self.kinds.remove(place);
        }
        if place < self.sample.len() {
            self.sample.remove(place);
        }
        if let Some(class) = &mut self.class {
            let keep = |pair: &[String; 2]| pair.iter().all(|end| end != name);
            class.directed.retain(keep);
            class.undirected.retain(keep);
        }
        if let Some(bootstrap) = &mut self.bootstrap {
            bootstrap.pairs.retain(|pair| pair.from != name && pair.to != name);
            bootstrap.paths.retain(|path| path.from != name && path.to != name);
            bootstrap.consensus.retain(|edge| edge.from != name && edge.to != name);
            for class in &mut bootstrap.classes {
                let keep = |pair: &[String; 2]| pair.iter().all(|end| end != name);
                class.directed.retain(keep);
                class.undirected.retain(keep);
            }
        }
        self
    }
}
