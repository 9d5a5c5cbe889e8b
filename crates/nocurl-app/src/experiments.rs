//! Conditions and what they act on, in the description of a graph.

use std::collections::BTreeMap;

use nocurl::treatments::Treatment;
use nocurl::{ExperimentSpec, Moments, Options};
use nocurl_io::{
    ConditionSummary, ExperimentSummary, FoundTarget, Input, KnownTarget, ReadOptions, Source,
};

use crate::Outcome;

/// Frequencies below this are not listed.
const LEAST: f64 = 0.05;

/// The column of conditions where each file is one, unless it has another name.
const COLUMN: &str = "condition";

/// Makes each file a condition of its own: the column with the names of the files holds these.
pub fn condition_from_files(read: &mut ReadOptions, experiments: &mut ExperimentSpec) {
    let column = read.file_column.get_or_insert_with(|| COLUMN.into());
    experiments.condition = Some(column.clone());
}

/// Refuses conditions that files should tell where there are not several.
pub(crate) fn check_files(
    read: &ReadOptions,
    experiments: &ExperimentSpec,
    input: &Input<'_>,
) -> Result<(), nocurl::Error> {
    let by_file = read.file_column.is_some() && read.file_column == experiments.condition;
    if !by_file || matches!(input, Input::Source(Source::Several { .. })) {
        return Ok(());
    }
    let found = if matches!(input, Input::Source(_)) { "there is one file" } else { "no file" };
    let reason = format!("files tell the conditions apart, but {found}: give one for each");
    Err(nocurl::Error::Experiments { reason })
}

/// The conditions of the table, with known targets and those that the data tell.
pub(crate) fn summary(
    outcome: &Outcome,
    options: &Options,
    treatments: &[Treatment],
) -> Option<ExperimentSummary> {
    let moments: &Moments = &outcome.table.data;
    let variables = moments.variables();
    let targets = options.experiments.resolve(variables).ok()??;
    let column = &variables.list()[targets.condition];
    let names = variables.names();
    // By the name of the level: those without rows are not levels of the fit.
    let fitted = &outcome.fit.variables.list()[targets.condition].levels;
    let mut found: BTreeMap<(&str, usize), FoundTarget> = BTreeMap::new();
    let measured = outcome.bootstrap.as_ref();
    for treatment in treatments {
        let level = fitted[treatment.condition].as_str();
        let key = (treatment.condition, treatment.variable);
        let confidence = measured.map(|m| m.treatments.get(&key).copied().unwrap_or(0.0));
        let variable = names[treatment.variable].clone();
        let shift = Some(treatment.shift);
        found.insert((level, treatment.variable), FoundTarget { variable, shift, confidence });
    }
    for (&(level, variable), &share) in measured.iter().flat_map(|m| &m.treatments) {
        let Some(level) = fitted.get(level).filter(|_| share >= LEAST) else { continue };
        found.entry((level, variable)).or_insert_with(|| FoundTarget {
            variable: names[variable].clone(),
            shift: None,
            confidence: Some(share),
        });
    }
    let rows = shares(moments, targets.condition);
    let conditions = column.levels.iter().enumerate().map(|(place, name)| ConditionSummary {
        name: name.clone(),
        rows: rows[place],
        targets: targets.of[place]
            .iter()
            .map(|&(v, kind)| KnownTarget { variable: names[v].clone(), kind })
            .collect(),
        acts_on: found
            .iter()
            .filter(|((level, _), _)| level == name)
            .map(|(_, target)| target.clone())
            .collect(),
    });
    Some(ExperimentSummary {
        condition: column.name.clone(),
        hidden: options.experiments.hidden,
        conditions: conditions.collect(),
    })
}

/// Rows of each level.
fn shares(moments: &Moments, condition: usize) -> Vec<u64> {
    let variables = moments.variables();
    let n = moments.rows() as f64;
    let means = &moments.mean()[variables.columns(condition)];
    let counts: Vec<u64> = means.iter().map(|share| (share * n).round() as u64).collect();
    let base = moments.rows() - counts.iter().sum::<u64>();
    std::iter::once(base).chain(counts).collect()
}
