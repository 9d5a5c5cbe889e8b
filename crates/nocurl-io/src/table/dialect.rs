//! Where cells of delimited text start and end.

use std::borrow::Cow;

use super::columns::MOST_COLUMNS;
use super::words::Absent;

/// Lines that are looked at to find the delimiter.
pub(super) const SAMPLE_LINES: usize = 32;

/// How a file separates its cells. A space means any run of blanks.
///
/// A cell that starts with a quote ends at the next lone quote and may hold delimiters and line
/// ends; two quotes within it stand for one. Nothing but blanks may follow the closing quote: a
/// quote that is not where it belongs would otherwise take many rows into one cell. Blanks around
/// cells do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
}

/// Quotes that are not where they belong, by the place where the cell starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misquoted {
    /// No quote closes the cell.
    Open(usize),
    /// Something follows the quote that closes the cell.
    Followed(usize),
}

impl Misquoted {
    /// The same, with places counted from `start`.
    pub(super) fn from(self, start: usize) -> Self {
        match self {
            Self::Open(at) => Self::Open(at - start),
            Self::Followed(at) => Self::Followed(at - start),
        }
    }
}

impl Dialect {
    /// The delimiter that cuts the first lines into the same number of cells, two or more; if
    /// none does, the one for which most lines agree.
    ///
    /// A comma comes after the others because it may be a decimal sign where they are in use.
    pub(super) fn detect(text: &[u8]) -> Self {
        let mut best = (0, b',');
        for delimiter in [b'\t', b';', b'|', b',', b' '] {
            let dialect = Self { delimiter };
            let counts = dialect.widths(text);
            let usual = usual(&counts);
            let agreeing = counts.iter().filter(|&&count| count == usual).count();
            // In thousandths, so that files of different numbers of records compare.
            let share = if usual < 2 { 0 } else { 1000 * agreeing / counts.len() };
            if share > best.0 {
                best = (share, delimiter);
            }
        }
        Self { delimiter: best.1 }
    }

    /// How many cells the first lines have.
    pub(super) fn widths(self, text: &[u8]) -> Vec<usize> {
        let mut counts = Vec::new();
        let mut at = self.skip_blank_lines(text, 0);
        while at < text.len() && counts.len() < SAMPLE_LINES {
            let (cells, next) = self.count(text, at);
            counts.push(cells);
            at = self.skip_blank_lines(text, next);
        }
        // The last record may have been cut off by the end of the sample.
        if counts.len() > 2 && at >= text.len() && text.last() != Some(&b'\n') {
            counts.pop();
        }
        counts
    }

    fn is_blank(self, byte: u8) -> bool {
        byte == b' ' || (byte == b'\t' && self.delimiter != b'\t')
    }

    /// The first place from `at` on that is no blank.
    pub(super) fn skip_blanks(self, text: &[u8], mut at: usize) -> usize {
        while at < text.len() && self.is_blank(text[at]) {
            at += 1;
        }
        at
    }

    /// The start of the first line from `at` on that holds anything.
    pub(super) fn skip_blank_lines(self, text: &[u8], mut at: usize) -> usize {
        loop {
            match line_end(text, self.skip_blanks(text, at)) {
                Some(next) if next > at => at = next,
                _ => return at,
            }
        }
    }

    /// A plain number that fills the cell at `at`, and the end of the cell.
    pub(super) fn number(self, text: &[u8], at: usize) -> Option<(f64, usize)> {
        let (value, length) = fast_float2::parse_partial::<f64, _>(&text[at..]).ok()?;
        let after = at + length;
        let end = self.skip_blanks(text, after);
        let separated = match text.get(end) {
            Some(&byte) if byte == self.delimiter => true,
            _ => line_end(text, end).is_some() || (self.delimiter == b' ' && end > after),
        };
        separated.then_some((value, end))
    }

    /// The end of the cell at `at`: a delimiter, a line end or the end of the text. Between
    /// blanks, the start of the next cell.
    pub(super) fn cell_end(self, text: &[u8], at: usize) -> Result<usize, Misquoted> {
        if text.get(at) != Some(&b'"') {
            return Ok(self.unquoted_end(text, at));
        }
        let closed = closing_quote(text, at + 1).ok_or(Misquoted::Open(at))?;
        let end = self.skip_blanks(text, closed);
        let ends = match text.get(end) {
            Some(&byte) if byte == self.delimiter => true,
            _ => line_end(text, end).is_some() || (self.delimiter == b' ' && end > closed),
        };
        if ends { Ok(end) } else { Err(Misquoted::Followed(at)) }
    }

    fn unquoted_end(self, text: &[u8], at: usize) -> usize {
        let mut end = at;
        while end < text.len() && text[end] != b'\n' && text[end] != self.delimiter {
            if self.delimiter == b' ' && self.is_blank(text[end]) {
                break;
            }
            end += 1;
        }
        if self.delimiter == b' ' {
            end = self.skip_blanks(text, end);
        }
        if end > at && text.get(end) == Some(&b'\n') && text[end - 1] == b'\r' {
            end -= 1;
        }
        end
    }

    /// The end of a cell whose quotes may be wrong, for those who only cut: what is wrong is found
    /// when the cell is read. Nothing if the text ends within quotes.
    fn any_end(self, text: &[u8], at: usize) -> Option<usize> {
        match self.cell_end(text, at) {
            Ok(end) => Some(end),
            Err(Misquoted::Open(_)) => None,
            Err(Misquoted::Followed(_)) => {
                Some(self.unquoted_end(text, closing_quote(text, at + 1)?))
            }
        }
    }

    /// The start of the next cell, given the end of one that is not the last of its line.
    pub(super) fn after_delimiter(self, end: usize) -> usize {
        if self.delimiter == b' ' { end } else { end + 1 }
    }

    /// The cells of the record at `at`, as written, and the start of the next record; no more
    /// than one cell above [`MOST_COLUMNS`].
    pub(super) fn record(
        self,
        text: &[u8],
        mut at: usize,
    ) -> Result<(Vec<&[u8]>, usize), Misquoted> {
        let mut cells = Vec::new();
        loop {
            at = self.skip_blanks(text, at);
            let end = self.cell_end(text, at)?;
            cells.push(&text[at..end]);
            match line_end(text, end) {
                Some(next) => return Ok((cells, next)),
                None if cells.len() > MOST_COLUMNS => return Ok((cells, end)),
                None => at = self.after_delimiter(end),
            }
        }
    }

    /// How many cells the record at `at` has, and the start of the next record.
    pub(super) fn count(self, text: &[u8], mut at: usize) -> (usize, usize) {
        let mut cells = 0;
        loop {
            at = self.skip_blanks(text, at);
            let end = self.any_end(text, at).unwrap_or(text.len());
            cells += 1;
            match line_end(text, end) {
                Some(next) => return (cells, next),
                None => at = self.after_delimiter(end),
            }
        }
    }

    /// Where the last whole record ends, if there is one.
    pub(super) fn last_record_end(self, text: &[u8]) -> Option<usize> {
        if !text.contains(&b'"') {
            return text.iter().rposition(|&byte| byte == b'\n').map(|end| end + 1);
        }
        let mut last = None;
        let mut at = 0;
        loop {
            at = self.skip_blanks(text, at);
            let Some(end) = self.any_end(text, at) else { return last };
            match line_end(text, end) {
                Some(next) if next == end => return last,
                Some(next) => {
                    last = Some(next);
                    at = next;
                }
                None => at = self.after_delimiter(end),
            }
        }
    }

    /// A line within a quoted cell that would be a row by itself, of `selected.len()` cells with
    /// a number or nothing in each that is read: the quote is not where it belongs. Returns the
    /// place of the line.
    ///
    /// The first and the last part of the cell are no lines of their own.
    pub(super) fn row_within(self, cell: &[u8], selected: &[bool]) -> Option<usize> {
        let first = cell.iter().position(|&byte| byte == b'\n')? + 1;
        let last = cell.iter().rposition(|&byte| byte == b'\n')?;
        let mut at = first;
        while at <= last {
            let end = at + cell[at..].iter().position(|&byte| byte == b'\n')? + 1;
            if self.is_row(&cell[at..end], selected) {
                return Some(at);
            }
            at = end;
        }
        None
    }

    fn is_row(self, line: &[u8], selected: &[bool]) -> bool {
        let mut at = 0;
        let mut numbers = 0;
        for (column, &selected_here) in (1..).zip(selected) {
            at = self.skip_blanks(line, at);
            let Ok(end) = self.cell_end(line, at) else { return false };
            if selected_here {
                let cell = unquote(&line[at..end]);
                let number = fast_float2::parse::<f64, _>(cell.as_ref()).is_ok();
                numbers += usize::from(number);
                if !number && !Absent::default().has(&cell) {
                    return false;
                }
            }
            match line_end(line, end) {
                Some(_) => return column == selected.len() && numbers > 0,
                None => at = self.after_delimiter(end),
            }
        }
        false
    }
}

/// The most common of some numbers; of equally common ones the first.
pub(super) fn usual(counts: &[usize]) -> usize {
    let often = |count: usize| counts.iter().filter(|&&other| other == count).count();
    let mut best = (0, 0);
    for &count in counts {
        let times = often(count);
        if times > best.0 {
            best = (times, count);
        }
    }
    best.1
}

/// Where the next line starts, if a line or the text ends here.
pub(super) fn line_end(text: &[u8], at: usize) -> Option<usize> {
    match text[at..] {
        [] => Some(at),
        [b'\n', ..] => Some(at + 1),
        [b'\r', b'\n', ..] => Some(at + 2),
        _ => None,
    }
}

/// The place after the quote that closes a quoted cell, if any does.
fn closing_quote(text: &[u8], mut at: usize) -> Option<usize> {
    while at < text.len() {
        if text[at] != b'"' {
            at += 1;
        } else if text.get(at + 1) == Some(&b'"') {
            at += 2;
        } else {
            return Some(at + 1);
        }
    }
    None
}

/// The content of a cell: without blanks around it, without quotes.
pub(super) fn unquote(cell: &[u8]) -> Cow<'_, [u8]> {
    let cell = cell.trim_ascii();
    let Some(inner) = cell.strip_prefix(b"\"") else {
        return Cow::Borrowed(cell);
    };
    let inner = inner.strip_suffix(b"\"").unwrap_or(inner);
    let mut content = Vec::with_capacity(inner.len());
    let mut at = 0;
    while at < inner.len() {
        content.push(inner[at]);
        at += if inner[at..].starts_with(b"\"\"") { 2 } else { 1 };
    }
    Cow::Owned(content.trim_ascii().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_delimiter() {
        for (text, delimiter) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("a\tb c\n1\t2\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            ("a  b\n 1   2\n", b' '),
            ("\"x;y\",z\n1,2\n", b','),
            ("a, b\n1, 2\n", b','),
            ("a,b\n1,2\n3,4,5\n", b','),
            ("one\n1\n", b','),
        ] {
            assert_eq!(Dialect::detect(text.as_bytes()).delimiter, delimiter, "{text:?}");
        }
    }

    #[test]
    fn cells_may_be_quoted_and_blank() {
        let comma = Dialect { delimiter: b',' };
        let text = b" \"a\n\"\"b\"\"\" , c ,,d\r\nrest";
        let (cells, next) = comma.record(text, 0).unwrap();
        let cells: Vec<_> = cells.into_iter().map(|cell| unquote(cell).into_owned()).collect();
        assert_eq!(cells, [b"a\n\"b\"".to_vec(), b"c".to_vec(), b"".to_vec(), b"d".to_vec()]);
        assert_eq!(&text[next..], b"rest");
        assert_eq!(comma.last_record_end(text), Some(next));
    }

    #[test]
    fn quotes_must_be_where_they_belong() {
        let comma = Dialect { delimiter: b',' };
        assert_eq!(comma.cell_end(b"1,\"a\n2", 2), Err(Misquoted::Open(2)));
        assert_eq!(comma.cell_end(b"\"a\"b,2\n", 0), Err(Misquoted::Followed(0)));
        assert_eq!(comma.cell_end(b"\"a\" \t,2\n", 0), Ok(5));
        assert_eq!(comma.cell_end(b"\"a\"\r\n", 0), Ok(3));
        assert_eq!(comma.cell_end(b"a\"b\",2\n", 0), Ok(4));
        assert_eq!(Dialect { delimiter: b' ' }.cell_end(b"\"a b\"  c\n", 0), Ok(7));
    }

    #[test]
    fn a_row_within_a_cell_is_found() {
        let comma = Dialect { delimiter: b',' };
        let slots = [true, false, true];
        let row = |cell: &[u8]| comma.row_within(cell, &slots);
        assert_eq!(row(b"\"Neil\n1,x,2\n3,y,4\""), Some(6));
        assert_eq!(row(b"\"Neil\nand,so,on\n3,y,\nend\""), Some(16));
        assert_eq!(row(b"\"Neil\n1,x,2\""), None);
        assert_eq!(row(b"\"one\ntwo, three, four\nfive\""), None);
        assert_eq!(row(b"\"one\n,,\nfive\""), None);
        assert_eq!(row(b"\"one\""), None);
    }

    #[test]
    fn a_quoted_line_end_does_not_end_a_record() {
        let comma = Dialect { delimiter: b',' };
        assert_eq!(comma.last_record_end(b"1,2\n3,\"a\nb"), Some(4));
        assert_eq!(comma.last_record_end(b"3,\"a\nb\"\n"), Some(8));
        assert_eq!(comma.last_record_end(b"3,\"a\nb"), None);
        assert_eq!(comma.last_record_end(b"1,2\n3"), Some(4));
    }

    #[test]
    fn numbers_must_fill_their_cell() {
        let comma = Dialect { delimiter: b',' };
        assert_eq!(comma.number(b"1.5 ,2", 0), Some((1.5, 4)));
        assert_eq!(comma.number(b"1.5\r\n", 0), Some((1.5, 3)));
        assert_eq!(comma.number(b"1.5x,2", 0), None);
        assert_eq!(Dialect { delimiter: b' ' }.number(b"1 2", 0), Some((1.0, 2)));
    }
}
