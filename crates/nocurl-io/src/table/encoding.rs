//! Text as UTF-8 with line feeds, whatever a file has: UTF-16, Windows-1252, lone carriage returns.

/// Bytes that are enough to know UTF-16 without a mark.
const GLANCE: usize = 1 << 10;

/// How the characters of a file are written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Charset {
    /// UTF-8; bytes that are not are read as Windows-1252.
    Utf8,
    Utf16 {
        big_endian: bool,
    },
}

impl Charset {
    /// By the first bytes: the byte order mark, or zeros in every other byte.
    fn of(start: &[u8]) -> Self {
        match start {
            [0xff, 0xfe, ..] => return Self::Utf16 { big_endian: false },
            [0xfe, 0xff, ..] => return Self::Utf16 { big_endian: true },
            _ => {}
        }
        let (pairs, _) = start[..start.len().min(GLANCE)].as_chunks::<2>();
        let mostly = |ascii: fn(&[u8; 2]) -> bool| {
            let count = pairs.iter().filter(|pair| ascii(pair)).count();
            pairs.len() > 1 && 10 * count >= 9 * pairs.len()
        };
        match () {
            () if mostly(|pair| pair[0] != 0 && pair[1] == 0) => Self::Utf16 { big_endian: false },
            () if mostly(|pair| pair[0] == 0 && pair[1] != 0) => Self::Utf16 { big_endian: true },
            () => Self::Utf8,
        }
    }
}

/// Whether bytes begin as UTF-16 does.
pub(super) fn is_utf16(start: &[u8]) -> bool {
    Charset::of(start) != Charset::Utf8
}

/// Turns the bytes of a file, piece by piece, into UTF-8 whose lines end in line feeds.
#[derive(Debug)]
pub(super) struct Decoder {
    charset: Option<Charset>,
    /// Whether lines end in carriage returns alone, once the first piece was seen.
    returns: Option<bool>,
    /// The start of a character that a piece ends in.
    cut: Vec<u8>,
    /// Whether there were bytes that are not UTF-8.
    pub(super) is_windows: bool,
}

impl Decoder {
    pub(super) fn new() -> Self {
        Self { charset: None, returns: None, cut: Vec::new(), is_windows: false }
    }

    /// Decodes the bytes from `from` on where they are; `last` says that no more will follow.
    pub(super) fn decode(&mut self, bytes: &mut Vec<u8>, from: usize, last: bool) {
        let charset = *self.charset.get_or_insert_with(|| Charset::of(&bytes[from..]));
        let plain = self.cut.is_empty() && charset == Charset::Utf8;
        if !(plain && std::str::from_utf8(&bytes[from..]).is_ok()) {
            let mut raw = std::mem::take(&mut self.cut);
            raw.extend(bytes.drain(from..));
            match charset {
                Charset::Utf8 => self.utf8(&raw, last, bytes),
                Charset::Utf16 { big_endian } => self.utf16(&raw, big_endian, last, bytes),
            }
        }
        let new = &mut bytes[from..];
        if new.is_empty() {
            return;
        }
        let returns = *self.returns.get_or_insert_with(|| {
            // A line feed at the very end may stand after carriage returns everywhere else.
            new.contains(&b'\r')
                && !new[..new.len() - 1].contains(&b'\n')
                && !new.ends_with(b"\r\n")
        });
        if returns {
            new.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
        }
    }

    fn utf8(&mut self, raw: &[u8], last: bool, text: &mut Vec<u8>) {
        let mut chunks = raw.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.extend(chunk.valid().as_bytes());
            let rest = chunk.invalid();
            let is_cut = chunks.peek().is_none()
                && std::str::from_utf8(rest).is_err_and(|error| error.error_len().is_none());
            if is_cut && !last {
                self.cut = rest.to_vec();
                return;
            }
            self.is_windows |= !rest.is_empty();
            for &byte in rest {
                push(text, windows_1252(byte));
            }
        }
    }

    fn utf16(&mut self, raw: &[u8], big_endian: bool, last: bool, text: &mut Vec<u8>) {
        let (pairs, odd) = raw.as_chunks::<2>();
        let mut units: Vec<u16> = pairs
            .iter()
            .map(
                |&pair| {
                    if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
                },
            )
            .collect();
        if !last {
            // The second half of a pair of surrogates is in the next piece.
            let half = units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit));
            units.truncate(units.len() - usize::from(half));
            self.cut = raw[raw.len() - odd.len() - 2 * usize::from(half)..].to_vec();
        }
        for found in char::decode_utf16(units) {
            push(text, found.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }
}

fn push(text: &mut Vec<u8>, character: char) {
    text.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// A byte as Windows-1252 has it; as Latin-1 where that has nothing.
fn windows_1252(byte: u8) -> char {
    const FROM_80: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => FROM_80[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of bytes that come in pieces of this size.
    fn decoded(bytes: &[u8], size: usize) -> String {
        let mut decoder = Decoder::new();
        let mut text = Vec::new();
        let pieces = bytes.len().div_ceil(size);
        for (at, piece) in bytes.chunks(size).enumerate() {
            let from = text.len();
            text.extend(piece);
            decoder.decode(&mut text, from, at + 1 == pieces);
        }
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn pieces_may_end_within_a_character() {
        let text = "größe,€\n1,😀 2\n3,ÿ\n";
        let utf16 = |unit: fn(u16) -> [u8; 2], mark: &[u8]| {
            [mark, &text.encode_utf16().flat_map(unit).collect::<Vec<u8>>()].concat()
        };
        for size in 4..40 {
            assert_eq!(decoded(text.as_bytes(), size), text);
            let marked = format!("\u{feff}{text}");
            assert_eq!(decoded(&utf16(u16::to_le_bytes, b"\xff\xfe"), size), marked);
            assert_eq!(decoded(&utf16(u16::to_be_bytes, b"\xfe\xff"), size), marked);
            assert_eq!(decoded(b"gr\xf6\xdfe \x80,\xc3\n", size), "größe €,Ã\n");
        }
        let plain: Vec<u8> = "a,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decoded(&plain, 100), "a,b\n1,2\n");
    }

    #[test]
    fn carriage_returns_alone_end_lines() {
        assert_eq!(decoded(b"a,b\r1,2\r", 100), "a,b\n1,2\n");
        assert_eq!(decoded(b"a,b\r1,2\r3,4\n", 100), "a,b\n1,2\n3,4\n");
        for text in ["a,b\r\n", "a,b\r\n1,2\r\n", "a,\"x\ry\"\n1,2\n"] {
            assert_eq!(decoded(text.as_bytes(), 100), text);
        }
    }
}
