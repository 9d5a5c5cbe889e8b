//! What a training needs to go on, whatever the method.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Error;

/// A training between two of its steps: all that later ones depend on besides data and options.
///
/// It can be written down and read back; training then goes on with the same bits as if it had
/// never stopped. It fits only the data, the options and the version that it comes from, which
/// whoever keeps it must see to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingState {
    /// How far it is, as in `300 epochs`.
    done: String,
    /// The state in the method's own form.
    state: Value,
}

impl TrainingState {
    /// The state of a method that has come as far as `done` says.
    pub(crate) fn new(done: String, state: &impl Serialize) -> Self {
        let state = serde_json::to_value(state).expect("a state holds numbers and lists alone");
        Self { done, state }
    }

    /// The state in a method's own form.
    ///
    /// # Errors
    /// When it is of another method.
    pub(crate) fn decode<T: DeserializeOwned>(self) -> Result<T, Error> {
        serde_json::from_value(self.state).map_err(|_| unfit())
    }

    /// How far it is, as in `300 epochs`.
    pub fn done(&self) -> &str {
        &self.done
    }
}

/// The error of a state that is not one of this training.
pub(crate) fn unfit() -> Error {
    Error::ForeignCheckpoint
}
