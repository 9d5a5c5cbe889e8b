//! Families of random graphs.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

use crate::core::Error;

/// A family of random acyclic graphs. The variables of every family are shuffled, so that their
/// index says nothing about their place in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum GraphFamily {
    /// Erdős-Rényi: each pair is an edge with probability `degree / (d - 1)`, which makes
    /// `degree * d / 2` expected edges.
    Er,
    /// Scale-free, after Barabási and Albert (1999): each new variable points to
    /// `round(degree / 2)` draws, with replacement, from a bag that holds every older variable once
    /// for itself and once for each time it was drawn. Repeated draws make one edge, so the number
    /// of edges falls a little short of `degree * d / 2`. Halves round to even, as in the
    /// experiments of the paper (degree 3 and degree 4 are both two draws).
    Sf,
    /// One path through all variables.
    Chain,
    /// An edge between each two variables.
    Full,
}

impl GraphFamily {
    pub(super) fn validate(self, degree: f64, d: usize) -> Result<(), Error> {
        let reason = match self {
            Self::Er | Self::Sf if !(degree >= 0.0 && degree <= (d - 1) as f64) => {
                "the expected degree lies between 0 and the number of variables less one"
            }
            Self::Sf if draws(degree) == 0 => "a scale-free graph needs a degree above 1",
            _ => return Ok(()),
        };
        Err(Error::Parameter { name: "degree", value: degree.to_string(), reason })
    }

    /// Edges `from -> to` of a drawn graph.
    pub(super) fn edges(self, degree: f64, d: usize, rng: &mut impl Rng) -> Vec<(usize, usize)> {
        let mut label: Vec<usize> = (0..d).collect();
        label.shuffle(rng);
        let mut edges = self.unlabelled_edges(degree, d, rng);
        edges.iter_mut().for_each(|(from, to)| (*from, *to) = (label[*from], label[*to]));
        edges
    }

    fn unlabelled_edges(self, degree: f64, d: usize, rng: &mut impl Rng) -> Vec<(usize, usize)> {
        let pairs = (0..d).flat_map(|to| (0..to).map(move |from| (from, to)));
        match self {
            Self::Er => {
                let probability = (degree / (d - 1) as f64).min(1.0);
                pairs.filter(|_| rng.random_bool(probability)).collect()
            }
            Self::Sf => preferential_attachment(draws(degree), d, rng),
            Self::Chain => (1..d).map(|to| (to - 1, to)).collect(),
            Self::Full => pairs.collect(),
        }
    }
}

fn draws(degree: f64) -> usize {
    (degree / 2.0).round_ties_even() as usize
}

fn preferential_attachment(draws: usize, d: usize, rng: &mut impl Rng) -> Vec<(usize, usize)> {
    let mut edges = Vec::with_capacity(draws * d);
    let mut bag = vec![0];
    for new in 1..d {
        let mut drawn: Vec<usize> =
            (0..draws).map(|_| *bag.choose(rng).expect("the bag is never empty")).collect();
        bag.push(new);
        bag.extend(&drawn);
        drawn.sort_unstable();
        drawn.dedup();
        edges.extend(drawn.into_iter().map(|old| (new, old)));
    }
    edges
}
