//! Orders of the variables, with ties.

use crate::core::Dag;

/// An order of the variables in which some may share a place.
///
/// Edges go from earlier places to later ones; variables that share a place get no edge between
/// each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    places: Vec<Vec<usize>>,
}

impl Order {
    /// A strict order: `sequence[0]` comes first.
    pub fn strict(sequence: &[usize]) -> Self {
        Self { places: sequence.iter().map(|&i| vec![i]).collect() }
    }

    /// The order of increasing potential; equal potentials share a place.
    pub fn from_potential(potential: &[f64]) -> Self {
        let mut sequence: Vec<usize> = (0..potential.len()).collect();
        // Adding 0 turns -0 into 0, which share a place.
        let key = |i: usize| potential[i] + 0.0;
        sequence.sort_by(|&i, &j| key(i).total_cmp(&key(j)).then(i.cmp(&j)));
        let mut places: Vec<Vec<usize>> = Vec::new();
        for i in sequence {
            match places.last_mut() {
                Some(place) if potential[place[0]] == potential[i] => place.push(i),
                _ => places.push(vec![i]),
            }
        }
        Self { places }
    }

    /// The order with these places, first to last; each variable is in one of them.
    pub(crate) fn from_places(places: Vec<Vec<usize>>) -> Self {
        Self { places }
    }

    /// A topological order of a graph.
    pub fn of_dag(dag: &Dag) -> Self {
        Self::strict(dag.order())
    }

    /// Number of variables.
    pub fn size(&self) -> usize {
        self.places.iter().map(Vec::len).sum()
    }

    /// The places, first to last, each with the variables that share it.
    pub fn places(&self) -> &[Vec<usize>] {
        &self.places
    }

    /// All variables, first to last; those that share a place by index.
    pub fn sequence(&self) -> Vec<usize> {
        self.places.iter().flatten().copied().collect()
    }

    /// True when no two variables share a place.
    pub fn is_strict(&self) -> bool {
        self.places.iter().all(|place| place.len() == 1)
    }

    /// The place of each variable, counted from 0.
    pub fn ranks(&self) -> Vec<usize> {
        let mut ranks = vec![0; self.size()];
        for (rank, place) in self.places.iter().enumerate() {
            for &i in place {
                ranks[i] = rank;
            }
        }
        ranks
    }
}
