//! Pictures of graphs: a layout in layers, and files that show it.
//!
//! [`layout`] gives every variable a place and every edge a way; [`svg`], [`tikz`] and, with the
//! feature `print`, [`png`] and [`pdf`] draw them. The crate opens no file and has no state: the
//! same graph has the same picture everywhere, also in a browser.
//!
//! ```
//! use nocurl_render::{Diagram, Edge, Node, layout, svg};
//! let node = |name: &str| Node { name: name.into(), ..Node::default() };
//! let edge = |from, to, weight| Edge { from, to, weight: Some(weight), ..Edge::default() };
//! let diagram = Diagram {
//!     nodes: ["rain", "wet", "slip"].map(node).into(),
//!     edges: vec![edge(0, 1, 0.9), edge(1, 2, 0.4)],
//!     title: "2 edges among 3 variables".into(),
//!     ..Diagram::default()
//! };
//! let picture = svg(&diagram, &layout(&diagram));
//! assert!(picture.starts_with("<svg") && picture.contains(">slip</text>"));
//! ```
//!
//! | step | file | how |
//! |---|---|---|
//! | layers | `layers.rs` | shortest edges (network simplex), or a given width |
//! | orders | `order.rs` | means, medians and sifting from several starts |
//! | places | `place.rs` | Brandes and Köpf |
//! | ways | `route.rs` | Bézier curves through the layers that an edge passes |
//! | words | `labels.rs` | weights and names where nothing else is |

mod component;
mod diagram;
#[cfg(feature = "print")]
mod font;
mod labels;
mod layers;
mod layout;
mod legend;
mod order;
mod pack;
#[cfg(feature = "print")]
mod pdf;
mod place;
#[cfg(feature = "print")]
mod png;
mod route;
mod scene;
mod style;
mod svg;
mod text;
mod tikz;
mod widths;

pub use diagram::{Diagram, Direction, Edge, Kind, Node, Part};
pub use labels::number;
pub use layout::{Area, Layout, MOST_BOXES, MOST_WEIGHTS, Note, Place, Route, layout};
pub use style::{Line, lines};
pub use text::text_width;

/// The picture as SVG.
pub fn svg(diagram: &Diagram, layout: &Layout) -> String {
    svg::write(&scene::scene(diagram, layout))
}

/// The picture for LaTeX: a document of its own, whose `tikzpicture` can be copied into another.
pub fn tikz(diagram: &Diagram, layout: &Layout) -> String {
    tikz::write(diagram, layout)
}

/// The picture as PDF, with its words as text.
#[cfg(feature = "print")]
pub fn pdf(diagram: &Diagram, layout: &Layout) -> Vec<u8> {
    pdf::write(&scene::scene(diagram, layout))
}

/// The picture as PNG, in 180 dots for each inch; nothing if memory does not suffice for it.
#[cfg(feature = "print")]
pub fn png(diagram: &Diagram, layout: &Layout) -> Option<Vec<u8>> {
    png::write(&scene::scene(diagram, layout))
}

/// True when PNG and PDF have all letters of a text. Those of other scripts are shown as empty
/// boxes there; SVG leaves them to the viewer, which has more fonts.
#[cfg(feature = "print")]
pub fn is_printable(text: &str) -> bool {
    font::has_letters(text)
}
