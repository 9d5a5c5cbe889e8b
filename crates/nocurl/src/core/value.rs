//! Values of settings and parameters, which have names rather than types where users give them.

use std::fmt;

/// The value of a setting or of a parameter by name.
///
/// With the feature `serde` it is written as plain JSON, and made from and into
/// `serde_json::Value`; an object, which no parameter takes, becomes its text.
///
/// ```
/// use nocurl::Value;
/// assert_eq!(Value::from(vec![10.0, 0.5]).to_string(), "[10.0,0.5]");
/// assert_eq!(Value::from("bic"), Value::Text("bic".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// None: the method chooses.
    #[default]
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Integer(i128),
    /// Any number.
    Number(f64),
    /// A name.
    Text(String),
    /// Several values.
    List(Vec<Value>),
}

impl fmt::Display for Value {
    /// As users write it, without quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Number(value) => write!(f, "{value:?}"),
            Self::Text(text) => f.write_str(text),
            Self::List(values) => {
                let values: Vec<String> = values.iter().map(Self::to_string).collect();
                write!(f, "[{}]", values.join(","))
            }
        }
    }
}

/// Conversions from the types that settings and parameters have.
macro_rules! from {
    ($($kind:ty: $value:ident => $made:expr;)*) => {
        $(impl From<$kind> for Value {
            fn from($value: $kind) -> Self {
                $made
            }
        })*
    };
}

from! {
    bool: value => Self::Bool(value);
    i32: value => Self::Integer(value.into());
    i64: value => Self::Integer(value.into());
    u64: value => Self::Integer(value.into());
    usize: value => Self::Integer(value as i128);
    f64: value => Self::Number(value);
    &str: value => Self::Text(value.into());
    String: value => Self::Text(value);
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A type that a parameter can have.
pub(crate) trait Valued: Sized {
    /// What is expected, in the words of a sentence; `range` is that of the parameter.
    fn expected(range: &str) -> String;

    /// The value to show.
    fn to_value(&self) -> Value;

    /// The value that was given; none when it is of another kind.
    fn from_value(value: &Value) -> Option<Self>;

    /// The value that was given, or what is wrong with it.
    fn checked(value: &Value, range: &str) -> Result<Self, String> {
        Self::from_value(value).ok_or_else(|| {
            let given = if *value == Value::Null { "nothing".into() } else { format!("`{value}`") };
            format!("expected {}, got {given}", Self::expected(range))
        })
    }
}

/// A noun and its range, as in `a number above 0`, `a whole number from 2 to 36`.
fn within(noun: &str, range: &str) -> String {
    let from = if range.starts_with(|c: char| c.is_ascii_digit()) { "from " } else { "" };
    format!("{noun} {from}{range}")
}

impl Valued for bool {
    fn expected(_: &str) -> String {
        "true or false".into()
    }

    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Bool(value) = value { Some(*value) } else { None }
    }
}

impl Valued for f64 {
    fn expected(range: &str) -> String {
        within("a number", range)
    }

    fn to_value(&self) -> Value {
        Value::Number(*self)
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Number(value) => Some(*value),
            Value::Integer(value) => Some(*value as f64),
            _ => None,
        }
    }
}

/// Whole numbers.
macro_rules! whole {
    ($($kind:ty)*) => {
        $(impl Valued for $kind {
            fn expected(range: &str) -> String {
                within("a whole number", range)
            }

            fn to_value(&self) -> Value {
                (*self).into()
            }

            fn from_value(value: &Value) -> Option<Self> {
                if let Value::Integer(value) = value { (*value).try_into().ok() } else { None }
            }
        })*
    };
}

whole!(u64 usize);

impl<T: Valued> Valued for Option<T> {
    fn expected(range: &str) -> String {
        T::expected(range)
    }

    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_value)
    }

    fn from_value(value: &Value) -> Option<Self> {
        if *value == Value::Null { Some(None) } else { T::from_value(value).map(Some) }
    }
}

impl Valued for Vec<f64> {
    fn expected(range: &str) -> String {
        within("a list of numbers", range)
    }

    fn to_value(&self) -> Value {
        self.clone().into()
    }

    fn from_value(value: &Value) -> Option<Self> {
        let Value::List(values) = value else { return None };
        values.iter().map(f64::from_value).collect()
    }
}

/// Makes an enum a type of parameters: the names of its variants, said once. With the feature
/// `serde` it is written as its name.
macro_rules! names {
    ($kind:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $crate::core::value::Valued for $kind {
            fn expected(_: &str) -> String {
                $crate::core::value::one_of(&[$($name),+])
            }

            fn to_value(&self) -> $crate::core::Value {
                match self {
                    $(Self::$variant => $name.into(),)+
                }
            }

            fn from_value(value: &$crate::core::Value) -> Option<Self> {
                let $crate::core::Value::Text(name) = value else { return None };
                match name.as_str() {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(&$crate::core::value::Valued::to_value(self), serializer)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = <$crate::core::Value as serde::Deserialize>::deserialize(deserializer)?;
                $crate::core::value::Valued::checked(&value, "").map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use names;

/// The names as a sentence lists them: `a`, `b` or `c`.
pub(crate) fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

#[cfg(feature = "serde")]
mod json {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Value;

    impl Serialize for Value {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self {
                Self::Null => serializer.serialize_none(),
                Self::Bool(value) => serializer.serialize_bool(*value),
                // The formats with whole numbers have 64 bits of them.
                Self::Integer(value) => match (u64::try_from(*value), i64::try_from(*value)) {
                    (Ok(value), _) => serializer.serialize_u64(value),
                    (_, Ok(value)) => serializer.serialize_i64(value),
                    _ => serializer.serialize_f64(*value as f64),
                },
                Self::Number(value) => serializer.serialize_f64(*value),
                Self::Text(text) => serializer.serialize_str(text),
                Self::List(values) => values.serialize(serializer),
            }
        }
    }

    impl<'de> Deserialize<'de> for Value {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            serde_json::Value::deserialize(deserializer).map(Self::from)
        }
    }

    impl From<serde_json::Value> for Value {
        fn from(value: serde_json::Value) -> Self {
            use serde_json::Value as Json;
            match value {
                Json::Null => Self::Null,
                Json::Bool(value) => Self::Bool(value),
                Json::Number(number) => match (number.as_i64(), number.as_u64()) {
                    (Some(value), _) => value.into(),
                    (_, Some(value)) => value.into(),
                    _ => number.as_f64().map_or(Self::Null, Self::Number),
                },
                Json::String(text) => Self::Text(text),
                Json::Array(values) => values.into(),
                Json::Object(_) => Self::Text(value.to_string()),
            }
        }
    }

    impl From<Value> for serde_json::Value {
        fn from(value: Value) -> Self {
            match value {
                Value::Null => Self::Null,
                Value::Bool(value) => value.into(),
                Value::Integer(whole) => match (u64::try_from(whole), i64::try_from(whole)) {
                    (Ok(value), _) => value.into(),
                    (_, Ok(value)) => value.into(),
                    _ => (whole as f64).into(),
                },
                Value::Number(value) => value.into(),
                Value::Text(text) => text.into(),
                Value::List(values) => values.into(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_parameters_come_back() {
        fn back<T: Valued + PartialEq + std::fmt::Debug>(value: T) {
            assert_eq!(T::from_value(&value.to_value()), Some(value));
        }
        back(true);
        back(-0.5);
        back(u64::MAX);
        back(7_usize);
        back(None::<f64>);
        back(Some(3_u64));
        back(vec![1.0, 2.5]);
        assert_eq!(f64::from_value(&3.into()), Some(3.0));
        assert_eq!(Vec::<f64>::from_value(&vec![3, 4].into()), Some(vec![3.0, 4.0]));
    }

    #[test]
    fn a_value_of_another_kind_is_refused_in_words() {
        let wrong = |error: Result<f64, String>| error.unwrap_err();
        assert_eq!(
            wrong(f64::checked(&"abc".into(), "above 0")),
            "expected a number above 0, got `abc`"
        );
        assert_eq!(
            wrong(f64::checked(&Value::Null, "from 0")),
            "expected a number from 0, got nothing"
        );
        let error = usize::checked(&2.5.into(), "2 to 36").unwrap_err();
        assert_eq!(error, "expected a whole number from 2 to 36, got `2.5`");
        assert!(u64::checked(&(-1).into(), "from 1").is_err());
        assert!(Option::<u64>::checked(&true.into(), "from 1").is_err());
        let error = Vec::<f64>::checked(&vec!["1", "x"].into(), "above 0").unwrap_err();
        assert_eq!(error, "expected a list of numbers above 0, got `[1,x]`");
        assert_eq!(bool::checked(&1.into(), "").unwrap_err(), "expected true or false, got `1`");
        assert_eq!(one_of(&["a", "b", "c"]), "`a`, `b` or `c`");
    }

    #[test]
    #[cfg(feature = "serde")]
    fn values_survive_json() {
        let values = [
            Value::Null,
            true.into(),
            (-3).into(),
            u64::MAX.into(),
            0.1.into(),
            "word".into(),
            vec![Value::Null, 2.into(), "x".into()].into(),
        ];
        for value in values {
            let json = serde_json::to_value(&value).unwrap();
            assert_eq!(json, serde_json::Value::from(value.clone()));
            assert_eq!(Value::from(json.clone()), value);
            assert_eq!(serde_json::from_value::<Value>(json).unwrap(), value);
        }
        let object = serde_json::json!({ "a": 1 });
        assert_eq!(Value::from(object).to_string(), r#"{"a":1}"#);
    }
}
