//! What replicates had in common, by the names of the variables.

use std::collections::BTreeMap;

use nocurl::bootstrap::{Bootstrap, Interval, Kind};
use nocurl::graph::Direction;
use serde::{Deserialize, Serialize};

/// A [`Bootstrap`] as JSON holds it.
///
/// The fields are documented for readers of the files in `docs/graph-json.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BootstrapSummary {
    /// Where the tables came from.
    pub kind: Kind,
    /// Replicates asked for; the time allowed may have been over before all were learnt.
    #[serde(default)]
    pub asked: Option<usize>,
    /// Replicates drawn.
    pub replicates: usize,
    /// Replicates that could not be learnt from.
    pub failed: usize,
    /// Why the first of these failed.
    pub first_error: Option<String>,
    /// Share of replicates inside an interval.
    pub level: f64,
    /// Whether the confidence of edges is corrected by what frequencies were worth on simulated
    /// graphs; else it is the frequency itself.
    #[serde(default)]
    pub calibrated: bool,
    /// Pairs that are adjacent in some replicate.
    pub pairs: Vec<PairSupport>,
    /// Ordered pairs with a path in some replicate.
    pub paths: Vec<PathSupport>,
    /// The confidence from which on edges and directions are in the consensus.
    #[serde(default)]
    pub consensus_level: Option<f64>,
    /// The graph on which the replicates agree.
    pub consensus: Vec<ConsensusEdge>,
    /// The classes of the replicates, the most frequent first, where some directions are
    /// undetermined in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassCount>,
}

/// A class of graphs that some replicates gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassCount {
    /// Replicates that gave it.
    pub count: usize,
    /// Edges `[from, to]` whose direction is determined.
    pub directed: Vec<[String; 2]>,
    /// The others.
    pub undirected: Vec<[String; 2]>,
}

/// How often two variables are adjacent, and in which direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairSupport {
    /// Where the more frequent direction starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// Frequency of `from -> to`.
    pub forward: f64,
    /// Frequency of `to -> from`.
    pub backward: f64,
    /// Frequency of an edge whose direction is undetermined.
    pub undirected: f64,
    /// Frequency of an edge of any kind.
    pub adjacent: f64,
    /// Confidence interval of the weight of `from -> to`, where the graph has that edge.
    pub weight: Option<[f64; 2]>,
    /// Confidence interval of the weight of `to -> from`, where the graph has that edge.
    pub weight_backward: Option<[f64; 2]>,
}

/// How often a directed path leads from one variable to another, and with which effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathSupport {
    /// Where the paths start.
    pub from: String,
    /// Where they end.
    pub to: String,
    /// Frequency of a path.
    pub ancestor: f64,
    /// Confidence interval of the total effect, where it is known.
    pub effect: Option<[f64; 2]>,
}

/// An edge of the consensus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConsensusEdge {
    /// The cause.
    pub from: String,
    /// The effect.
    pub to: String,
    /// Whether the consensus directs it; an undirected edge is drawn as in one of its members.
    #[serde(default)]
    pub direction: Direction,
    /// Its weight, which files of schema 1 have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
}

/// What replicates say of one edge in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeSupport {
    /// Frequency of the edge in this direction.
    pub directed: f64,
    /// Frequency of an edge of any kind.
    pub adjacent: f64,
    /// Interval of the weight.
    pub weight: Option<[f64; 2]>,
}

impl BootstrapSummary {
    /// The result of a bootstrap with names for the variables, and its consensus at a level.
    ///
    /// # Panics
    /// When there are fewer names than variables.
    pub fn new(found: &Bootstrap, consensus_level: f64, names: &[String]) -> Self {
        let name = |i: usize| names[i].clone();
        let ends = |interval: Interval| [interval.lower, interval.upper];
        Self {
            kind: found.kind,
            asked: Some(found.asked),
            calibrated: found.calibration.is_some(),
            consensus_level: Some(consensus_level),
            replicates: found.replicates,
            failed: found.failed,
            first_error: found.first_error.as_ref().map(ToString::to_string),
            level: found.level,
            pairs: found
                .pairs
                .iter()
                .map(|pair| PairSupport {
                    from: name(pair.from),
                    to: name(pair.to),
                    forward: pair.forward,
                    backward: pair.backward,
                    undirected: pair.undirected,
                    adjacent: pair.adjacent,
                    weight: pair.weight.map(ends),
                    weight_backward: pair.weight_backward.map(ends),
                })
                .collect(),
            paths: found
                .paths
                .iter()
                .map(|path| PathSupport {
                    from: name(path.from),
                    to: name(path.to),
                    ancestor: path.ancestor,
                    effect: Some(ends(path.effect)),
                })
                .collect(),
            consensus: consensus(found, consensus_level, names),
            classes: classes(found, names),
        }
    }

    /// What the replicates say of each edge that occurs, by its ends, in both directions.
    pub fn edges(&self) -> BTreeMap<(&str, &str), EdgeSupport> {
        let mut edges = BTreeMap::new();
        for pair in &self.pairs {
            let (from, to, adjacent) = (pair.from.as_str(), pair.to.as_str(), pair.adjacent);
            let forward = EdgeSupport { directed: pair.forward, adjacent, weight: pair.weight };
            let weight = pair.weight_backward;
            edges.insert((from, to), forward);
            edges.insert((to, from), EdgeSupport { directed: pair.backward, adjacent, weight });
        }
        edges
    }
}

/// More classes than this are not written: rare ones hardly matter for what to do next.
const MOST_CLASSES: usize = 20;

/// The most frequent classes; none where every direction is determined in all.
fn classes(found: &Bootstrap, names: &[String]) -> Vec<ClassCount> {
    let pair = |&(i, j): &(usize, usize)| [names[i].clone(), names[j].clone()];
    if found.classes.iter().all(|class| class.undirected.is_empty()) {
        return Vec::new();
    }
    let shown = found.classes.iter().take(MOST_CLASSES);
    shown
        .map(|class| ClassCount {
            count: class.count,
            directed: class.directed.iter().map(pair).collect(),
            undirected: class.undirected.iter().map(pair).collect(),
        })
        .collect()
}

/// The edges of the consensus, the surest first.
fn consensus(found: &Bootstrap, level: f64, names: &[String]) -> Vec<ConsensusEdge> {
    let graph = found.consensus(level);
    let member = graph.to_dag().expect("a consensus has a member");
    let mut edges: Vec<(usize, usize, f64)> = member
        .edges()
        .map(|(from, to, _)| (from, to, found.confidence(from, to).adjacent))
        .collect();
    edges.sort_by(|a, b| b.2.total_cmp(&a.2));
    let direction = |from, to| match graph.has_directed(from, to) {
        true => Direction::Determined,
        false => Direction::Undetermined,
    };
    edges
        .into_iter()
        .map(|(from, to, _)| ConsensusEdge {
            from: names[from].clone(),
            to: names[to].clone(),
            direction: direction(from, to),
            weight: None,
        })
        .collect()
}
