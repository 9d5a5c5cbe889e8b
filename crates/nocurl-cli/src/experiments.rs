//! Experiments on the command line: the column of conditions, and what these act on.

use std::cmp::Ordering;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{Table as Grid, presets};
use nocurl::ExperimentSpec;
use nocurl::experiments::{Intervention, Target};
use nocurl_app::condition_from_files;
use nocurl_io::{ExperimentSummary, ReadOptions, Source, read_targets};

use crate::config::names;
use crate::failure::Failure;
use crate::report::{FAINT, clean, count};
use crate::support::percent;

/// The level of `--target-column` that acts on nothing.
const CONTROL: &str = "control";

/// As typed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Experiments (see docs/experiments.md)")]
pub(crate) struct ExperimentArguments {
    /// Column with the condition that each row was measured under
    #[arg(long, value_name = "COLUMN")]
    condition: Option<String>,
    /// Each file is a condition of its own, which has the file's name
    #[arg(long, conflicts_with_all = ["condition", "target_column"])]
    condition_from_files: bool,
    /// File with what conditions act on: TOML with a table [targets], or CSV condition,target
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// What a condition acts on; repeat for several
    #[arg(long, value_name = "CONDITION=NAMES")]
    target: Vec<String>,
    /// Conditions change how their targets depend on others, rather than set them
    #[arg(long)]
    soft: bool,
    /// Column whose values are the names of what was acted on, several joined by +
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["condition", "targets", "target"])]
    target_column: Option<String>,
    /// Value of --target-column that acts on nothing [default: control]
    #[arg(long, value_name = "NAME", requires = "target_column")]
    control: Option<String>,
    /// Leave the condition out of what is shown, drawn and written
    #[arg(long)]
    hide_condition: bool,
}

impl ExperimentArguments {
    /// The file of targets, if there is one.
    pub(crate) fn path(&self) -> Option<&PathBuf> {
        self.targets.as_ref()
    }

    /// All that is stated, with the column that files become where each is a condition.
    pub(crate) fn specification(&self, read: &mut ReadOptions) -> Result<ExperimentSpec, Failure> {
        let named = self.condition.is_some() || self.target_column.is_some();
        let given = named || self.condition_from_files;
        let needs = |flag: &str| {
            Err(Failure::Input(format!("{flag} needs --condition, the column of the conditions")))
        };
        if !given {
            let flags = [
                ("--targets", self.targets.is_some()),
                ("--target", !self.target.is_empty()),
                ("--soft", self.soft),
                ("--hide-condition", self.hide_condition),
            ];
            if let Some((flag, _)) = flags.into_iter().find(|(_, used)| *used) {
                return needs(flag);
            }
            return Ok(ExperimentSpec::default());
        }
        let kind = if self.soft { Intervention::Soft } else { Intervention::Perfect };
        let mut targets = match &self.targets {
            Some(path) => read_targets(&Source::Path(path.clone()))?,
            None => Vec::new(),
        };
        for text in &self.target {
            let Some((condition, variables)) = text.rsplit_once('=') else {
                return Err(Failure::Input(format!(
                    "--target {text}: write --target condition=variable"
                )));
            };
            let variables = names("--target", &[variables.into()])?;
            let condition = condition.trim().to_string();
            let target = |variable| Target { condition: condition.clone(), variable, kind };
            targets.extend(variables.into_iter().map(target));
        }
        if self.soft {
            targets.iter_mut().for_each(|target| target.kind = Intervention::Soft);
        }
        let named = self.target_column.as_ref();
        let control = named.map(|_| self.control.clone().unwrap_or_else(|| CONTROL.into()));
        let mut experiments = ExperimentSpec {
            condition: named.or(self.condition.as_ref()).cloned(),
            targets,
            control,
            kind: if named.is_some() { kind } else { Intervention::Perfect },
            hidden: self.hide_condition,
        };
        if self.condition_from_files {
            condition_from_files(read, &mut experiments);
        }
        experiments.check()?;
        Ok(experiments)
    }
}

/// What is known about the conditions, in a few words.
pub(crate) fn summary(experiments: &ExperimentSpec) -> String {
    let column = experiments.condition.as_deref().unwrap_or_default();
    let targets = match (&experiments.control, experiments.targets.len()) {
        (Some(control), _) => format!("its values are targets, but for {control}"),
        (None, 0) => "targets not known".into(),
        (None, number) => count(number as u64, "known target"),
    };
    format!("conditions in {column}, {targets}")
}

/// Conditions shown; files have all of them.
const SHOWN: usize = 20;

/// What each condition acts on: known targets, and those that the data tell.
pub(crate) fn table(experiments: &ExperimentSummary) -> String {
    let mut grid = Grid::new();
    grid.load_preset(presets::NOTHING);
    grid.set_header(["condition", "rows", "known targets", "also acts directly on"]);
    for condition in experiments.conditions.iter().take(SHOWN) {
        let known = condition.targets.iter().map(|target| {
            let soft = if target.kind == Intervention::Soft { " (soft)" } else { "" };
            format!("{}{soft}", clean(&target.variable))
        });
        let mut found = condition.acts_on.clone();
        found.sort_by(|a, b| b.confidence.partial_cmp(&a.confidence).unwrap_or(Ordering::Equal));
        let found = found.iter().filter(|target| target.shift.is_some()).map(|target| {
            let sure =
                target.confidence.map_or_else(String::new, |share| format!(" {}", percent(share)));
            format!("{}{sure}", clean(&target.variable))
        });
        grid.add_row([
            clean(&condition.name),
            condition.rows.to_string(),
            known.collect::<Vec<_>>().join(", "),
            found.collect::<Vec<_>>().join(", "),
        ]);
    }
    let left = experiments.conditions.len().saturating_sub(SHOWN);
    let more = if left > 0 { format!("... and {left} more\n") } else { String::new() };
    format!(
        "\n{grid}\n{more}{FAINT}A condition acts directly on a variable that it shifts beside what \
         the variable's causes explain;\nthe share of resampled tables that agree stands beside \
         it.{FAINT:#}\n"
    )
}
