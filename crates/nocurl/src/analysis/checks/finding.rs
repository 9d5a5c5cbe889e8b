//! What the checks return.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

#[cfg(feature = "serde")]
use serde_json::{Value, json};

use crate::core::advice::{Action, Text};
#[cfg(feature = "serde")]
use crate::core::advice::{Neutral, Spelling};

/// All findings about one result, in a fixed order; serialised as a list.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Diagnosis {
    /// The findings.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    /// The findings that are more than [`Verdict::Ok`], the worst first.
    pub fn notable(&self) -> Vec<&Finding> {
        let mut notable: Vec<&Finding> =
            self.findings.iter().filter(|finding| finding.verdict > Verdict::Ok).collect();
        notable.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
        notable
    }

    /// The list as JSON (feature `serde`), with sentences in the spelling of a front end.
    #[cfg(feature = "serde")]
    pub fn to_value(&self, spelling: &dyn Spelling) -> Value {
        self.findings.iter().map(|finding| finding.to_value(spelling)).collect()
    }
}

/// What one check found: its numbers, what they amount to, and what to do about it.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Name of the check.
    pub check: &'static str,
    /// What it amounts to.
    pub verdict: Verdict,
    /// What it means and what to do.
    pub sentence: Text,
    numbers: Arc<dyn Numbers>,
}

impl Finding {
    pub(super) fn new<N: Numbers>(
        check: &'static str,
        verdict: Verdict,
        sentence: Text,
        numbers: N,
    ) -> Self {
        Self { check, verdict, sentence, numbers: Arc::new(numbers) }
    }

    /// The numbers, in the type that belongs to the check.
    pub fn numbers<N: 'static>(&self) -> Option<&N> {
        self.numbers.as_any().downcast_ref()
    }

    /// What the sentence advises, as values.
    pub fn advice(&self) -> Vec<&Action> {
        self.sentence.actions().collect()
    }

    /// The finding as JSON (feature `serde`), with its sentence in the spelling of a front end.
    #[cfg(feature = "serde")]
    pub fn to_value(&self, spelling: &dyn Spelling) -> Value {
        json!({
            "check": self.check,
            "verdict": self.verdict,
            "sentence": self.sentence.spelt(spelling),
            "numbers": self.numbers.to_value(),
            "advice": self.advice(),
        })
    }
}

impl PartialEq for Finding {
    fn eq(&self, other: &Self) -> bool {
        (self.check, self.verdict, &self.sentence) == (other.check, other.verdict, &other.sentence)
            && self.numbers.equals(other.numbers.as_ref())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Finding {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde::Serialize::serialize(&self.to_value(&Neutral), serializer)
    }
}

/// The numbers of some check.
pub(super) trait Numbers: Any + Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;

    fn equals(&self, other: &dyn Numbers) -> bool;

    #[cfg(feature = "serde")]
    fn to_value(&self) -> Value;
}

/// What the numbers of a check can do.
#[cfg(feature = "serde")]
pub(super) trait Plain: PartialEq + Debug + serde::Serialize {}
#[cfg(feature = "serde")]
impl<T: PartialEq + Debug + serde::Serialize> Plain for T {}
/// What the numbers of a check can do.
#[cfg(not(feature = "serde"))]
pub(super) trait Plain: PartialEq + Debug {}
#[cfg(not(feature = "serde"))]
impl<T: PartialEq + Debug> Plain for T {}

impl<T: Plain + Any + Send + Sync> Numbers for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equals(&self, other: &dyn Numbers) -> bool {
        other.as_any().downcast_ref::<T>().is_some_and(|other| self == other)
    }

    #[cfg(feature = "serde")]
    fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("numbers, names and lists alone")
    }
}

/// What a finding amounts to, from harmless to serious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Verdict {
    /// The input cannot show it.
    Unchecked,
    /// Nothing to do.
    Ok,
    /// Good to know when the result is used.
    Note,
    /// The result may be wrong for this reason.
    Concern,
}

impl Verdict {
    /// The verdict of a value that gets worse as it grows.
    pub(super) fn grade(value: f64, [note, concern]: [f64; 2]) -> Self {
        match value {
            value if value >= concern => Self::Concern,
            value if value >= note => Self::Note,
            _ => Self::Ok,
        }
    }
}
