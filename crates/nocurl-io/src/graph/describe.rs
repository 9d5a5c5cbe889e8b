//! From what the engine found to the description that is written.

use nocurl::{Dag, Fit, Options};
use serde_json::{Map, Value, json};

use super::{Cpdag, Edge, GraphDocument, directions};

impl GraphDocument {
    /// A graph by itself, all directions meant, with its edges from the largest weight to the
    /// smallest.
    pub fn new(names: &[String], dag: &Dag, order: &[usize], class: &nocurl::Cpdag) -> Self {
        let name = |i: usize| names[i].clone();
        let mut edges: Vec<(usize, usize, f64)> = dag.edges().collect();
        edges.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
        Self {
            schema: Self::SCHEMA.into(),
            variables: names.to_vec(),
            edges: edges
                .into_iter()
                .map(|(from, to, weight)| Edge { from: name(from), to: name(to), weight })
                .collect(),
            order: order.iter().map(|&i| name(i)).collect(),
            potential: None,
            cpdag: Cpdag {
                directed: class.directed().map(|(i, j)| [name(i), name(j)]).collect(),
                undirected: class.undirected().map(|(i, j)| [name(i), name(j)]).collect(),
            },
            claim: nocurl::Claim::Dag,
            directions: String::new(),
            means: None,
            bootstrap: None,
            method: String::new(),
            parameters: Value::Null,
            seed: 0,
            version: env!("CARGO_PKG_VERSION").into(),
            input: None,
            termination: "direct".into(),
            iterations: 0,
            warnings: Vec::new(),
            diagnosis: Value::Null,
            elapsed_seconds: 0.0,
        }
    }

    /// What was learnt with these options about variables of these names and means.
    pub fn of_fit(names: &[String], means: &[f64], options: &Options, fit: &Fit) -> Self {
        let mut document = Self {
            potential: Some(fit.potential.clone()),
            claim: fit.claim,
            means: Some(means.to_vec()),
            method: options.algorithm.name().into(),
            parameters: Value::Object(parameters(options)),
            seed: options.seed,
            termination: termination(fit),
            iterations: fit.iterations,
            warnings: warnings(options, fit),
            ..Self::new(names, &fit.dag, &fit.order, &fit.cpdag)
        };
        document.directions = directions::sentence(options, &document);
        document
    }
}

/// Everything that shaped the result and is not said elsewhere in the document.
fn parameters(options: &Options) -> Map<String, Value> {
    let mut object = options.algorithm.parameters();
    object.insert("center".into(), options.center.into());
    object.insert("refine".into(), json!(options.refine));
    object.insert("prune".into(), json!(options.prune));
    object.insert("threshold".into(), options.effective_threshold().into());
    if !options.knowledge.is_empty() {
        object.insert("knowledge".into(), json!(options.knowledge));
    }
    object
}

/// The engine's name of how the method ended.
fn termination(fit: &Fit) -> String {
    match serde_json::to_value(fit.termination) {
        Ok(Value::String(name)) => name,
        _ => format!("{:?}", fit.termination),
    }
}

/// What the user should know.
fn warnings(options: &Options, fit: &Fit) -> Vec<String> {
    let mut warnings = fit.warnings.clone();
    if fit.dag.edge_count() == 0 {
        let threshold = options.effective_threshold();
        warnings.push(if threshold > 0.0 {
            format!(
                "no edges were found: all weights are below the threshold of {threshold}; lower \
                 it with --threshold or use --prune bic"
            )
        } else {
            "no edges were found: the columns look independent".into()
        });
    }
    warnings
}
