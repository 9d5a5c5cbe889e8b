//! How wide text is, and how a name is cut into lines.

use crate::widths::WIDTHS;

/// Units of the widths in one size of the font.
const EM: f64 = 2048.0;

/// Most lines that a name takes.
const MOST_LINES: usize = 3;

/// The width of a text at a size of the font.
///
/// ```
/// use nocurl_render::text_width;
/// assert!(text_width("WWW", 10.0) > 2.0 * text_width("iii", 10.0));
/// ```
pub fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(letter_width).sum::<f64>() * size
}

/// The width of a letter in sizes of the font.
fn letter_width(letter: char) -> f64 {
    let code = u32::from(letter);
    let place = WIDTHS.partition_point(|&(first, _)| first <= code);
    let known = place.checked_sub(1).and_then(|range| {
        let (first, widths) = WIDTHS[range];
        widths.get((code - first) as usize).copied().filter(|&width| width > 0)
    });
    match known {
        Some(width) => f64::from(width) / EM,
        // Marks above and below letters, and signs without a width.
        None if matches!(code, 0x300..=0x36f | 0x591..=0x5cf | 0x64b..=0x65f | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfe00..=0xfe0f | 0xfeff) => {
            0.0
        }
        // Ideographs, kana, full-width forms and pictures are as wide as they are high.
        None if code >= 0x1100 => 1.0,
        None => 0.62,
    }
}

/// A name in lines no wider than `width`, cut where words end; the last line ends in `…` where not
/// all of it fits. Control characters are shown as blanks.
pub(crate) fn wrap(name: &str, size: f64, width: f64) -> Vec<String> {
    let name = shown(name);
    let mut lines: Vec<String> = vec![String::new()];
    let fits = |text: &str| text_width(text, size) <= width;
    for piece in pieces(&name) {
        let last = lines.last_mut().expect("there is a line");
        if fits((last.clone() + piece).trim_end()) {
            last.push_str(piece);
            continue;
        }
        if !last.is_empty() {
            lines.push(String::new());
        }
        // A word that is too long by itself is cut between letters.
        for letter in piece.chars() {
            let last = lines.last_mut().expect("there is a line");
            if !last.is_empty() && !fits(&format!("{last}{letter}")) && letter != ' ' {
                lines.push(String::new());
            }
            lines.last_mut().expect("there is a line").push(letter);
        }
    }
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        let last = lines.last_mut().expect("there is a line");
        while !last.is_empty() && !fits(&format!("{last}…")) {
            last.pop();
        }
        last.push('…');
    }
    lines.iter_mut().for_each(|line| *line = line.trim().to_string());
    lines
}

/// A text on one line that is no wider than `width`.
pub(crate) fn shorten(text: &str, size: f64, width: f64) -> String {
    let text = shown(text);
    if text_width(&text, size) <= width {
        return text;
    }
    let mut short = text;
    while !short.is_empty() && text_width(&short, size) + text_width("…", size) > width {
        short.pop();
    }
    short + "…"
}

/// Text without control characters and signs that turn the direction of what follows.
pub(crate) fn shown(text: &str) -> String {
    let visible = |c: char| match c {
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        c if c.is_control() => Some(' '),
        '\u{fffe}' | '\u{ffff}' => Some('\u{fffd}'),
        c => Some(c),
    };
    text.chars().filter_map(visible).collect()
}

/// The parts of a name between which it may be cut.
fn pieces(name: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (at, letter) in name.char_indices() {
        let after_sign =
            before.is_some_and(|c| matches!(c, ' ' | '_' | '-' | '.' | '/' | ':' | ','));
        let new_word = before.is_some_and(char::is_lowercase) && letter.is_uppercase();
        if at > start && (after_sign || new_word) && !matches!(letter, ' ' | '_') {
            pieces.push(&name[start..at]);
            start = at;
        }
        before = Some(letter);
    }
    pieces.push(&name[start..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_between_words_and_nothing_is_lost() {
        let lines = wrap("mean_fractal_dimension error", 11.0, 90.0);
        assert_eq!(lines.concat().replace(' ', ""), "mean_fractal_dimensionerror");
        assert!(lines.len() > 1 && lines.iter().all(|line| text_width(line, 11.0) <= 90.0));
    }

    #[test]
    fn long_names_end_in_dots_and_keep_the_width() {
        for name in ["x".repeat(300), "ab ".repeat(100), "W".repeat(300), "数".repeat(50)] {
            let lines = wrap(&name, 11.0, 120.0);
            assert_eq!(lines.len(), MOST_LINES);
            assert!(lines[2].ends_with('…'));
            assert!(lines.iter().all(|line| text_width(line, 11.0) <= 120.0), "{lines:?}");
        }
    }

    #[test]
    fn signs_that_do_something_are_not_shown() {
        assert_eq!(shown("a\u{202e}b\nc\u{7}"), "ab c ");
    }
}
