//! What the picture means, in a line or two below it.

use std::collections::BTreeSet;

use crate::diagram::{Diagram, Direction, Edge, Kind, Part};
use crate::layout::{Layout, SMALL};
use crate::scene::{Shape, Stroke, edge, outline};
use crate::style::{BORDER, FAINT, INK, Line, Widths, look, widths};
use crate::text::{shorten, text_width};

/// Height of a line of the legend, and room between two entries.
const ROW: f64 = 15.0;
const BETWEEN: f64 = 16.0;

/// Width of a sample of a line or a shape.
const SAMPLE: f64 = 24.0;

/// Least width that the entries are set in.
const NARROWEST: f64 = 300.0;

pub(crate) struct Legend {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) shapes: Vec<Shape>,
}

/// One entry: a sample and words.
enum Sample {
    Edge(Edge),
    Shape(Kind),
    Nothing,
}

/// The legend of a picture, set below it.
pub(crate) fn legend(diagram: &Diagram, layout: &Layout) -> Legend {
    let entries = entries(diagram, layout);
    if entries.is_empty() {
        return Legend { width: 0.0, height: 0.0, shapes: Vec::new() };
    }
    let limit = layout.width.max(NARROWEST);
    let (mut x, mut y) = (12.0, layout.height + 8.0);
    let mut widest = 0.0_f64;
    let mut shapes = Vec::new();
    for (sample, words) in entries {
        let words = shorten(&words, SMALL, limit.max(420.0));
        let before = if matches!(sample, Sample::Nothing) { 0.0 } else { SAMPLE + 5.0 };
        let width = before + text_width(&words, SMALL);
        if x > 12.0 && x + width > limit - 12.0 {
            (x, y) = (12.0, y + ROW);
        }
        shapes.extend(drawn(&sample, x, y));
        let colour = if matches!(sample, Sample::Nothing) { FAINT } else { INK };
        shapes.push(Shape::words(x + before, y + 0.36 * SMALL, SMALL, colour, &words));
        widest = widest.max(x + width + 12.0);
        x += width + BETWEEN;
    }
    Legend { width: widest, height: y + ROW - layout.height, shapes }
}

fn drawn(sample: &Sample, x: f64, y: f64) -> Vec<Shape> {
    match sample {
        Sample::Nothing => Vec::new(),
        Sample::Shape(kind) => {
            let (steps, fill) = outline(*kind, x + SAMPLE / 2.0, y, SAMPLE, 11.0);
            let stroke = Some(Stroke { colour: BORDER, width: 0.8, dash: None });
            vec![Shape::Path { steps, fill: Some(fill), stroke }]
        }
        Sample::Edge(sample) => {
            let (colour, dash) = look(sample);
            let both = sample.part == Some(Part::Reversed);
            let (width, opacity, head) = (1.5, 1.0, sample.direction);
            let line = Line { colour, width, opacity, dash, head, both };
            let at = |share: f64| [x + share * SAMPLE, y];
            edge(&[at(0.0), at(0.33), at(0.67), at(1.0)], &line, false)
        }
    }
}

/// What there is to explain: only what the picture has.
fn entries(diagram: &Diagram, layout: &Layout) -> Vec<(Sample, String)> {
    let mut entries = Vec::new();
    let mut line = |has: &dyn Fn(&Edge) -> bool, sample: Edge, words: String| {
        if diagram.edges.iter().any(has) {
            entries.push((Sample::Edge(sample), words));
        }
    };
    let base = Edge { direction: Direction::Undetermined, ..Edge::default() };
    if let Some([first, second]) = &diagram.compared {
        let parts = [
            (Part::Shared, "in both".to_string()),
            (Part::First, format!("only in {first}")),
            (Part::Second, format!("only in {second}")),
            (Part::Reversed, "in opposite directions".to_string()),
        ];
        for (part, words) in parts {
            let sample =
                Edge { part: Some(part), direction: Direction::Determined, ..base.clone() };
            line(&|edge| edge.part == Some(part), sample, words);
        }
    } else {
        let signed = |weight: f64| Edge { weight: Some(weight), ..base.clone() };
        let positive = |edge: &Edge| edge.weight.is_some_and(|weight| weight >= 0.0);
        let negative = |edge: &Edge| edge.weight.is_some_and(|weight| weight < 0.0);
        line(&positive, signed(1.0), "positive weight".into());
        line(&negative, signed(-1.0), "negative weight".into());
    }
    let plain = |direction| Edge { direction, ..base.clone() };
    let is = |direction| move |edge: &Edge| edge.direction == direction;
    let several =
        diagram.edges.iter().map(|edge| edge.direction).collect::<BTreeSet<_>>().len() > 1;
    let kinds = [
        (Direction::Determined, "direction determined", several),
        (Direction::Likely, "direction likely", true),
        (Direction::Undetermined, "direction undetermined", true),
    ];
    for (direction, words, wanted) in kinds {
        if wanted {
            line(&is(direction), plain(direction), words.into());
        }
    }
    shapes_and_words(diagram, layout, &mut entries);
    entries
}

/// Entries for kinds of variables, widths and opacities.
fn shapes_and_words(diagram: &Diagram, layout: &Layout, entries: &mut Vec<(Sample, String)>) {
    let kinds: BTreeSet<Kind> = diagram.nodes.iter().map(|node| node.kind).collect();
    if kinds.len() > 1 {
        for kind in kinds {
            let words = match kind {
                Kind::Continuous => "continuous",
                Kind::Categorical => "category",
                Kind::Context => "condition",
            };
            entries.push((Sample::Shape(kind), words.into()));
        }
    }
    let mut words = Vec::new();
    if diagram.compared.is_none() && diagram.edges.len() > 1 {
        match widths(diagram) {
            Widths::Strength => words.push("width: strength"),
            Widths::Rank => words.push("width: rank of the weight"),
            Widths::Alike => {}
        }
    }
    if diagram.edges.iter().any(|edge| edge.confidence.is_some()) {
        words.push("paler: less confidence");
    }
    if layout.overview {
        words.push("size of a dot: number of edges");
        words.push("causes on top");
    }
    if !words.is_empty() {
        entries.push((Sample::Nothing, words.join("; ")));
    }
}
