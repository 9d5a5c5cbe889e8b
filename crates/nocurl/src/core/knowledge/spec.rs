//! Statements by name, as users write them.

use std::collections::BTreeSet;

use crate::core::Error;

/// Statements about the graph, by the names of the variables.
///
/// | Name | Meaning |
/// |---|---|
/// | `required` | edges `from -> to` that are there |
/// | `forbidden` | edges `from -> to` that are not |
/// | `tiers` | sets of variables in the order of time: nothing acts on an earlier tier, not even through variables that are in none |
/// | `sources` | variables without parents |
/// | `sinks` | variables without children |
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct KnowledgeSpec {
    /// Edges `(from, to)` that are there.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub required: Vec<(String, String)>,
    /// Edges `(from, to)` that are not there.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub forbidden: Vec<(String, String)>,
    /// Sets of variables, the earliest first. Variables in none are free.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub tiers: Vec<Tier>,
    /// Variables without parents.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub sources: Vec<String>,
    /// Variables without children.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub sinks: Vec<String>,
}

/// Variables that share a place in time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Tier {
    /// The variables.
    pub variables: Vec<String>,
    /// Whether edges among them are forbidden too.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "std::ops::Not::not"))]
    pub forbid_within: bool,
}

impl Tier {
    /// A tier with edges among its variables.
    pub fn new<T: Into<String>>(variables: impl IntoIterator<Item = T>) -> Self {
        Self { variables: variables.into_iter().map(Into::into).collect(), forbid_within: false }
    }
}

impl KnowledgeSpec {
    /// True when nothing is stated.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }

    /// Whether some table could have variables that satisfy this: contradictions are found before
    /// any data is read.
    ///
    /// # Errors
    /// Those of [`Self::resolve`], but for names that are not there.
    pub fn check(&self) -> Result<(), Error> {
        let edges = self.required.iter().chain(&self.forbidden);
        let names: BTreeSet<&String> = edges
            .flat_map(|(from, to)| [from, to])
            .chain(self.tiers.iter().flat_map(|tier| &tier.variables))
            .chain(self.sources.iter().chain(&self.sinks))
            .collect();
        self.resolve(&names.into_iter().cloned().collect::<Vec<_>>()).map(drop)
    }

    /// The statements of both.
    ///
    /// # Errors
    /// When both have tiers: which of them come first would be a guess.
    pub fn merge(mut self, other: Self) -> Result<Self, Error> {
        if !self.tiers.is_empty() && !other.tiers.is_empty() {
            return Err(Error::Knowledge {
                reason: "tiers are given in two places: give all of them in one".into(),
            });
        }
        self.required.extend(other.required);
        self.forbidden.extend(other.forbidden);
        self.tiers.extend(other.tiers);
        self.sources.extend(other.sources);
        self.sinks.extend(other.sinks);
        Ok(self)
    }
}
