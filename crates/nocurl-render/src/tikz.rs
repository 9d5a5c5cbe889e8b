//! TikZ, for LaTeX.

use std::fmt::Write as _;

use crate::diagram::{Diagram, Direction, Kind};
use crate::layout::{FONT, LINE, Layout, SMALL};
use crate::style::{Line, lines};
use crate::svg::number as short;
use crate::text::shown;

/// What stands before the picture; sizes are in big points, as everywhere here. Names of styles
/// must not be keys of TikZ: `variable` is one, and wants a value.
const HEAD: &str = r"\documentclass[tikz,border=4bp]{standalone}
\usepackage[T1]{fontenc}
\usepackage{amssymb}
\usetikzlibrary{arrows.meta,shapes.misc,shapes.geometric}
\begin{document}
\begin{tikzpicture}[x=1bp,y=-1bp,
  every node/.style={inner sep=0pt,outer sep=0pt,font=\sffamily},
  block/.style={draw=black!66,fill=black!4,rounded corners=5bp,align=center},
  continuous/.style={block},
  categorical/.style={block,sharp corners,chamfered rectangle,fill=blue!6},
  context/.style={block,sharp corners,fill=yellow!16,densely dashed},
  dot/.style={circle,draw=black!66,fill=black!33},
  weight/.style={fill=white,inner sep=1bp},
  determined/.style={-{Stealth[round]}},
  likely/.style={-{Stealth[open,round]}},
  undetermined/.style={-}]
";

pub(crate) fn write(diagram: &Diagram, layout: &Layout) -> String {
    let looks = lines(diagram, layout.overview);
    let title: String = shown(&diagram.title).replace('%', "").chars().take(200).collect();
    let mut text = format!("% {title}\n{HEAD}");
    for (route, look) in layout.edges.iter().zip(&looks) {
        edge(&mut text, &route.points, look);
    }
    for (route, look) in layout.edges.iter().zip(&looks) {
        let Some((area, words)) = &route.label else { continue };
        let _ = writeln!(
            text,
            "\\node[weight,text={},font=\\sffamily\\fontsize{{{SMALL}bp}}{{10bp}}\\selectfont] at \
             ({},{}) {{{}}};",
            colour(look),
            short(area.x),
            short(area.y),
            escape(words)
        );
    }
    for (v, place) in layout.nodes.iter().enumerate().filter(|(_, place)| place.shown) {
        let (x, y) = (short(place.x), short(place.y));
        let (width, height) = (short(place.width), short(place.height));
        if layout.overview {
            let _ = writeln!(text, "\\node[dot,minimum size={width}bp] (v{v}) at ({x},{y}) {{}};");
            if let Some(area) = place.name {
                let _ = writeln!(
                    text,
                    "\\node[font=\\sffamily\\fontsize{{{SMALL}bp}}{{10bp}}\\selectfont] at ({},{}) \
                     {{{}}};",
                    short(area.x),
                    short(area.y),
                    escape(&place.lines[0])
                );
            }
            continue;
        }
        let kind = match diagram.nodes[v].kind {
            Kind::Continuous => "continuous",
            Kind::Categorical => "categorical",
            Kind::Context => "context",
        };
        let words: Vec<String> = place.lines.iter().map(|line| escape(line)).collect();
        let _ = writeln!(
            text,
            "\\node[{kind},minimum width={width}bp,minimum height={height}bp,\
             font=\\sffamily\\fontsize{{{FONT}bp}}{{{LINE}bp}}\\selectfont] (v{v}) at ({x},{y}) \
             {{{}}};",
            words.join("\\\\")
        );
    }
    text + "\\end{tikzpicture}\n\\end{document}\n"
}

fn edge(text: &mut String, points: &[[f64; 2]], look: &Line) {
    let Some((start, rest)) = points.split_first() else { return };
    let head = match look.head {
        Direction::Determined => "determined",
        Direction::Likely => "likely",
        Direction::Undetermined => "undetermined",
    };
    let _ = write!(text, "\\draw[{head},draw={},line width={}bp", colour(look), short(look.width));
    if look.both {
        text.push_str(",{Stealth[round]}-{Stealth[round]}");
    }
    if let Some([on, off]) = look.dash {
        let _ = write!(text, ",dash pattern=on {}bp off {}bp", short(on), short(off));
    }
    if look.opacity < 1.0 {
        let _ = write!(text, ",opacity={}", short(look.opacity));
    }
    let at = |[x, y]: [f64; 2]| format!("({},{})", short(x), short(y));
    let _ = write!(text, "] {}", at(*start));
    for curve in rest.chunks_exact(3) {
        let (a, b, to) = (at(curve[0]), at(curve[1]), at(curve[2]));
        let _ = write!(text, " .. controls {a} and {b} .. {to}");
    }
    text.push_str(";\n");
}

fn colour(look: &Line) -> String {
    let [red, green, blue] = look.colour;
    format!("{{rgb,255:red,{red};green,{green};blue,{blue}}}")
}

/// Text that TeX sets as it is.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            '"' => escaped.push_str("\\textquotedbl{}"),
            '\u{2212}' => escaped.push_str("\\ensuremath{-}"),
            '…' => escaped.push_str("\\ldots{}"),
            // Two of these in a row would become another sign.
            '-' | '`' | '\'' | ',' | '?' | '!' => {
                escaped.push(letter);
                escaped.push_str("{}");
            }
            '[' | ']' => {
                let _ = write!(escaped, "{{{letter}}}");
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::HEAD;

    #[test]
    fn styles_have_names_of_their_own() {
        for taken in ["variable", "name", "label", "shape", "text", "domain", "color", "style"] {
            assert!(!HEAD.contains(&format!(" {taken}/.style")), "{taken}");
        }
        assert!(HEAD.contains(" block/.style"));
    }
}
