//! JSON lines: an object on each line, whose names are columns. They become lines of text, so that
//! cells are understood as in any text.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::columns::check_count;
use super::kinds::LeftOut;
use super::quoted::{push_number, push_text};
use super::reading::Reading;
use crate::Error;
use crate::error::shorten;
use crate::input::Seekable;

const FORMAT: &str = "JSON lines";

/// A line longer than this is not one of a table.
const LONGEST_LINE: u64 = 64 << 20;

/// What the lines have in common: found by going through them once.
pub(super) struct Columns {
    names: Arc<Vec<String>>,
    /// Names whose values are lists or objects.
    pub(super) nested: Vec<(String, LeftOut)>,
}

impl Columns {
    pub(super) fn of(input: &Seekable, options: &Reading<'_>) -> Result<Self, Error> {
        let label = &input.label;
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut names: Vec<(String, Option<&'static str>)> = Vec::new();
        let mut lines = Lines::new(input.handle());
        while let Some(Object(pairs)) =
            lines.next_object().map_err(|error| Error::decoding(label, FORMAT, &error))?
        {
            for (name, value) in pairs {
                let at = match seen.get(name.as_ref()) {
                    Some(&at) => at,
                    None => {
                        seen.insert(name.to_string(), names.len());
                        names.push((name.into_owned(), None));
                        check_count(label, names.len(), options)?;
                        names.len() - 1
                    }
                };
                if let Some(kind) = nested(value) {
                    names[at].1 = Some(kind);
                }
            }
        }
        let of_kind = |(name, kind): &(String, Option<&str>)| {
            kind.map(|kind| (name.clone(), LeftOut::Type(kind.into())))
        };
        let left = names.iter().filter_map(of_kind).collect();
        let names = names.into_iter().filter(|(_, kind)| kind.is_none()).map(|(name, _)| name);
        Ok(Self { names: Arc::new(names.collect()), nested: left })
    }

    /// The lines as text, below a line of names.
    pub(super) fn text(&self, input: &Seekable) -> impl Read + Send + 'static {
        let mut text = Vec::new();
        for (place, name) in self.names.iter().enumerate() {
            if place > 0 {
                text.push(b',');
            }
            push_text(&mut text, name);
        }
        text.push(b'\n');
        let index = self.names.iter().cloned().zip(0..).collect();
        Written { lines: Lines::new(input.handle()), index, row: Vec::new(), text, at: 0 }
    }
}

fn nested(value: &RawValue) -> Option<&'static str> {
    match value.get().as_bytes().first() {
        Some(b'[') => Some("list"),
        Some(b'{') => Some("object"),
        _ => None,
    }
}

/// The names and values of an object, as they stand.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with names, as in {\"a\": 1}")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut pairs = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    pairs.push((name, map.next_value()?));
                }
                Ok(Object(pairs))
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}

/// The objects of a stream.
struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    number: u64,
}

impl<R: Read> Lines<R> {
    fn new(input: R) -> Self {
        Self { input: BufReader::with_capacity(1 << 16, input), line: Vec::new(), number: 0 }
    }

    /// The next object; blank lines are passed over, and counted.
    fn next_object(&mut self) -> io::Result<Option<Object<'_>>> {
        loop {
            self.line.clear();
            let read = self.input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut self.line)?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            if read as u64 == LONGEST_LINE {
                return Err(io::Error::other("a line does not end within 64 MiB"));
            }
            if !self.line.trim_ascii().is_empty() {
                break;
            }
        }
        let number = self.number;
        let line = self.line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.line);
        serde_json::from_slice(line).map(Some).map_err(|error| {
            // Places are told by the line of the file, not by that of the text.
            let words = error.to_string();
            let words = words.split(" at line ").next().unwrap_or(&words);
            let column = error.column();
            io::Error::other(format!("line {number}, column {column}: {}", shorten(words, 100)))
        })
    }
}

/// Objects as lines of text.
struct Written<R> {
    lines: Lines<R>,
    index: HashMap<String, usize>,
    row: Vec<Vec<u8>>,
    text: Vec<u8>,
    at: usize,
}

impl<R: Read> Written<R> {
    /// Writes the next object; false at the end.
    fn write(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.at = 0;
        let before = self.lines.number;
        let Some(Object(pairs)) = self.lines.next_object()? else { return Ok(false) };
        self.row.resize(self.index.len(), Vec::new());
        self.row.iter_mut().for_each(Vec::clear);
        for (name, value) in pairs {
            if let Some(&at) = self.index.get(name.as_ref()) {
                self.row[at].clear();
                push(&mut self.row[at], value)?;
            }
        }
        // Lines of the file and of the text are the same.
        self.text.resize((self.lines.number - before - 1) as usize, b'\n');
        for (place, cell) in self.row.iter().enumerate() {
            if place > 0 {
                self.text.push(b',');
            }
            self.text.extend_from_slice(cell);
        }
        self.text.push(b'\n');
        Ok(true)
    }
}

fn push(cell: &mut Vec<u8>, value: &RawValue) -> io::Result<()> {
    match value.get() {
        "null" => {}
        text if text.starts_with('"') => {
            let text: Cow<'_, str> = serde_json::from_str(text).map_err(io::Error::other)?;
            push_text(cell, &text);
        }
        number => push_number(cell, number),
    }
    Ok(())
}

impl<R: Read> Read for Written<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            if !self.write()? {
                return Ok(0);
            }
        }
        let read = (&self.text[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}
