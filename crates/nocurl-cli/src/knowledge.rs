//! Prior knowledge on the command line: from a file, from flags, in the summary.

use std::path::PathBuf;
use std::slice;

use clap::Args;
use nocurl::KnowledgeSpec;
use nocurl::knowledge::Tier;
use nocurl_io::{Source, read_knowledge};

use crate::config::names;
use crate::failure::Failure;
use crate::report::count;

/// As typed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Prior knowledge (see docs/knowledge.md)")]
pub(crate) struct KnowledgeArguments {
    /// File with what is known, as TOML or as Tetrad writes it
    #[arg(long, value_name = "FILE")]
    knowledge: Option<PathBuf>,
    /// Edge that is there; repeat for several
    #[arg(long, value_name = "FROM,TO")]
    require: Vec<String>,
    /// Edge that is not there; repeat for several
    #[arg(long, value_name = "FROM,TO")]
    forbid: Vec<String>,
    /// Variables that come before those of the next --tier
    #[arg(long, value_name = "NAMES")]
    tier: Vec<String>,
    /// Variables without parents
    #[arg(long, value_name = "NAMES")]
    source: Vec<String>,
    /// Variables without children
    #[arg(long, value_name = "NAMES")]
    sink: Vec<String>,
}

impl KnowledgeArguments {
    /// The file, if there is one.
    pub(crate) fn path(&self) -> Option<&PathBuf> {
        self.knowledge.as_ref()
    }

    /// All that is stated, without contradictions among the statements.
    pub(crate) fn specification(&self) -> Result<KnowledgeSpec, Failure> {
        let stated = KnowledgeSpec {
            required: edges("--require", &self.require)?,
            forbidden: edges("--forbid", &self.forbid)?,
            tiers: self
                .tier
                .iter()
                .map(|list| names("--tier", slice::from_ref(list)).map(Tier::new))
                .collect::<Result<_, Failure>>()?,
            sources: names("--source", &self.source)?,
            sinks: names("--sink", &self.sink)?,
        };
        let knowledge = match &self.knowledge {
            Some(path) => read_knowledge(&Source::Path(path.clone()))?.merge(stated)?,
            None => stated,
        };
        knowledge.check()?;
        Ok(knowledge)
    }
}

fn edges(flag: &str, given: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let edge = |text: &String| match <[String; 2]>::try_from(names(flag, slice::from_ref(text))?) {
        Ok([from, to]) => Ok((from, to)),
        Err(_) => Err(Failure::Input(format!("{flag} {text}: give two names, as in from,to"))),
    };
    given.iter().map(edge).collect()
}

/// How much is known, in a few words.
pub(crate) fn summary(knowledge: &KnowledgeSpec) -> String {
    let parts = [
        (knowledge.required.len(), "required edge"),
        (knowledge.forbidden.len(), "forbidden edge"),
        (knowledge.tiers.len(), "tier"),
        (knowledge.sources.len(), "source"),
        (knowledge.sinks.len(), "sink"),
    ];
    let stated = parts.iter().filter(|(number, _)| *number > 0);
    stated.map(|&(number, thing)| count(number as u64, thing)).collect::<Vec<_>>().join(", ")
}
