//! From what the engine found to the description that is written.

use nocurl::{Fit, Options};
use nocurl_io::{Class, GraphDocument};
use serde_json::{Map, Value, json};

/// What was learnt with these options about variables of these names and means, without what was
/// read, how sure it is, and what the user should know.
pub fn describe(names: &[String], means: &[f64], options: &Options, fit: &Fit) -> GraphDocument {
    GraphDocument {
        order: fit.order.iter().map(|&i| names[i].clone()).collect(),
        potential: Some(fit.potential.clone()),
        class: Some(Class::new(names, &fit.class)),
        determines: fit.determines,
        means: Some(means.to_vec()),
        method: options.algorithm.name().into(),
        parameters: Value::Object(parameters(options)),
        seed: options.seed,
        termination: termination(fit),
        iterations: fit.iterations,
        search: fit.search,
        assumption: options.facts().directions.assumption().map(Into::into),
        ..GraphDocument::new(names, &fit.dag, &fit.determined)
    }
}

/// Everything that shaped the result and is not said elsewhere in the document.
fn parameters(options: &Options) -> Map<String, Value> {
    let named = options.algorithm.parameters().into_iter();
    let mut object: Map<String, Value> =
        named.map(|(name, value)| (name.into(), value.into())).collect();
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
