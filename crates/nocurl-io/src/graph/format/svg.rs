//! SVG: a picture for pages and papers.

use super::{GraphFormat, Written};

pub(super) static FORMAT: GraphFormat = GraphFormat {
    name: "SVG",
    extensions: &["svg"],
    also_read: &[],
    may_omit_variables: false,
    read: None,
    write: Written::Picture(|diagram, layout| Ok(nocurl_render::svg(diagram, layout).into_bytes())),
};
