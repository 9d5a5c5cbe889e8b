//! Parameters of methods by name: whatever the engine serialises can be set.

use nocurl::Algorithm;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::failure::Failure;

/// The parameters of a method with their values, by name.
pub(crate) fn parameters(algorithm: &Algorithm) -> Map<String, Value> {
    match serde_json::to_value(algorithm) {
        Ok(Value::Object(mut object)) => {
            object.remove("method");
            object
        }
        _ => Map::new(),
    }
}

/// The method with one parameter replaced. `flag` is how the user wrote the name.
pub(crate) fn set(
    algorithm: &Algorithm,
    flag: &str,
    name: &str,
    text: &str,
) -> Result<Algorithm, Failure> {
    let mut object = parameters(algorithm);
    let Some(current) = object.get(name) else {
        return Err(unknown(algorithm, flag, name, &object));
    };
    let value = value_like(current, text);
    object.insert(name.into(), value);
    object.insert("method".into(), algorithm.name().into());
    serde_json::from_value(Value::Object(object))
        .map_err(|error| Failure::Input(format!("{flag} {text}: {error}")))
}

/// A word of the command line as a value of an engine type whose variants have names.
pub(crate) fn named<T: DeserializeOwned>(flag: &str, value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| Failure::Input(format!("{flag}: {error}")))
}

/// JSON where it is JSON, else a string; where a list is due the brackets may be left out.
fn value_like(current: &Value, text: &str) -> Value {
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    let list = || current.is_array().then(|| json(&format!("[{text}]"))).flatten();
    let bare = json(text).filter(|value| value.is_array() || !current.is_array());
    // A name stays a name even where it looks like a number.
    let bare = bare.filter(|_| !current.is_string());
    bare.or_else(list).unwrap_or_else(|| Value::String(text.into()))
}

fn unknown(
    algorithm: &Algorithm,
    flag: &str,
    name: &str,
    parameters: &Map<String, Value>,
) -> Failure {
    let method = algorithm.name();
    let mut message = format!("{flag}: method `{method}` has no parameter `{name}`");
    let alike = parameters
        .keys()
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|&(likeness, _)| likeness >= 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((_, known)) = alike {
        message.push_str(&format!("; did you mean `{known}`?"));
    }
    if parameters.is_empty() {
        message.push_str("; it has none");
    } else {
        let known: Vec<&str> = parameters.keys().map(String::as_str).collect();
        message.push_str(&format!("; it has {}", known.join(", ")));
    }
    Failure::Input(message)
}
