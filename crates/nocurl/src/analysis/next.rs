//! What to do next: the intervention that is expected to determine most undetermined directions.
//!
//! An intervention on a variable tells the direction of every edge between it and others, and what
//! follows from these (Meek, 1995). How much that is depends on the true graph, so it is averaged
//! over the members of the class, and over the classes that resampled tables gave, each by how
//! often it came (as He and Geng, *Active learning of causal networks*, JMLR 2008, by the number of
//! edges that are settled).

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::core::parallel::*;
use crate::core::{Error, Pdag};

/// Members of a class that are looked at; all of them where there are no more.
const MEMBERS: usize = 64;

/// A class of graphs and how often it came.
#[derive(Debug, Clone)]
pub struct WeightedClass {
    /// Its partially directed graph.
    pub class: Pdag,
    /// How often it came, in any unit.
    pub weight: f64,
}

/// An intervention and what it is expected to settle.
#[derive(Debug, Clone, PartialEq)]
pub struct NextExperiment {
    /// The variables to act on, at once.
    pub targets: Vec<usize>,
    /// Undetermined directions that it is expected to determine.
    pub settled: f64,
    /// The largest and the smallest number over the graphs looked at.
    pub range: (usize, usize),
}

/// What is undetermined, and the interventions that settle most of it, the best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Next {
    /// Undetermined directions, on average over the classes.
    pub undetermined: f64,
    /// Graphs that were looked at.
    pub graphs: usize,
    /// The interventions, of which none is as good as another with fewer targets.
    pub experiments: Vec<NextExperiment>,
}

/// Compares interventions on `targets` variables at once, of those that `candidates` lists. Sets of
/// more than one are built one by one, each time by the variable that adds most.
///
/// ```
/// use nocurl::next::{WeightedClass, next};
/// use nocurl::Pdag;
/// // a - b - c: acting on b tells both directions, acting on an end sometimes one.
/// let class = Pdag::new(3, &[], &[(0, 1), (1, 2)])?;
/// let found = next(&[WeightedClass { class, weight: 1.0 }], &[0, 1, 2], 1, 0)?;
/// assert_eq!(found.experiments[0].targets, [1]);
/// assert_eq!(found.experiments[0].settled, 2.0);
/// # Ok::<(), nocurl::Error>(())
/// ```
///
/// # Errors
/// No classes, no candidates, or a graph that is no class.
pub fn next(
    classes: &[WeightedClass],
    candidates: &[usize],
    targets: usize,
    seed: u64,
) -> Result<Next, Error> {
    let total: f64 = classes.iter().map(|class| class.weight).sum();
    if classes.is_empty() || candidates.is_empty() || targets == 0 || total <= 0.0 {
        let reason = "there is no variable to act on, or no graph to look at";
        return Err(Error::Experiments { reason: reason.into() });
    }
    let mut cases = Vec::new();
    for (number, weighted) in classes.iter().enumerate() {
        let members = members(&weighted.class, seed.wrapping_add(number as u64));
        let weight = weighted.weight / total / members.len() as f64;
        cases.extend(members.into_iter().map(|member| (&weighted.class, member, weight)));
    }
    let open = |class: &Pdag| class.undirected().count();
    let undetermined = cases.iter().map(|(class, _, weight)| weight * open(class) as f64).sum();
    let look = |set: &[usize]| {
        let mut settled = 0.0;
        let (mut least, mut most) = (usize::MAX, 0);
        for (class, member, weight) in &cases {
            let count = settled_by(class, member, set);
            settled += weight * count as f64;
            (least, most) = (least.min(count), most.max(count));
        }
        NextExperiment { targets: set.to_vec(), settled, range: (least, most) }
    };
    let mut best: Vec<NextExperiment> = vec![look(&[])];
    for _ in 0..targets {
        let base = best[0].targets.clone();
        let more: Vec<usize> = candidates.iter().copied().filter(|v| !base.contains(v)).collect();
        if more.is_empty() {
            break;
        }
        let mut found: Vec<NextExperiment> = more
            .par_iter()
            .map(|&v| {
                let mut set = base.clone();
                set.push(v);
                set.sort_unstable();
                look(&set)
            })
            .collect();
        found.sort_by(|a, b| b.settled.total_cmp(&a.settled).then(a.targets.cmp(&b.targets)));
        best = found;
    }
    Ok(Next { undetermined, graphs: cases.len(), experiments: best })
}

/// Directions that an intervention tells when the member is the truth.
fn settled_by(class: &Pdag, member: &Pdag, set: &[usize]) -> usize {
    let mut told = class.clone();
    for (i, j) in class.undirected() {
        if set.contains(&i) != set.contains(&j) && told.has_undirected(i, j) {
            if member.has_directed(i, j) { told.direct(i, j) } else { told.direct(j, i) }
        }
    }
    told.apply_meek_rules();
    class.undirected().count() - told.undirected().count()
}

/// Members of a class as directed graphs: all of them, or some drawn by chance.
fn members(class: &Pdag, seed: u64) -> Vec<Pdag> {
    let mut all = Vec::new();
    if enumerate(class.clone(), &mut all) {
        return all;
    }
    let mut stream = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..MEMBERS).map(|_| drawn(class, &mut stream)).collect()
}

/// Collects all members; false where there are too many.
fn enumerate(class: Pdag, all: &mut Vec<Pdag>) -> bool {
    let open = class.undirected().next();
    let Some((i, j)) = open else {
        all.push(class);
        return all.len() <= MEMBERS;
    };
    [(i, j), (j, i)].into_iter().all(|(from, to)| {
        let mut told = class.clone();
        told.direct(from, to);
        told.apply_meek_rules();
        enumerate(told, all)
    })
}

/// A member by chance: undirected edges get a direction one after the other.
fn drawn(class: &Pdag, stream: &mut Xoshiro256PlusPlus) -> Pdag {
    let mut member = class.clone();
    loop {
        let open: Vec<(usize, usize)> = member.undirected().collect();
        let Some(&(i, j)) = open.get(stream.random_range(0..open.len().max(1))) else {
            return member;
        };
        let (from, to) = if stream.random_bool(0.5) { (i, j) } else { (j, i) };
        member.direct(from, to);
        member.apply_meek_rules();
    }
}
