//! The commands, one file each.

mod bench;
mod evaluate;
mod learn;
mod methods;
mod simulate;

pub(crate) use bench::bench;
pub(crate) use evaluate::evaluate;
pub(crate) use learn::learn;
pub(crate) use methods::methods;
pub(crate) use simulate::simulate;
