//! Columns that are equal.

use std::collections::BTreeMap;

use nocurl::{Action, Text};

use super::{Rows, Suspicion, few};

/// Groups of columns that are equal in every row that is looked at.
pub(super) fn look(rows: &Rows<'_>) -> Vec<Suspicion> {
    let names = rows.data.names();
    let mut alike: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    // What does not vary is left out anyhow.
    let varies = |v: &usize| rows.data.column(*v).windows(2).any(|pair| pair[0] != pair[1]);
    for v in (0..names.len()).filter(varies) {
        let key = rows.data.column(v).iter().fold(0_u64, |key, value| {
            (key.rotate_left(5) ^ (value + 0.0).to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        alike.entry(key).or_default().push(v);
    }
    let mut groups: Vec<Vec<String>> = Vec::new();
    for (_, mut left) in alike {
        while left.len() > 1 {
            let first = left[0];
            // Different columns may share a key.
            let (same, other): (Vec<usize>, Vec<usize>) =
                left.into_iter().partition(|&v| rows.data.column(v) == rows.data.column(first));
            left = other;
            if same.len() > 1 {
                groups.push(same.into_iter().map(|v| names[v].clone()).collect());
            }
        }
    }
    if groups.is_empty() {
        return Vec::new();
    }
    groups.sort();
    let list: Vec<String> = groups.iter().map(|group| few(group)).collect();
    let later: Vec<String> = groups.iter().flat_map(|group| group[1..].iter().cloned()).collect();
    let remedy = Action::leave_out(&later);
    let sentence = Text::new(format!(
        "{} are equal in every row, so that nothing tells them apart: keep one, and ",
        list.join("; ")
    ));
    let sentence = sentence.act(remedy.clone()).say(".");
    let columns = groups.concat();
    vec![Suspicion { name: "duplicate-columns", columns, sentence, remedy: Some(remedy) }]
}
