//! What a report shows, as its script reads it.

use nocurl_render::{Diagram, Direction, Part, layout, lines};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything in a report. Variables and edges are named by their positions.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// What the report is about: mostly the name of a file.
    pub title: String,
    /// What was found, in a line.
    pub summary: String,
    /// What a reader should know of it, a sentence or two each.
    pub sentences: Vec<String>,
    /// What the user was warned of.
    pub warnings: Vec<String>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The graphs that can be looked at, the first one first: the best graph, the consensus.
    pub views: Vec<View>,
    /// Whether intervals and confidence are of resampled tables: how many, and the level of the
    /// intervals.
    pub resampled: Option<(usize, f64)>,
    /// Some rows, by variable: numbers, or positions of levels. Empty where there are none.
    pub sample: Vec<Vec<f64>>,
    /// What effects are computed from.
    pub effects: Option<Effects>,
    /// What was checked.
    pub checks: Vec<Check>,
    /// What was read and how, for the run to be repeated.
    pub facts: Vec<Fact>,
    /// The command that repeats the run.
    pub command: Option<String>,
    /// Settings by name.
    pub settings: Value,
    /// Two graphs, where the report is of a comparison.
    pub compared: Option<Compared>,
    /// The picture where no script may run.
    #[serde(skip)]
    pub still: Option<Diagram>,
}

/// A variable, as it was read.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its kind, in a word.
    pub kind: String,
    /// Its levels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<String>,
    /// The share of rows that have each level.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<f64>,
    /// The mean.
    pub mean: Option<f64>,
    /// The standard deviation.
    pub deviation: Option<f64>,
    /// Values that were missing.
    pub missing: Option<u64>,
    /// How its values lie.
    pub histogram: Option<Histogram>,
}

/// How many values lie between equal steps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// The smallest and the largest value.
    pub range: [f64; 2],
    /// Where the first step begins and the last one ends; values beyond are in these two.
    pub from: f64,
    /// The end of the last step.
    pub to: f64,
    /// How many values each step has.
    pub counts: Vec<u64>,
}

/// A graph with its places.
#[derive(Debug, Clone, Default, Serialize)]
pub struct View {
    /// What it is called on the page.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// Width of the picture.
    pub width: f64,
    /// Height of the picture.
    pub height: f64,
    /// Whether variables are dots.
    pub overview: bool,
    /// The places of all variables.
    pub spots: Vec<Spot>,
    /// The edges.
    pub edges: Vec<Link>,
}

/// Where a variable stands.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Spot {
    /// Middle.
    pub x: f64,
    /// Middle.
    pub y: f64,
    /// Width of the box or dot.
    pub w: f64,
    /// Height of the box or dot.
    pub h: f64,
    /// The name in lines.
    pub lines: Vec<String>,
    /// Where the name of a dot stands, if there is room for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<[f64; 2]>,
    /// The shape.
    pub kind: nocurl_render::Kind,
    /// Whether it is drawn.
    pub shown: bool,
}

/// An edge with its way.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Link {
    /// Position of the cause.
    pub from: usize,
    /// Position of the effect.
    pub to: usize,
    /// What is known of the direction.
    pub direction: Direction,
    /// Change of the effect per unit of the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The weight between columns of standard deviation 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standardized: Option<f64>,
    /// How strong it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
    /// How sure the edge is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// How sure its direction is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction_confidence: Option<f64>,
    /// Interval of the weight over resampled tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Coefficients of levels: that of the cause, that of the effect, value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coefficients: Vec<(Option<String>, Option<String>, f64)>,
    /// What a determined direction comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Which graphs of a comparison have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// The edge in each graph of a comparison.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<Option<Side>>,
    /// How it is drawn.
    pub route: Route,
}

/// How an edge is drawn.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Route {
    /// Points of Bézier curves, x and y in turn.
    pub points: Vec<f64>,
    /// Width of the line.
    pub width: f64,
    /// Opacity of the line.
    pub opacity: f64,
    /// Where its weight is written, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<(f64, f64, String)>,
}

/// An edge in one graph of a comparison.
#[derive(Debug, Clone, Serialize)]
pub struct Side {
    /// Its weight.
    pub weight: Option<f64>,
    /// What is known of its direction.
    pub direction: Direction,
    /// Whether it points from the effect to the cause.
    pub backward: bool,
}

/// What effects are computed from: a linear model of the columns that code the variables.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Effects {
    /// The columns.
    pub columns: Vec<Column>,
    /// Columns, causes before effects.
    pub order: Vec<usize>,
    /// Coefficients: from, to, value.
    pub weights: Vec<(usize, usize, f64)>,
    /// Effects over the graphs of the class where they are undetermined, as far as they are known.
    pub ranges: Vec<Range>,
    /// What is to be known of these effects.
    pub notes: Vec<String>,
    /// For each variable those on which its effect depends on undetermined directions, where that is
    /// known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Vec<usize>>,
    /// Effects and answers that are not sums over paths, where some variables have levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<Table>,
}

/// Effects and answers to interventions, computed beforehand.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Table {
    /// Effects: from column, to column, value. From a column of a level it is the change from the
    /// base level.
    pub effects: Vec<(usize, usize, f64)>,
    /// Means of all columns after one variable is set.
    pub responses: Vec<Response>,
    /// Whether some of them are simulated.
    #[serde(skip)]
    pub simulated: bool,
}

/// Means after one variable is set to a value.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Response {
    /// The variable.
    pub variable: usize,
    /// Its value: a number, or the position of a level.
    pub value: f64,
    /// The means of all columns.
    pub means: Vec<f64>,
}

/// A column that codes a variable or one of its levels.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The variable.
    pub variable: usize,
    /// The level that it indicates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// The mean, or the share of the level.
    pub mean: Option<f64>,
}

/// The smallest and the largest effect over a class of graphs.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Range(pub usize, pub usize, pub f64, pub f64);

/// A finding about the result.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Check {
    /// Its name.
    pub check: String,
    /// `ok`, `note` or `concern`.
    pub verdict: String,
    /// What it means.
    pub sentence: String,
    /// Its numbers.
    pub numbers: Value,
}

/// Something about the run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Fact(pub String, pub String);

/// Two graphs that are compared.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Compared {
    /// What they are called.
    pub graphs: [String; 2],
    /// Variables that only one of them has.
    pub only: [Vec<String>; 2],
}

impl View {
    /// A graph with the places of its picture; what else is known of its edges can be filled in.
    pub fn new(name: &str, diagram: &Diagram) -> Self {
        let places = layout(diagram);
        let looks = lines(diagram, places.overview);
        let spot = |(place, node): (&nocurl_render::Place, &nocurl_render::Node)| Spot {
            x: short(place.x),
            y: short(place.y),
            w: short(place.width),
            h: short(place.height),
            lines: place.lines.clone(),
            label: place
                .name
                .filter(|_| places.overview)
                .map(|name| [short(name.x), short(name.y)]),
            kind: node.kind,
            shown: place.shown,
        };
        let link = |(k, edge): (usize, &nocurl_render::Edge)| Link {
            from: edge.from,
            to: edge.to,
            direction: edge.direction,
            weight: edge.weight,
            strength: edge.strength,
            confidence: edge.confidence.map(shown),
            part: edge.part,
            route: Route {
                points: places.edges[k].points.iter().flatten().map(|&at| short(at)).collect(),
                width: short(looks[k].width),
                opacity: short(looks[k].opacity),
                label: (places.edges[k].label.as_ref())
                    .map(|(area, text)| (short(area.x), short(area.y), text.clone())),
            },
            ..Link::default()
        };
        Self {
            name: name.into(),
            about: diagram.title.clone(),
            width: short(places.width),
            height: short(places.height),
            overview: places.overview,
            spots: places.nodes.iter().zip(&diagram.nodes).map(spot).collect(),
            edges: diagram.edges.iter().enumerate().map(link).collect(),
        }
    }
}

/// A share that is shown in whole percent: nothing short of certain as 100%.
fn shown(share: f64) -> f64 {
    if share < 1.0 { share.min(0.99) } else { share }
}

/// A place to a hundredth of a point.
fn short(value: f64) -> f64 {
    (100.0 * value).round() / 100.0
}
