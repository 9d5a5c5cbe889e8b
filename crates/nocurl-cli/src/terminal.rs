//! The terminal: how wide it is, and which signs it has.

use std::io::IsTerminal as _;
use std::sync::OnceLock;

use console::Term;

/// Characters of a line of text where nobody says how many there are.
const USUAL_WIDTH: usize = 100;

/// The narrowest lines of text.
const NARROWEST: usize = 40;

/// Characters that fit in a line: those of `COLUMNS`, or of the terminal; nothing where standard
/// output is a file or a pipe, which have no width.
pub(crate) fn limit() -> Option<usize> {
    static LIMIT: OnceLock<Option<usize>> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        let asked = || std::env::var("COLUMNS").ok()?.trim().parse().ok();
        let found = || Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
        let terminal = std::io::stdout().is_terminal();
        asked().or_else(|| found().filter(|_| terminal)).map(|width: usize| width.max(NARROWEST))
    })
}

/// Characters of a line of text, at most a hundred.
pub(crate) fn width() -> usize {
    limit().unwrap_or(USUAL_WIDTH).min(USUAL_WIDTH)
}

/// Whether signs beyond ASCII come out right.
fn is_unicode() -> bool {
    if !std::io::stdout().is_terminal() {
        return true;
    }
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    let locale = locale.unwrap_or_default().to_lowercase();
    cfg!(windows) || locale.contains("utf-8") || locale.contains("utf8")
}

/// Counts as a row of bars.
pub(crate) fn bars(counts: &[u64]) -> String {
    const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const PLAIN: [char; 9] = [' ', '.', '.', ':', ':', '+', '+', '#', '#'];
    let signs = if is_unicode() { BLOCKS } else { PLAIN };
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let sign = |&count: &u64| match count {
        0 => signs[0],
        // What is there is seen.
        _ => signs[((count as f64 / most as f64 * 8.0).round() as usize).clamp(1, 8)],
    };
    counts.iter().map(sign).collect()
}

/// A name of at most so many characters.
pub(crate) fn shortened(name: &str, most: usize) -> String {
    let name = nocurl_io::plain(name);
    if name.chars().count() <= most {
        return name;
    }
    name.chars().take(most - 1).chain(['…']).collect()
}

/// Text in lines between words where the terminal has an end, and as it is elsewhere; all lines but
/// the first are indented.
pub(crate) fn flowing(text: &str, indent: &str) -> String {
    match limit() {
        Some(_) => wrapped(text, indent),
        None => format!("{text}\n"),
    }
}

/// Shortens cells of text so that rows fit in the terminal, the longest first; `right` has the
/// columns of numbers, which stay as they are.
pub(crate) fn fit(rows: &mut [Vec<String>], right: &[usize]) {
    if let Some(limit) = limit() {
        fit_in(rows, right, limit);
    }
}

fn fit_in(rows: &mut [Vec<String>], right: &[usize], limit: usize) {
    /// Names are not cut shorter than this.
    const SHORTEST: usize = 6;
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |j: usize| {
        rows.iter().filter_map(|row| row.get(j)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..columns).map(widest).collect();
    // A blank on both sides of a cell, and one more at the start of the line.
    let mut excess =
        (1 + widths.iter().map(|width| width + 2).sum::<usize>()).saturating_sub(limit);
    while excess > 0 {
        let texts = (0..columns).filter(|j| !right.contains(j) && widths[*j] > SHORTEST);
        let Some(longest) = texts.max_by_key(|&j| widths[j]) else { break };
        widths[longest] -= 1;
        excess -= 1;
    }
    for row in rows {
        for (cell, &width) in row.iter_mut().zip(&widths) {
            if cell.chars().count() > width {
                *cell = shortened(cell, width);
            }
        }
    }
}

/// Characters that are seen, without codes for colours.
fn seen(text: &str) -> usize {
    let mut count = 0;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        if c == '\u{1b}' {
            // A code ends with its first letter.
            let _ = characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            count += 1;
        }
    }
    count
}

/// Text in lines between words; all but the first are indented.
pub(crate) fn wrapped(text: &str, indent: &str) -> String {
    let width = width();
    let (mut lines, mut used, mut first) = (String::new(), 0, true);
    for word in text.split(' ') {
        let length = seen(word);
        if first {
            first = false;
        } else if used + 1 + length <= width {
            lines.push(' ');
            used += 1;
        } else {
            lines.push('\n');
            lines += indent;
            used = indent.len();
        }
        lines += word;
        used += length;
    }
    lines + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_full_but_not_too_long() {
        let words: Vec<String> = (0..90).map(|i| "x".repeat(i % 11 + 1)).collect();
        let text = wrapped(&words.join(" "), "    ");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() > 4);
        assert!(lines[1..].iter().all(|line| line.starts_with("    ") && line.len() <= width()));
        assert!(lines[1..lines.len() - 1].iter().all(|line| line.len() > width() - 12));
        let read: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(read, words.iter().map(String::as_str).collect::<Vec<_>>());
        // A word that is longer than the line stays whole.
        assert_eq!(wrapped(&"y".repeat(300), "  ").len(), 301);
        let coloured = format!("\u{1b}[1m{}\u{1b}[0m b", "a".repeat(width() - 2));
        assert_eq!(wrapped(&coloured, "").lines().count(), 1);
    }

    #[test]
    fn tables_fit_by_shorter_names() {
        let row = |name: &str| vec![name.to_string(), "->".into(), "b".into(), "12345.678".into()];
        let mut rows = vec![row("from"), row(&"long ".repeat(20))];
        fit_in(&mut rows, &[3], 60);
        let width =
            |row: &Vec<String>| 1 + row.iter().map(|c| c.chars().count() + 2).sum::<usize>();
        assert_eq!(width(&rows[1]), 60);
        assert!(rows[1][0].ends_with('…') && rows[1][3] == "12345.678");
        assert_eq!(rows[0], row("from"));
    }

    #[test]
    fn bars_are_as_high_as_counts() {
        assert_eq!(bars(&[0, 1, 50, 100]), " ▁▄█");
        assert_eq!(bars(&[]), "");
        assert_eq!(shortened("abcdef", 4), "abc…");
    }
}
