//! What a file says about an edge beside its ends.

use std::collections::BTreeSet;

use nocurl::Claim;

use super::{Edge, GraphDocument};
use crate::error::shorten;

/// Whether all graphs of the equivalence class share the direction of an edge; the attribute
/// `cpdag` of edges in every format but JSON, which has the whole class in a field of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// They share it.
    Directed,
    /// It points either way in some of them.
    Undirected,
}

impl Mark {
    /// The word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Directed => "directed",
            Self::Undirected => "undirected",
        }
    }

    /// The mark of this name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        [Self::Directed, Self::Undirected].into_iter().find(|mark| mark.name() == name)
    }
}

/// What is known of one edge while a file is being read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Attributes {
    pub(super) weight: Option<f64>,
    pub(super) mark: Option<Mark>,
}

impl Attributes {
    /// Takes an attribute by its name in files; others are passed over.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "weight" => self.weight = Some(number(value)?),
            "cpdag" => {
                let mark = Mark::from_name(value).ok_or_else(|| {
                    let value = shorten(value, 40);
                    format!("an edge has `cpdag` `{value}`; it is `directed` or `undirected`")
                })?;
                self.mark = Some(mark);
            }
            _ => {}
        }
        Ok(())
    }
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("`{}` is not a number", shorten(text, 40)))
}

/// How much of a graph is meant, by its name in files.
pub(super) fn claim(name: &str) -> Result<Claim, String> {
    Claim::ALL.into_iter().find(|claim| claim.name() == name).ok_or_else(|| {
        let name = shorten(name, 40);
        format!("its `claim` is `{name}`; it is `dag`, `class` or `skeleton`")
    })
}

impl GraphDocument {
    /// The edges, each with its mark in the equivalence class.
    pub fn marked_edges(&self) -> impl Iterator<Item = (&Edge, Mark)> {
        let open: BTreeSet<[&str; 2]> =
            self.cpdag.undirected.iter().map(|[i, j]| [i.as_str(), j.as_str()]).collect();
        self.edges.iter().map(move |edge| {
            let (from, to) = (edge.from.as_str(), edge.to.as_str());
            let is_open = open.contains(&[from, to]) || open.contains(&[to, from]);
            (edge, if is_open { Mark::Undirected } else { Mark::Directed })
        })
    }

    /// True when the claim means the direction of an edge with this mark.
    pub fn means_direction(&self, mark: Mark) -> bool {
        match self.claim {
            Claim::Dag => true,
            Claim::Class => mark == Mark::Directed,
            Claim::Skeleton => false,
        }
    }
}
