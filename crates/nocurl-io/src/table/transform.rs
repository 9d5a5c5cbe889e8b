//! What is done to columns of numbers while they are read.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use nocurl::Transform;
use nocurl::advice::in_list;
use nocurl::transform::{NormalScores, has_heavy_tails};
use serde::{Deserialize, Serialize};

use super::columns::Selection;
use super::pattern::is_meant;
use super::sample::Sample;

/// A function for columns of numbers on a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The natural logarithm.
    Log,
    /// Normal scores of ranks.
    Rank,
    /// Normal scores of columns with heavy tails; others as they are.
    Auto,
    /// As they are.
    None,
}

impl Scale {
    const ALL: [Self; 4] = [Self::Log, Self::Rank, Self::Auto, Self::None];

    /// The word in flags and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Rank => "rank",
            Self::Auto => "auto",
            Self::None => "none",
        }
    }
}

/// Which function which columns get: `log:a,b`, `rank:*`, `auto`, `none`. Of several rules for a
/// column the last counts. A pattern means columns of numbers on a scale alone.
///
/// ```
/// use nocurl_io::{Scale, TransformRule};
/// let rule: TransformRule = "log:dose,\"age, in years\"".parse().unwrap();
/// assert_eq!((rule.scale, rule.columns.len()), (Scale::Log, 2));
/// assert_eq!(rule.to_string(), "log:dose,\"age, in years\"");
/// assert_eq!("auto".parse::<TransformRule>().unwrap().columns, ["*"]);
/// assert!("square:a".parse::<TransformRule>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TransformRule {
    /// The function.
    pub scale: Scale,
    /// The columns, by name or pattern.
    pub columns: Vec<String>,
}

impl TransformRule {
    fn means(&self, name: &str) -> bool {
        self.columns.iter().any(|pattern| is_meant(pattern, name))
    }
}

impl FromStr for TransformRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, list) = text.split_once(':').unwrap_or((text, "*"));
        let scale = Scale::ALL.into_iter().find(|scale| scale.name() == word.trim());
        let Some(scale) = scale else {
            return Err(format!(
                "`{}` is no transformation: write log:NAMES, rank:NAMES, auto or none",
                crate::error::shorten(word, 40)
            ));
        };
        if !text.contains(':') && matches!(scale, Scale::Log | Scale::Rank) {
            let word = scale.name();
            return Err(format!("name the columns, as in {word}:a,b or {word}:*"));
        }
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(list.as_bytes());
        let record = reader.records().next().transpose().map_err(|error| error.to_string())?;
        let columns: Vec<String> =
            record.iter().flatten().map(|name| name.trim().to_string()).collect();
        if columns.is_empty() {
            return Err("the list of names is empty".into());
        }
        Ok(Self { scale, columns })
    }
}

impl fmt::Display for TransformRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.columns.iter().map(|name| in_list(name)).collect();
        write!(f, "{}:{}", self.scale.name(), names.join(","))
    }
}

impl TryFrom<String> for TransformRule {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<TransformRule> for String {
    fn from(rule: TransformRule) -> Self {
        rule.to_string()
    }
}

/// Normal scores by the names of the columns.
pub(super) type Scores = BTreeMap<String, Transform>;

/// Whether some columns may have normal scores, which all rows must be seen for first.
pub(super) fn needs_ranks(rules: &[TransformRule]) -> bool {
    rules.iter().any(|rule| matches!(rule.scale, Scale::Rank | Scale::Auto))
}

/// The function for a column of numbers.
fn scale_of(rules: &[TransformRule], name: &str) -> Scale {
    rules.iter().rev().find(|rule| rule.means(name)).map_or(Scale::None, |rule| rule.scale)
}

/// What is done to a column of numbers.
pub(super) fn transform_of(
    rules: &[TransformRule],
    scores: Option<&Scores>,
    name: &str,
) -> Option<Transform> {
    match scale_of(rules, name) {
        Scale::Log => Some(Transform::Log),
        Scale::Rank | Scale::Auto => scores?.get(name).cloned(),
        Scale::None => None,
    }
}

/// Normal scores of the columns that should have them.
pub(super) fn scores(sample: &Sample, selection: &Selection, rules: &[TransformRule]) -> Scores {
    let mut all = Scores::new();
    for (slot, name) in selection.names.iter().enumerate() {
        let scale = scale_of(rules, name);
        if selection.codings[slot].is_some() || matches!(scale, Scale::Log | Scale::None) {
            continue;
        }
        let values = sample.column(slot);
        if scale == Scale::Rank || has_heavy_tails(&values) {
            // A column that does not vary is left out anyhow.
            let scores = NormalScores::new(&values).map(Transform::Rank);
            all.extend(scores.map(|scores| (name.clone(), scores)));
        }
    }
    all
}
