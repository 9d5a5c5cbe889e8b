//! XML that is read piece by piece.

use std::io::{self, BufReader, Read};

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Bytes of a text or a tag: those of a cell have at most 32,767 characters.
const LONGEST: usize = 4 << 20;

/// Elements of a document, of which one at a time is in memory.
pub(super) struct Xml {
    reader: Reader<BufReader<Pieces>>,
    buffer: Vec<u8>,
    depth: usize,
}

/// What comes next.
pub(super) enum Token<'a> {
    Start(BytesStart<'a>),
    /// The name without its prefix.
    End(String),
    Text(String),
}

impl Xml {
    pub(super) fn new(stream: Box<dyn Read + Send>) -> Self {
        let mut reader = Reader::from_reader(BufReader::new(Pieces { stream, since: 0 }));
        reader.config_mut().expand_empty_elements = true;
        Self { reader, buffer: Vec::new(), depth: 0 }
    }

    /// The same of what is in memory.
    pub(super) fn of_text(text: String) -> Self {
        Self::new(Box::new(io::Cursor::new(text.into_bytes())))
    }

    /// The next start, end or text; nothing at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Token<'_>>> {
        self.buffer.clear();
        let event = self.reader.read_event_into(&mut self.buffer).map_err(wrong)?;
        match event {
            Event::Start(_) => self.depth += 1,
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            Event::Eof if self.depth > 0 => {
                return Err(io::Error::other("it ends inside an element"));
            }
            Event::Eof => return Ok(None),
            _ => {}
        }
        token(event).map(Some)
    }
}

fn token(event: Event<'_>) -> io::Result<Token<'_>> {
    Ok(match event {
        Event::Start(tag) => Token::Start(tag),
        Event::End(tag) => Token::End(tag.local_name().as_ref().to_string()),
        Event::Text(text) => Token::Text(text.xml10_content().into_owned()),
        Event::CData(text) => Token::Text(text.xml10_content().into_owned()),
        Event::GeneralRef(reference) => match reference.resolve_char_ref().map_err(wrong)? {
            Some(character) => Token::Text(character.to_string()),
            None => {
                let known = resolve_xml_entity(&reference.xml10_content()).map(String::from);
                let words = "it has an entity that XML does not know";
                Token::Text(known.ok_or_else(|| io::Error::other(words))?)
            }
        },
        // Comments and the like are no text.
        _ => Token::Text(String::new()),
    })
}

fn wrong(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

/// An attribute by its name without prefix.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> io::Result<Option<String>> {
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(wrong)?;
        if attribute.key.local_name().as_ref() == name {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(wrong)?;
            return Ok(Some(value.into_owned()));
        }
    }
    Ok(None)
}

/// A stream in which no text and no tag is longer than it can be in a sheet.
struct Pieces {
    stream: Box<dyn Read + Send>,
    /// Bytes since the last tag began.
    since: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.since = match buffer[..read].iter().rposition(|&byte| byte == b'<') {
            Some(at) => read - at,
            None => self.since + read,
        };
        if self.since > LONGEST {
            let words = format!("a cell in it is longer than {} MiB", LONGEST >> 20);
            return Err(io::Error::other(words));
        }
        Ok(read)
    }
}

/// Passes over an element that has just begun.
pub(super) fn skip(xml: &mut Xml) -> io::Result<()> {
    let outside = xml.depth - 1;
    while xml.depth > outside {
        xml.next()?;
    }
    Ok(())
}
