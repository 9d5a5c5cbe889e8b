//! The commands, one file each.

mod bench;
mod compare;
mod draw;
mod effects;
mod evaluate;
mod inspect;
mod intervene;
mod learn;
mod manual;
mod methods;
mod model;
mod moments;
mod page;
mod simulate;
mod weighted;

pub(crate) use bench::{bench, calibrate};
pub(crate) use compare::compare;
pub(crate) use draw::draw;
pub(crate) use effects::effects;
pub(crate) use evaluate::evaluate;
pub(crate) use inspect::inspect;
pub(crate) use intervene::intervene;
pub(crate) use learn::learn;
pub(crate) use manual::{completions, man};
pub(crate) use methods::methods;
pub(crate) use model::{predict, residuals, sample, score};
pub(crate) use moments::moments;
pub(crate) use page::page;
pub(crate) use simulate::simulate;

use crate::failure::Failure;

/// Runs work on this many threads, or on all cores.
fn on_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let failed = |error| Failure::Other(format!("cannot start {threads} threads: {error}"));
    Ok(pool.map_err(failed)?.install(work))
}
