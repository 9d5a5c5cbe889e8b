//! Mermaid: a picture in Markdown.

use std::fmt::Write as _;

use nocurl_render::{Direction, lines, number};

use super::{GraphDocument, GraphFormat, Written};
use crate::Error;

pub(super) static FORMAT: GraphFormat = GraphFormat {
    name: "Mermaid",
    extensions: &["mmd", "mermaid"],
    also_read: &[],
    may_omit_variables: false,
    read: None,
    write: Written::Text(write),
};

fn write(graph: &GraphDocument) -> Result<String, Error> {
    let diagram = graph.diagram()?;
    let mut text = String::from("flowchart TD\n");
    for (v, node) in diagram.nodes.iter().enumerate() {
        let _ = writeln!(text, "  v{v}(\"{}\")", escape(&node.name));
    }
    let looks = lines(&diagram, false);
    for edge in &diagram.edges {
        let arrow = match edge.direction {
            Direction::Determined => "-->",
            Direction::Likely => "-.->",
            Direction::Undetermined => "---",
        };
        let label = edge.weight.map_or_else(String::new, |w| format!("|\"{}\"|", number(w)));
        let _ = writeln!(text, "  v{} {arrow}{label} v{}", edge.from, edge.to);
    }
    for (k, look) in looks.iter().enumerate() {
        let _ = write!(
            text,
            "  linkStyle {k} stroke:{},stroke-width:{:.2}px,opacity:{:.2}",
            look.hex(),
            look.width,
            look.opacity
        );
        if let Some([on, off]) = look.dash {
            let _ = write!(text, ",stroke-dasharray:{on} {off}");
        }
        text.push('\n');
    }
    Ok(text)
}

/// Letters and digits as they are, everything that Mermaid or a page could take for more by its
/// number.
fn escape(name: &str) -> String {
    let mut escaped = String::new();
    for letter in name.chars() {
        match letter {
            letter if letter.is_control() => escaped.push(' '),
            ' ' | '_' | '.' | ',' | '-' | '+' | '(' | ')' | '/' | ':' => escaped.push(letter),
            letter if letter.is_alphanumeric() || !letter.is_ascii() => escaped.push(letter),
            letter => {
                let _ = write!(escaped, "#{};", u32::from(letter));
            }
        }
    }
    escaped
}
