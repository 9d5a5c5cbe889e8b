//! The commands, one file each.

mod evaluate;
mod learn;
mod methods;
mod simulate;

pub(crate) use evaluate::evaluate;
pub(crate) use learn::learn;
pub(crate) use methods::methods;
pub(crate) use simulate::simulate;
