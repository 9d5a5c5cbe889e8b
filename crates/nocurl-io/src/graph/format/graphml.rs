//! GraphML, the XML of igraph, networkx, Gephi and yEd.

use std::collections::BTreeMap;

use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Reader, Writer, XmlVersion};

use super::{GraphDocument, GraphFormat, Written};
use crate::Error;
use crate::error::shorten;
use crate::graph::attributes::{OfEdge, Value, of_edge, of_graph, of_variables};
use crate::graph::builder::{Builder, Flaw};
use crate::graph::text::{is_foreign_to_xml, json_for_xml, xml_escape};

pub(super) static FORMAT: GraphFormat = GraphFormat {
    name: "GraphML",
    extensions: &["graphml"],
    also_read: &["xml"],
    may_omit_variables: false,
    read: Some(read),
    write: Written::Text(write),
};

/// What is declared before the graph: the element, the attribute, its type.
const KEYS: [[&str; 3]; 14] = [
    ["graph", "determines", "string"],
    ["graph", "model", "string"],
    ["graph", "method", "string"],
    ["node", "name", "string"],
    ["node", "potential", "double"],
    ["node", "mean", "double"],
    ["node", "errorvariance", "double"],
    ["edge", "weight", "double"],
    ["edge", "direction", "string"],
    ["edge", "evidence", "string"],
    ["edge", "confidence_adjacent", "double"],
    ["edge", "confidence_direction", "double"],
    ["edge", "frequency_adjacent", "double"],
    ["edge", "frequency_direction", "double"],
];

/// The name of a node as a string of JSON, where XML cannot hold all of its characters. Other
/// programs show the `name`, in which these are replaced.
const JSON_NAME: &str = "name_json";

/// Reads the attributes of the graph, nodes with a `name` or `label` (or their id) and edges, which
/// have no direction where `edgedefault` or their own `directed` says so.
fn read(text: &str) -> Result<GraphDocument, Flaw> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut found = Found::default();
    let mut depth = 0_usize;
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(tag) => {
                depth += 1;
                found.start(&tag)?;
            }
            Event::End(tag) => {
                depth -= 1;
                found.end(tag.local_name().as_ref())?;
            }
            Event::Text(content) => found.text(&content.xml10_content()),
            Event::CData(content) => found.text(&content.xml10_content()),
            Event::GeneralRef(reference) => {
                let known = match reference.resolve_char_ref().map_err(|error| error.to_string())? {
                    Some(c) => Some(c.to_string()),
                    None => {
                        let name = reference.xml10_content();
                        quick_xml::escape::resolve_xml_entity(&name).map(String::from)
                    }
                };
                found.text(&known.ok_or("it has an entity that XML does not know")?);
            }
            Event::Eof if depth > 0 => return Err("it ends inside an element".into()),
            Event::Eof => return found.finish(),
            _ => {}
        }
    }
}

/// What has been found so far.
#[derive(Default)]
struct Found {
    /// Names of attributes by the id of their key.
    keys: BTreeMap<String, String>,
    undirected: bool,
    graph: Vec<(String, String)>,
    nodes: Vec<Node>,
    edges: Vec<Link>,
    inside: Inside,
    /// The attribute that the text belongs to, and the text so far.
    data: Option<(String, String)>,
}

/// What a `<data>` element speaks of.
#[derive(Default, Clone, Copy, PartialEq)]
enum Inside {
    #[default]
    Graph,
    Node,
    Edge,
}

struct Node {
    id: String,
    attributes: Vec<(String, String)>,
}

struct Link {
    source: String,
    target: String,
    about: OfEdge,
}

impl Found {
    fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), String> {
        let name = tag.local_name();
        let name = name.as_ref();
        let need = |key: &str| {
            attribute(tag, key)?.ok_or_else(|| format!("a <{}> has no `{key}`", shorten(name, 20)))
        };
        match name {
            "graph" => {
                self.undirected = attribute(tag, "edgedefault")?.as_deref() == Some("undirected");
            }
            "key" => {
                let meaning = attribute(tag, "attr.name")?.unwrap_or_default();
                self.keys.insert(need("id")?, meaning);
            }
            "node" => {
                self.nodes.push(Node { id: need("id")?, attributes: Vec::new() });
                self.inside = Inside::Node;
            }
            "edge" => {
                let mut about = OfEdge { undirected: self.undirected, ..OfEdge::default() };
                if let Some(directed) = attribute(tag, "directed")? {
                    about.set("directed", &directed)?;
                }
                let (source, target) = (need("source")?, need("target")?);
                self.edges.push(Link { source, target, about });
                self.inside = Inside::Edge;
            }
            "data" => {
                let key = need("key")?;
                let meaning = self.keys.get(&key).cloned().unwrap_or(key);
                self.data = Some((meaning, String::new()));
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some((_, content)) = &mut self.data {
            content.push_str(text);
        }
    }

    fn end(&mut self, name: &str) -> Result<(), String> {
        match name {
            "node" | "edge" => self.inside = Inside::Graph,
            "data" => {
                let Some((name, content)) = self.data.take() else { return Ok(()) };
                match (self.inside, self.nodes.last_mut(), self.edges.last_mut()) {
                    (Inside::Node, Some(node), _) => node.attributes.push((name, content)),
                    (Inside::Edge, _, Some(edge)) => edge.about.set(&name, content.trim())?,
                    _ => self.graph.push((name, content)),
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<GraphDocument, Flaw> {
        let mut builder = Builder::default();
        for (name, value) in &self.graph {
            builder.graph.set(name, value.trim())?;
        }
        let mut by_id = BTreeMap::new();
        for Node { id, attributes } in &self.nodes {
            let named = attributes.iter().rfind(|(name, _)| name == "name" || name == "label");
            let whole = attributes.iter().rfind(|(name, _)| name == JSON_NAME);
            let whole = whole.map(|(_, value)| serde_json::from_str::<String>(value));
            let whole = whole.transpose().map_err(|error| format!("a {JSON_NAME}: {error}"))?;
            let named = named.map_or(id, |(_, value)| value);
            let position = builder.declare(whole.as_ref().unwrap_or(named))?;
            let about = builder.about(position);
            attributes.iter().for_each(|(name, value)| about.set(name, value.trim()));
            if by_id.insert(id, position).is_some() {
                return Err(format!("node `{}` is there twice", shorten(id, 80)).into());
            }
        }
        let find = |id: &String| {
            by_id.get(id).copied().ok_or_else(|| {
                format!("an edge names node `{}`, which is not there", shorten(id, 80))
            })
        };
        for Link { source, target, about } in &self.edges {
            builder.edge(find(source)?, find(target)?, *about)?;
        }
        builder.finish()
    }
}

fn attribute(tag: &BytesStart<'_>, key: &str) -> Result<Option<String>, String> {
    let found = tag.try_get_attribute(key).map_err(|error| error.to_string())?;
    let value = found.map(|found| found.normalized_value(XmlVersion::Implicit1_0));
    Ok(value.transpose().map_err(|error| error.to_string())?.map(String::from))
}

fn write(graph: &GraphDocument) -> Result<String, Error> {
    let edges = graph.indexed_edges()?;
    let mut xml = Xml(Writer::new_with_indent(Vec::new(), b' ', 2));
    xml.event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
    xml.open("graphml", &[("xmlns", "http://graphml.graphdrawing.org/xmlns")]);
    let is_foreign = |name: &String| name.chars().any(is_foreign_to_xml);
    let whole = graph.variables.iter().any(is_foreign).then_some(["node", JSON_NAME, "string"]);
    for [element, name, kind] in KEYS.into_iter().chain(whole) {
        let key = BytesStart::new("key").with_attributes([
            ("id", name),
            ("for", element),
            ("attr.name", name),
            ("attr.type", kind),
        ]);
        xml.event(Event::Empty(key));
    }
    xml.open("graph", &[("id", "nocurl"), ("edgedefault", "directed")]);
    xml.data(of_graph(graph));
    let named = graph.variables.iter().zip(of_variables(graph));
    for (index, (name, attributes)) in named.enumerate() {
        xml.open("node", &[("id", &format!("n{index}"))]);
        xml.data(vec![("name", Value::Text(name))]);
        if is_foreign(name) {
            xml.data(vec![(JSON_NAME, Value::Text(&json_for_xml(name)))]);
        }
        xml.data(attributes);
        xml.close("node");
    }
    for (from, to, edge) in edges {
        xml.open("edge", &[("source", &format!("n{from}")), ("target", &format!("n{to}"))]);
        xml.data(of_edge(edge));
        xml.close("edge");
    }
    xml.close("graph");
    xml.close("graphml");
    Ok(String::from_utf8(xml.0.into_inner()).expect("names and numbers are UTF-8") + "\n")
}

struct Xml(Writer<Vec<u8>>);

impl Xml {
    fn event(&mut self, event: Event<'_>) {
        self.0.write_event(event).expect("writing to memory does not fail");
    }

    fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let tag = BytesStart::new(name).with_attributes(attributes.iter().copied());
        self.event(Event::Start(tag));
    }

    fn close(&mut self, name: &str) {
        self.event(Event::End(BytesEnd::new(name)));
    }

    fn data(&mut self, attributes: Vec<(&str, Value<'_>)>) {
        for (name, value) in attributes {
            let text = match value {
                Value::Number(number) => format!("{number:?}"),
                Value::Text(text) => xml_escape(text),
            };
            self.open("data", &[("key", name)]);
            self.event(Event::Text(BytesText::from_escaped(text)));
            self.close("data");
        }
    }
}
