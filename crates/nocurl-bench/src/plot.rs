//! Figures like the paper's: distance and time against the number of variables, on log scales.
//!
//! The figures need lines, shapes and text at known places, so the SVG is written here.

use std::fmt::Write as _;

use crate::{Cell, Estimate, Grid};

/// What a figure shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Structural Hamming distance.
    Shd,
    /// Seconds.
    Time,
}

impl Figure {
    /// The name of its file.
    pub fn file(self) -> &'static str {
        match self {
            Self::Shd => "shd.svg",
            Self::Time => "time.svg",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Shd => "SHD",
            Self::Time => "seconds",
        }
    }

    /// Smaller values are drawn here: a log scale has no zero.
    fn floor(self) -> f64 {
        match self {
            Self::Shd => 0.1,
            Self::Time => 1e-6,
        }
    }

    fn ours(self, cell: &Cell) -> Option<Estimate> {
        match self {
            Self::Shd => cell.shd,
            Self::Time => cell.time,
        }
    }

    fn published(self, cell: &Cell) -> Option<Estimate> {
        let row = cell.published.filter(|row| row.remark.is_none())?;
        match self {
            Self::Shd => row.shd,
            Self::Time => row.time,
        }
    }
}

/// Okabe and Ito's colours (2008), which people who do not see all colours can tell apart; yellow
/// is left out, being too faint on white.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// Outlines of markers around the origin.
const MARKERS: [&str; 5] = [
    "M-4,-4H4V4H-4Z",
    "M0,-5L5,4H-5Z",
    "M0,-6L6,0L0,6L-6,0Z",
    "M0,5L5,-4H-5Z",
    "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0Z",
];

// Sizes in pixels: of a panel, and of the plot's place in it.
const PANEL: (f64, f64) = (440.0, 330.0);
const MARGIN: Margin = Margin { left: 62.0, right: 12.0, top: 34.0, bottom: 46.0 };
const LEGEND: f64 = 230.0;
const LEGEND_LINE: f64 = 23.0;
const FOOT: f64 = 34.0;

struct Margin {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// One method's look, the same in every panel.
struct Look<'a> {
    method: &'a str,
    colour: &'static str,
    marker: &'static str,
    /// Whether it was run; otherwise there are only published values.
    run: bool,
    /// Factor on d that sets methods a little beside each other, so that error bars do not overlap.
    beside: f64,
}

/// A panel for each scenario, a line for each method; published values are dashed and hollow.
pub fn svg(figure: Figure, grid: &Grid, cells: &[Cell]) -> String {
    let of = |scenario: &str| -> Vec<&Cell> {
        cells.iter().filter(|cell| cell.scenario == scenario).collect()
    };
    let names = grid.scenarios.iter().map(|scenario| scenario.name.as_str());
    let panels: Vec<(&str, Vec<&Cell>)> =
        names.map(|name| (name, of(name))).filter(|(_, cells)| !cells.is_empty()).collect();
    let shown = |name: &&str| cells.iter().any(|cell| cell.method == **name);
    let mut methods: Vec<&str> =
        grid.contenders.iter().map(|contender| contender.name.as_str()).filter(shown).collect();
    let run = methods.len();
    for cell in cells.iter().filter(|cell| !cell.was_run()) {
        if !methods.contains(&cell.method.as_str()) {
            methods.push(&cell.method);
        }
    }
    let looks = looks(&methods, run);

    let columns = panels.len().clamp(1, 2);
    let body = PANEL.1 * panels.len().div_ceil(2).max(1) as f64;
    let body = body.max(LEGEND_LINE * (looks.len() as f64 + 4.0));
    let width = PANEL.0 * columns as f64;
    let mut svg = Svg::new(width + LEGEND, body + FOOT);
    for (k, (scenario, cells)) in panels.iter().enumerate() {
        let corner = ((k % columns) as f64 * PANEL.0, (k / columns) as f64 * PANEL.1);
        Panel::new(figure, corner, cells).draw(&mut svg, scenario, cells, &looks);
    }
    let published = cells.iter().any(|cell| figure.published(cell).is_some());
    legend(&mut svg, width + 14.0, &looks, published);
    svg.text((14.0, body + 20.0), "start", &caption(figure, cells));
    svg.finish()
}

/// The first `run` methods were run.
fn looks<'a>(methods: &[&'a str], run: usize) -> Vec<Look<'a>> {
    let middle = methods.len().saturating_sub(1) as f64 / 2.0;
    let look = |(k, method): (usize, &&'a str)| Look {
        method,
        colour: COLOURS[k % COLOURS.len()],
        // Seven and five have no common divisor: the first 35 methods all look different.
        marker: MARKERS[k % MARKERS.len()],
        run: k < run,
        beside: 1.008_f64.powf(k as f64 - middle),
    };
    methods.iter().enumerate().map(look).collect()
}

/// The place of a panel and what its axes span.
struct Panel {
    figure: Figure,
    x: Axis,
    y: Axis,
}

/// A log scale: values from `low` to `high` at pixels from `start` to `end`.
struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn at(&self, value: f64) -> f64 {
        let share =
            (value.clamp(self.low, self.high) / self.low).ln() / (self.high / self.low).ln();
        self.start + share * (self.end - self.start)
    }

    /// Powers of ten, with steps between them where there are few.
    fn ticks(&self) -> Vec<f64> {
        let steps: &[f64] = if self.high / self.low > 500.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let (from, to) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let tick = |power: i32, step: f64| match power {
            // Divided, since 0.2 is not twice the nearest number to 0.1.
            ..0 => step / 10_f64.powi(-power),
            _ => step * 10_f64.powi(power),
        };
        let all = (from..=to).flat_map(|power| steps.iter().map(move |&step| tick(power, step)));
        all.filter(|tick| (self.low..=self.high).contains(tick)).collect()
    }
}

impl Panel {
    fn new(figure: Figure, (left, top): (f64, f64), cells: &[&Cell]) -> Self {
        let values = cells.iter().flat_map(|cell| [figure.ours(cell), figure.published(cell)]);
        let (low, high) = range(values.flatten().map(|value| value.mean.max(figure.floor())));
        let (least, most) = range(cells.iter().map(|cell| cell.d as f64));
        let (start, end) = (left + MARGIN.left, left + PANEL.0 - MARGIN.right);
        let x = Axis { low: least / 1.2, high: most * 1.2, start, end };
        let (start, end) = (top + PANEL.1 - MARGIN.bottom, top + MARGIN.top);
        let y = Axis { low: low / 1.5, high: high * 1.6, start, end };
        Self { figure, x, y }
    }

    fn draw(&self, svg: &mut Svg, scenario: &str, cells: &[&Cell], looks: &[Look<'_>]) {
        self.draw_axes(svg, scenario, cells);
        for look in looks {
            let own: Vec<&&Cell> = cells.iter().filter(|cell| cell.method == look.method).collect();
            let points = |value: fn(Figure, &Cell) -> Option<Estimate>| -> Vec<(f64, Estimate)> {
                let point = |cell: &&&Cell| {
                    Some((self.x.at(cell.d as f64 * look.beside), value(self.figure, cell)?))
                };
                own.iter().filter_map(point).collect()
            };
            self.draw_line(svg, look, &points(Figure::published), false);
            self.draw_line(svg, look, &points(Figure::ours), true);
        }
    }

    fn draw_axes(&self, svg: &mut Svg, scenario: &str, cells: &[&Cell]) {
        let (x, y) = (&self.x, &self.y);
        let mut sizes: Vec<usize> = cells.iter().map(|cell| cell.d).collect();
        sizes.dedup();
        for size in sizes {
            let place = x.at(size as f64);
            svg.line((place, y.start), (place, y.end), "#ddd");
            svg.text((place, y.start + 17.0), "middle", &size.to_string());
        }
        for tick in y.ticks() {
            svg.line((x.start, y.at(tick)), (x.end, y.at(tick)), "#ddd");
            let floor = self.figure == Figure::Shd && tick <= self.figure.floor();
            let label = if floor { format!("≤ {tick}") } else { number(tick) };
            svg.text((x.start - 6.0, y.at(tick) + 4.0), "end", &label);
        }
        svg.line((x.start, y.start), (x.end, y.start), "#000");
        svg.line((x.start, y.start), (x.start, y.end), "#000");
        let middle = (x.start + x.end) / 2.0;
        svg.text((middle, y.end - 12.0), "middle", scenario);
        svg.text((middle, y.start + 36.0), "middle", "variables d");
        svg.text((x.start - 4.0, y.end - 12.0), "end", self.figure.label());
    }

    fn draw_line(&self, svg: &mut Svg, look: &Look<'_>, points: &[(f64, Estimate)], solid: bool) {
        let height = |value: f64| self.y.at(value.max(self.figure.floor()));
        let path: Vec<(f64, f64)> =
            points.iter().map(|(x, value)| (*x, height(value.mean))).collect();
        svg.path(&path, look.colour, solid);
        for ((x, value), place) in points.iter().zip(path) {
            if let (Some(error), true) = (value.error, solid) {
                let (low, high) = (height(value.mean - error), height(value.mean + error));
                svg.line((*x, low), (*x, high), look.colour);
                for end in [low, high] {
                    svg.line((x - 3.0, end), (x + 3.0, end), look.colour);
                }
            }
            svg.marker(place, look, solid);
        }
    }
}

fn legend(svg: &mut Svg, left: f64, looks: &[Look<'_>], published: bool) {
    let mut y = MARGIN.top;
    let mut entry = |look: &Look<'_>, name: &str, solid, below: f64| {
        svg.path(&[(left, y), (left + 30.0, y)], look.colour, solid);
        svg.marker((left + 15.0, y), look, solid);
        svg.text((left + 38.0, y + 4.5), "start", name);
        y += LEGEND_LINE + below;
    };
    for (k, look) in looks.iter().enumerate() {
        let gap = if k + 1 == looks.len() { LEGEND_LINE / 2.0 } else { 0.0 };
        entry(look, look.method, look.run, gap);
    }
    if published {
        let look = Look { method: "", colour: "#777", marker: MARKERS[0], run: true, beside: 1.0 };
        entry(&look, "this run", true, 0.0);
        entry(&look, "published", false, 0.0);
    }
}

fn caption(figure: Figure, cells: &[Cell]) -> String {
    let trials = || cells.iter().filter(|cell| cell.was_run()).map(|cell| cell.trials);
    let (least, most) = (trials().min().unwrap_or(0), trials().max().unwrap_or(0));
    let trials = if least == most { most.to_string() } else { format!("{least} to {most}") };
    match figure {
        Figure::Shd => format!(
            "Structural Hamming distance; lower is better. Bars: standard errors over {trials} trials."
        ),
        Figure::Time => {
            "Seconds to learn a graph; lower is better. Published times are of another machine."
                .into()
        }
    }
}

/// The smallest and the largest value.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let start = (f64::INFINITY, 0.0_f64);
    let (low, high) = values.fold(start, |(low, high), v| (low.min(v), high.max(v)));
    if low <= high { (low, high) } else { (1.0, 1.0) }
}

fn number(value: f64) -> String {
    if value < 1e-3 { format!("{value:.0e}") } else { value.to_string() }
}

/// Text of an image, to which shapes are added.
struct Svg(String);

impl Svg {
    fn new(width: f64, height: f64) -> Self {
        Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        ))
    }

    fn finish(mut self) -> String {
        self.0 += "</svg>\n";
        self.0
    }

    fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), colour: &str) {
        self.add(format_args!(
            "<path d=\"M{x1:.1},{y1:.1}L{x2:.1},{y2:.1}\" stroke=\"{colour}\"/>"
        ));
    }

    fn path(&mut self, points: &[(f64, f64)], colour: &str, solid: bool) {
        if points.len() < 2 {
            return;
        }
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let style = if solid {
            "stroke-width=\"1.8\""
        } else {
            "stroke-dasharray=\"5 4\" opacity=\"0.75\""
        };
        self.add(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" {style}/>",
            points.join(" ")
        ));
    }

    fn marker(&mut self, (x, y): (f64, f64), look: &Look<'_>, solid: bool) {
        let (outline, colour) = (look.marker, look.colour);
        let fill = if solid { colour } else { "#fff" };
        self.add(format_args!(
            "<path d=\"{outline}\" transform=\"translate({x:.1} {y:.1}) scale(0.9)\" \
             fill=\"{fill}\" stroke=\"{colour}\"/>"
        ));
    }

    /// `anchor` says which end of the text is at the point: start, middle or end.
    fn text(&mut self, (x, y): (f64, f64), anchor: &str, text: &str) {
        let text = nocurl_io::plain(text).replace('&', "&amp;").replace('<', "&lt;");
        let text = text.replace('>', "&gt;");
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{element}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_within_the_axis() {
        let axis = |low, high| Axis { low, high, start: 0.0, end: 1.0 };
        assert_eq!(axis(0.07, 3.0).ticks(), [0.1, 0.2, 0.5, 1.0, 2.0]);
        assert_eq!(axis(0.5, 2000.0).ticks(), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(axis(0.1, 10.0).at(1.0), 0.5);
    }
}
