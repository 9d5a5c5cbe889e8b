//! From a document to its report.

use std::collections::BTreeMap;

use nocurl::class_effects::effects_over_class;
use nocurl::model::Model;
use nocurl::refine::Refine;
use nocurl::{Algorithm, Mat, Options, effects};
use nocurl_render::{Diagram, Direction as Head};
use nocurl_report::{Check, Column, Effects, Fact, Link, Range, Report, View};
use serde_json::Value;

use super::{BootstrapSummary, Direction, EdgeSupport, Expanded, GraphDocument};
use crate::Error;

/// Variables up to which effects are given over a class: beyond it takes long, and much room.
const MOST_FOR_RANGES: usize = 100;

/// Columns up to which effects can be looked at.
const MOST_FOR_EFFECTS: usize = 5000;

impl GraphDocument {
    /// Everything that a report shows, with the places of the variables.
    ///
    /// # Errors
    /// Edges between variables that are not there; not in a document that was read.
    ///
    /// ```
    /// use nocurl_io::{Source, read_graph};
    /// let graph = read_graph(&Source::bytes("g.csv", "from,to,weight\nrain,wet,2\n"))?;
    /// let page = nocurl_report::html(&graph.report()?);
    /// assert!(page.starts_with("<!doctype html>") && page.contains("rain"));
    /// # Ok::<(), nocurl_io::Error>(())
    /// ```
    pub fn report(&self) -> Result<Report, Error> {
        let diagram = self.diagram()?;
        let mut views = vec![self.best(&diagram)?];
        views.extend(self.consensus(&diagram)?);
        let name = self.input.as_ref().map(|input| file_name(&input.path));
        let mut sentences = Vec::new();
        if !self.directions.is_empty() {
            sentences.push(self.directions.clone());
        }
        Ok(Report {
            title: name.unwrap_or_else(|| "Graph".into()),
            summary: diagram.title.clone(),
            sentences,
            warnings: self.warnings.clone(),
            variables: self.read_variables(),
            views,
            resampled: self.bootstrap.as_ref().map(|found| (found.replicates, found.level)),
            sample: self.sample.clone(),
            effects: self.effects()?,
            checks: checks(&self.diagnosis),
            facts: self.facts(),
            command: self.command.clone(),
            settings: self.parameters.clone(),
            compared: None,
            still: Some(diagram),
        })
    }

    /// Leaves out all but so many of the rows that a report shows.
    pub fn keep_rows(&mut self, most: usize) {
        let all = self.sample.first().map_or(0, Vec::len);
        if most == 0 {
            self.sample.clear();
        } else if most < all {
            for column in &mut self.sample {
                *column = (0..most).map(|k| column[k * all / most]).collect();
            }
        }
    }

    /// The graph as it was learnt.
    fn best(&self, diagram: &Diagram) -> Result<View, Error> {
        let mut view = View::new("Best graph", diagram);
        let support = self.bootstrap.as_ref().map(BootstrapSummary::edges);
        for (link, edge) in view.edges.iter_mut().zip(&self.edges) {
            link.standardized = edge.standardized_weight;
            link.direction_confidence = edge.confidence.map(|sure| sure.direction);
            link.evidence = edge.evidence.map(|evidence| evidence.name().into());
            let of = |c: &nocurl::links::Coefficient| {
                (c.from_level.clone(), c.to_level.clone(), c.value)
            };
            link.coefficients = edge.coefficients.iter().map(of).collect();
            link.interval = interval(support.as_ref(), &edge.from, &edge.to)
                .filter(|_| edge.coefficients.is_empty());
        }
        Ok(view)
    }

    /// The graph on which resampled tables agree, where there are some.
    fn consensus(&self, best: &Diagram) -> Result<Option<View>, Error> {
        let Some(found) = &self.bootstrap else { return Ok(None) };
        let support = found.edges();
        let known: BTreeMap<(&str, &str), &super::Edge> =
            self.edges.iter().map(|edge| ((edge.from.as_str(), edge.to.as_str()), edge)).collect();
        let places: BTreeMap<&str, usize> =
            self.variables.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let mut edges = Vec::new();
        for edge in &found.consensus {
            let (Some(&from), Some(&to)) =
                (places.get(edge.from.as_str()), places.get(edge.to.as_str()))
            else {
                continue;
            };
            // Where the best graph has the edge too, its numbers are known.
            let same = known.get(&(edge.from.as_str(), edge.to.as_str()));
            let other = known.get(&(edge.to.as_str(), edge.from.as_str()));
            let sure = same.or(other).and_then(|edge| edge.confidence);
            let counted = support.get(&(edge.from.as_str(), edge.to.as_str()));
            edges.push(nocurl_render::Edge {
                from,
                to,
                weight: same.and_then(|edge| edge.weight),
                strength: same.and_then(|edge| edge.strength),
                confidence: sure.map(|s| s.adjacent).or(counted.map(|found| found.adjacent)),
                direction: match edge.direction {
                    Direction::Determined => Head::Determined,
                    Direction::Likely => Head::Likely,
                    Direction::Undetermined => Head::Undetermined,
                },
                part: None,
            });
        }
        let (level, all) = (found.consensus_level.unwrap_or(0.5), edges.len());
        let title = format!(
            "{all} edge{} with a confidence of at least {:.0}% in {} resampled tables",
            if all == 1 { "" } else { "s" },
            100.0 * level,
            found.replicates
        );
        let diagram = Diagram { nodes: best.nodes.clone(), edges, title, compared: None };
        let mut view = View::new("Consensus", &diagram);
        let names = &self.variables;
        let sure = |link: &Link| {
            let edge = known.get(&(names[link.from].as_str(), names[link.to].as_str()))?;
            edge.confidence.map(|sure| sure.direction)
        };
        for link in &mut view.edges {
            link.direction_confidence = sure(link);
            link.interval = interval(Some(&support), &names[link.from], &names[link.to]);
        }
        Ok(Some(view))
    }

    /// What was read of each variable.
    fn read_variables(&self) -> Vec<nocurl_report::Variable> {
        let named = |(at, name): (usize, &String)| {
            let mean = self.means.as_ref().and_then(|means| means.get(at).copied());
            let Some(known) = self.kinds.get(at) else {
                return nocurl_report::Variable {
                    name: name.clone(),
                    mean,
                    ..nocurl_report::Variable::default()
                };
            };
            nocurl_report::Variable {
                name: name.clone(),
                // The name of its kind, and its scale where that is not the one of the table.
                kind: match known.variable.transforms.is_empty() {
                    true => known.variable.kind.name().into(),
                    false => {
                        format!("{}, as {}", known.variable.kind.name(), known.variable.scale())
                    }
                },
                levels: known.variable.levels.clone(),
                shares: known.shares.clone(),
                mean: known.mean.or(mean),
                deviation: known.deviation,
                missing: known.missing,
                histogram: known.histogram.clone(),
            }
        };
        self.variables.iter().enumerate().map(named).collect()
    }

    /// What effects are computed from, where every edge has numbers.
    fn effects(&self) -> Result<Option<Effects>, Error> {
        if !self.is_weighted() {
            return Ok(None);
        }
        let expanded = self.expanded()?;
        let size = expanded.names.len();
        if size > MOST_FOR_EFFECTS {
            return Ok(None);
        }
        let mut columns = Vec::with_capacity(size);
        for (variable, range) in expanded.columns.iter().enumerate() {
            let levels = range.len() > 1
                || expanded.variables.list()[variable].kind == nocurl::Kind::Categorical;
            for (offset, at) in range.clone().enumerate() {
                let mean = expanded.means.as_ref().and_then(|means| means.get(at).copied());
                let (name, level) = (expanded.names[at].clone(), levels.then_some(offset + 1));
                columns.push(Column { name, variable, level, mean });
            }
        }
        let weight = |value: f64| if value.abs() <= f64::MIN_POSITIVE { 0.0 } else { value };
        let mut notes: Vec<String> = self.linear_parts().into_iter().collect();
        if !expanded.variables.is_plain() {
            notes.push(
                "Effects of and on levels are those of linear models of their probabilities, each \
                 beside the base level of its variable."
                    .into(),
            );
        }
        let scaled = self.kinds.iter().filter(|known| !known.variable.transforms.is_empty());
        let scales: Vec<String> = scaled.map(|known| known.variable.scale()).collect();
        if !scales.is_empty() {
            let list = scales.join(", ");
            notes.push(format!("Numbers here are on the scales that were learnt on: {list}."));
        }
        Ok(Some(Effects {
            columns,
            order: expanded.dag.order().to_vec(),
            weights: expanded.dag.edges().map(|(i, j, value)| (i, j, weight(value))).collect(),
            ranges: self.ranges(&expanded)?,
            notes,
        }))
    }

    /// Effects over the class, of numbers, where they are undetermined.
    fn ranges(&self, expanded: &Expanded) -> Result<Vec<Range>, Error> {
        let numbers = self.means.clone().zip(self.error_variances.clone());
        let small = self.variables.len() <= MOST_FOR_RANGES && expanded.variables.is_plain();
        let Some((means, variances)) = numbers.filter(|_| small) else { return Ok(Vec::new()) };
        let class = self.members()?;
        let covariance: Mat<f64> = Model::new(self.dag()?, means, variances)?.covariance();
        let mut ranges = Vec::new();
        for cause in 0..self.variables.len() {
            let identified = effects::identified(&expanded.determined, &[cause]);
            if !identified.contains(&false) {
                continue;
            }
            let Some(rows) = effects_over_class(&class, covariance.as_ref(), cause) else {
                continue;
            };
            for effect in (0..identified.len()).filter(|&effect| !identified[effect]) {
                let values = rows.iter().map(|row| row[effect]);
                let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |ends, value| {
                    [ends[0].min(value), ends[1].max(value)]
                });
                ranges.push(Range(cause, effect, low, high));
            }
        }
        Ok(ranges)
    }

    /// What is to be said of a graph whose weights are the linear parts of effects of other shapes.
    pub fn linear_parts(&self) -> Option<String> {
        let refine: Option<Refine> = self
            .parameters
            .get("refine")
            .and_then(|name| serde_json::from_value(name.clone()).ok())
            .flatten();
        let algorithm = Algorithm::from_name(&self.method).ok()?;
        let is_linear = Options { algorithm, refine, ..Options::default() }.facts().linear;
        (!is_linear).then(|| {
            format!(
                "the graph was learnt by `{}`{}: its weights are the linear parts of effects that \
                 are not linear, and so are the numbers here",
                self.method,
                refine.map_or("", |_| " and a search with networks")
            )
        })
    }

    /// What one needs to know to repeat the run.
    fn facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut fact = |name: &str, value: String| facts.push(Fact(name.into(), value));
        if let Some(input) = &self.input {
            fact("File", input.path.clone());
            fact("Rows", input.rows.to_string());
            if input.rows_dropped > 0 {
                fact("Rows left out for missing values", input.rows_dropped.to_string());
            }
            fact("Columns used", input.columns.to_string());
            fact("Digest of the file", input.digest.clone());
        }
        if !self.method.is_empty() {
            fact("Method", self.method.clone());
            fact("Seed", self.seed.to_string());
            fact("Ended", format!("{} after {} iterations", self.termination, self.iterations));
        }
        if let Some(found) = &self.bootstrap {
            fact("Resampled tables", found.replicates.to_string());
        }
        if self.elapsed_seconds > 0.0 {
            fact("Time", format!("{:.2} s", self.elapsed_seconds));
        }
        fact("Version of nocurl", self.version.clone());
        facts
    }
}

/// The interval of the weight of an edge.
fn interval(
    support: Option<&BTreeMap<(&str, &str), EdgeSupport>>,
    from: &str,
    to: &str,
) -> Option<[f64; 2]> {
    support?.get(&(from, to))?.weight
}

/// The last part of a path, which may be one of another system.
fn file_name(path: &str) -> String {
    match path.rsplit(['/', '\\']).next() {
        Some("-") => "standard input".into(),
        Some(name) if !name.is_empty() => name.into(),
        _ => path.into(),
    }
}

/// The findings, as files have them; those that are no findings are left out.
fn checks(diagnosis: &Value) -> Vec<Check> {
    let word = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_string();
    let all = diagnosis.as_array().into_iter().flatten();
    all.filter(|finding| finding["sentence"].is_string())
        .map(|finding| Check {
            check: word(finding, "check"),
            verdict: word(finding, "verdict"),
            sentence: word(finding, "sentence"),
            numbers: finding["numbers"].clone(),
        })
        .collect()
}
