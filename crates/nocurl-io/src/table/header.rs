//! The head of a NumPy file: a few words of Python before the numbers.

use std::io::{self, Read, Write};

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Numbers start at a multiple of this, so that a file can be mapped into memory.
const ALIGNMENT: usize = 64;

/// Bytes of the longest header; those of plain arrays have about 100.
const LONGEST: u32 = 1 << 16;

/// What the head says of the numbers behind it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Header {
    /// The type, such as `<f8`; nothing for records of several numbers.
    pub(super) kind: Option<String>,
    /// Stored by columns.
    pub(super) fortran: bool,
    pub(super) shape: Vec<u64>,
}

impl Header {
    /// Reads the head and leaves the reader before the first number.
    pub(super) fn read(mut file: impl Read) -> io::Result<Self> {
        let mut start = [0; 8];
        let found = file.read_exact(&mut start);
        if found.is_err() || !start.starts_with(MAGIC) {
            return Err(invalid("it does not start as a NumPy file does"));
        }
        let length = match (start[6], start[7]) {
            (1, 0) => {
                let mut length = [0; 2];
                file.read_exact(&mut length)?;
                u16::from_le_bytes(length).into()
            }
            (2 | 3, 0) => {
                let mut length = [0; 4];
                file.read_exact(&mut length)?;
                u32::from_le_bytes(length)
            }
            (version, part) => {
                return Err(invalid(format!("version {version}.{part} is not known")));
            }
        };
        if length > LONGEST {
            return Err(invalid(format!("its header has {length} bytes, more than {LONGEST}")));
        }
        let mut text = Vec::new();
        file.take(length.into()).read_to_end(&mut text)?;
        if text.len() < length as usize {
            return Err(invalid("it ends within its header"));
        }
        let text = std::str::from_utf8(&text).ok();
        let parsed = text.and_then(|text| Text(text).header());
        parsed.ok_or_else(|| invalid("its header makes no sense"))
    }

    /// Writes the head of an array of double precision, stored by rows.
    pub(super) fn write_doubles(mut file: impl Write, shape: [usize; 2]) -> io::Result<()> {
        let [rows, columns] = shape;
        let text =
            format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
        let before = MAGIC.len() + 4;
        // A line break ends the text, behind blanks.
        let length = (before + text.len() + 1).next_multiple_of(ALIGNMENT) - before;
        file.write_all(MAGIC)?;
        file.write_all(&[1, 0])?;
        file.write_all(&u16::try_from(length).map_err(io::Error::other)?.to_le_bytes())?;
        writeln!(file, "{text:<width$}", width = length - 1)
    }
}

fn invalid(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.into())
}

/// What is left of the text.
struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    fn header(mut self) -> Option<Header> {
        let mut header = Header::default();
        let mut seen = [false; 3];
        self.expect('{')?;
        while !self.next_is('}') {
            let key = self.string()?;
            self.expect(':')?;
            let place = ["descr", "fortran_order", "shape"].iter().position(|name| *name == key)?;
            match place {
                0 => header.kind = self.kind()?,
                1 => header.fortran = self.truth()?,
                _ => header.shape = self.shape()?,
            }
            seen[place] = true;
            if !self.next_is(',') {
                self.expect('}')?;
                break;
            }
        }
        (seen == [true; 3] && self.0.trim().is_empty()).then_some(header)
    }

    /// Passes over a character if it is the next.
    fn next_is(&mut self, character: char) -> bool {
        let rest = self.0.trim_start().strip_prefix(character);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expect(&mut self, character: char) -> Option<()> {
        self.next_is(character).then_some(())
    }

    /// A text without its quotes. None that matters here has a quote or a backslash in it.
    fn string(&mut self) -> Option<&'a str> {
        let quote = if self.next_is('"') { '"' } else { '\'' };
        if quote == '\'' {
            self.expect(quote)?;
        }
        let (text, rest) = self.0.split_once(quote)?;
        self.0 = rest;
        Some(text)
    }

    fn kind(&mut self) -> Option<Option<String>> {
        if !self.next_is('[') {
            return self.string().map(|text| Some(text.into()));
        }
        let mut depth = 1;
        while depth > 0 {
            let at = self.0.find(['[', ']', '\'', '"'])?;
            let (_, rest) = self.0.split_at(at);
            match rest.as_bytes()[0] {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {
                    self.0 = rest;
                    self.string()?;
                    continue;
                }
            }
            self.0 = &rest[1..];
        }
        Some(None)
    }

    fn truth(&mut self) -> Option<bool> {
        let text = self.0.trim_start();
        let (rest, truth) = match text.strip_prefix("True") {
            Some(rest) => (rest, true),
            None => (text.strip_prefix("False")?, false),
        };
        self.0 = rest;
        Some(truth)
    }

    fn shape(&mut self) -> Option<Vec<u64>> {
        let mut shape = Vec::new();
        self.expect('(')?;
        while !self.next_is(')') {
            let text = self.0.trim_start();
            let end = text.find(|c: char| !c.is_ascii_digit())?;
            shape.push(text[..end].parse().ok()?);
            self.0 = &text[end..];
            if !self.next_is(',') {
                self.expect(')')?;
                break;
            }
        }
        Some(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<Header> {
        Text(text).header()
    }

    #[test]
    fn what_numpy_writes() {
        let header = parse("{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }  \n");
        let expected = Header { kind: Some("<f8".into()), fortran: true, shape: vec![3, 4] };
        assert_eq!(header, Some(expected));
        let header = parse(
            "{\"shape\":(7,),\"descr\":[('a', '<i4'), (']', '<f8', (2,))],'fortran_order':False}",
        );
        assert_eq!(header, Some(Header { kind: None, fortran: false, shape: vec![7] }));
        let header = parse("{'descr': '|b1', 'fortran_order': False, 'shape': ()}").unwrap();
        assert!(header.shape.is_empty());
    }

    #[test]
    fn what_makes_no_sense() {
        let whole = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }";
        assert!((0..whole.len()).all(|end| parse(&whole[..end]).is_none()));
        for (from, to) in
            [("3", "-3"), ("4", "99999999999999999999"), ("True", "1"), ("'f", "'g"), (")", "")]
        {
            assert!(parse(&whole.replacen(from, to, 1)).is_none(), "{from} {to}");
        }
        assert!(parse(&format!("{whole} 3")).is_none());
    }

    #[test]
    fn our_own_comes_back() {
        let mut bytes = Vec::new();
        Header::write_doubles(&mut bytes, [1_000_000, 9]).unwrap();
        assert_eq!(bytes.len() % ALIGNMENT, 0);
        let header = Header::read(bytes.as_slice()).unwrap();
        let shape = vec![1_000_000, 9];
        assert_eq!(header, Header { kind: Some("<f8".into()), fortran: false, shape });
        assert!((0..bytes.len()).all(|end| Header::read(&bytes[..end]).is_err()));
    }
}
