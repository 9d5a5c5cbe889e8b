//! The commands, one file each.

mod bench;
mod compare;
mod draw;
mod effects;
mod evaluate;
mod inspect;
mod intervene;
mod learn;
mod loaded;
mod manual;
mod methods;
mod model;
mod moments;
mod next;
mod page;
mod simulate;

pub(crate) use bench::{bench, calibrate, intervene as bench_interventions, scale as bench_scale};
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
pub(crate) use next::next_experiment;
pub(crate) use page::page;
pub(crate) use simulate::simulate;

use crate::failure::Failure;

/// Runs work on this many threads, or on all cores.
fn on_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    // Not the pool that is made by itself, whose making panics where threads cannot be had. 0 is one
    // for each core.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    let failed = |error| {
        Failure::Other(format!(
            "cannot start threads: {error}; there must be more memory, or fewer threads (--threads)"
        ))
    };
    Ok(pool.map_err(failed)?.install(work))
}
