//! Columns that number or name the rows.

use nocurl::{Action, Text};

use super::{Rows, Suspicion, counted, few, is_whole};

/// Words of names that keys have, in lower case.
const KEYS: [&str; 10] =
    ["id", "key", "index", "idx", "rownames", "rowid", "row", "nr", "uuid", "unnamed: 0"];

/// Whole numbers that go up or down by one from row to row, or are all different and are called a
/// key or are those from 1 to n, or from 0 on, in some order.
pub(super) fn look(rows: &Rows<'_>) -> Vec<Suspicion> {
    let names: Vec<String> =
        rows.numbers().filter(|(name, v)| is_key(rows, name, v)).map(|(n, _)| n.into()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let number = if names.len() == 1 { "numbers or names" } else { "number or name" };
    let remedy = Action::leave_out(&names);
    let sentence = Text::new(format!(
        "{} {number} the rows: every row has another whole number. Edges with such a column mean \
         little: ",
        few(&names)
    ));
    let sentence = sentence.act(remedy.clone()).say(".");
    vec![Suspicion { name: "row-numbers", columns: names, sentence, remedy: Some(remedy) }]
}

fn is_key(rows: &Rows<'_>, name: &str, values: &[f64]) -> bool {
    if !values.iter().all(|&value| is_whole(value)) {
        return false;
    }
    let counts = counted(values);
    if counts.len() < values.len() {
        return false;
    }
    let range = counts[counts.len() - 1].0 - counts[0].0;
    let steps = || values.windows(2).map(|pair| pair[1] - pair[0]);
    let (up, down) = (steps().all(|step| step > 0.0), steps().all(|step| step < 0.0));
    // In a sample of the rows, steps are those of the places that were taken.
    let by_one = range <= rows.total as f64 - 1.0;
    let counts_rows = rows.are_all() && (0.0..=1.0).contains(&counts[0].0);
    is_called_key(name) || by_one && (up || down || counts_rows)
}

/// Whether a word of the name is one that keys have.
fn is_called_key(name: &str) -> bool {
    let lower = name.trim().to_lowercase();
    let words = || lower.split(|c: char| !c.is_alphanumeric());
    let camel = name.ends_with("Id") || name.ends_with("ID");
    KEYS.contains(&lower.as_str())
        || camel
        || words().any(|word| matches!(word, "id" | "key" | "uuid"))
}
