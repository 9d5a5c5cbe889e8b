//! How sure the direction of an edge is, in one word.

/// How sure the direction of an edge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Direction {
    /// It points this way.
    #[default]
    Determined,
    /// It points this way more likely than not.
    Likely,
    /// It may as well point the other way.
    Undetermined,
}

impl Direction {
    /// Every word there is, from the most to the least sure.
    pub const ALL: [Self; 3] = [Self::Determined, Self::Likely, Self::Undetermined];

    /// The word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Determined => "determined",
            Self::Likely => "likely",
            Self::Undetermined => "undetermined",
        }
    }

    /// The direction of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}
