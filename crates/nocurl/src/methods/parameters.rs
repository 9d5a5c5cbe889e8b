//! Parameters of methods by name: whatever a method serialises can be set.

use serde_json::{Map, Value, json};

use super::Algorithm;
use crate::core::Error;
use crate::core::error::closest;

impl Algorithm {
    /// The parameters of the method with their values, by name.
    ///
    /// ```
    /// use nocurl::Algorithm;
    /// let parameters = Algorithm::from_name("notears")?.parameters();
    /// assert_eq!(parameters["lambda1"], 0.0);
    /// # Ok::<(), nocurl::Error>(())
    /// ```
    pub fn parameters(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut object)) => {
                object.remove("method");
                object
            }
            _ => Map::new(),
        }
    }

    /// The method with one parameter replaced.
    ///
    /// # Errors
    /// [`Error::UnknownParameter`] with what would be right, or [`Error::ParameterType`] for a
    /// value that the parameter cannot hold. Whether it is in range, learning says.
    ///
    /// ```
    /// use nocurl::Algorithm;
    /// let notears = Algorithm::from_name("notears")?.with_parameter("lambda1", 0.1.into())?;
    /// assert_eq!(notears.parameters()["lambda1"], 0.1);
    /// let error = notears.with_parameter("lamda1", 0.1.into()).unwrap_err();
    /// assert!(error.to_string().contains("did you mean `lambda1`?"));
    /// # Ok::<(), nocurl::Error>(())
    /// ```
    pub fn with_parameter(&self, name: &str, value: Value) -> Result<Self, Error> {
        let mut object = self.parameters();
        let Some(place) = object.get_mut(name) else {
            return Err(self.unknown_parameter(name, &object));
        };
        *place = value;
        object.insert("method".into(), self.name().into());
        serde_json::from_value(Value::Object(object))
            .map_err(|error| Error::ParameterType { name: name.into(), reason: error.to_string() })
    }

    /// What a list of methods says of this one: name, summary, parameters and so on.
    pub fn describe(&self) -> Value {
        json!({
            "name": self.name(),
            "default": *self == Self::default(),
            "summary": self.summary(),
            "assumption": self.assumption(),
            "takes_knowledge": self.takes_knowledge().is_ok(),
            "parameters": self.parameters(),
        })
    }

    fn unknown_parameter(&self, name: &str, known: &Map<String, Value>) -> Error {
        let elsewhere = Self::all()
            .into_iter()
            .filter(|other| other.parameters().contains_key(name))
            .map(|other| other.name())
            .collect();
        Error::UnknownParameter {
            name: name.into(),
            method: self.name(),
            suggestion: closest(name, known.keys().map(String::as_str)).map(Into::into),
            known: known.keys().cloned().collect(),
            elsewhere,
        }
    }
}
