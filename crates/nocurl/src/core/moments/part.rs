//! The rows of one condition.

use faer::Mat;

use super::Moments;
use crate::core::Variables;

/// Conditions of so few rows keep them: their scatter matrix would take more room.
const FEW: usize = 8;

/// The rows of one condition, of all coded columns but those of the condition itself: the rows as
/// they are where they take less room than their moments, else the moments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Rows { width: usize, values: Vec<f64> },
    Moments(Moments),
}

impl Part {
    pub(crate) fn new(width: usize) -> Self {
        Self::Rows { width, values: Vec::new() }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> u64 {
        match self {
            Self::Rows { width, values } => (values.len() / (*width).max(1)) as u64,
            Self::Moments(moments) => moments.rows(),
        }
    }

    /// Memory that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let numbers = match self {
            Self::Rows { values, .. } => values.len(),
            Self::Moments(moments) => moments.width() * moments.width(),
        };
        8 * numbers as u64
    }

    /// Adds rows, one after the other.
    pub(crate) fn push(&mut self, more: &[f64]) {
        match self {
            Self::Rows { values, .. } => values.extend_from_slice(more),
            Self::Moments(moments) => {
                let mut block = matrix(more, moments.width());
                moments.push_block(block.as_mut());
            }
        }
        self.settle();
    }

    /// The same with a weight for each row, where there are weights.
    pub(crate) fn push_some(&mut self, more: &[f64], weights: Option<&[f64]>) {
        let Some(weights) = weights else { return self.push(more) };
        // Rows that are kept have no weights.
        let moments = self.made_moments();
        let mut block = matrix(more, moments.width());
        moments.push_weighted(block.as_mut(), weights);
    }

    /// Makes rows moments.
    fn made_moments(&mut self) -> &mut Moments {
        if matches!(self, Self::Rows { .. }) {
            *self = Self::Moments(self.moments());
        }
        match self {
            Self::Moments(moments) => moments,
            Self::Rows { .. } => unreachable!("rows were made moments"),
        }
    }

    /// Rows that are too many become moments.
    fn settle(&mut self) {
        if let Self::Rows { width, values } = self
            && values.len() > *width * (*width / 2).max(FEW)
        {
            self.made_moments();
        }
    }

    /// The moments of columns without names.
    pub(crate) fn moments(&self) -> Moments {
        match self {
            Self::Rows { width, values } => {
                let mut moments = Moments::new(unnamed(*width));
                moments.push_block(matrix(values, *width).as_mut());
                moments
            }
            Self::Moments(moments) => moments.clone(),
        }
    }

    /// Adds later rows of the same condition.
    pub(crate) fn append(&mut self, later: &Self) {
        let later = match later {
            Self::Rows { values, .. } if values.is_empty() => return,
            Self::Rows { values, .. } => return self.push(values),
            Self::Moments(later) => later,
        };
        self.made_moments().merge(later).expect("both have the same columns");
    }

    /// The same in another coding, see [`Moments::recoded`].
    pub(crate) fn recoded(&self, columns: &[Vec<(usize, f64)>]) -> Self {
        match self {
            Self::Rows { width, values } => {
                let rows = values.chunks_exact((*width).max(1));
                let sum = |row: &[f64], of: &[(usize, f64)]| -> f64 {
                    of.iter().map(|&(i, factor)| factor * row[i]).sum()
                };
                let values = rows.flat_map(|row| columns.iter().map(move |of| sum(row, of)));
                Self::Rows { width: columns.len(), values: values.collect() }
            }
            Self::Moments(moments) => {
                Self::Moments(moments.recoded(unnamed(columns.len()), columns))
            }
        }
    }

    /// The same with a constant added to each column.
    pub(crate) fn moved(mut self, by: &[f64]) -> Self {
        match &mut self {
            Self::Rows { width, values } => {
                for row in values.chunks_exact_mut((*width).max(1)) {
                    row.iter_mut().zip(by).for_each(|(value, by)| *value += by);
                }
            }
            Self::Moments(moments) => {
                moments.mean.iter_mut().zip(by).for_each(|(mean, by)| *mean += by);
            }
        }
        self
    }

    /// The means of the columns.
    pub(crate) fn mean(&self) -> Vec<f64> {
        match self {
            Self::Rows { width, values } => {
                let mut mean = vec![0.0; *width];
                for row in values.chunks_exact((*width).max(1)) {
                    mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
                }
                let n = self.rows().max(1) as f64;
                mean.iter_mut().for_each(|sum| *sum /= n);
                mean
            }
            Self::Moments(moments) => moments.mean.clone(),
        }
    }

    /// The scatter matrix about the means (both triangles), or the rows less their means where
    /// these are kept, one after the other.
    pub(crate) fn spread(&self) -> Spread {
        match self {
            Self::Rows { width, values } => {
                let mean = self.mean();
                let rows = values.chunks_exact((*width).max(1));
                let centred = rows.flat_map(|row| row.iter().zip(&mean).map(|(x, m)| x - m));
                Spread::Rows(centred.collect())
            }
            Self::Moments(moments) => {
                let s = &moments.scatter;
                let m = moments.width();
                Spread::Scatter(Mat::from_fn(m, m, |i, j| s[(i.max(j), i.min(j))]))
            }
        }
    }
}

/// What is left of the rows of a condition once the means are gone.
#[derive(Debug, Clone)]
pub(crate) enum Spread {
    Rows(Vec<f64>),
    Scatter(Mat<f64>),
}

/// Rows one after the other as a matrix.
fn matrix(values: &[f64], width: usize) -> Mat<f64> {
    Mat::from_fn(values.len() / width.max(1), width, |i, j| values[i * width + j])
}

/// Columns that need no names.
pub(crate) fn unnamed(columns: usize) -> Variables {
    Variables::continuous(vec![String::new(); columns])
}
