//! What there is to know about a method, said once, beside its code.

use crate::core::{Determines, Evidence, Kind};

/// The most variables for which a check learns again where a method does not say otherwise: a
/// limit of size and not of time, so that the same data always has the same findings.
pub const MOST_TO_CHECK: usize = 200;

/// What there is to know about a method or a refinement, with its parameters as they are set.
///
/// Documentation, help, checks and the pipeline read it from here.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Facts {
    /// The name under which users know it.
    pub name: &'static str,
    /// The name of its class in languages that have classes.
    pub class: &'static str,
    /// How a sentence speaks of it; empty where its name does.
    pub phrase: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// How much of the graph it determines.
    pub determines: Determines,
    /// What its directions come from.
    pub directions: Directions,
    /// What it must be given.
    pub needs: Needs,
    /// True when the weights of the graph are the whole of the effects, not their linear parts.
    pub linear: bool,
    /// True when it chooses edges by a score of its own, so that no threshold is needed.
    pub chooses_edges: bool,
    /// True when other units of the columns can change what it determines.
    pub depends_on_units: bool,
    /// How it takes prior knowledge.
    pub knowledge: TakesKnowledge,
    /// True when it learns from experiments: conditions, and what these act on.
    pub experiments: bool,
    /// True when its state can be kept, and taken up again after a stop.
    pub checkpoint: bool,
    /// The most variables for which a check learns again.
    pub most_to_check: usize,
    /// True when it counts levels, from the rows, where all columns are binary or categorical.
    pub counts: bool,
    /// The most variables for which it is quick enough to learn from many resampled tables without
    /// being asked to; none where any number is.
    pub most_to_resample: Option<usize>,
    /// The kinds of columns it takes.
    pub columns: &'static [Kind],
    /// Where it was published.
    pub reference: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

impl Facts {
    /// The facts of a linear method on moments that determines a graph by equal variances, as
    /// most of the paper's methods do; others say how they differ.
    pub(crate) const LINEAR: Self = Self {
        name: "",
        class: "",
        phrase: "",
        summary: "",
        determines: Determines::Graph,
        directions: Directions::EqualVariances,
        needs: Needs::Moments,
        linear: true,
        chooses_edges: false,
        depends_on_units: true,
        knowledge: TakesKnowledge::Yes,
        experiments: false,
        checkpoint: false,
        most_to_check: MOST_TO_CHECK,
        counts: false,
        most_to_resample: None,
        columns: Kind::NUMBERS,
        reference: "",
        parameters: &[],
    };

    /// How a sentence speaks of it.
    pub fn phrase(&self) -> &'static str {
        if self.phrase.is_empty() { self.name } else { self.phrase }
    }

    /// True when directions come from error variances of similar size in the units given.
    pub fn assumes_equal_variances(&self) -> bool {
        self.directions == Directions::EqualVariances
    }

    /// True when moments are not enough.
    pub fn needs_rows(&self) -> bool {
        self.needs == Needs::Rows
    }
}

/// What directions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Directions {
    /// Conditional independences, which leave some directions undetermined.
    Independences,
    /// Error variances of similar size in the units given.
    EqualVariances,
    /// Error variances that are similar after one transformation of all columns.
    TransformedVariances,
    /// Effects that are not linear, with additive Gaussian errors.
    NonlinearEffects,
    /// The shape of the errors, which is not that of the normal law.
    ErrorShape,
    /// The variances of the columns: a baseline.
    Variances,
    /// The share of each variable that the others explain: a baseline.
    R2,
    /// Nothing: adjacencies alone are tested.
    Nothing,
}

impl Directions {
    /// The sentence for users, without its full stop.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Independences => {
                "Directions come from conditional independences; undetermined ones are drawn by a \
                 guess"
            }
            Self::EqualVariances => {
                "Directions come from error variances, assumed to be of similar size in the units \
                 given"
            }
            Self::TransformedVariances => {
                "Directions come from error variances, assumed to be similar after one \
                 transformation of all columns"
            }
            Self::NonlinearEffects => {
                "Directions come from effects that are not linear, with additive Gaussian errors"
            }
            Self::ErrorShape => {
                "Directions come from the shape of the errors, assumed to be independent and not \
                 Gaussian"
            }
            Self::Variances => {
                "Directions come from the variances of the columns alone: a baseline, not evidence"
            }
            Self::R2 => "Directions come from R2 alone: a baseline, not evidence",
            Self::Nothing => "Only adjacencies are tested: directions are arbitrary",
        }
    }

    /// What a direction that comes from it is evidence of; nothing for what is no evidence.
    pub fn evidence(self) -> Option<Evidence> {
        match self {
            Self::Independences => Some(Evidence::Independences),
            Self::EqualVariances | Self::TransformedVariances => Some(Evidence::Variances),
            Self::NonlinearEffects => Some(Evidence::NonlinearEffects),
            Self::ErrorShape => Some(Evidence::ErrorShape),
            Self::Variances | Self::R2 | Self::Nothing => None,
        }
    }

    /// What directions rest on where that is more than independences, in a few words.
    pub fn assumption(self) -> Option<&'static str> {
        (self != Self::Independences).then(|| self.short())
    }

    /// The checks that look at what directions rest on: where one raises a concern, no direction is
    /// more than likely.
    pub fn checks(self) -> &'static [&'static str] {
        match self {
            Self::EqualVariances => &["residual-variances", "varsortability", "units"],
            Self::TransformedVariances => &["units"],
            Self::NonlinearEffects => &["non-gaussianity"],
            Self::ErrorShape | Self::Independences | Self::Variances | Self::R2 | Self::Nothing => {
                &[]
            }
        }
    }

    /// True for a baseline, whose directions are no evidence.
    pub fn is_baseline(self) -> bool {
        matches!(self, Self::Variances | Self::R2 | Self::Nothing)
    }

    /// A few words for a table.
    pub fn short(self) -> &'static str {
        match self {
            Self::Independences => "independences",
            Self::EqualVariances => "equal error variances",
            Self::TransformedVariances => "equal error variances, transformed",
            Self::NonlinearEffects => "nonlinear effects",
            Self::ErrorShape => "shape of errors",
            Self::Variances => "variances of columns",
            Self::R2 => "R2 of columns",
            Self::Nothing => "nothing",
        }
    }
}

/// What a method must be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Needs {
    /// Means and second moments: tables of any length, in one pass.
    Moments,
    /// The rows, in memory.
    Rows,
}

/// How a method takes prior knowledge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TakesKnowledge {
    /// It honours it.
    Yes,
    /// It refuses it.
    No {
        /// Why.
        reason: &'static str,
        /// The method to use.
        instead: &'static str,
    },
}

/// A parameter of a method, as its field describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its type, as Rust spells it.
    pub kind: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// The values it can have.
    pub range: &'static str,
}

/// Defines a method's type with everything about each parameter in one place: its documentation,
/// its default and its range become the field, the table in the documentation of the type,
/// `Default` and `PARAMETERS`.
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $kind:ty = $default:expr, $range:literal;
            )*
        }
    ) => {
        $(#[$meta])*
        ///
        /// | Name | Default | Meaning | Range |
        /// |---|---|---|---|
        $(#[doc = concat!(
            "| `", stringify!($field), "` | `", stringify!($default), "` |", $($doc,)+ " | ",
            $range, " |"
        )])*
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::methods::Parameters for $name {
            fn values(&self) -> Vec<(&'static str, $crate::core::Value)> {
                vec![$((stringify!($field), $crate::core::value::Valued::to_value(&self.$field)),)*]
            }

            fn set(&mut self, name: &str, value: &$crate::core::Value) -> Result<(), String> {
                match name {
                    $(stringify!($field) => {
                        self.$field = $crate::core::value::Valued::checked(value, $range)?;
                    })*
                    _ => {}
                }
                Ok(())
            }
        }

        impl $name {
            /// What its parameters mean.
            pub const PARAMETERS: &'static [$crate::methods::Parameter] = &[
                $($crate::methods::Parameter {
                    name: stringify!($field),
                    kind: stringify!($kind),
                    meaning: concat!($($doc),+).trim_ascii(),
                    range: $range,
                },)*
            ];
        }
    };
}
pub(crate) use parameters;
