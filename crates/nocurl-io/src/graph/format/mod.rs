//! The formats of graphs, one file each. A new one is a file here and a line in [`FORMATS`].

mod tokens;

use std::io::Write as _;
use std::path::Path;

use nocurl::memory::ask;
use nocurl_render::{Diagram, Layout};

use super::builder::Flaw;
use super::{GraphDocument, failure};
use crate::input::Input;
use crate::output::write_atomic;
use crate::stack::on_stack;
use crate::{Error, Source};

/// Bytes of the largest file that is read: a matrix of 10,000 variables has fewer.
const LARGEST: u64 = 256 << 20;

/// The list of formats, one file each with its `FORMAT`.
macro_rules! formats {
    ($($(#[$when:meta])? $file:ident)*) => {
        $($(#[$when])? mod $file;)*

        /// Every format that graphs are read or written in.
        pub static FORMATS: &[&GraphFormat] = &[$($(#[$when])? &$file::FORMAT),*];
    };
}

formats! {
    json
    dot
    graphml
    gml
    csv
    dagitty
    mermaid
    tikz
    svg
    html
    #[cfg(feature = "print")] png
    #[cfg(feature = "print")] pdf
}

/// A format of graphs: its names and its two ways.
#[derive(Debug)]
pub struct GraphFormat {
    /// What people call it.
    pub name: &'static str,
    /// Extensions of files that are written and read, the usual one first.
    pub extensions: &'static [&'static str],
    /// Further extensions of files that are read.
    pub also_read: &'static [&'static str],
    /// Whether a file may leave out variables that have no edges.
    pub may_omit_variables: bool,
    /// Text to document; pictures are not read.
    read: Option<Reader>,
    write: Written,
}

/// What reads a file.
type Reader = fn(&str) -> Result<GraphDocument, Flaw>;

/// How a file is made.
#[derive(Debug)]
enum Written {
    /// Text, from all that is known of a graph.
    Text(fn(&GraphDocument) -> Result<String, Error>),
    /// The report, from all that is known of a graph and its table.
    Report,
    /// A picture.
    Picture(fn(&Diagram, &Layout) -> Result<Vec<u8>, Error>),
}

impl PartialEq for GraphFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl GraphFormat {
    /// The format that a file is written in, by the extension of its path.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the list of known extensions.
    pub fn of_path(path: impl AsRef<Path>) -> Result<&'static Self, Error> {
        let path = path.as_ref();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let mut formats = FORMATS.iter().copied();
        formats.find(|format| format.extensions.contains(&extension.as_str())).ok_or_else(|| {
            Error::unsupported(
                &format!("`{}`", path.display()),
                format!("unknown format of a graph; end the name in {}", known("or", |_| true)),
            )
        })
    }

    /// The format that files of an extension, in lower case, are read in.
    pub fn of_extension(extension: &str) -> Option<&'static Self> {
        let reads = |format: &&GraphFormat| {
            [format.extensions, format.also_read].concat().contains(&extension)
        };
        FORMATS.iter().copied().filter(|format| format.read.is_some()).find(reads)
    }

    /// The kind of picture that a file is written as, by the extension of its path.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the list of known extensions.
    pub fn picture_of_path(path: impl AsRef<Path>) -> Result<&'static Self, Error> {
        let path = path.as_ref();
        Self::of_path(path).ok().filter(|format| format.is_picture()).ok_or_else(|| {
            Error::unsupported(
                &format!("`{}`", path.display()),
                format!(
                    "unknown kind of picture; end the name in {}",
                    known("or", Self::is_picture)
                ),
            )
        })
    }

    /// True for pictures, which are written and not read.
    pub fn is_picture(&self) -> bool {
        matches!(self.write, Written::Picture(_))
    }

    /// True for the report, which shows more than the graph.
    pub fn is_report(&self) -> bool {
        matches!(self.write, Written::Report)
    }

    fn is_read(&self) -> bool {
        self.read.is_some()
    }
}

/// The usual extensions as a list in words.
fn known(conjunction: &str, wanted: fn(&GraphFormat) -> bool) -> String {
    let all: Vec<String> = FORMATS
        .iter()
        .filter(|format| wanted(format))
        .map(|format| format!(".{}", format.extensions[0]))
        .collect();
    let (last, rest) = all.split_last().expect("there are formats");
    format!("{} {conjunction} {last}", rest.join(", "))
}

/// Reads a graph in any of [`FORMATS`], by the extension of the name. Without a known extension a
/// `{` at the start means JSON; without any extension the text is CSV otherwise.
///
/// A file that does not say which directions are determined determines all of them, unless it is
/// partially directed: an undirected edge in the way of the format, or a pair of variables with
/// edges in both directions, is an edge of undetermined direction. It is drawn in the direction
/// that a member of the class has (Dor and Tarsi, 1992), and has no weight.
///
/// # Errors
/// Anything wrong with the file, in one line; a cycle of directed edges; a file of another schema
/// version.
///
/// ```
/// use nocurl_io::{Source, read_graph};
/// let graph = read_graph(&Source::bytes("g.csv", "from,to\nrain,wet\n")).unwrap();
/// assert_eq!(graph.variables, ["rain", "wet"]);
/// assert!(graph.edges[0].is_determined() && !graph.is_weighted());
/// ```
pub fn read_graph(source: &Source) -> Result<GraphDocument, Error> {
    let label = source.label();
    let (input, watch) = Input::open(source)?;
    let text = watch.unchanged(input.into_text("graph", LARGEST))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let Some(first) = text.trim_start().chars().next() else {
        return Err(Error::Empty { path: label });
    };
    let extension = source.extension();
    let format = match GraphFormat::of_extension(&extension) {
        Some(format) => format,
        None if first == '{' => &json::FORMAT,
        None if extension.is_empty() => &csv::FORMAT,
        None => {
            let reason = format!(
                "unknown format of a graph; {} are read",
                known("and", GraphFormat::is_read)
            );
            return Err(Error::unsupported(&label, reason));
        }
    };
    let read = format.read.expect("formats found by the extension of a file to read have a reader");
    on_stack(|| read(text)).map_err(|flaw| failure(&label, flaw))
}

/// Writes a graph in the format its extension asks for, whole or not at all.
///
/// # Errors
/// An unknown extension, or a file that cannot be written.
pub fn write_graph(path: impl AsRef<Path>, graph: &GraphDocument) -> Result<(), Error> {
    let path = path.as_ref();
    let bytes = graph_bytes(graph, GraphFormat::of_path(path)?)?;
    write_atomic(path, |file| file.write_all(&bytes))
}

/// A picture of a graph, or of two that are compared.
///
/// # Errors
/// A format that is no picture, or too little memory.
pub fn picture_bytes(diagram: &Diagram, format: &GraphFormat) -> Result<Vec<u8>, Error> {
    match format.write {
        Written::Picture(write) => write(diagram, &nocurl_render::layout(diagram)),
        Written::Text(_) | Written::Report => {
            let reason = format!("{} is no picture", format.name);
            Err(Error::unsupported("graph", reason))
        }
    }
}

/// A graph as the bytes of a file in any format.
///
/// # Errors
/// As [`format_graph`].
pub fn graph_bytes(graph: &GraphDocument, format: &GraphFormat) -> Result<Vec<u8>, Error> {
    check(graph)?;
    ask("the file of the graph", size(graph))?;
    match format.write {
        Written::Text(write) => Ok(write(graph)?.into_bytes()),
        Written::Report => Ok(nocurl_report::html(&graph.report()?).into_bytes()),
        Written::Picture(_) => picture_bytes(&graph.diagram()?, format),
    }
}

/// A graph as text. Numbers have as many digits as give the same number back.
///
/// # Errors
/// [`Error::Unsupported`] when an edge names a variable that is not there or a number is not
/// finite, which none of the formats can say, and for pictures that are no text.
pub fn format_graph(graph: &GraphDocument, format: &GraphFormat) -> Result<String, Error> {
    String::from_utf8(graph_bytes(graph, format)?).map_err(|_| {
        let reason = format!("{} is no text: write it to a file", format.name);
        Error::unsupported("graph", reason)
    })
}

/// Bytes of a graph in any format, about and from above: its text, and what it is made of.
fn size(graph: &GraphDocument) -> u64 {
    const OF_EACH: usize = 1 << 10;
    let named: usize = graph.variables.iter().map(String::len).sum();
    let mean = named / graph.variables.len().max(1);
    let each = graph.variables.len() + graph.edges.len();
    each.saturating_mul(OF_EACH + 8 * mean) as u64
}

/// Whether every number can be written.
fn check(graph: &GraphDocument) -> Result<(), Error> {
    let refused = |reason: String| Err(Error::unsupported("graph", reason));
    if let Some(edge) = graph.edges.iter().find(|edge| !edge.weight.unwrap_or(1.0).is_finite()) {
        return refused(format!("the weight of `{}` -> `{}` is not finite", edge.from, edge.to));
    }
    for (what, numbers) in [("potential", &graph.potential), ("mean", &graph.means)] {
        if numbers.iter().flatten().any(|number| !number.is_finite()) {
            return refused(format!("a {what} is not finite"));
        }
    }
    Ok(())
}
