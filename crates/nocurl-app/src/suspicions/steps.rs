//! Whole numbers that may be codes.

use nocurl::{Action, Text, Value};

use super::{Rows, Suspicion, counted, few, is_whole};

/// Different values from which on whole numbers are surely on a scale.
const FEWEST: usize = 3;
const MOST: usize = 7;

/// Rows for each of them at least.
const ROWS_EACH: usize = 5;

/// Columns of few different whole numbers, which count as numbers on a scale unless users say else.
pub(super) fn look(rows: &Rows<'_>) -> Vec<Suspicion> {
    let n = rows.data.values().nrows();
    let is_code = |values: &[f64]| {
        let counts = counted(values);
        let few = (FEWEST..=MOST).contains(&counts.len()) && counts.len() * ROWS_EACH <= n;
        few && counts.iter().all(|(value, _)| is_whole(*value))
    };
    let names: Vec<String> =
        rows.numbers().filter(|(_, v)| is_code(v)).map(|(name, _)| name.into()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let (have, count) = if names.len() == 1 { ("has", "counts") } else { ("have", "count") };
    let listed: Vec<Value> = names.iter().cloned().map(Value::Text).collect();
    let sentence = Text::new(format!(
        "{} {have} few different whole numbers, and {count} as numbers on a scale. If they are \
         codes, use ",
        few(&names)
    ));
    let sentence = sentence.act(Action::set("categorical", Value::List(listed))).say(".");
    vec![Suspicion { name: "few-values", columns: names, sentence, remedy: None }]
}
