//! PDF: a picture for papers.

use super::{GraphFormat, Written};

pub(super) static FORMAT: GraphFormat = GraphFormat {
    name: "PDF",
    extensions: &["pdf"],
    also_read: &[],
    may_omit_variables: false,
    read: None,
    write: Written::Picture(|diagram, layout| Ok(nocurl_render::pdf(diagram, layout))),
};
