//! Tables that were resampled where the rows are, and what was learnt from them there.

use nocurl::bootstrap::{Learnt, learn_again};
use nocurl::{Dag, Moments, Run};

use crate::{Error, Job};

/// Moments of resampled tables; without any, a table is resampled where it is learnt from.
#[derive(Debug, Clone, Default)]
pub struct Resampled {
    /// Their moments.
    pub drawn: Option<Vec<Moments>>,
    /// What was learnt from the first of them, by [`Job::learn_again`].
    pub learnt: Vec<Option<Learnt>>,
}

impl Resampled {
    /// The moments of these variables.
    pub(crate) fn drawn_for(&self, names: &[String]) -> Result<Option<Vec<Moments>>, Error> {
        let Some(drawn) = &self.drawn else { return Ok(None) };
        let selected = drawn.iter().map(|moments| chosen(moments, names));
        Ok(Some(selected.collect::<Result<_, _>>()?))
    }
}

/// The moments of some variables by their names.
fn chosen(moments: &Moments, names: &[String]) -> Result<Moments, Error> {
    let known = moments.names();
    let place = |name: &String| known.iter().position(|other| other == name);
    let places: Option<Vec<usize>> = names.iter().map(place).collect();
    let places = places.ok_or(nocurl_io::Error::from(nocurl::Error::DifferentVariables {
        what: "resampled tables and the table",
    }))?;
    Ok(if names == known { moments.clone() } else { moments.select(&places) })
}

impl Job {
    /// Learns from one resampled table, starting from the graph of the table itself, on variables of
    /// these names: what [`Resampled::learnt`] takes. Nothing where it cannot be learnt from.
    ///
    /// # Errors
    /// Other variables, or a request to stop.
    pub fn learn_again(
        &self,
        drawn: &Moments,
        names: &[String],
        from: &Dag,
        run: &Run<'_>,
    ) -> Result<Option<Learnt>, Error> {
        match learn_again(&chosen(drawn, names)?, &self.options, from, run) {
            Ok(learnt) => Ok(Some(learnt)),
            Err(error @ nocurl::Error::Cancelled) => Err(nocurl_io::Error::from(error).into()),
            Err(_) => Ok(None),
        }
    }
}
