//! How confidence is measured: how many resampled tables, with how much work, and what is said when
//! there is none.

use std::time::{Duration, Instant};

use nocurl::bootstrap::{
    Bootstrap, BootstrapParams, DETERMINED_LEVEL, Learnt, MOST_REPLICATES, Start, bootstrap_from,
};
use nocurl::{Action, Data, Fit, Moments, Options, Run, Stop, Text, redraw};
use serde::{Deserialize, Serialize};

use crate::Error;

/// Operations ([`Work`](nocurl::Work)) that measuring may take unless a number of tables or of seconds
/// is asked for: about 10 seconds of one slow core. A clock would make results depend on the machine
/// and on what else it does.
pub const DEFAULT_OPERATIONS: u64 = 20_000_000_000;

/// The confidence from which on edges and directions are in the consensus.
const CONSENSUS_LEVEL: f64 = 0.5;

/// Fewer resampled tables than this say too little.
const FEWEST: usize = 10;

/// More variables than this are resampled only where that is asked for: what is counted of each
/// pair takes memory.
const MOST_VARIABLES: usize = 2000;

/// Which of the two graphs of a table is shown and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// The one with the best score.
    #[default]
    Best,
    /// The edges and directions on which resampled tables agree.
    Consensus,
}

impl Shown {
    /// Both, the default first.
    pub const ALL: [Self; 2] = [Self::Best, Self::Consensus];

    /// Its name in every front end.
    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Consensus => "consensus",
        }
    }
}

/// How confidence is measured, by learning again from resampled tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceOptions {
    /// Whether it is measured at all.
    pub measure: bool,
    /// Resampled tables; without it 100, as far as the work allows, for methods that are quick.
    pub replicates: Option<usize>,
    /// Seconds it may take. How many tables that are, and so the result, depends on the machine;
    /// without it the work is counted.
    pub seconds: Option<f64>,
    /// The confidence from which on a direction is determined and edges are in the consensus;
    /// without it 0.9 and 0.5.
    pub level: Option<f64>,
    /// Which graph is shown and written.
    pub shown: Shown,
}

impl Default for ConfidenceOptions {
    fn default() -> Self {
        Self { measure: true, ..Self::OFF }
    }
}

/// What was resampled by others.
#[derive(Clone, Copy, Default)]
pub(crate) struct Again<'a> {
    /// The moments of their tables.
    pub(crate) drawn: Option<&'a [Moments]>,
    /// What was learnt from them.
    pub(crate) learnt: &'a [Option<Learnt>],
}

/// What was measured, or why nothing was.
pub(crate) type Measured = Result<Option<Bootstrap>, Text>;

impl ConfidenceOptions {
    /// No confidence.
    pub const OFF: Self =
        Self { measure: false, replicates: None, seconds: None, level: None, shown: Shown::Best };

    /// The confidence from which on a direction is determined.
    pub fn determined_level(&self) -> f64 {
        self.level.unwrap_or(DETERMINED_LEVEL)
    }

    /// The confidence from which on edges and directions are in the consensus.
    pub fn consensus_level(&self) -> f64 {
        self.level.unwrap_or(CONSENSUS_LEVEL)
    }

    /// True when a number of resampled tables is asked for.
    pub(crate) fn is_asked(&self) -> bool {
        self.measure && self.replicates.is_some()
    }

    /// How tables are resampled.
    pub(crate) fn params(&self) -> BootstrapParams {
        BootstrapParams {
            replicates: self.replicates.unwrap_or(BootstrapParams::default().replicates),
            paths: self.replicates.is_some(),
            ..BootstrapParams::default()
        }
    }

    pub(crate) fn validate(&self) -> Result<(), Error> {
        if self.shown == Shown::Consensus && !self.measure {
            return Err(Error::NoConsensus { reason: None });
        }
        if let Some(given) = self.replicates
            && !(2..=MOST_REPLICATES).contains(&given)
        {
            return Err(Error::Replicates { given });
        }
        if let Some(given) = self.seconds
            && Duration::try_from_secs_f64(given).map_or(true, |time| time.is_zero())
        {
            return Err(Error::Seconds { given });
        }
        match self.level {
            Some(given) if !(0.0..=1.0).contains(&given) => Err(Error::Level { given }),
            _ => Ok(()),
        }
    }

    /// Learns again from tables like `data`, starting from `fit`.
    pub(crate) fn measure(
        &self,
        data: Data<'_>,
        again: Again<'_>,
        options: &Options,
        fit: &Fit,
        run: &Run<'_>,
    ) -> Result<Measured, Error> {
        if !self.measure {
            return Ok(Ok(None));
        }
        let size = fit.dag.size();
        if self.replicates.is_none() && (size > MOST_VARIABLES || !options.is_quick(size)) {
            return Ok(Err(takes_long(options)));
        }
        let params = self.params();
        let deadline =
            self.seconds.map(|seconds| Deadline::after(Duration::from_secs_f64(seconds)));
        let enough = deadline.as_ref().map(|deadline| deadline as &dyn Stop);
        let limited = self.replicates.is_none() && self.seconds.is_none();
        let budget = limited.then_some(DEFAULT_OPERATIONS);
        let Again { drawn, learnt } = again;
        let start = Start { from: Some(&fit.dag), budget, enough, drawn, learnt };
        match bootstrap_from(data, options, &params, start, run) {
            Ok(found) if found.replicates < FEWEST.min(params.replicates) => {
                Ok(Err(too_few(found.replicates, self.seconds, options)))
            }
            Ok(found) => Ok(Ok(Some(found))),
            // The user's or the machine's doing, not the data's.
            Err(error @ (nocurl::Error::Cancelled | nocurl::Error::OutOfMemory { .. })) => {
                Err(error.into())
            }
            Err(error) if self.replicates.is_some() => Err(error.into()),
            Err(error) => {
                let words = "confidence could not be measured: ";
                Ok(Err(Text::new(words).append(error.text())))
            }
        }
    }
}

impl ConfidenceOptions {
    /// The graph to show, of what was learnt and measured.
    pub(crate) fn choose(
        &self,
        data: Data<'_>,
        options: &Options,
        fit: Fit,
        measured: &Measured,
    ) -> Result<Fit, Error> {
        match (self.shown, measured) {
            (Shown::Best, _) => Ok(fit),
            (Shown::Consensus, Ok(Some(found))) => {
                Ok(redraw(data, options, &fit, &found.consensus(self.consensus_level()))?)
            }
            (Shown::Consensus, Ok(None)) => Err(Error::NoConsensus { reason: None }),
            (Shown::Consensus, Err(reason)) => {
                Err(Error::NoConsensus { reason: Some(reason.clone()) })
            }
        }
    }
}

/// Stops work after some time.
struct Deadline(Option<Instant>);

impl Deadline {
    fn after(time: Duration) -> Self {
        // None is further away than the clock can count.
        Self(Instant::now().checked_add(time))
    }
}

impl Stop for Deadline {
    fn is_stopped(&self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}

fn takes_long(options: &Options) -> Text {
    Text::new(format!(
        "confidence was left out: {} takes long to learn from many tables like this one; ask for some with ",
        options.facts().phrase()
    ))
    .act(Action::set("bootstrap", 20))
}

fn too_few(learnt: usize, seconds: Option<f64>, options: &Options) -> Text {
    let Some(seconds) = seconds else { return takes_long(options) };
    let learnt = match learnt {
        0 => "no resampled table was learnt".to_string(),
        1 => "only 1 resampled table was learnt".into(),
        more => format!("only {more} resampled tables were learnt"),
    };
    Text::new(format!(
        "confidence was left out: {learnt} in {seconds} s, at least {FEWEST} are needed; allow \
         more time with "
    ))
    .act(Action::setting("confidence_seconds"))
}
