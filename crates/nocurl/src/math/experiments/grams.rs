//! Second moments in the units of the data, for losses that are sums of squares.

use std::collections::HashMap;

use super::Experiments;
use crate::core::error::list;
use crate::core::memory::{Memory, ask};
use crate::core::{Error, Mat, Variables};
use crate::math::objective::Grams;

/// A variable that does not vary where another is not set gets this share of its variance, so that
/// it explains nothing there.
const STILL: f64 = 1e-9;

/// The second moments that the loss of each variable goes by.
pub(crate) struct OwnMoments {
    matrices: Vec<Mat<f64>>,
    /// For each variable the place of its matrix.
    place: Vec<usize>,
}

impl OwnMoments {
    pub(crate) fn grams(&self) -> Grams<'_> {
        Grams::Own(&self.matrices, &self.place)
    }
}

impl Experiments {
    /// The sums over the rows in which each variable is not set, by the number of all rows: with the
    /// mean of each condition taken out for variables that are `within`, or the mean of all. The
    /// condition explains nothing: its part is the means.
    ///
    /// # Errors
    /// Variables of several columns, soft interventions, or too little memory.
    pub(crate) fn second_moments(
        &self,
        variables: &Variables,
        within: &[bool],
    ) -> Result<OwnMoments, Error> {
        let d = self.size();
        let soft: Vec<String> = (0..d)
            .filter(|&v| self.own_views(v).next().is_some())
            .map(|v| variables.names()[v].clone())
            .collect();
        if !soft.is_empty() {
            let reason = format!(
                "interventions on {} are soft, which is for order-search, fges and exact",
                list(&soft)
            );
            return Err(Error::Experiments { reason });
        }
        let mut places = HashMap::new();
        let mut wanted = Vec::new();
        let place = (0..d).map(|v| {
            let key = (self.main[v], within[v]);
            *places.entry(key).or_insert_with(|| {
                wanted.push((v, within[v]));
                wanted.len() - 1
            })
        });
        let place: Vec<usize> = place.collect();
        ask("the second moments of each variable", Memory::matrices(wanted.len() as f64).at(d, 0))?;
        let matrices = wanted.into_iter().map(|(v, within)| self.moments_of(v, within)).collect();
        Ok(OwnMoments { matrices, place })
    }

    fn moments_of(&self, variable: usize, within: bool) -> Mat<f64> {
        let (d, view) = (self.size(), self.view(variable));
        let column = |v: usize| self.columns(v).next();
        let mut moments = Mat::zeros(d, d);
        let mut largest = f64::MIN_POSITIVE;
        for a in 0..d {
            let Some(i) = column(a) else { continue };
            let (row, share) = (self.row(view, i, within), view.rows() / self.rows);
            for b in (0..d).filter(|&b| b != a) {
                let Some(j) = column(b) else { continue };
                moments[(b, a)] = share * row[j] * (view.deviation(i) * view.deviation(j));
            }
            let own = view.deviation(i);
            let floor = STILL * self.sums.variance(i, self.rows);
            moments[(a, a)] = (share * view.variance(i, within) * (own * own)).max(floor);
            largest = largest.max(moments[(a, a)]);
        }
        // The condition is alone, on a scale that sets no unit.
        (0..d).filter(|&a| column(a).is_none()).for_each(|a| moments[(a, a)] = largest);
        moments
    }
}
