//! Search over orders after a method: single variables move to their best place while a score
//! falls.

mod bic;
mod equal_variance;
mod networks;

use std::fmt;

use crate::core::error::closest;
use crate::core::memory::{Memory, Size, ask};
use crate::core::parallel::threads;
use crate::core::{Error, Order};
use crate::methods::{Facts, Task};

/// A search that starts from the order of a method. To add one, write a file with its type, and
/// add a line to the list below.
pub trait Refinement: Sync {
    /// What there is to know about it; its name and summary, and what the result determines.
    fn facts(&self) -> Facts;

    /// Memory that it takes at its peak, from above, beside the second moments and the rows.
    fn memory(&self, size: &Size) -> Memory {
        Memory::matrices(10.0 + 4.0 * size.threads as f64)
    }

    /// Searches from `start`, among the orders that prior knowledge allows.
    ///
    /// # Errors
    /// Data it cannot use, or a request to stop.
    fn search(&self, task: &Task<'_>, start: &Order) -> Result<Refined, Error>;
}

/// A refinement by name; serialised as that name.
///
/// ```
/// use nocurl::refine::Refine;
/// assert_eq!(Refine::from_name("bic")?, Refine::BIC);
/// # Ok::<(), nocurl::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Refine(&'static dyn Refinement);

impl Refine {
    /// The sum of residual variances, right when error variances are equal; depends on units.
    pub const EQUAL_VARIANCE: Self = Self(&equal_variance::EqualVariance);
    /// The Bayesian information criterion with the best parents found before each variable; does
    /// not depend on units.
    pub const BIC: Self = Self(&bic::Bic);
    /// The same criterion with a network of sigmoids for each variable, for effects of any shape;
    /// needs the rows, and does not depend on units. It fits a network of up to 32 sigmoids for
    /// every variable and every set of candidates it looks at: some `d + 2 edges` of them, a tenth
    /// of a second to seconds each.
    pub const NETWORKS: Self = Self(&networks::Networks);

    /// Every refinement there is.
    pub const ALL: &[Self] = &[Self::EQUAL_VARIANCE, Self::BIC, Self::NETWORKS];

    /// The refinement of this name.
    ///
    /// # Errors
    /// [`Error::UnknownRefinement`] with the closest known name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        let known = Self::ALL.iter().find(|refine| refine.name() == name);
        known.copied().ok_or_else(|| Error::UnknownRefinement {
            name: name.into(),
            suggestion: closest(name, Self::ALL.iter().map(Self::name)).map(Into::into),
            known: Self::ALL.iter().map(Self::name).collect(),
        })
    }

    /// What there is to know about it.
    pub fn facts(&self) -> Facts {
        self.0.facts()
    }

    /// The name under which users know it.
    pub fn name(&self) -> &'static str {
        self.facts().name
    }

    /// Memory that it takes at its peak, from above, beside the second moments and the rows.
    pub fn memory(&self, size: &Size) -> Memory {
        self.0.memory(size)
    }

    /// Searches for an order with a lower score, from `start`, among those that prior knowledge
    /// allows.
    ///
    /// # Errors
    /// Singular second moments, cancellation, or no rows where they are needed.
    pub fn search(&self, task: &Task<'_>, start: &Order) -> Result<Refined, Error> {
        let (variables, rows) = (task.problem.size(), task.problem.rows());
        let size = Size { variables, rows, threads: threads() };
        ask("the refinement", self.memory(&size).at(variables, rows))?;
        self.0.search(task, &task.problem.knowledge().repair(start))
    }
}

impl PartialEq for Refine {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl fmt::Debug for Refine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Refine {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Refine {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <String as serde::Deserialize>::deserialize(deserializer)?;
        Self::from_name(&name).map_err(serde::de::Error::custom)
    }
}

/// What a search found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Refined {
    /// The order, without ties.
    pub order: Order,
    /// The parents of each variable, where the search chose them too.
    pub parents: Option<Vec<Vec<usize>>>,
    /// The edges whose directions it determines, where these are not all of them.
    pub directed: Option<Vec<(usize, usize)>>,
    /// The score of the starting order.
    pub score_before: f64,
    /// The score of the order found.
    pub score_after: f64,
    /// Moves that lowered the score.
    pub moves: u64,
}
