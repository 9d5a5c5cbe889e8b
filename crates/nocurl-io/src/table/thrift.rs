//! The numbers in a structure of Thrift's compact protocol, in which Parquet keeps its metadata.
//!
//! Only as much as it takes to see that lengths are sound before they are relied upon.

/// Structures within structures, beyond which a file is not sound.
const DEEPEST: usize = 32;

/// Walks over one structure at the start of `bytes` and hands each integer to `visit`, with the
/// numbers of the fields that lead to it. Returns the length of the structure, or nothing if it is
/// malformed or goes on beyond the bytes.
pub(super) fn walk(bytes: &[u8], visit: &mut dyn FnMut(&[i16], i64)) -> Option<usize> {
    let mut walker = Walker { bytes, at: 0, path: Vec::new(), visit };
    walker.structure()?;
    Some(walker.at)
}

struct Walker<'a> {
    bytes: &'a [u8],
    at: usize,
    path: Vec<i16>,
    visit: &'a mut dyn FnMut(&[i16], i64),
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
            value |= u64::from(byte & 0x7f) << shift;
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

    fn structure(&mut self) -> Option<()> {
        if self.path.len() == DEEPEST {
            return None;
        }
        let mut field = 0_i16;
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Some(());
            }
            field = match header >> 4 {
                0 => i16::try_from(self.integer()?).ok()?,
                step => field.checked_add(step.into())?,
            };
            self.path.push(field);
            // The value of a boolean field is its type.
            if !matches!(header & 15, 1 | 2) {
                self.value(header & 15)?;
            }
            self.path.pop();
        }
    }

    fn value(&mut self, kind: u8) -> Option<()> {
        match kind {
            1..=3 => self.skip(1),
            4..=6 => {
                let value = self.integer()?;
                (self.visit)(&self.path, value);
                Some(())
            }
            7 => self.skip(8),
            8 => {
                let length = self.varint()?;
                self.skip(length)
            }
            9 | 10 => {
                let header = self.byte()?;
                let count = if header >> 4 == 15 { self.varint()? } else { (header >> 4).into() };
                self.values(count, &[header & 15])
            }
            11 => match self.varint()? {
                0 => Some(()),
                count => {
                    let kinds = self.byte()?;
                    self.values(count, &[kinds >> 4, kinds & 15])
                }
            },
            12 => self.structure(),
            _ => None,
        }
    }

    /// Elements of a list, or keys and values of a map; each takes a byte or more.
    fn values(&mut self, count: u64, kinds: &[u8]) -> Option<()> {
        if self.path.len() == DEEPEST {
            return None;
        }
        self.path.push(0);
        for _ in 0..count {
            for &kind in kinds {
                self.value(kind)?;
            }
        }
        self.path.pop();
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = Vec<(Vec<i16>, i64)>;

    fn numbers(bytes: &[u8]) -> Option<(Found, usize)> {
        let mut found = Vec::new();
        let length = walk(bytes, &mut |path, value| found.push((path.to_vec(), value)))?;
        Some((found, length))
    }

    #[test]
    fn integers_come_with_their_fields() {
        // Field 1 is 3, field 2 true, field 4 a structure whose field 1 is -150, field 5 text.
        let bytes = [0x15, 6, 0x11, 0x2c, 0x15, 0xab, 2, 0, 0x18, 2, b'h', b'i', 0, 99];
        let (found, length) = numbers(&bytes).unwrap();
        assert_eq!(found, [(vec![1], 3), (vec![4, 1], -150)]);
        assert_eq!(length, bytes.len() - 1);
        assert!((0..length).all(|cut| numbers(&bytes[..cut]).is_none()));
    }

    #[test]
    fn lists_must_be_as_long_as_they_say() {
        assert_eq!(numbers(&[0x19, 0x25, 2, 4, 0]).unwrap().0, [(vec![1, 0], 1), (vec![1, 0], 2)]);
        assert!(numbers(&[0x19, 0xf5, 0xff, 0xff, 0xff, 0x7f, 2, 4, 0]).is_none());
        assert!(numbers(&[0x19, 0x9c].repeat(100)).is_none());
        assert!(numbers(&[0x1c; 1000]).is_none());
    }
}
