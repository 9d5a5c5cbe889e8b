//! What a training needs to go on, whatever the method.

use super::Error;

/// A training between two of its steps: all that later ones depend on besides data and options.
///
/// With the feature `serde` it can be written down and read back; training then goes on with the
/// same bits as if it had never stopped. Without the feature it can be kept in memory alone. It
/// fits only the data, the options and the version that it comes from, which whoever keeps it must
/// see to.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(PartialEq, serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TrainingState {
    /// How far it is, as in `300 epochs`.
    done: String,
    /// The state in the method's own form.
    state: form::State,
}

impl TrainingState {
    /// The state of a method that has come as far as `done` says.
    pub(crate) fn new(done: String, state: &impl Kept) -> Self {
        Self { done, state: form::encode(state) }
    }

    /// The state in a method's own form.
    ///
    /// # Errors
    /// When it is of another method.
    pub(crate) fn decode<T: Kept>(self) -> Result<T, Error> {
        form::decode(self.state).ok_or_else(unfit)
    }

    /// How far it is, as in `300 epochs`.
    pub fn done(&self) -> &str {
        &self.done
    }
}

pub(crate) use form::Kept;

/// States as values that can be written down.
#[cfg(feature = "serde")]
mod form {
    pub(super) type State = serde_json::Value;

    /// What a state can be.
    pub(crate) trait Kept: serde::Serialize + serde::de::DeserializeOwned {}
    impl<T: serde::Serialize + serde::de::DeserializeOwned> Kept for T {}

    pub(super) fn encode(state: &impl Kept) -> State {
        serde_json::to_value(state).expect("a state holds numbers and lists alone")
    }

    pub(super) fn decode<T: Kept>(state: State) -> Option<T> {
        serde_json::from_value(state).ok()
    }
}

/// States in memory.
#[cfg(not(feature = "serde"))]
mod form {
    use std::any::Any;
    use std::sync::Arc;

    pub(super) type State = Arc<dyn Any + Send + Sync>;

    /// What a state can be.
    pub(crate) trait Kept: Clone + Send + Sync + 'static {}
    impl<T: Clone + Send + Sync + 'static> Kept for T {}

    pub(super) fn encode(state: &impl Kept) -> State {
        Arc::new(state.clone())
    }

    pub(super) fn decode<T: Kept>(state: State) -> Option<T> {
        state.downcast_ref::<T>().cloned()
    }
}

/// Whether a training can have come so far: a count that has been tampered with may be too large to
/// go on from.
pub(crate) fn is_count(count: u64) -> bool {
    count < 1 << 48
}

/// The error of a state that is not one of this training.
pub(crate) fn unfit() -> Error {
    Error::ForeignCheckpoint
}
