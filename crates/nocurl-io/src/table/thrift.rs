//! Structures of Thrift's compact protocol, in which Parquet keeps its metadata, walked over before
//! they are relied upon: lengths are sound, and every field that is known has the type it should.
//! The decoder takes the type for granted, so that a field of another type is read as something
//! that was never seen here.

use super::layout::{Fields, Kind};

/// Structures within structures, beyond which a file is not sound.
const DEEPEST: usize = 32;

/// What a walk comes across.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// An integer of whatever width.
    Integer(i64),
    /// The end of a structure.
    End,
}

/// Walks over one structure at the start of `bytes` and hands what it comes across to `visit`, with
/// the numbers of the fields that lead to it; 0 stands for an element of a list. Returns the length
/// of the structure, or nothing if it is malformed or goes on beyond the bytes.
pub(super) fn walk(
    bytes: &[u8],
    fields: Fields,
    visit: &mut dyn FnMut(&[i16], Event),
) -> Option<usize> {
    let mut walker = Walker { bytes, at: 0, path: Vec::new(), visit };
    walker.structure(Some(fields))?;
    Some(walker.at)
}

struct Walker<'a> {
    bytes: &'a [u8],
    at: usize,
    path: Vec<i16>,
    visit: &'a mut dyn FnMut(&[i16], Event),
}

impl Walker<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn skip(&mut self, length: u64) -> Option<()> {
        let left = (self.bytes.len() - self.at) as u64;
        self.at += (length <= left).then_some(length as usize)?;
        Some(())
    }

    /// Seven bits per byte, the lowest first.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A varint in which the lowest bit is the sign.
    fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// A structure whose fields are known, or one of which nothing is.
    fn structure(&mut self, fields: Option<Fields>) -> Option<()> {
        if self.path.len() == DEEPEST {
            return None;
        }
        let mut field = 0_i16;
        let mut seen = 0_u64;
        loop {
            let header = self.byte()?;
            if header == 0 {
                (self.visit)(&self.path, Event::End);
                return Some(());
            }
            field = match header >> 4 {
                0 => i16::try_from(self.integer()?).ok()?,
                step => field.checked_add(step.into())?,
            };
            let known = fields.and_then(|fields| fields.iter().find(|(id, _)| *id == field));
            if known.is_some() {
                // Which of two would count is nothing to rely on.
                let mark = 1 << (field & 63);
                if seen & mark != 0 {
                    return None;
                }
                seen |= mark;
            }
            self.path.push(field);
            // The value of a boolean field is its type.
            match known {
                Some((_, Kind::Bool)) => matches!(header & 15, 1 | 2).then_some(())?,
                Some((_, kind)) => self.typed(header & 15, kind)?,
                None if matches!(header & 15, 1 | 2) => {}
                None => self.value(header & 15)?,
            }
            self.path.pop();
        }
    }

    /// A value that must be of a kind.
    fn typed(&mut self, found: u8, kind: &Kind) -> Option<()> {
        if found != kind.code() {
            return None;
        }
        match kind {
            Kind::I16 | Kind::I32 | Kind::I64 => {
                let value = self.integer()?;
                let fits = match kind {
                    Kind::I16 => i16::try_from(value).is_ok(),
                    Kind::I32 => i32::try_from(value).is_ok(),
                    _ => true,
                };
                if !fits {
                    return None;
                }
                (self.visit)(&self.path, Event::Integer(value));
                Some(())
            }
            Kind::Struct(fields) => self.structure(Some(fields)),
            Kind::List(element) => {
                let (count, found) = self.list()?;
                // An empty list may leave its type open.
                if count > 0 && found != element.code() {
                    return None;
                }
                self.elements(count, |walker| walker.typed(found, element))
            }
            Kind::Bool | Kind::I8 | Kind::Double | Kind::Binary => self.value(found),
        }
    }

    /// A value of whatever type, of a field that is not known.
    fn value(&mut self, kind: u8) -> Option<()> {
        match kind {
            1..=3 => self.skip(1),
            4..=6 => self.integer().map(drop),
            7 => self.skip(8),
            8 => {
                let length = self.varint()?;
                self.skip(length)
            }
            9 | 10 => {
                let (count, kind) = self.list()?;
                self.elements(count, |walker| walker.value(kind))
            }
            11 => match self.varint()? {
                0 => Some(()),
                count => {
                    let kinds = self.byte()?;
                    self.elements(count, |walker| {
                        walker.value(kinds >> 4)?;
                        walker.value(kinds & 15)
                    })
                }
            },
            12 => self.structure(None),
            _ => None,
        }
    }

    /// How many elements a list has, and their type.
    fn list(&mut self) -> Option<(u64, u8)> {
        let header = self.byte()?;
        let count = if header >> 4 == 15 { self.varint()? } else { (header >> 4).into() };
        Some((count, header & 15))
    }

    /// Elements of a list, each of which takes a byte or more.
    fn elements(
        &mut self,
        count: u64,
        mut element: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        if self.path.len() == DEEPEST || count > (self.bytes.len() - self.at) as u64 {
            return None;
        }
        self.path.push(0);
        for _ in 0..count {
            element(self)?;
        }
        self.path.pop();
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INNER: Fields = &[(1, Kind::I64)];
    const OUTER: Fields = &[
        (1, Kind::I32),
        (2, Kind::Bool),
        (4, Kind::Struct(INNER)),
        (5, Kind::Binary),
        (6, Kind::List(&Kind::I32)),
    ];

    type Found = Vec<(Vec<i16>, i64)>;

    fn numbers(bytes: &[u8]) -> Option<(Found, usize)> {
        let mut found = Vec::new();
        let length = walk(bytes, OUTER, &mut |path, event| {
            if let Event::Integer(value) = event {
                found.push((path.to_vec(), value));
            }
        })?;
        Some((found, length))
    }

    #[test]
    fn integers_come_with_their_fields() {
        // Field 1 is 3, field 2 true, field 4 a structure whose field 1 is -150, field 5 text.
        let bytes = [0x15, 6, 0x11, 0x2c, 0x16, 0xab, 2, 0, 0x18, 2, b'h', b'i', 0, 99];
        let (found, length) = numbers(&bytes).unwrap();
        assert_eq!(found, [(vec![1], 3), (vec![4, 1], -150)]);
        assert_eq!(length, bytes.len() - 1);
        assert!((0..length).all(|cut| numbers(&bytes[..cut]).is_none()));
    }

    #[test]
    fn lists_must_be_as_long_as_they_say() {
        assert_eq!(numbers(&[0x69, 0x25, 2, 4, 0]).unwrap().0, [(vec![6, 0], 1), (vec![6, 0], 2)]);
        assert!(numbers(&[0x69, 0xf5, 0xff, 0xff, 0xff, 0x7f, 2, 4, 0]).is_none());
        assert!(numbers(&[0x69, 0x9c].repeat(100)).is_none());
        assert!(numbers(&[0x7c; 1000]).is_none());
        // Unknown to us, and sound.
        assert!(numbers(&[0x79, 0x26, 2, 4, 0]).unwrap().0.is_empty());
    }

    #[test]
    fn fields_must_have_their_types() {
        assert!(numbers(&[0x15, 6, 0]).is_some());
        for wrong in [
            &[0x16, 6, 0][..],
            &[0x17, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0x18, 0, 0],
            &[0x11, 0],
            &[0x25, 2, 0],
            &[0x45, 2, 0],
            &[0x4c, 0x15, 2, 0, 0],
            &[0x69, 0x16, 2, 0],
            // Twice, and beyond 32 bits.
            &[0x15, 6, 0x05, 2, 6, 0],
            &[0x15, 0x80, 0x80, 0x80, 0x80, 0x20, 0],
        ] {
            assert!(numbers(wrong).is_none(), "{wrong:x?}");
        }
    }
}
