//! The graphs that are as good as the one that is drawn.

use nocurl::Pdag;

use super::GraphDocument;
use crate::Error;

impl GraphDocument {
    /// The graphs that the evidence does not tell apart: those of the class that have the determined
    /// directions. Without a class, the determined directions are all that is known.
    ///
    /// # Errors
    /// Those of [`GraphDocument::determined`].
    pub fn members(&self) -> Result<Pdag, Error> {
        let determined = self.determined()?;
        let Some(class) = &self.class else { return Ok(determined) };
        let place = |name: &String| self.variables.iter().position(|other| other == name);
        let pairs = |edges: &[[String; 2]]| -> Option<Vec<(usize, usize)>> {
            edges.iter().map(|[i, j]| Some((place(i)?, place(j)?))).collect()
        };
        let (Some(mut directed), Some(mut undirected)) =
            (pairs(&class.directed), pairs(&class.undirected))
        else {
            return Ok(determined);
        };
        let size = self.variables.len();
        let class = Pdag::new(size, &directed, &undirected)?;
        // A class of other adjacencies is not that of this graph.
        let same = self.dag()?.edges().all(|(i, j, _)| class.is_adjacent(i, j))
            && directed.len() + undirected.len() == self.edges.len();
        if !same {
            return Ok(determined);
        }
        let told = determined.directed().filter(|&(i, j)| class.has_undirected(i, j));
        let told: Vec<(usize, usize)> = told.collect();
        if told.is_empty() {
            return Ok(class);
        }
        undirected.retain(|&(i, j)| !told.contains(&(i, j)) && !told.contains(&(j, i)));
        directed.extend(told);
        let mut members = Pdag::new(size, &directed, &undirected)?;
        members.apply_meek_rules();
        // Directions of different evidence may contradict each other.
        Ok(if members.to_dag().is_ok() { members } else { class })
    }
}
