//! A look at a table before learning: what its columns hold, what looks wrong, and what to do next.

use std::time::Instant;

use nocurl::transform::has_heavy_tails;
use nocurl::{Action, Kind, Run, Spelling, Value as Setting};
use nocurl_io::{ColumnOverview, Input, LeftOut, Missing, Overview, read_matrix, read_overview};
use serde_json::{Value, json};

use crate::suspicions::shape;
use crate::{Error, Job, MemoryPlan, Suspicion, suspicions};

/// Share of complete rows from which on the others are better left out than estimated.
const MOSTLY_COMPLETE: f64 = 0.8;

/// Rows for each column from which on gaps are estimated.
const ROWS_FOR_EM: u64 = 3;

/// Complete rows that may do in their place.
const ENOUGH_COMPLETE: u64 = 10;

/// Columns that advice about scales names.
const NAMED: usize = 6;

/// What a table holds and what to do next.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// What its columns hold.
    pub overview: Overview,
    /// What looks wrong.
    pub suspicions: Vec<Suspicion>,
    /// What learning from it will take.
    pub memory: MemoryPlan,
    /// Seconds that learning will take, roughly: reading, and the method that is the default.
    pub seconds: f64,
    /// What to set when learning from it.
    pub next: Vec<Action>,
}

impl Job {
    /// Looks at a table. Numbers are read once, columns of text twice; memory is bounded.
    ///
    /// # Errors
    /// Anything wrong with the table, in one line.
    pub fn inspect<'a>(
        &self,
        input: impl Into<Input<'a>>,
        run: &Run<'_>,
    ) -> Result<Inspection, Error> {
        let started = Instant::now();
        let threads = rayon::current_num_threads();
        let input: Input<'a> = input.into();
        if let Input::Source(source) = &input
            && let Some(summary) = read_matrix(source, &self.read)?
        {
            return Err(Error::IsMatrix {
                path: source.name(),
                rows: summary.moments.rows(),
                variables: summary.moments.columns(),
            });
        }
        let overview = read_overview(input, &self.read, run)?;
        let reading = started.elapsed().as_secs_f64();
        let mut suspicions = suspicions(&overview.sample, &overview.gapped, overview.complete);
        suspicions.splice(..0, shape(&overview));
        let columns = overview.columns.len();
        let memory = self.plan(columns, Some(overview.rows), threads);
        let next = next(&overview, &suspicions, &self.read);
        let seconds = reading + learning_seconds(width(&overview));
        Ok(Inspection { overview, suspicions, memory, seconds, next })
    }
}

/// Columns that code all variables.
fn width(overview: &Overview) -> usize {
    overview.columns.iter().map(|column| column.variable.width()).sum()
}

/// Seconds that the default takes on moments of this many columns, without confidence: between the
/// times of random graphs of one and of two edges for each variable, up to 20,000 of them. Of use for
/// its order of magnitude alone.
fn learning_seconds(columns: usize) -> f64 {
    let d = columns as f64;
    3e-3 * d + 1e-6 * d * d
}

/// What to set so that learning works, and works better.
fn next(
    overview: &Overview,
    suspicions: &[Suspicion],
    read: &nocurl_io::ReadOptions,
) -> Vec<Action> {
    let mut next: Vec<Action> = Vec::new();
    let undecided = overview.left_out.iter().filter(|(_, why)| *why == LeftOut::Unclear);
    let undecided: Vec<String> = undecided.map(|(name, _)| name.clone()).collect();
    let mut dropped: Vec<String> = Vec::new();
    let mut absent: Vec<Setting> = overview.infinite.iter().cloned().map(Setting::Text).collect();
    for remedy in suspicions.iter().filter_map(|suspicion| suspicion.remedy.clone()) {
        match remedy {
            Action::LeaveOut { columns } => dropped.extend(columns),
            Action::Set { name: "na", to: Some(Setting::List(words)) } => absent.extend(words),
            other => next.push(other),
        }
    }
    let open = matches!(read.missing, Missing::Error | Missing::Auto);
    if open && overview.infinite.is_empty() {
        // A column of which most is missing takes most rows with it.
        let hollow = overview.columns.iter().filter(|column| 2 * column.missing > overview.rows);
        dropped.extend(hollow.map(|column| column.variable.name.clone()));
    }
    dropped.sort();
    dropped.dedup();
    if overview.columns.len() < dropped.len() + 2 {
        // With fewer than two columns there is nothing to learn.
        dropped.clear();
    }
    if overview.columns.len() > 1 {
        dropped.extend(undecided);
    }
    if !absent.is_empty() {
        next.push(Action::set("na", Setting::List(absent)));
    }
    let gaps = overview.complete < overview.rows;
    let marked = next.iter().any(|action| matches!(action, Action::Set { name: "na", .. }));
    let share = overview.complete as f64 / overview.rows.max(1) as f64;
    // A few rows are left out anyhow.
    let few = read.missing == Missing::Auto && !marked && share >= 0.95;
    if (gaps || marked) && open && !few {
        // Estimates from few rows are singular.
        let few = overview.rows < ROWS_FOR_EM * width(overview) as u64
            && overview.complete >= ENOUGH_COMPLETE;
        let how = if share >= MOSTLY_COMPLETE || few { "drop" } else { "em" };
        next.push(Action::set("missing", how));
    }
    if read.transform.is_empty() && !marked {
        next.extend(scales(overview, &dropped));
    }
    if !dropped.is_empty() {
        next.insert(0, Action::leave_out(&dropped));
    }
    next
}

/// Other scales for columns with heavy tails.
fn scales(overview: &Overview, dropped: &[String]) -> Option<Action> {
    let names = overview.sample.names();
    let heavy = |column: &&ColumnOverview| {
        let name = &column.variable.name;
        let at = names.iter().position(|known| known == name);
        column.variable.kind == Kind::Continuous
            && !dropped.contains(name)
            && at.is_some_and(|at| has_heavy_tails(overview.sample.column(at)))
    };
    let heavy: Vec<&ColumnOverview> = overview.columns.iter().filter(heavy).collect();
    let positive = heavy.iter().all(|column| column.range.is_some_and(|[least, ..]| least > 0.0));
    let names: Vec<String> = heavy.iter().map(|column| column.variable.name.clone()).collect();
    match names.len() {
        0 => None,
        1..=NAMED => Some(Action::transform(if positive { "log" } else { "rank" }, &names)),
        _ => Some(Action::set("transform", "auto")),
    }
}

impl Inspection {
    /// As JSON, with sentences in the spelling of a front end; `command` is what to type next.
    pub fn to_value(&self, spelling: &dyn Spelling, command: &str) -> Value {
        let overview = &self.overview;
        json!({
            "schema": "nocurl/inspection/1",
            "rows": overview.rows,
            "complete_rows": overview.complete,
            "columns": overview.columns.iter().map(described).collect::<Vec<_>>(),
            "left_out": overview.left_out.iter().map(|(name, why)| {
                json!({ "name": name, "why": why.word() })
            }).collect::<Vec<_>>(),
            "notes": overview.notes.iter().map(|note| note.spelt(spelling)).collect::<Vec<_>>(),
            "suspicions": self.suspicions.iter().map(|found| {
                json!({
                    "name": found.name,
                    "columns": found.columns,
                    "sentence": found.sentence.spelt(spelling),
                    "advice": found.sentence.actions().collect::<Vec<_>>(),
                })
            }).collect::<Vec<_>>(),
            "memory_bytes": self.memory.total(),
            "seconds": self.seconds,
            "next": { "command": command, "advice": self.next },
        })
    }
}

fn described(column: &ColumnOverview) -> Value {
    let [least, greatest, mean] = column.range.map_or([None; 3], |range| range.map(Some));
    let levels: Vec<Value> =
        column.levels.iter().map(|(name, count)| json!({ "name": name, "count": count })).collect();
    json!({
        "name": column.variable.name,
        "kind": column.variable.kind,
        "missing": column.missing,
        "distinct": column.distinct,
        "distinct_exact": column.exact,
        "least": least,
        "greatest": greatest,
        "mean": mean,
        "levels": levels,
        "histogram": column.histogram,
    })
}
