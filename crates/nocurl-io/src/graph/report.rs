//! From a document to its report.

use std::collections::BTreeMap;

use nocurl::model::{Law, Model};
use nocurl::refine::Refine;
use nocurl::{Algorithm, Options};
use nocurl_render::{Diagram, Direction as Head};
use nocurl_report::{Check, Column, Effects, Fact, Link, Range, Report, Response, Table, View};
use serde_json::Value;

use super::{DescribedModel, Direction, GraphDocument};
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
        for (link, edge) in view.edges.iter_mut().zip(&self.edges) {
            link.standardized = edge.standardized_weight;
            link.direction_confidence = edge.confidence.map(|sure| sure.direction);
            link.evidence = edge.evidence.map(|evidence| evidence.name().into());
            let of = |c: &super::Coefficient| {
                let level = c.from_level.as_ref().map(|level| match &c.from_base {
                    Some(base) => format!("{level} (from {base})"),
                    None => level.clone(),
                });
                (level, c.to_level.clone(), c.value)
            };
            link.coefficients = edge.coefficients.iter().map(of).collect();
            link.interval = edge.interval;
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
            let ends = (names[link.from].as_str(), names[link.to].as_str());
            link.interval = known.get(&ends).and_then(|edge| edge.interval);
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

    /// What effects are computed from; nothing where the model is not known.
    fn effects(&self) -> Result<Option<Effects>, Error> {
        let Ok(Some(found)) = self.described_model() else { return Ok(None) };
        let model = &found.model;
        let mut notes: Vec<String> = self.linear_parts().into_iter().collect();
        let scaled = self.kinds.iter().filter(|known| !known.variable.transforms.is_empty());
        let scales: Vec<String> = scaled.map(|known| known.variable.scale()).collect();
        if !scales.is_empty() {
            let list = scales.join(", ");
            notes.push(format!("Numbers here are on the scales that were learnt on: {list}."));
        }
        let before = match found.has_means {
            true => model.expectation(&[]).ok(),
            false => None,
        };
        let mut columns = Vec::new();
        for (variable, known) in model.variables().list().iter().enumerate() {
            for level in model.answer_levels(variable) {
                let mean = before.as_ref().map(|found| found.on_scale[variable].column(level));
                let name = match level {
                    Some(level) => format!("{}={}", known.name, known.levels[level]),
                    None => known.name.clone(),
                };
                columns.push(Column { name, variable, level, mean });
            }
        }
        if columns.len() > MOST_FOR_EFFECTS {
            return Ok(None);
        }
        let mut effects = Effects { columns, notes, ..Effects::default() };
        if model.size() <= MOST_FOR_RANGES {
            let open = |cause: usize| {
                let known = model.identified(&[cause]).into_iter().enumerate();
                known.filter(|(_, known)| !known).map(|(variable, _)| variable).collect()
            };
            effects.open = (0..model.size()).map(open).collect();
        }
        match model.law() {
            Law::Gaussian => linear(&found, &mut effects)?,
            _ if self.variables.len() > MOST_FOR_RANGES => return Ok(None),
            _ => {
                let Some(table) = table(model, &effects.columns) else { return Ok(None) };
                if table.simulated {
                    let draws = Model::DRAWS;
                    effects.notes.push(format!(
                        "Categories that depend on numbers are simulated with {draws} draws; the \
                         effect of a number is then its average slope within one standard deviation \
                         of its mean."
                    ));
                }
                effects.table = Some(table);
            }
        }
        Ok(Some(effects))
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

/// The weights of a model of numbers, and effects over its class where they are undetermined.
fn linear(found: &DescribedModel, effects: &mut Effects) -> Result<(), Error> {
    let model = &found.model;
    effects.order = model.graph().order().to_vec();
    for (child, mechanism) in model.mechanisms().iter().enumerate() {
        let terms = mechanism.linear().into_iter().flat_map(|linear| &linear.terms);
        effects.weights.extend(terms.map(|term| (term.variable, child, term.coefficients[0])));
    }
    if model.size() > MOST_FOR_RANGES || !found.has_variances {
        return Ok(());
    }
    for cause in 0..model.size() {
        if !model.identified(&[cause]).contains(&false) {
            continue;
        }
        let all = model.effects_of(cause, None, 0.95)?;
        for (effect, entries) in all.on.iter().enumerate() {
            if let Some([low, high]) = entries.first().and_then(|entry| entry.range()) {
                effects.ranges.push(Range(cause, effect, low, high));
            }
        }
    }
    Ok(())
}

/// Effects and answers to interventions of a model with levels, which are not sums over paths.
fn table(model: &Model, columns: &[Column]) -> Option<Table> {
    /// Values of a number that can be chosen, on each side of its mean.
    const STEPS: i32 = 6;
    let place = |variable: usize, level: Option<usize>| {
        columns.iter().position(|column| column.variable == variable && column.level == level)
    };
    let mut table = Table::default();
    for cause in 0..model.size() {
        let found = model.effects_of(cause, None, 0.95).ok()?;
        table.simulated |= found.simulated;
        for (effect, entries) in found.on.iter().enumerate() {
            for entry in entries {
                let from = place(cause, entry.from_level)?;
                table.effects.push((from, place(effect, entry.to_level)?, entry.value));
            }
        }
        let known = &model.variables().list()[cause];
        let values: Vec<f64> = match known.levels.len() {
            0 => {
                let mean = columns[place(cause, None)?].mean?;
                let spread = model.spreads()[cause].unwrap_or(1.0);
                let at = |k: i32| mean + f64::from(k) * 0.5 * spread;
                (-STEPS..=STEPS).map(at).map(|x| model.off_scale(cause, x)).collect()
            }
            levels => (0..levels).map(|level| level as f64).collect(),
        };
        for value in values {
            let after = model.expectation(&[(cause, value)]).ok()?;
            let mean = |column: &Column| after.on_scale[column.variable].column(column.level);
            let value = model.to_scale(cause, value).ok()?;
            let means = columns.iter().map(mean).collect();
            table.responses.push(Response { variable: cause, value, means });
        }
    }
    Some(table)
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
