//! SVG.

use std::fmt::Write as _;

use crate::scene::{Scene, Shape, Step};
use crate::style::hex;
use crate::text::text_width;

/// Letters as wide as those that were measured, on most machines.
const FONTS: &str = "Arial, Helvetica, Liberation Sans, sans-serif";

pub(crate) fn write(scene: &Scene) -> String {
    let (width, height) = (number(scene.width), number(scene.height));
    let title = escape(&scene.title);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\" role=\"img\" \
         aria-label=\"{title}\">\n<title>{title}</title>\n\
         <rect class=\"background\" width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for group in &scene.groups {
        let _ = write!(text, "<g class=\"{}\"", group.class);
        if let Some(at) = group.number {
            let _ = write!(text, " data-index=\"{at}\"");
        }
        if group.opacity < 1.0 {
            let _ = write!(text, " opacity=\"{}\"", number(group.opacity));
        }
        text.push('>');
        if !group.title.is_empty() {
            let _ = write!(text, "<title>{}</title>", escape(&group.title));
        }
        group.shapes.iter().for_each(|shape| draw(&mut text, shape));
        text.push_str("</g>\n");
    }
    text + "</svg>\n"
}

fn draw(out: &mut String, shape: &Shape) {
    match shape {
        Shape::Path { steps, fill, stroke } => {
            let fill = fill.map_or("none".into(), hex);
            let _ = write!(out, "<path d=\"{}\" fill=\"{fill}\"", path(steps));
            if let Some(stroke) = stroke {
                let (colour, width) = (hex(stroke.colour), number(stroke.width));
                let _ = write!(out, " stroke=\"{colour}\" stroke-width=\"{width}\"");
                if let Some([on, off]) = stroke.dash {
                    let (on, off) = (number(on), number(off));
                    let _ = write!(out, " stroke-dasharray=\"{on} {off}\"");
                }
            }
            out.push_str("/>");
        }
        Shape::Text { x, y, size, colour, centred, text } if !text.is_empty() => {
            let anchor = if *centred { " text-anchor=\"middle\"" } else { "" };
            // Where another font is used, the words still take the room that was kept for them.
            let _ = write!(
                out,
                "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{anchor} textLength=\"{}\" \
                 lengthAdjust=\"spacingAndGlyphs\">{}</text>",
                number(*x),
                number(*y),
                number(*size),
                hex(*colour),
                number(text_width(text, *size)),
                escape(text)
            );
        }
        Shape::Text { .. } => {}
    }
}

fn path(steps: &[Step]) -> String {
    let mut text = String::new();
    let point = |[x, y]: [f64; 2]| format!("{} {}", number(x), number(y));
    for step in steps {
        match *step {
            Step::Move(to) => text += &format!("M{}", point(to)),
            Step::Line(to) => text += &format!("L{}", point(to)),
            Step::Cubic([a, b, to]) => {
                text += &format!("C{} {} {}", point(a), point(b), point(to));
            }
            Step::Close => text.push('Z'),
        }
    }
    text
}

/// A number with at most two digits after the point.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Text that XML and HTML take for text.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
