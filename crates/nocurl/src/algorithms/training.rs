//! What a training needs to go on, whatever the method.

use serde::{Deserialize, Serialize};

use super::dag_gnn;
use crate::Error;
use crate::networks::Journal;

/// A training between two of its steps: all that later ones depend on besides data and options.
///
/// It can be written down and read back; training then goes on with the same bits as if it had
/// never stopped. It fits only the data, the options and the version that it comes from, which
/// whoever keeps it must see to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingState(pub(crate) Kind);

/// The state of each kind of training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// `dag-gnn` and `nocurl-gnn`, between two epochs.
    Autoencoder(dag_gnn::State),
    /// `notears-mlp` and `nocurl-mlp`, between two passes.
    Networks(Journal),
}

impl TrainingState {
    /// How far it is, as in `300 epochs`.
    pub fn done(&self) -> String {
        match &self.0 {
            Kind::Autoencoder(state) => format!("{} epochs", state.epochs),
            Kind::Networks(journal) => format!("{} iterations", journal.iterations()),
        }
    }
}

/// The error of a state that is not one of this training.
pub(crate) fn unfit() -> Error {
    Error::Mismatch {
        what: "checkpoint",
        detail: "it is not of this data and method; start again without it".into(),
    }
}
