//! Parameters of methods by name: whatever the engine names can be set.

use nocurl::{Algorithm, Error, Text, Value};
use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// The method with one parameter replaced. `flag` is how the user wrote the name.
pub(crate) fn set(
    algorithm: &Algorithm,
    flag: &str,
    name: &str,
    text: &str,
) -> Result<Algorithm, Failure> {
    let value = match algorithm.parameters().get(name) {
        Some(current) => value_like(current, text),
        None => Some(Value::Null),
    };
    let given =
        if flag == "--param" { format!("{flag} {name}={text}") } else { format!("{flag} {text}") };
    let value = value
        .ok_or_else(|| Failure::Input(format!("{given}: give numbers with commas between them")))?;
    algorithm.with_parameter(name, value).map_err(|error| match error {
        Error::ParameterType { reason, .. } => Failure::Input(format!("{given}: {reason}")),
        error => Failure::input(&Text::new(format!("{given}: ")).append(error.text())),
    })
}

/// A word of the command line as a value of an engine type whose variants have names.
pub(crate) fn named<T: DeserializeOwned>(
    flag: &str,
    value: serde_json::Value,
) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| Failure::Input(format!("{flag}: {error}")))
}

/// A name where a name is due, a list (brackets may be left out) where a list is due, else any
/// JSON, else text. Nothing when a list is due and there is none.
fn value_like(current: &Value, text: &str) -> Option<Value> {
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    let is_list = |value: &Value| matches!(value, Value::List(_));
    match current {
        Value::Text(_) => Some(text.into()),
        Value::List(_) => json(text).filter(is_list).or_else(|| json(&format!("[{text}]"))),
        _ => Some(json(text).unwrap_or_else(|| text.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(name: &str, value: &str) -> Result<Value, String> {
        let algorithm = Algorithm::from_name("nocurl").unwrap();
        set(&algorithm, "--param", name, value)
            .map(|algorithm| algorithm.parameters()[name].clone())
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn lists_need_no_brackets_and_names_no_quotes() {
        assert_eq!(changed("lambdas", "10,1000").unwrap(), Value::from(vec![10.0, 1000.0]));
        assert_eq!(changed("lambdas", "[7]").unwrap(), Value::from(vec![7.0]));
        assert_eq!(changed("lambdas", "100").unwrap(), Value::from(vec![100.0]));
        assert_eq!(changed("variant", "-").unwrap(), Value::from("-"));
        assert_eq!(changed("max_iterations", "12").unwrap(), Value::from(12));
    }

    #[test]
    fn every_parameter_of_every_method_can_be_set_to_its_default() {
        for algorithm in Algorithm::all() {
            for (name, value) in algorithm.parameters() {
                let text = value.to_string();
                assert_eq!(set(&algorithm, "--param", name, &text).ok().as_ref(), Some(&algorithm));
            }
        }
    }

    #[test]
    fn mistakes_say_what_would_be_right() {
        let told = changed("lambda", "1").unwrap_err();
        assert!(told.contains("did you mean `lambdas`?"), "{told}");
        assert!(told.contains("estimate_threshold"), "{told}");
        assert!(changed("lambdas", "1,x").unwrap_err().contains("numbers with commas"));
        assert!(changed("solver", "newton").unwrap_err().contains("`ridge` or `lbfgs`"));
        assert!(changed("method", "exact").is_err());
        let told = changed("estimate_threshold", "abc").unwrap_err();
        assert!(told.ends_with("expected a number from 0, got `abc`"), "{told}");
    }
}
