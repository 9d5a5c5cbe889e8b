//! Records as files: CSV, tables and a figure.

use std::fmt::Write as _;
use std::path::Path;

use super::{Axis, CONTENDERS, Record, exponent::fit};
use crate::plot::{Figure, svg};
use crate::summary::{Cell, Estimate};
use crate::{Contender, Error, Grid, Scenario};

/// All records.
///
/// # Errors
/// A record that cannot be written down.
pub fn csv(records: &[Record]) -> Result<String, Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: String| Error::Input(format!("records cannot be written: {error}"));
    for record in records {
        writer.serialize(record).map_err(|error| failed(error.to_string()))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| failed(error.to_string()))
}

/// The records of an earlier run; none where there is no file.
///
/// # Errors
/// A file that holds something else.
pub fn read(path: &Path) -> Result<Vec<Record>, Error> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read(path).map_err(Error::file(path))?;
    csv::Reader::from_reader(&text[..]).deserialize().collect::<Result<_, _>>().map_err(|error| {
        let advice = "choose another folder with --output, or remove this one";
        Error::Input(format!("`{}` holds other results: {error}; {advice}", path.display()))
    })
}

/// Tables of all records, then how fast times and memory grow.
pub fn markdown(records: &[Record]) -> String {
    let mut text = String::from(
        "Random graphs with Gaussian errors, columns scaled to variance 1. `CPU` is seconds of the \
         processor for learning from moments that are there, `elapsed` seconds that passed, `memory` \
         the most that the program held meanwhile, moments included; `F1` is of the edges of the \
         classes, where an edge counts if it has the right direction, or rightly none. Several \
         tables of a kind are averaged.\n",
    );
    for axis in Axis::ALL {
        let rows = averages(records, axis);
        if rows.is_empty() {
            continue;
        }
        let _ = write!(
            text,
            "\n## By {}\n\n| method | d | n | degree | threads | CPU (s) | elapsed (s) | memory (MB) \
             | class F1 | class SHD |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
            axis.name()
        );
        for row in rows {
            text += &row.line();
        }
    }
    let _ = write!(
        text,
        "\n## How fast they grow\n\nThe power b of a x^b by least squares on logarithms, ± its \
         standard error where there are three points.\n\n| method | against | CPU | elapsed | memory \
         |\n|---|---|--:|--:|--:|\n"
    );
    for contender in &CONTENDERS {
        for axis in Axis::ALL {
            let rows = averages(records, axis);
            let own: Vec<&Average<'_>> =
                rows.iter().filter(|row| row.first.method == contender.name).collect();
            if own.len() < 2 {
                continue;
            }
            let power = |figure: fn(&Average<'_>) -> Option<f64>| {
                let points =
                    own.iter().filter_map(|row| Some((row.first.setting().at(axis), figure(row)?)));
                match fit(&points.collect::<Vec<_>>()) {
                    None => String::new(),
                    Some(power) => {
                        let error = power.error.map_or_else(String::new, |e| format!(" ± {e:.2}"));
                        format!("{:.2}{error}", power.value)
                    }
                }
            };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} |",
                contender.name,
                axis.name(),
                power(|row| row.cpu),
                power(|row| Some(row.elapsed)),
                power(|row| row.memory),
            );
        }
    }
    let lost = records.iter().filter_map(|record| {
        let error = record.error.as_ref()?;
        Some(format!("- {}, d = {}: {error}\n", record.method, record.variables))
    });
    let lost: String = lost.collect();
    if lost.is_empty() { text } else { format!("{text}\n{lost}") }
}

/// CPU seconds against the number of variables.
pub fn figure(records: &[Record]) -> String {
    let scenario = "ER2, n = 1000, one thread, CPU seconds";
    let cells: Vec<Cell> = averages(records, Axis::Variables)
        .into_iter()
        .map(|row| {
            let time = Estimate { mean: row.cpu.unwrap_or(row.elapsed), error: None };
            let (d, method) = (row.first.variables, &row.first.method);
            Cell::timed(scenario, d, method, row.count, time)
        })
        .collect();
    let options = nocurl::Options::default();
    let grid = Grid {
        name: "scale".into(),
        trials: 1,
        sizes: Vec::new(),
        scenarios: vec![Scenario {
            name: scenario.into(),
            simulation: nocurl::simulate::Simulation::default(),
            same_draws_as: None,
        }],
        contenders: CONTENDERS
            .iter()
            .map(|one| Contender::new(one.name, options.clone()))
            .collect(),
    };
    svg(Figure::Time, &grid, &cells)
}

/// The tables of one kind that a method was run on.
struct Average<'a> {
    first: &'a Record,
    count: usize,
    cpu: Option<f64>,
    elapsed: f64,
    memory: Option<f64>,
    f1: Option<f64>,
    class_shd: Option<f64>,
}

impl Average<'_> {
    fn line(&self) -> String {
        let Record { method, variables, rows, degree, threads, .. } = self.first;
        let shown = |value: Option<f64>, digits: usize| {
            value.map_or_else(String::new, |value| format!("{value:.digits$}"))
        };
        format!(
            "| {method} | {variables} | {rows} | {degree} | {threads} | {} | {} | {} | {} | {} |\n",
            shown(self.cpu, 2),
            shown(Some(self.elapsed), 2),
            shown(self.memory.map(|bytes| bytes / 1e6), 0),
            shown(self.f1, 3),
            shown(self.class_shd, 1),
        )
    }
}

/// Means of the trials that ended with a graph, by method and by what is changed.
fn averages(records: &[Record], axis: Axis) -> Vec<Average<'_>> {
    let done = |record: &&Record| record.axis == axis && record.error.is_none();
    let mut groups: Vec<Vec<&Record>> = Vec::new();
    for record in records.iter().filter(done) {
        let alike = |group: &&mut Vec<&Record>| {
            group[0].method == record.method && group[0].setting() == record.setting()
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(record),
            None => groups.push(vec![record]),
        }
    }
    let place = |record: &Record| CONTENDERS.iter().position(|one| one.name == record.method);
    groups.sort_by(|a, b| {
        let at = |group: &[&Record]| group[0].setting().at(axis);
        place(a[0]).cmp(&place(b[0])).then(at(a).total_cmp(&at(b)))
    });
    let average = |group: Vec<&'_ Record>| {
        let mean = |figure: fn(&Record) -> Option<f64>| {
            Estimate::of(group.iter().filter_map(|record| figure(record))).map(|found| found.mean)
        };
        (
            mean(|record| record.cpu),
            mean(|record| Some(record.elapsed)),
            mean(|record| record.memory.map(|bytes| bytes as f64)),
            mean(|record| record.f1),
            mean(|record| record.class_shd.map(|shd| shd as f64)),
        )
    };
    let row = |group: Vec<_>| {
        let (first, count): (&Record, usize) = (group[0], group.len());
        let (cpu, elapsed, memory, f1, class_shd) = average(group);
        Average { first, count, cpu, elapsed: elapsed.unwrap_or(0.0), memory, f1, class_shd }
    };
    groups.into_iter().map(row).collect()
}
