//! The commands, one file each.

mod bench;
mod effects;
mod evaluate;
mod intervene;
mod learn;
mod methods;
mod simulate;
mod weighted;

pub(crate) use bench::{bench, calibrate};
pub(crate) use effects::effects;
pub(crate) use evaluate::evaluate;
pub(crate) use intervene::intervene;
pub(crate) use learn::learn;
pub(crate) use methods::methods;
pub(crate) use simulate::simulate;
