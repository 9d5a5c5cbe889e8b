//! DOT, the language of Graphviz.

use std::fmt::Write as _;

use super::tokens::{Language, Token};
use super::{GraphDocument, GraphFormat, Written};
use crate::Error;
use crate::graph::attributes::{OfEdge, Value, of_edge, of_graph, of_variables};
use crate::graph::builder::{Builder, Flaw};
use crate::graph::text::check_names;

pub(super) static FORMAT: GraphFormat = GraphFormat {
    name: "DOT",
    extensions: &["dot", "gv"],
    also_read: &[],
    may_omit_variables: true,
    read: Some(read),
    write: Written::Text(write),
};

const DOT: Language = Language { symbols: &['{', '}', '[', ']', ';', ',', '=', ':'], is_dot: true };

/// Reads `digraph { determines="class"; a; a -> b [weight="1.5", direction=undetermined]; }`:
/// names, edges, chains and attributes, without subgraphs. Edges `a -- b` have no direction.
fn read(text: &str) -> Result<GraphDocument, Flaw> {
    let tokens = DOT.tokens(text)?;
    let start = tokens.iter().position(|token| token.is("{")).ok_or("there is no `{`")?;
    let is_graph = |token: &Token| {
        ["graph", "digraph"].iter().any(|word| token.text.eq_ignore_ascii_case(word))
    };
    if !tokens[..start].iter().any(is_graph) {
        return Err("it is neither a `digraph` nor a `graph`".into());
    }
    let mut parser = Parser {
        tokens: &tokens,
        at: start + 1,
        builder: Builder::default(),
        defaults: OfEdge::default(),
    };
    loop {
        match parser.next() {
            None => return Err("there is no closing `}`".into()),
            Some(token) if token.is("}") => return parser.builder.finish(),
            Some(token) if token.is(";") || token.is(",") => {}
            Some(token) if token.symbol => {
                let text = &token.text;
                return Err(format!("`{text}` was not expected; subgraphs are not read").into());
            }
            Some(token) => parser.statement(token)?,
        }
    }
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    builder: Builder,
    /// What `edge [..]` says of the edges below it.
    defaults: OfEdge,
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a Token> {
        let token = self.tokens.get(self.at);
        self.at += 1;
        token
    }

    fn next_is(&self, symbol: &str) -> bool {
        self.tokens.get(self.at).is_some_and(|token| token.is(symbol))
    }

    /// `name`, `a -> b -> c`, `key = value`, or defaults such as `node [..]`.
    fn statement(&mut self, first: &'a Token) -> Result<(), String> {
        if self.next_is("=") {
            self.at += 1;
            let value = self.next().map_or("", |token| token.text.as_str());
            return self.builder.graph.set(&first.text, value);
        }
        let keyword = ["node", "edge", "graph"]
            .into_iter()
            .find(|word| !first.quoted && first.text.eq_ignore_ascii_case(word));
        if let Some(keyword) = keyword {
            for (name, value) in self.attributes()? {
                match keyword {
                    "graph" => self.builder.graph.set(name, value)?,
                    "edge" => self.defaults.set(name, value)?,
                    _ => {}
                }
            }
            return Ok(());
        }
        self.port();
        let mut chain = vec![(self.builder.variable(&first.text), false)];
        while self.next_is("->") || self.next_is("--") {
            let undirected = self.next_is("--");
            self.at += 1;
            let next = self.next().filter(|token| !token.symbol);
            let next = next.ok_or("an edge leads to nothing; subgraphs are not read")?;
            self.port();
            chain.push((self.builder.variable(&next.text), undirected));
        }
        let attributes = self.attributes()?;
        if let [(variable, _)] = chain.as_slice() {
            let about = self.builder.about(*variable);
            attributes.iter().for_each(|(name, value)| about.set(name, value));
        }
        for ends in chain.windows(2) {
            let mut about = self.defaults;
            about.undirected |= ends[1].1;
            attributes.iter().try_for_each(|(name, value)| about.set(name, value))?;
            self.builder.edge(ends[0].0, ends[1].0, about)?;
        }
        Ok(())
    }

    /// Passes over `:port` and `:port:compass`, which say where on a node an edge ends.
    fn port(&mut self) {
        while self.next_is(":") {
            self.at += 2;
        }
    }

    /// Names and values of the lists `[a=b, c=d]` that follow.
    fn attributes(&mut self) -> Result<Vec<(&'a str, &'a str)>, String> {
        let mut attributes = Vec::new();
        while self.next_is("[") {
            self.at += 1;
            loop {
                let token = self.next().ok_or("a `[` is not closed")?;
                if token.is("]") {
                    break;
                }
                if self.next_is("=") {
                    self.at += 1;
                    let value = self.next().ok_or("a `[` is not closed")?;
                    attributes.push((token.text.as_str(), value.text.as_str()));
                }
            }
        }
        Ok(attributes)
    }
}

/// How Graphviz draws what edges and variables do not say themselves.
const STYLE: &str = "  graph [fontname=\"Helvetica\", nodesep=0.3, ranksep=0.45];
  node [shape=box, style=\"rounded,filled\", fillcolor=\"#f4f4f4\", color=\"#555555\", \
                     fontname=\"Helvetica\", fontsize=11, height=0.32, margin=\"0.11,0.04\"];
  edge [fontname=\"Helvetica\", fontsize=8.5, arrowsize=0.7];
";

fn write(graph: &GraphDocument) -> Result<String, Error> {
    // Text with such a character is no text to any reader.
    let held = |name: &str| (!name.contains('\0')).then(|| name.to_string());
    check_names(FORMAT.name, &graph.variables, held)?;
    let mut text = String::from("digraph nocurl {\n");
    for (name, value) in of_graph(graph) {
        let _ = writeln!(text, "  {name}={};", spelled(&value));
    }
    text.push_str(STYLE);
    for (name, mut attributes) in graph.variables.iter().zip(of_variables(graph)) {
        // Graphviz reads entities in a name that it shows.
        let shown = name.replace('&', "&amp;");
        if name.contains('&') {
            attributes.push(("label", Value::Text(&shown)));
        }
        let _ = writeln!(text, "  {}{};", quoted(name), list(&attributes));
    }
    let looks = nocurl_render::lines(&graph.diagram()?, false);
    for (edge, look) in graph.edges.iter().zip(&looks) {
        let mut attributes: Vec<String> = of_edge(edge)
            .iter()
            .map(|(name, value)| (if *name == "weight" { "edge_weight" } else { *name }, value))
            .map(|(name, value)| format!("{name}={}", spelled(value)))
            .collect();
        attributes.extend(edge.weight.map(|w| format!("label=\"{}\"", nocurl_render::number(w))));
        attributes.extend(looks_of(look));
        let (from, to) = (quoted(&edge.from), quoted(&edge.to));
        let _ = writeln!(text, "  {from} -> {to} [{}];", attributes.join(", "));
    }
    Ok(text + "}\n")
}

/// Colour, width, dashes and head of an edge.
fn looks_of(look: &nocurl_render::Line) -> Vec<String> {
    let opacity = (255.0 * look.opacity).round() as u8;
    let mut attributes = vec![
        format!("color=\"{}{opacity:02x}\"", look.hex()),
        format!("fontcolor=\"{}\"", look.hex()),
        format!("penwidth={:.2}", look.width),
    ];
    attributes.extend(look.dash.map(|_| "style=dashed".to_string()));
    attributes.extend(match look.head {
        nocurl_render::Direction::Determined => None,
        nocurl_render::Direction::Likely => Some("arrowhead=onormal".to_string()),
        // Graphviz draws no head on an edge whose direction is undetermined.
        nocurl_render::Direction::Undetermined => Some("dir=none".to_string()),
    });
    attributes
}

fn list(attributes: &[(&str, Value<'_>)]) -> String {
    if attributes.is_empty() {
        return String::new();
    }
    let all: Vec<String> =
        attributes.iter().map(|(name, value)| format!("{name}={}", spelled(value))).collect();
    format!(" [{}]", all.join(", "))
}

fn spelled(value: &Value<'_>) -> String {
    match value {
        Value::Number(number) => format!("\"{number:?}\""),
        Value::Text(text) => quoted(text),
    }
}

/// In a quoted identifier only the quote itself is special, and a backslash before it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
