//! Networks with one layer of sigmoids that predict a variable from others: their losses, and
//! training with sparse first layers. `notears-mlp`, `nocurl-mlp` and the order search with
//! networks share them.

mod journal;
mod net;
mod sigmoid;
#[cfg(test)]
mod tests;
mod train;

use crate::core::memory::{Memory, Size};
pub(crate) use journal::Log;
pub(crate) use net::{Net, Rows, Workspace};
pub(crate) use train::{Loss, Training, norms};

/// Memory for a network of `hidden` units for every variable, trained at the same time: weights,
/// gradients and the history of the minimiser, standardised rows, and a block of these for each
/// thread.
pub(crate) fn memory(hidden: usize, size: &Size) -> Memory {
    let hidden = hidden as f64;
    let block = 8.0 * 4.0 * 1024.0 * (hidden + size.variables as f64);
    Memory::matrices(60.0 * hidden + 8.0).and_tables(2.0).and_bytes(size.threads as f64 * block)
}
