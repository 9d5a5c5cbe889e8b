//! PNG: a picture of pixels.

use super::{GraphFormat, Written};
use crate::Error;

pub(super) static FORMAT: GraphFormat = GraphFormat {
    name: "PNG",
    extensions: &["png"],
    also_read: &[],
    may_omit_variables: false,
    read: None,
    write: Written::Picture(|diagram, layout| {
        nocurl_render::png(diagram, layout)
            .ok_or_else(|| Error::unsupported("graph", "the picture does not fit into memory"))
    }),
};
