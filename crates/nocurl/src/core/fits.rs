//! Fits of a search that can be done anywhere: what they share, what is wanted, what comes out, and
//! who does them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Dataset, Error, Mat};

/// All that the fits of a search depend on besides what is [`Wanted`].
#[derive(Debug, Clone)]
pub struct FitTable {
    data: Dataset,
    required: BTreeSet<(usize, usize)>,
    seed: u64,
}

impl FitTable {
    /// Rows of the variables, edges that must be there, and a seed.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::ForeignFits`] for edges of other variables.
    pub fn new(
        values: Mat<f64>,
        required: impl IntoIterator<Item = (usize, usize)>,
        seed: u64,
    ) -> Result<Self, Error> {
        let d = values.ncols();
        let required: BTreeSet<(usize, usize)> = required.into_iter().collect();
        if required.iter().any(|&(from, to)| from >= d || to >= d) {
            return Err(Error::ForeignFits);
        }
        let data = Dataset::new(Dataset::default_names(d), values)?;
        Ok(Self { data, required, seed })
    }

    /// The rows.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// Edges that must be there.
    pub fn required(&self) -> &BTreeSet<(usize, usize)> {
        &self.required
    }

    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

/// How a variable is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum FitKind {
    /// By curves or by a network, on all rows.
    All,
    /// The same on some of the rows.
    Some,
    /// By curves alone, on all rows.
    Curves,
}

/// A fit that a search wants: the best parents of a variable among candidates, in rising order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wanted {
    /// How it is fitted.
    pub kind: FitKind,
    /// The variable.
    pub target: usize,
    /// What may be its parents.
    pub candidates: Vec<usize>,
}

impl Wanted {
    /// Whether it can be one of a table with so many variables.
    pub(crate) fn is_of(&self, variables: usize) -> bool {
        let may = |&i: &usize| i < variables && i != self.target;
        self.target < variables && is_rising(&self.candidates) && self.candidates.iter().all(may)
    }
}

/// The parents of a variable, and what it costs with them: `n log(residual variance)` and what the
/// extended BIC asks for the weights of its network or the degrees of freedom of its curves.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Fitted {
    /// The parents, in rising order.
    pub parents: Vec<usize>,
    /// What it costs.
    pub score: f64,
    /// How far its residuals are from a normal law: minus twice the gain in log-likelihood of a law
    /// of their own.
    pub shape: f64,
    /// Whether it is a network that costs this, and not a sum of curves.
    pub network: bool,
}

impl Fitted {
    /// Whether it can be what came of this.
    pub(crate) fn answers(&self, wanted: &Wanted) -> bool {
        let among = |parent| wanted.candidates.binary_search(parent).is_ok();
        is_rising(&self.parents) && self.parents.iter().all(among)
    }
}

fn is_rising(list: &[usize]) -> bool {
    list.windows(2).all(|pair| pair[0] < pair[1])
}

/// Does the fits of a search elsewhere: in other processes, on other machines.
pub trait Fitters: Sync {
    /// What comes of each fit, in their order, as `methods::nonlinear::Fits` does them. Called with
    /// all fits that the search can go on with, and not from several threads of one search at once.
    ///
    /// # Errors
    /// When they cannot be done; [`Error::Cancelled`] where the work is to stop.
    fn fit(&self, table: &Arc<FitTable>, wanted: &[Wanted]) -> Result<Vec<Fitted>, Error>;
}
