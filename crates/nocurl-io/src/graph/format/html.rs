//! HTML: the report, one file that works offline.

use super::{GraphFormat, Written};

pub(super) static FORMAT: GraphFormat = GraphFormat {
    name: "HTML",
    extensions: &["html", "htm"],
    also_read: &[],
    may_omit_variables: false,
    read: None,
    write: Written::Report,
};
