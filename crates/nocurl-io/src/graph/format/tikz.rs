//! TikZ: a picture for LaTeX.

use super::{GraphFormat, Written};

pub(super) static FORMAT: GraphFormat = GraphFormat {
    name: "TikZ",
    extensions: &["tex", "tikz"],
    also_read: &[],
    may_omit_variables: false,
    read: None,
    write: Written::Picture(
        |diagram, layout| Ok(nocurl_render::tikz(diagram, layout).into_bytes()),
    ),
};
