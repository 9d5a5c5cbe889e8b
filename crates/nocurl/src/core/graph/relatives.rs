//! Who is who around a variable.

use super::{Dag, Pdag};

/// Variables from which steps lead to `start`, without it, from small to large.
fn reach(d: usize, start: usize, step: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut seen = vec![false; d];
    let mut queue = vec![start];
    while let Some(v) = queue.pop() {
        for u in (0..d).filter(|&u| step(u, v)) {
            if !std::mem::replace(&mut seen[u], true) {
                queue.push(u);
            }
        }
    }
    (0..d).filter(|&v| seen[v] && v != start).collect()
}

impl Dag {
    /// The variables with a directed path to this one.
    pub fn ancestors(&self, variable: usize) -> Vec<usize> {
        reach(self.size(), variable, |u, v| self.has_edge(u, v))
    }

    /// The parents, the children, and the other parents of the children: given these, the variable
    /// is independent of all others.
    ///
    /// ```
    /// use nocurl::Dag;
    /// let dag = Dag::from_edges(5, &[(0, 1), (1, 2), (3, 2), (2, 4)])?;
    /// assert_eq!(dag.markov_blanket(1), [0, 2, 3]);
    /// # Ok::<(), nocurl::Error>(())
    /// ```
    pub fn markov_blanket(&self, variable: usize) -> Vec<usize> {
        let near = |u: usize| {
            let child = |c: usize| self.has_edge(variable, c);
            self.has_edge(u, variable)
                || child(u)
                || self.children(u).any(|c| c != variable && child(c))
        };
        (0..self.size()).filter(|&u| u != variable && near(u)).collect()
    }
}

impl Pdag {
    /// The variables with a directed edge to this one.
    pub fn parents(&self, variable: usize) -> Vec<usize> {
        (0..self.size()).filter(|&u| self.has_directed(u, variable)).collect()
    }

    /// The variables with an undirected edge to this one.
    pub fn siblings(&self, variable: usize) -> Vec<usize> {
        (0..self.size()).filter(|&u| self.has_undirected(u, variable)).collect()
    }

    /// The variables with a path of directed edges to this one: ancestors in every member.
    pub fn ancestors(&self, variable: usize) -> Vec<usize> {
        reach(self.size(), variable, |u, v| self.has_directed(u, v))
    }

    /// The variables with a path to this one that has no edge against it: all that are ancestors in
    /// some member, and maybe more.
    pub fn possible_ancestors(&self, variable: usize) -> Vec<usize> {
        let along = |u, v| self.has_directed(u, v) || self.has_undirected(u, v);
        reach(self.size(), variable, along)
    }

    /// The Markov blanket of a variable, which all members share; nothing when there is no member.
    pub fn markov_blanket(&self, variable: usize) -> Option<Vec<usize>> {
        self.to_dag().ok().map(|member| member.markov_blanket(variable))
    }
}
