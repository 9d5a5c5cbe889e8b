//! Numbers that stand for missing values.

use nocurl::{Action, Text, Transform, Value};

use super::{Rows, Suspicion, counted};

/// Rows that have such a number at least.
const FEWEST: usize = 2;

/// The same of a number that does not look like one.
const FEWEST_OF_OTHERS: usize = 3;

/// Different values that the rest has at least, so that its range says something.
const FEWEST_VALUES: usize = 8;

/// How far a number made of nines is from the rest, in ranges of the rest.
const FAR_FOR_NINES: f64 = 0.25;

/// The same of any number.
const FAR: f64 = 3.0;

/// The least or the greatest value of a column, where it repeats and lies far from all others.
pub(super) fn look(rows: &Rows<'_>) -> Vec<Suspicion> {
    let ranked = |name: &str| {
        let known = rows.data.variables().list().iter().find(|known| known.name == name);
        known.is_some_and(|known| known.transforms.iter().any(|t| matches!(t, Transform::Rank(_))))
    };
    let mut found: Vec<(f64, Vec<(String, usize)>)> = Vec::new();
    for (name, values) in rows.all_numbers().filter(|(name, _)| !ranked(name)) {
        for (value, count) in sentinels(&values) {
            let of = (name.to_string(), count);
            match found.iter_mut().find(|(known, _)| *known == value) {
                Some((_, columns)) => columns.push(of),
                None => found.push((value, vec![of])),
            }
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    let list: Vec<String> = found.iter().map(|(value, columns)| said(*value, columns)).collect();
    let columns = found.iter().flat_map(|(_, of)| of.iter().map(|(name, _)| name.clone()));
    let values = found.iter().map(|(value, _)| Value::Text(value.to_string())).collect();
    let remedy = Action::set("na", Value::List(values));
    let sentence = Text::new(format!(
        "{}, far from all other values: it may stand for missing ones, and a few such rows decide \
         about edges. If so, use ",
        list.join("; ")
    ));
    let sentence = sentence.act(remedy.clone()).say(".");
    let columns = columns.collect();
    vec![Suspicion { name: "sentinels", columns, sentence, remedy: Some(remedy) }]
}

fn said(value: f64, columns: &[(String, usize)]) -> String {
    const SHOWN: usize = 3;
    let mut shown: Vec<String> = columns
        .iter()
        .take(SHOWN)
        .map(|(name, count)| format!("`{name}` ({count} rows)"))
        .collect();
    if columns.len() > SHOWN {
        shown.push(format!("{} columns more", columns.len() - SHOWN));
    }
    format!("{value} repeats in {}", shown.join(", "))
}

fn sentinels(values: &[f64]) -> Vec<(f64, usize)> {
    let counts = counted(values);
    let mut found = Vec::new();
    let mut rest = counts.as_slice();
    // Both ends may have one.
    for _ in 0..2 {
        let [first, second, .., before, last] = rest else { break };
        let told = rest.len() > FEWEST_VALUES;
        let below = (first, second.0 - first.0, last.0 - second.0);
        let above = (last, last.0 - before.0, before.0 - first.0);
        if let Some(value) = sentinel(below, values.len(), told) {
            found.push(value);
            rest = &rest[1..];
        } else if let Some(value) = sentinel(above, values.len(), told) {
            found.push(value);
            rest = &rest[..rest.len() - 1];
        }
    }
    found
}

/// The value at an end, by its distance to the next one and the range of the others; only nines tell
/// something beside few others.
fn sentinel(
    (&(value, count), gap, range): (&(f64, usize), f64, f64),
    rows: usize,
    told: bool,
) -> Option<(f64, usize)> {
    let (fewest, far) = match is_nines(value) {
        true => (FEWEST, FAR_FOR_NINES),
        // One stands for itself in columns of shares and of switches.
        false if !told || value == 1.0 => return None,
        false => (FEWEST_OF_OTHERS, FAR),
    };
    (count >= fewest && 2 * count < rows && range > 0.0 && gap > far * range)
        .then_some((value, count))
}

/// 99, -999, 9999, 99.99 and the like; a single 9 is too common.
fn is_nines(value: f64) -> bool {
    let digits: Vec<char> = value.abs().to_string().chars().filter(|c| *c != '.').collect();
    digits.len() >= 2 && digits.iter().all(|digit| *digit == '9')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_far_from_the_rest_that_repeat() {
        let plain: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 101)).collect();
        assert!(sentinels(&plain).is_empty());
        let with = |more: &[f64]| sentinels(&[&plain, more].concat());
        assert_eq!(with(&[-999.0, -999.0]), [(-999.0, 2)]);
        assert_eq!(with(&[-999.0, -999.0, 9999.0, 9999.0]).len(), 2);
        // One alone may be an outlier, and a number close by is one of the column.
        assert!(with(&[-999.0]).is_empty());
        assert!(with(&[99.0, 99.0, 99.0]).is_empty());
        assert_eq!(with(&[-1e6, -1e6, -1e6]), [(-1e6, 3)]);
        // Three values are no range that something is far from.
        let three = [[0.0; 50], [0.1; 50], [1.0; 50]].concat();
        assert!(sentinels(&three).is_empty());
        // Half of the rows and more are no missing values.
        assert!(with(&[-999.0; 80]).is_empty());
        let nines = [9.0, 99.0, -999.0, 99.99, 100.0, 0.0].map(is_nines);
        assert_eq!(nines, [false, true, true, true, false, false]);
    }
}
