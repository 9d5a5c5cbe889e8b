//! What a direction comes from.

/// What a determined direction comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Evidence {
    /// Conditional independences: every graph of the class has it.
    Independences,
    /// The shape of errors that are not Gaussian.
    ErrorShape,
    /// Error variances, assumed to be of similar size.
    Variances,
    /// Effects that are not linear, with additive Gaussian errors.
    NonlinearEffects,
    /// What was known beforehand.
    Knowledge,
    /// Experiments: a condition acts on one end and not on the other.
    Experiments,
}

impl Evidence {
    /// Every value there is.
    pub const ALL: [Self; 6] = [
        Self::Independences,
        Self::ErrorShape,
        Self::Variances,
        Self::NonlinearEffects,
        Self::Knowledge,
        Self::Experiments,
    ];

    /// The word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Independences => "independences",
            Self::ErrorShape => "error-shape",
            Self::Variances => "variances",
            Self::NonlinearEffects => "nonlinear-effects",
            Self::Knowledge => "knowledge",
            Self::Experiments => "experiments",
        }
    }

    /// The value of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}
