//! The report: one HTML file with the graph, what was read, effects and checks.
//!
//! [`html`] makes it from a [`Report`]. The file works offline: its script and its style are inside,
//! a content security policy allows nothing else, and what comes from data is never markup: it is
//! JSON that the script puts on the page as text. The crate opens no file, so that a browser can
//! make reports too.
//!
//! ```
//! use nocurl_render::{Diagram, Edge, Node};
//! use nocurl_report::{Report, View, html};
//! let node = |name: &str| Node { name: name.into(), ..Node::default() };
//! let edge = Edge { from: 0, to: 1, weight: Some(0.8), ..Edge::default() };
//! let diagram =
//!     Diagram { nodes: ["<b>", "wet"].map(node).into(), edges: vec![edge], ..Diagram::default() };
//! let report = Report {
//!     title: "</script>".into(),
//!     views: vec![View::new("graph", &diagram)],
//!     ..Report::default()
//! };
//! let page = html(&report);
//! assert!(page.contains("Content-Security-Policy") && !page.contains("<b>"));
//! assert_eq!(page.matches("</script>").count(), 2); // its data and its code
//! ```
//!
//! The script and the style are built from `web/report` (`npm run build` in `web`) and kept in
//! `asset/`; a test says when they are not those of their sources.

mod page;
mod report;

pub use page::{SCRIPT_HASH, STYLE_HASH, html};
pub use report::{
    Check, Column, Compared, Effects, Fact, Histogram, Link, Range, Report, Response, Route, Side,
    Spot, Table, Variable, View,
};
