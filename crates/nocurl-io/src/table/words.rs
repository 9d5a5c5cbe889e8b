//! What people write in cells: missing values, numbers with signs around them, dates.

/// Text that stands for a missing value, besides nothing at all; upper or lower case.
pub(super) const MISSING: [&[u8]; 11] =
    [b"na", b"n/a", b"nan", b"null", b"none", b"#n/a", b"<na>", b"?", b"-", b".", b"*"];

/// Words for missing values.
#[derive(Debug, Clone, Default)]
pub(super) struct Absent {
    /// Besides the usual ones.
    words: Vec<Vec<u8>>,
    /// Those of them that are numbers.
    numbers: Vec<f64>,
}

impl Absent {
    pub(super) fn new(words: &[String]) -> Self {
        let number = |word: &String| fast_float2::parse::<f64, _>(word.trim()).ok();
        Self {
            words: words.iter().map(|word| word.trim().as_bytes().to_vec()).collect(),
            numbers: words.iter().filter_map(number).collect(),
        }
    }

    /// Whether the content of a cell stands for a missing value.
    pub(super) fn has(&self, content: &[u8]) -> bool {
        content.is_empty()
            || MISSING.iter().any(|word| content.eq_ignore_ascii_case(word))
            || self.words.iter().any(|word| content.eq_ignore_ascii_case(word))
    }

    /// Whether a word for a missing value may be one of the words of a column: the user does not list
    /// it as missing, `None` is an answer to many questions, and `-` is the opposite of `+`.
    pub(super) fn may_be_level(&self, content: &[u8]) -> bool {
        (content.eq_ignore_ascii_case(b"none") || content == b"-")
            && !self.words.iter().any(|word| content.eq_ignore_ascii_case(word))
    }

    /// The numbers that stand for missing values.
    pub(super) fn numbers(&self) -> &[f64] {
        &self.numbers
    }
}

/// Whether a word says that something is so, or is not.
pub(super) fn is_truth(word: &str) -> bool {
    const WORDS: [&str; 8] = ["true", "false", "yes", "no", "t", "f", "y", "n"];
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Whether an integer changes when it becomes a floating-point number.
pub(super) fn is_rounded(integer: i128) -> bool {
    // Up to here all of them are floating-point numbers too.
    integer.unsigned_abs() > 1 << 53 && integer as f64 as i128 != integer
}

/// Whether a number is so large that it may stand for an integer that it cannot hold.
#[inline]
pub(super) fn is_large(value: f64) -> bool {
    value.abs() >= 9_007_199_254_740_992.0
}

/// The same of any of some numbers: most are small, and several maxima of vector instructions see
/// that at next to no cost. NaN is not large.
pub(super) fn any_large(values: &[f64]) -> bool {
    let (lanes, rest) = values.as_chunks::<8>();
    let mut most = [0.0_f64; 8];
    for lane in lanes {
        for (most, value) in most.iter_mut().zip(lane) {
            *most = if value.abs() > *most { value.abs() } else { *most };
        }
    }
    most.iter().chain(rest).any(|&value| is_large(value))
}

/// Whether the cell of a number is an integer that the number cannot hold.
pub(super) fn is_rounded_cell(content: &[u8], value: f64) -> bool {
    is_large(value) && is_large_integer(content)
}

/// Whether the cell of a number has neither a point nor an exponent: it is no measurement, which is
/// rounded anyhow.
pub(super) fn is_whole(content: &[u8]) -> bool {
    let sign = |byte: &u8| matches!(byte, b'.' | b'e' | b'E');
    !content.iter().any(sign) && content.iter().any(u8::is_ascii_digit)
}

fn is_large_integer(content: &[u8]) -> bool {
    let text = std::str::from_utf8(content).unwrap_or_default();
    let digits: String = text.chars().filter(|c| c.is_ascii_digit()).collect();
    is_whole(content) && digits.parse::<i128>().map_or(true, is_rounded)
}

/// A number as people write it: with thousands set apart, with a currency or percent sign, or with
/// a decimal comma where that is the custom of the file.
pub(super) fn number(content: &[u8], decimal: u8) -> Option<f64> {
    if decimal == b'.'
        && let Ok(value) = fast_float2::parse(content)
    {
        return Some(value);
    }
    let text = std::str::from_utf8(content).ok()?.trim();
    let (negative, text) = match text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        // Accountants put losses in brackets.
        Some(inner) => (true, inner.trim()),
        None => match text.strip_prefix(['-', '\u{2212}']) {
            Some(rest) => (true, rest.trim_start()),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        },
    };
    const SIGNS: [char; 6] = ['$', '€', '£', '¥', '%', '₹'];
    let bare = text.strip_prefix(SIGNS).unwrap_or(text).trim();
    let bare = bare.strip_suffix(SIGNS).unwrap_or(bare).trim();
    if !bare.starts_with(|c: char| c.is_ascii_digit() || c == char::from(decimal)) {
        return None;
    }
    let plain = without_groups(bare, char::from(decimal))?;
    let value: f64 = fast_float2::parse(plain).ok()?;
    // Next to 0.30, 45% is 0.45.
    let value = if text.contains('%') { value / 100.0 } else { value };
    Some(if negative { -value } else { value })
}

/// Digits without the signs between groups of three, and with a point for the decimal sign.
fn without_groups(text: &str, decimal: char) -> Option<String> {
    let (whole, rest) = match text.find([decimal, 'e', 'E']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let between = |c: char| !c.is_ascii_digit();
    let mut groups = whole.split(between);
    let signs: Vec<char> = whole.chars().filter(|&c| between(c)).collect();
    if let Some(&sign) = signs.first() {
        let known = matches!(sign, ',' | '.' | '\'' | ' ' | '\u{a0}' | '\u{202f}' | '_');
        if !known || sign == decimal || signs.iter().any(|&other| other != sign) {
            return None;
        }
        let first = groups.next()?;
        // Nobody sets thousands apart in 0,123.
        if first.starts_with('0')
            || !(1..=3).contains(&first.len())
            || !groups.all(|group| group.len() == 3)
        {
            return None;
        }
    }
    let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    let rest = match rest.strip_prefix(decimal) {
        Some(places) => format!(".{places}"),
        None => rest.into(),
    };
    // Signs between digits have no place behind the decimal sign.
    let fine = rest.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+'));
    (fine && rest.matches('.').count() <= 1).then(|| digits + &rest)
}

/// The number and the unit of a cell such as `4.8 mg`. What follows a number may also be part of a
/// name: `1st`, `2b`.
pub(super) fn with_unit(content: &[u8]) -> Option<(f64, &str)> {
    const LONGEST: usize = 12;
    let text = std::str::from_utf8(content).ok()?.trim();
    if !text.starts_with(|c: char| c.is_ascii_digit() || "+-.,\u{2212}".contains(c)) {
        return None;
    }
    let at = text.find(|c: char| c.is_alphabetic() || c == '°')?;
    let (digits, unit) = text.split_at(at);
    let digits = digits.trim_end().as_bytes();
    let value = number(digits, b'.').or_else(|| number(digits, b','))?;
    let ordinal = ["st", "nd", "rd", "th"].iter().any(|end| unit.eq_ignore_ascii_case(end));
    // Codes: `12A7`, and letters right behind digits that are no usual units, as in `12B`.
    let before_last = unit.char_indices().next_back().map_or("", |(at, _)| &unit[..at]);
    let capital = unit.starts_with(|c: char| c.is_ascii_uppercase());
    let has_digit = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    let glued = !text[..at].ends_with(char::is_whitespace);
    let is_code = has_digit(before_last)
        || capital && has_digit(unit)
        || glued && unit.chars().count() == 1 && !"gmslhdKVWN°".contains(unit);
    let mut characters = unit.chars();
    let fine = |c: char| c.is_alphanumeric() || "°/^·*-".contains(c);
    (!ordinal && !is_code && unit.chars().count() <= LONGEST && characters.all(fine))
        .then_some((value, unit))
}

/// Whether a cell looks like a number with a decimal comma and like nothing else.
pub(super) fn has_decimal_comma(content: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(content) else { return false };
    if text.matches(',').count() != 1 || number(content, b'.').is_some() {
        return false;
    }
    number(content, b',').is_some()
}

/// Whether a cell looks like a date or a time of a day on it.
pub(super) fn is_date(content: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(content) else { return false };
    let text = text.trim();
    if !(6..=40).contains(&text.len()) {
        return false;
    }
    let day = text.split(['T', ' ']).next().unwrap_or(text);
    in_digits(day) || in_words(text)
}

/// `2020-01-31`, `31/1/2020`, `1.31.20`, `2020-01`.
fn in_digits(day: &str) -> bool {
    let Some(sign) = day.chars().find(|c| !c.is_ascii_digit()) else { return false };
    if !matches!(sign, '-' | '/' | '.') {
        return false;
    }
    let parts: Vec<Option<u32>> = day.split(sign).map(|part| part.parse().ok()).collect();
    let within = |part: Option<u32>, most: u32| part.is_some_and(|n| (1..=most).contains(&n));
    let year = |part: Option<u32>| part.is_some_and(|n| (1000..=2999).contains(&n));
    match parts[..] {
        [a, b] => year(a) && sign != '.' && day.len() == 7 && within(b, 12),
        [a, b, c] if year(a) => within(b, 12) && within(c, 31),
        [a, b, c] => {
            let short = c.is_some_and(|n| n < 100);
            (year(c) || short) && within(a, 31) && within(b, 31) && (within(a, 12) || within(b, 12))
        }
        _ => false,
    }
}

/// `Jan 1 2000`, `12 March 1999`, `Jan 2000`.
fn in_words(text: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut parts = text.split([' ', ',', '-', '/']).filter(|part| !part.is_empty());
    let (mut month, mut year) = (false, false);
    let fine = parts.all(|part| {
        let lower = part.to_lowercase();
        let is_month = MONTHS.iter().any(|name| lower.starts_with(name) && lower.len() <= 9);
        let number = part.parse::<u32>().ok();
        month |= is_month;
        year |= number.is_some_and(|n| (1000..=2999).contains(&n));
        is_month || number.is_some() || part.contains(':')
    });
    fine && month && year
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_large_number_is_found_wherever_it_stands() {
        for length in 0..20 {
            let mut values = vec![f64::NAN; length];
            assert!(!any_large(&values));
            for at in 0..length {
                for (value, large) in [(-9_007_199_254_740_992.0, true), (9e15, false)] {
                    let known = std::mem::replace(&mut values[at], value);
                    assert_eq!(any_large(&values), large, "{value} at {at} of {length}");
                    values[at] = known;
                }
            }
        }
    }

    #[test]
    fn numbers_as_people_write_them() {
        for (text, decimal, value) in [
            ("42,000", b'.', Some(42_000.0)),
            ("1,234,567.5", b'.', Some(1_234_567.5)),
            ("$1,200", b'.', Some(1200.0)),
            ("-$3", b'.', Some(-3.0)),
            ("(1,000)", b'.', Some(-1000.0)),
            ("12 %", b'.', Some(0.12)),
            ("5€", b'.', Some(5.0)),
            ("1 000 000", b'.', Some(1e6)),
            ("0,5", b',', Some(0.5)),
            ("1.234,5", b',', Some(1234.5)),
            ("1,5e-3", b',', Some(0.0015)),
            ("7", b',', Some(7.0)),
            ("1,5", b'.', None),
            ("0,123", b'.', None),
            ("-0,200", b'.', None),
            ("-0,200", b',', Some(-0.2)),
            ("0.123", b',', None),
            ("1,2345", b'.', None),
            ("12,34,567", b'.', None),
            ("1.5", b',', None),
            ("1,2,3", b',', None),
            ("3+", b'.', None),
            ("e5", b'.', None),
            ("", b'.', None),
            ("$", b'.', None),
        ] {
            assert_eq!(number(text.as_bytes(), decimal), value, "{text}");
        }
        assert!(has_decimal_comma(b"0,00632") && has_decimal_comma(b"-1,5"));
        assert!(has_decimal_comma(b"0,123") && has_decimal_comma(b"-0,200"));
        assert!(!has_decimal_comma(b"42,000") && !has_decimal_comma(b"1.5"));
    }

    #[test]
    fn units_behind_numbers() {
        for (text, found) in [
            ("4.8 mg", Some((4.8, "mg"))),
            ("4,8mg", Some((4.8, "mg"))),
            ("-3 °C", Some((-3.0, "°C"))),
            ("24.1 kg/m2", Some((24.1, "kg/m2"))),
            ("1,200 km", Some((1200.0, "km"))),
            ("1st", None),
            ("12A7", None),
            ("12B", None),
            ("7fa3c2", None),
            ("12 B", Some((12.0, "B"))),
            ("5g", Some((5.0, "g"))),
            ("mg", None),
            ("3 blind mice", None),
            ("10-20", None),
            ("5", None),
            ("2020-01-31T12:00Z", None),
        ] {
            assert_eq!(with_unit(text.as_bytes()), found, "{text}");
        }
    }

    #[test]
    fn dates_are_known() {
        for text in [
            "2020-01-31",
            "2020-01-31 12:00:01",
            "2020-01-31T12:00Z",
            "31/12/1999",
            "1/31/20",
            "31.12.1999",
            "Jan 1 2000",
            "12 March 1999",
            "2020-01",
            "Jan 2000",
        ] {
            assert!(is_date(text.as_bytes()), "{text}");
        }
        for text in ["1-2", "45/99/2000", "female", "12-3456", "mar", "1.2.3.4", "May flower 2000"]
        {
            assert!(!is_date(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn words_for_nothing() {
        let absent = Absent::new(&["-999".into(), " unknown ".into()]);
        for word in ["", "NA", "None", ".", "#N/A", "*", "-999", "Unknown"] {
            assert!(absent.has(word.as_bytes()), "{word}");
        }
        assert!(!absent.has(b"none of these") && !Absent::default().has(b"unknown"));
        assert_eq!(absent.numbers(), [-999.0]);
    }
}
