//! The graphs that are as good as the one that is drawn.

use nocurl::{Determines, Evidence, Pdag};

use super::GraphDocument;
use crate::Error;

impl GraphDocument {
    /// The graphs that the evidence does not tell apart: those of the class, with the directions that
    /// the shape of errors tells.
    ///
    /// # Errors
    /// Those of [`GraphDocument::determined`].
    pub fn members(&self) -> Result<Pdag, Error> {
        let determined = self.determined()?;
        let Some(class) = self.class.as_ref().filter(|_| self.determines == Determines::Class)
        else {
            return Ok(determined);
        };
        let place = |name: &String| self.variables.iter().position(|other| other == name);
        let pairs = |edges: &[[String; 2]]| -> Option<Vec<(usize, usize)>> {
            edges.iter().map(|[i, j]| Some((place(i)?, place(j)?))).collect()
        };
        let (Some(mut directed), Some(mut undirected)) =
            (pairs(&class.directed), pairs(&class.undirected))
        else {
            return Ok(determined);
        };
        for edge in self.edges.iter().filter(|e| e.evidence == Some(Evidence::ErrorShape)) {
            if let Some((i, j)) = place(&edge.from).zip(place(&edge.to)) {
                undirected.retain(|&pair| pair != (i, j) && pair != (j, i));
                if !directed.contains(&(i, j)) {
                    directed.push((i, j));
                }
            }
        }
        let class = Pdag::new(self.variables.len(), &directed, &undirected)?;
        // A class of other adjacencies is not that of this graph.
        let same = self.dag()?.edges().all(|(i, j, _)| class.is_adjacent(i, j))
            && directed.len() + undirected.len() == self.edges.len();
        Ok(if same { class } else { determined })
    }
}
