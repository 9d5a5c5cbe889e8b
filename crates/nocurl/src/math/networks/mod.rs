//! Networks with one layer of sigmoids that predict a variable from others: their losses, and
//! training with sparse first layers. `notears-mlp`, `nocurl-mlp` and the order search with
//! networks share them.

mod journal;
mod net;
mod sigmoid;
#[cfg(test)]
mod tests;
mod train;

pub(crate) use journal::Log;
pub(crate) use net::{Net, Rows, Workspace};
pub(crate) use train::{Loss, Training, norms};
