//! The parts of DOT, GraphML and GML that graphs are written with.

use std::collections::BTreeMap;

use nocurl::Claim;

use super::mark::{Attributes, claim};
use super::read::{Builder, Graph};
use super::text::unescape;
use crate::error::shorten;

/// Reads `digraph { claim="dag"; a; b; a -> b [weight="1.5", cpdag=directed]; }`: names, edges,
/// chains and these attributes.
pub(super) fn dot(text: &str) -> Result<Graph, String> {
    let tokens = tokens(text, &['{', '}', '[', ']', ';', ',', '='], true)?;
    let mut at = tokens.iter().position(|token| token.is("{")).ok_or("there is no `{`")?;
    let head: Vec<&str> = tokens[..at].iter().map(|token| token.text.as_str()).collect();
    if !head.iter().any(|word| word.eq_ignore_ascii_case("digraph")) {
        return Err("it is not a `digraph`".into());
    }
    let mut builder = Builder::default();
    let mut meant = Claim::Dag;
    at += 1;
    while let Some(token) = tokens.get(at) {
        if token.is("}") {
            return Ok(Graph { claim: meant, ..builder.finish()? });
        }
        if token.is(";") || token.is(",") {
            at += 1;
            continue;
        }
        if token.symbol {
            return Err(format!("`{}` was not expected; subgraphs are not read", token.text));
        }
        // `name`, `a -> b -> c`, `key = value`, or defaults such as `node [..]`.
        let mut chain = vec![token.text.clone()];
        at += 1;
        if tokens.get(at).is_some_and(|token| token.is("=")) {
            if let (Some(value), "claim") = (tokens.get(at + 1), token.text.as_str()) {
                meant = claim(&value.text)?;
            }
            at += 2;
            continue;
        }
        while tokens.get(at).is_some_and(|token| token.is("->")) {
            let next = tokens.get(at + 1).filter(|token| !token.symbol);
            chain.push(next.ok_or("an arrow points at nothing")?.text.clone());
            at += 2;
        }
        let mut attributes = Attributes::default();
        if tokens.get(at).is_some_and(|token| token.is("[")) {
            let end = tokens[at..].iter().position(|token| token.is("]"));
            let end = at + end.ok_or("a `[` is not closed")?;
            for triple in tokens[at..end].windows(3) {
                match (triple[1].is("="), triple[0].text.as_str(), token.text.as_str()) {
                    (true, "claim", "graph") => meant = claim(&triple[2].text)?,
                    (true, name, _) => attributes.set(name, &triple[2].text)?,
                    _ => {}
                }
            }
            at = end + 1;
        }
        if let [word] = chain.as_slice()
            && !token.quoted
            && ["node", "edge", "graph"].contains(&word.as_str())
        {
            continue;
        }
        let variables: Vec<usize> = chain.iter().map(|name| builder.variable(name)).collect();
        for pair in variables.windows(2) {
            builder.edge(pair[0], pair[1], attributes)?;
        }
    }
    Err("there is no closing `}`".into())
}

/// Reads the graph's `claim`, nodes with a `name` (or their id) and edges with a `weight` and their
/// mark `cpdag`.
pub(super) fn graphml(text: &str) -> Result<Graph, String> {
    if text.contains("edgedefault=\"undirected\"") {
        return Err("its edges have no direction".into());
    }
    let mut keys: BTreeMap<String, String> = BTreeMap::new();
    let mut nodes: Vec<(String, String)> = Vec::new();
    let mut edges: Vec<(String, String, Attributes)> = Vec::new();
    let mut meant = Claim::Dag;
    let mut rest = text;
    let mut inside = Inside::Graph;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            let end = comment.find("-->").ok_or("a comment is not closed")?;
            rest = &comment[end + 3..];
            continue;
        }
        let end = rest.find('>').ok_or("a tag is not closed")?;
        let (tag, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        let name = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        let need = |key: &str| {
            attribute(tag, key).ok_or_else(|| format!("a <{}> has no `{key}`", shorten(name, 20)))
        };
        let is_open = !tag.ends_with('/');
        match name {
            "" if tag == "/node" || tag == "/edge" => inside = Inside::Graph,
            "key" => {
                let name = attribute(tag, "attr.name").unwrap_or_default();
                keys.insert(need("id")?, name);
            }
            "node" => {
                let id = need("id")?;
                nodes.push((id.clone(), id));
                inside = if is_open { Inside::Node } else { Inside::Graph };
            }
            "edge" => {
                edges.push((need("source")?, need("target")?, Attributes::default()));
                inside = if is_open { Inside::Edge } else { Inside::Graph };
            }
            "data" => {
                let key = need("key")?;
                let meaning = keys.get(&key).cloned().unwrap_or(key);
                let content = unescape(&rest[..rest.find('<').unwrap_or(rest.len())]);
                match (&inside, meaning.as_str()) {
                    (Inside::Node, "name" | "label") => {
                        if let Some(node) = nodes.last_mut() {
                            node.1 = content;
                        }
                    }
                    (Inside::Node, _) => {}
                    (Inside::Edge, name) => {
                        if let Some(edge) = edges.last_mut() {
                            edge.2.set(name, content.trim())?;
                        }
                    }
                    (Inside::Graph, "claim") => meant = claim(content.trim())?,
                    (Inside::Graph, _) => {}
                }
            }
            _ => {}
        }
    }
    Ok(Graph { claim: meant, ..assemble(nodes, edges)? })
}

/// What a `<data>` element of GraphML speaks of.
enum Inside {
    Graph,
    Node,
    Edge,
}

fn attribute(tag: &str, key: &str) -> Option<String> {
    let mut rest = tag;
    while let Some(at) = rest.find(key) {
        let starts = rest[..at].ends_with(char::is_whitespace);
        rest = &rest[at + key.len()..];
        let Some(value) = rest.trim_start().strip_prefix('=') else { continue };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|&c| c == '"' || c == '\'')?;
        let end = value[1..].find(quote)?;
        if starts {
            return Some(unescape(&value[1..=end]));
        }
    }
    None
}

/// Reads `graph [ directed 1 claim ".." node [ id .. label ".." ]
/// edge [ source .. target .. weight .. cpdag ".." ] ]`.
pub(super) fn gml(text: &str) -> Result<Graph, String> {
    let tokens = tokens(text, &['[', ']'], false)?;
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    let mut at = 0;
    let mut directed = false;
    let mut meant = Claim::Dag;
    while at < tokens.len() {
        let is_list = tokens.get(at + 1).is_some_and(|token| token.is("["));
        match tokens[at].text.as_str() {
            kind @ ("node" | "edge") if is_list => {
                let (fields, next) = fields(&tokens, at + 2)?;
                let need = |key: &str| {
                    fields.get(key).cloned().ok_or_else(|| format!("a {kind} has no `{key}`"))
                };
                if kind == "node" {
                    let id = need("id")?;
                    let label = fields.get("label").map_or_else(|| id.clone(), |l| unescape(l));
                    nodes.push((id, label));
                } else {
                    let mut attributes = Attributes::default();
                    for (name, value) in &fields {
                        attributes.set(name, value)?;
                    }
                    edges.push((need("source")?, need("target")?, attributes));
                }
                at = next;
            }
            "directed" => {
                directed = tokens.get(at + 1).is_some_and(|token| token.text == "1");
                at += 2;
            }
            "claim" if !tokens[at].quoted => {
                if let Some(value) = tokens.get(at + 1) {
                    meant = claim(&value.text)?;
                }
                at += 2;
            }
            _ => at += 1,
        }
    }
    if !directed && !edges.is_empty() {
        return Err("its edges have no direction: `directed 1` is missing".into());
    }
    Ok(Graph { claim: meant, ..assemble(nodes, edges)? })
}

/// Keys and values up to the closing bracket; nested lists are passed over.
fn fields(tokens: &[Token], mut at: usize) -> Result<(BTreeMap<String, String>, usize), String> {
    let mut fields = BTreeMap::new();
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(at) {
        if token.is("[") {
            depth += 1;
        } else if token.is("]") {
            if depth == 0 {
                return Ok((fields, at + 1));
            }
            depth -= 1;
        } else if depth == 0
            && let Some(value) = tokens.get(at + 1)
            && !value.symbol
        {
            fields.insert(token.text.clone(), value.text.clone());
            at += 1;
        }
        at += 1;
    }
    Err("a `[` is not closed".into())
}

fn assemble(
    nodes: Vec<(String, String)>,
    edges: Vec<(String, String, Attributes)>,
) -> Result<Graph, String> {
    let mut builder = Builder::default();
    let mut by_id = BTreeMap::new();
    for (id, name) in nodes {
        let position = builder.declare(&name)?;
        if by_id.insert(id.clone(), position).is_some() {
            return Err(format!("node `{}` is there twice", shorten(&id, 80)));
        }
    }
    let find = |id: &String| {
        by_id
            .get(id)
            .copied()
            .ok_or_else(|| format!("an edge names node `{}`, which is not there", shorten(id, 80)))
    };
    for (from, to, attributes) in &edges {
        builder.edge(find(from)?, find(to)?, *attributes)?;
    }
    builder.finish()
}

/// A word, a quoted text or a symbol.
struct Token {
    text: String,
    symbol: bool,
    quoted: bool,
}

impl Token {
    fn is(&self, symbol: &str) -> bool {
        self.symbol && self.text == symbol
    }
}

/// Cuts text into tokens. With `backslash`, a backslash in quotes protects a quote or a
/// backslash, `->` is a symbol and C comments are passed over, as in DOT.
fn tokens(text: &str, symbols: &[char], backslash: bool) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = first.len_utf8();
        if first.is_whitespace() {
            rest = &rest[length..];
        } else if first == '#' || (backslash && rest.starts_with("//")) {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if backslash && rest.starts_with("/*") {
            let end = rest.find("*/").ok_or("a comment is not closed")?;
            rest = &rest[end + 2..];
        } else if backslash && rest.starts_with("->") {
            tokens.push(Token { text: "->".into(), symbol: true, quoted: false });
            rest = &rest[2..];
        } else if symbols.contains(&first) {
            tokens.push(Token { text: first.into(), symbol: true, quoted: false });
            rest = &rest[length..];
        } else if first == '"' {
            let (content, used) = quoted(&rest[1..], backslash).ok_or("a quote is not closed")?;
            tokens.push(Token { text: content, symbol: false, quoted: true });
            rest = &rest[1 + used..];
        } else {
            let is_end = |c: char| c.is_whitespace() || c == '"' || symbols.contains(&c);
            let arrow = if backslash { rest.find("->") } else { None };
            let end = rest.find(is_end).unwrap_or(rest.len()).min(arrow.unwrap_or(rest.len()));
            tokens.push(Token { text: rest[..end].into(), symbol: false, quoted: false });
            rest = &rest[end..];
        }
    }
    Ok(tokens)
}

/// The content up to the closing quote and the bytes it takes, the quote included.
fn quoted(text: &str, backslash: bool) -> Option<(String, usize)> {
    let mut content = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((content, at + 1)),
            '\\' if backslash => match characters.peek() {
                Some(&(_, next)) if next == '"' || next == '\\' => {
                    content.push(next);
                    characters.next();
                }
                _ => content.push('\\'),
            },
            c => content.push(c),
        }
    }
    None
}
