//! The findings about a result, on the terminal.

use nocurl::checks::{Diagnosis, Verdict};

use crate::report::{BOLD, FAINT, WARNING, clean, count};
use crate::spelling::Flags;

/// Columns that a line of text takes.
const WIDTH: usize = 100;

/// What the findings amount to: a paragraph for each that is more than fine, and one line for the
/// rest. Files have all of them with their numbers.
pub(crate) fn checks(diagnosis: &Diagnosis) -> String {
    let mut text = format!("\n{BOLD}Checks{BOLD:#}\n");
    let notable = diagnosis.notable();
    for finding in &notable {
        let (label, style) = match finding.verdict {
            Verdict::Concern => ("concern", WARNING),
            _ => ("note", BOLD),
        };
        text += &format!("  {style}{label:<7}{style:#}  ");
        let said = format!("{}: {}", finding.check, clean(&finding.sentence.spelt(&Flags)));
        text += &wrapped(&said, "           ");
    }
    let rest = (diagnosis.findings.len() - notable.len()) as u64;
    if rest > 0 {
        let other = if notable.is_empty() { "" } else { "other " };
        let found = count(rest, &format!("{other}check"));
        text += &format!("  {FAINT}{found} found nothing.{FAINT:#}\n");
    }
    text
}

/// Text in lines between words; all but the first are indented, and leave room for it.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = String::new();
    let mut room = WIDTH - indent.len();
    for word in text.split(' ') {
        let length = word.chars().count();
        if lines.is_empty() {
            lines += word;
        } else if length < room {
            lines += " ";
            lines += word;
            room -= 1;
        } else {
            lines += "\n";
            lines += indent;
            lines += word;
            room = WIDTH - indent.len();
        }
        room = room.saturating_sub(length);
    }
    lines + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_full_but_not_too_long() {
        let words: Vec<String> = (0..90).map(|i| "x".repeat(i % 11)).collect();
        let text = wrapped(&words.join(" "), "    ");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() > 4);
        assert!(lines[1..].iter().all(|line| line.starts_with("    ") && line.len() <= WIDTH));
        assert!(lines[1..lines.len() - 1].iter().all(|line| line.len() > WIDTH - 12));
        let read: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(read, words.join(" ").split_whitespace().collect::<Vec<_>>());
        assert_eq!(wrapped(&"y".repeat(300), "  ").len(), 301);
    }
}
