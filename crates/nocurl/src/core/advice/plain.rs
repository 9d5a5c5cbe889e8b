//! Text of a file, made harmless where it is shown.

/// Text as a terminal or a page may show it: on one line, without codes that a terminal obeys, and
/// without characters that turn the direction of what stands beside them.
///
/// ```
/// assert_eq!(nocurl::advice::plain("a\u{1b}[2Jb\n\u{202e}c"), "a [2Jb \u{fffd}c");
/// ```
pub fn plain(text: &str) -> String {
    text.chars().map(plain_character).collect()
}

/// What is shown of a character by [`plain`].
pub fn plain_character(c: char) -> char {
    match c {
        '\u{2028}' | '\u{2029}' => ' ',
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' => '\u{fffd}',
        '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c if c.is_control() => ' ',
        c => c,
    }
}
