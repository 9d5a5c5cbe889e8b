//! Search over graphs with networks as regressions, from the order of any method.

use super::{Refined, Refinement};
use crate::core::memory::{Memory, Size};
use crate::core::{Action, Error, Order};
use crate::math::networks;
use crate::methods::nonlinear::{MOST_UNITS, search};
use crate::methods::{Directions, Facts, Needs, Task, cam};

/// BIC of networks as the score.
pub(super) struct Networks;

impl Refinement for Networks {
    fn facts(&self) -> Facts {
        Facts {
            name: "networks",
            phrase: "the search with networks",
            summary: "search over graphs with a network for each variable, for effects of any shape",
            directions: Directions::NonlinearEffects,
            needs: Needs::Rows,
            linear: false,
            chooses_edges: true,
            checkpoint: true,
            depends_on_units: false,
            most_to_check: 4,
            most_to_resample: Some(0),
            reference: "this project; prices after Zou, Hastie and Tibshirani, 2007",
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        // One network at a time for each thread; those of all variables are kept. The splines of the
        // screening are there beside them.
        networks::memory(MOST_UNITS, size).plus(cam::Curves::memory(size))
    }

    fn search(&self, task: &Task<'_>, start: &Order) -> Result<Refined, Error> {
        let what = || Error::NeedsRows { what: Action::set("refine", "networks") };
        let rows = task.rows.ok_or_else(what)?;
        let found =
            search(task.problem, rows, std::slice::from_ref(start), None, task.seed, task.run)?;
        Ok(Refined {
            order: Order::strict(&found.order),
            directed: Some(found.directed(task.problem)),
            score_before: found.score_before,
            score_after: found.score(),
            parents: Some(found.nodes.into_iter().map(|node| node.parents).collect()),
            moves: found.moves,
        })
    }
}
