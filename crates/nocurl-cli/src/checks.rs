//! The findings about a result, on the terminal.

use nocurl::checks::{Diagnosis, Verdict};
use nocurl_app::Suspicion;

use crate::report::{BOLD, FAINT, WARNING, clean, count};
use crate::spelling::Flags;
use crate::terminal;

/// Room for the verdict.
const INDENT: &str = "           ";

/// What the findings amount to: a paragraph for each that is more than fine, and one line for the
/// rest. Files have all of them with their numbers.
pub(crate) fn checks(diagnosis: &Diagnosis, suspicions: &[Suspicion]) -> String {
    let mut text = format!("\n{BOLD}Checks{BOLD:#}\n");
    let notable = diagnosis.notable();
    for finding in &notable {
        let (label, style) = match finding.verdict {
            Verdict::Concern => ("concern", WARNING),
            _ => ("note", BOLD),
        };
        text += &format!("  {style}{label:<7}{style:#}  ");
        let said = format!("{}: {}", finding.check, clean(&finding.sentence.spelt(&Flags)));
        text += &wrapped(&said, INDENT);
    }
    for found in suspicions {
        text += &format!("  {BOLD}note   {BOLD:#}  ");
        let said = format!("{}: {}", found.name, clean(&found.sentence.spelt(&Flags)));
        text += &wrapped(&said, INDENT);
    }
    let rest = (diagnosis.findings.len() - notable.len()) as u64;
    if rest > 0 {
        let other = if notable.is_empty() && suspicions.is_empty() { "" } else { "other " };
        let found = count(rest, &format!("{other}check"));
        text += &format!("  {FAINT}{found} found nothing.{FAINT:#}\n");
    }
    text
}

/// Text beside the verdict.
fn wrapped(text: &str, indent: &str) -> String {
    // The first line stands behind the verdict, which has the room of an indent.
    terminal::wrapped(&format!("{indent}{text}"), indent)[indent.len()..].into()
}
