//! Placeholder.
use super::collect::{Assembly, Collect};
use crate::source::Seekable;
use crate::{Error, ReadOptions};

pub(super) fn read<C: Collect>(
    input: &Seekable,
    _options: &ReadOptions,
    _observer: &dyn nocurl::Observer,
) -> Result<Assembly<C>, Error> {
    Err(Error::unsupported(&input.label, "not yet"))
}
