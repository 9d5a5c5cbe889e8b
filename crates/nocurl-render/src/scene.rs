//! A picture as lines and words, before it becomes a file of some kind.

use crate::diagram::{Diagram, Direction, Kind};
use crate::labels::number;
use crate::layout::{FONT, LINE, Layout, Place, SMALL};
use crate::legend;
use crate::style::{
    BORDER, Colour, FAINT, INK, Line, PAPER, PAPER_CATEGORY, PAPER_CONTEXT, WHITE, lines,
};
use crate::text::{shown, text_width};

/// Everything that is drawn, in its order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) title: String,
    pub(crate) groups: Vec<Group>,
}

/// Shapes that belong together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    pub(crate) class: &'static str,
    /// The number of the variable or edge that it shows.
    pub(crate) number: Option<usize>,
    /// What a pointer that rests on it is told.
    pub(crate) title: String,
    pub(crate) opacity: f64,
    pub(crate) shapes: Vec<Shape>,
}

impl Group {
    pub(crate) fn new(class: &'static str, shapes: Vec<Shape>) -> Self {
        Self { class, number: None, title: String::new(), opacity: 1.0, shapes }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Path { steps: Vec<Step>, fill: Option<Colour>, stroke: Option<Stroke> },
    Text { x: f64, y: f64, size: f64, colour: Colour, centred: bool, text: String },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) colour: Colour,
    pub(crate) width: f64,
    pub(crate) dash: Option<[f64; 2]>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    Move([f64; 2]),
    Line([f64; 2]),
    Cubic([[f64; 2]; 3]),
    Close,
}

impl Shape {
    pub(crate) fn words(x: f64, y: f64, size: f64, colour: Colour, text: &str) -> Self {
        Self::Text { x, y, size, colour, centred: false, text: shown(text) }
    }
}

/// The scene of a graph with its layout, and the legend below.
pub(crate) fn scene(diagram: &Diagram, layout: &Layout) -> Scene {
    let looks = lines(diagram, layout.overview);
    let mut groups = Vec::new();
    // Faint edges first, so that sure ones are seen above them.
    let mut order: Vec<usize> = (0..diagram.edges.len()).collect();
    let weight = |k: usize| looks[k].opacity * looks[k].width;
    order.sort_by(|&a, &b| weight(a).total_cmp(&weight(b)));
    for k in order {
        let points = &layout.edges[k].points;
        if points.len() < 4 {
            continue;
        }
        groups.push(Group {
            class: "edge",
            number: Some(k),
            title: edge_title(diagram, k),
            opacity: looks[k].opacity,
            shapes: edge(points, &looks[k], layout.overview),
        });
    }
    for (k, route) in layout.edges.iter().enumerate() {
        let Some((area, text)) = &route.label else { continue };
        let back = rectangle(area.x, area.y, area.width, area.height - 1.0);
        let back = Shape::Path { steps: back, fill: Some(WHITE), stroke: None };
        let (x, y) = (area.x, area.y + 0.36 * SMALL);
        let colour = looks[k].colour;
        let words = Shape::Text { x, y, size: SMALL, colour, centred: true, text: text.clone() };
        groups.push(Group { number: Some(k), ..Group::new("weight", vec![back, words]) });
    }
    for (v, place) in layout.nodes.iter().enumerate().filter(|(_, place)| place.shown) {
        let kind = diagram.nodes[v].kind;
        let shapes = if layout.overview { dot(place, kind) } else { variable(place, kind) };
        let title = shown(&diagram.nodes[v].name);
        groups.push(Group { number: Some(v), title, ..Group::new("variable", shapes) });
    }
    for note in &layout.notes {
        let words = Shape::words(note.x, note.y, SMALL, FAINT, &note.text);
        groups.push(Group::new("note", vec![words]));
    }
    let legend = legend::legend(diagram, layout);
    groups.push(Group::new("legend", legend.shapes));
    let (width, height) = (layout.width.max(legend.width), layout.height + legend.height);
    Scene { width, height, title: shown(&diagram.title), groups }
}

/// What is known of an edge, on one line.
fn edge_title(diagram: &Diagram, k: usize) -> String {
    let edge = &diagram.edges[k];
    let name = |v: usize| shown(&diagram.nodes[v].name);
    let arrow = if edge.direction == Direction::Undetermined { '—' } else { '→' };
    let mut text = format!("{} {arrow} {}", name(edge.from), name(edge.to));
    let numbers =
        [("weight", edge.weight), ("strength", edge.strength), ("confidence", edge.confidence)];
    for (index, (word, value)) in
        numbers.into_iter().filter_map(|(word, value)| Some((word, value?))).enumerate()
    {
        text += &format!("{} {word} {}", if index == 0 { ":" } else { "," }, number(value));
    }
    match edge.direction {
        Direction::Determined => text,
        Direction::Likely => text + " (direction likely)",
        Direction::Undetermined => text + " (direction undetermined)",
    }
}

/// The line of an edge with its heads.
pub(crate) fn edge(points: &[[f64; 2]], look: &Line, overview: bool) -> Vec<Shape> {
    let mut points = points.to_vec();
    let mut heads = Vec::new();
    let length = if overview { 2.5 + 1.5 * look.width } else { 5.5 + 1.4 * look.width };
    if look.head != Direction::Undetermined {
        heads.extend(head(&mut points, length, look));
    }
    if look.both {
        points.reverse();
        heads.extend(head(&mut points, length, look));
        points.reverse();
    }
    let mut steps = vec![Step::Move(points[0])];
    steps.extend(points[1..].chunks_exact(3).map(|c| Step::Cubic([c[0], c[1], c[2]])));
    let stroke = Some(Stroke { colour: look.colour, width: look.width, dash: look.dash });
    let mut shapes = vec![Shape::Path { steps, fill: None, stroke }];
    shapes.extend(heads);
    shapes
}

/// The head at the last of the points, which are made shorter by it.
fn head(points: &mut [[f64; 2]], length: f64, look: &Line) -> Option<Shape> {
    let last = points.len() - 1;
    let (tip, before) = (points[last], points[last - 1]);
    let (dx, dy) = (tip[0] - before[0], tip[1] - before[1]);
    let size = dx.hypot(dy);
    if size < 1e-6 {
        return None;
    }
    let (dx, dy) = (dx / size, dy / size);
    let back = |by: f64, side: f64| [tip[0] - by * dx - side * dy, tip[1] - by * dy + side * dx];
    let half = 0.42 * length;
    let open = look.head == Direction::Likely;
    let steps = vec![
        Step::Move(tip),
        Step::Line(back(length, half)),
        Step::Line(back(if open { length } else { 0.8 * length }, 0.0)),
        Step::Line(back(length, -half)),
        Step::Close,
    ];
    let base = back(if open { length } else { 0.75 * length }, 0.0);
    points[last] = base;
    // The end keeps its direction.
    let slack = size.min(length);
    points[last - 1] = [before[0] - 0.5 * slack * dx, before[1] - 0.5 * slack * dy];
    let colour = look.colour;
    Some(match open {
        true => {
            let stroke = Some(Stroke { colour, width: 0.9, dash: None });
            Shape::Path { steps, fill: Some(WHITE), stroke }
        }
        false => Shape::Path { steps, fill: Some(colour), stroke: None },
    })
}

/// A rectangle by its middle.
pub(crate) fn rectangle(x: f64, y: f64, width: f64, height: f64) -> Vec<Step> {
    let (w, h) = (width / 2.0, height / 2.0);
    polygon(&[[x - w, y - h], [x + w, y - h], [x + w, y + h], [x - w, y + h]])
}

fn polygon(corners: &[[f64; 2]]) -> Vec<Step> {
    let mut steps = vec![Step::Move(corners[0])];
    steps.extend(corners[1..].iter().map(|&corner| Step::Line(corner)));
    steps.push(Step::Close);
    steps
}

/// A rectangle with round corners.
fn rounded(x: f64, y: f64, width: f64, height: f64, radius: f64) -> Vec<Step> {
    let (l, r, t, b) = (x - width / 2.0, x + width / 2.0, y - height / 2.0, y + height / 2.0);
    // Where the handles of a Bézier curve make a quarter of a circle.
    let (q, k) = (radius, 0.447_715 * radius);
    vec![
        Step::Move([l + q, t]),
        Step::Line([r - q, t]),
        Step::Cubic([[r - k, t], [r, t + k], [r, t + q]]),
        Step::Line([r, b - q]),
        Step::Cubic([[r, b - k], [r - k, b], [r - q, b]]),
        Step::Line([l + q, b]),
        Step::Cubic([[l + k, b], [l, b - k], [l, b - q]]),
        Step::Line([l, t + q]),
        Step::Cubic([[l, t + k], [l + k, t], [l + q, t]]),
        Step::Close,
    ]
}

/// The outline of a variable of some kind, and what fills it.
pub(crate) fn outline(kind: Kind, x: f64, y: f64, width: f64, height: f64) -> (Vec<Step>, Colour) {
    let (w, h) = (width / 2.0, height / 2.0);
    match kind {
        Kind::Continuous => (rounded(x, y, width, height, 5.0_f64.min(h)), PAPER),
        Kind::Categorical => {
            let cut = 6.0_f64.min(h);
            let corners = [
                [x - w + cut, y - h],
                [x + w - cut, y - h],
                [x + w, y - h + cut],
                [x + w, y + h - cut],
                [x + w - cut, y + h],
                [x - w + cut, y + h],
                [x - w, y + h - cut],
                [x - w, y - h + cut],
            ];
            (polygon(&corners), PAPER_CATEGORY)
        }
        Kind::Context => {
            let point = 7.0_f64.min(w / 2.0);
            let corners = [
                [x - w + point, y - h],
                [x + w - point, y - h],
                [x + w, y],
                [x + w - point, y + h],
                [x - w + point, y + h],
                [x - w, y],
            ];
            (polygon(&corners), PAPER_CONTEXT)
        }
    }
}

/// A box with its name.
fn variable(place: &Place, kind: Kind) -> Vec<Shape> {
    let (steps, fill) = outline(kind, place.x, place.y, place.width, place.height);
    let stroke = Some(Stroke { colour: BORDER, width: 1.0, dash: None });
    let mut shapes = vec![Shape::Path { steps, fill: Some(fill), stroke }];
    let first = place.y - LINE * (place.lines.len() as f64 - 1.0) / 2.0 + 0.36 * FONT;
    for (at, line) in place.lines.iter().enumerate() {
        let (x, y) = (place.x, first + LINE * at as f64);
        let text = line.clone();
        shapes.push(Shape::Text { x, y, size: FONT, colour: INK, centred: true, text });
    }
    shapes
}

/// A dot with its name, if there is room for that.
fn dot(place: &Place, kind: Kind) -> Vec<Shape> {
    let (w, h) = (place.width, place.height);
    let (steps, fill) = match kind {
        Kind::Continuous => (rounded(place.x, place.y, w, h, h / 2.0), [170, 170, 170]),
        other => outline(other, place.x, place.y, w, h),
    };
    let stroke = Some(Stroke { colour: BORDER, width: 0.6, dash: None });
    let mut shapes = vec![Shape::Path { steps, fill: Some(fill), stroke }];
    if let Some(area) = place.name {
        let (x, y) = (area.x - text_width(&place.lines[0], SMALL) / 2.0, area.y + 0.36 * SMALL);
        shapes.push(Shape::words(x, y, SMALL, INK, &place.lines[0]));
    }
    shapes
}
