//! The smallest method there can be, for tests: variables in the order of the table.

use super::{Directions, Facts, Method, Proposal, Task, parameters};
use crate::core::{Error, Order};

parameters! {
    /// Takes the variables as they come.
    pub struct Toy {
        /// Whether the order of the table is turned around.
        reverse: bool = false, "true, false";
    }
}

impl Method for Toy {
    fn facts(&self) -> Facts {
        Facts {
            name: "toy",
            class: "Toy",
            summary: "the order of the table, for tests",
            directions: Directions::Nothing,
            depends_on_units: false,
            reference: "none",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        let mut sequence: Vec<usize> = (0..task.problem.size()).collect();
        if self.reverse {
            sequence.reverse();
        }
        Ok(Proposal::direct(Order::strict(&sequence)))
    }
}
