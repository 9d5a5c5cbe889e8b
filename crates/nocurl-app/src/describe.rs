//! From what the engine found to the description that is written.

use std::collections::BTreeMap;

use nocurl::methods::MixedScore;
use nocurl::{Evidence, Fit, Options};
use nocurl_io::{Class, ErrorShapeSummary, GraphDocument};
use serde_json::{Map, Value, json};

/// What was learnt with these options about variables of these names and means, without what was
/// read, how sure it is, and what the user should know.
pub fn describe(names: &[String], means: &[f64], options: &Options, fit: &Fit) -> GraphDocument {
    let mut document = GraphDocument {
        order: fit.order.iter().map(|&i| names[i].clone()).collect(),
        potential: Some(fit.potential.clone()),
        class: Some(Class::new(names, &fit.class)),
        determines: fit.determines,
        means: Some(means.to_vec()),
        error_shape: fit.error_shape.as_ref().map(|shape| ErrorShapeSummary::new(shape, names)),
        method: options.algorithm.name().into(),
        parameters: Value::Object(parameters(options, fit.score)),
        seed: options.seed,
        termination: termination(fit),
        iterations: fit.iterations,
        search: fit.search,
        assumption: options.facts().directions.assumption().map(Into::into),
        ..GraphDocument::new(names, &fit.dag, &fit.determined)
    };
    let evidence: BTreeMap<(&str, &str), Evidence> = fit
        .evidence
        .iter()
        .map(|(&(i, j), &evidence)| ((names[i].as_str(), names[j].as_str()), evidence))
        .collect();
    for edge in &mut document.edges {
        edge.evidence = evidence.get(&(edge.from.as_str(), edge.to.as_str())).copied();
    }
    document
}

/// Everything that shaped the result and is not said elsewhere in the document.
fn parameters(options: &Options, score: Option<MixedScore>) -> Map<String, Value> {
    let named = options.algorithm.parameters().into_iter();
    let mut object: Map<String, Value> =
        named.map(|(name, value)| (name.into(), value.into())).collect();
    object.insert("center".into(), options.center.into());
    object.insert("refine".into(), json!(options.refine));
    object.insert("prune".into(), json!(options.prune));
    object.insert("threshold".into(), options.effective_threshold().into());
    if let Some(Value::String(asked)) = object.get("score")
        && asked == MixedScore::Auto.name()
        && let Some(chosen) = score
    {
        object.insert("score".into(), chosen.name().into());
    }
    if options.error_shape {
        object.insert("error_shape".into(), true.into());
    }
    if !options.knowledge.is_empty() {
        object.insert("knowledge".into(), json!(options.knowledge));
    }
    if !options.experiments.is_empty() {
        object.insert("experiments".into(), json!(options.experiments));
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
