//! Which columns of a file are read, and into which place.

use std::collections::BTreeMap;

use super::collect::reading_memory;
use crate::error::shorten;
use crate::{Error, ReadOptions};
use nocurl::memory::ask;

/// More columns than this are not those of a table; names of so many would fill the memory.
pub(super) const MOST_COLUMNS: usize = 1_000_000;

/// Refuses a file that has too many columns, before anything is made of each of them.
pub(super) fn check_count(label: &str, columns: usize, options: &ReadOptions) -> Result<(), Error> {
    let most = match options.columns {
        Some(_) => MOST_COLUMNS,
        None => MOST_COLUMNS.min(options.max_columns.saturating_add(options.drop.len())),
    };
    if columns <= most {
        return Ok(());
    }
    let limit = if options.columns.is_some() { MOST_COLUMNS } else { options.max_columns };
    Err(Error::TooManyColumns { path: label.into(), columns, limit })
}

/// The selected columns of a file.
#[derive(Debug, Clone)]
pub(super) struct Selection {
    /// Names of the selected columns, in the order of the result.
    pub(super) names: Vec<String>,
    /// Position in the file of each selected column.
    pub(super) positions: Vec<usize>,
    /// The most rows that may be kept in memory.
    pub(super) most_rows: u64,
}

impl Selection {
    /// Applies `columns` and `drop` to the names of a file.
    pub(super) fn new(label: &str, names: &[String], options: &ReadOptions) -> Result<Self, Error> {
        let mut known = BTreeMap::new();
        for (position, name) in names.iter().enumerate() {
            if let Some(first) = known.insert(name.as_str(), position) {
                return Err(Error::DuplicateName {
                    name: shorten(name, 80),
                    first: first + 1,
                    second: position + 1,
                });
            }
        }
        let find = |name: &String| {
            known.get(name.as_str()).copied().ok_or_else(|| unknown_column(name, names))
        };
        let mut positions: Vec<usize> = match &options.columns {
            Some(columns) => columns.iter().map(find).collect::<Result<_, _>>()?,
            None => (0..names.len()).collect(),
        };
        if let Some(columns) = &options.columns {
            let mut sorted = positions.clone();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                let mut places = (1..).zip(columns).filter(|(_, name)| **name == names[pair[0]]);
                let mut place = || places.next().map_or(0, |(place, _)| place);
                return Err(Error::DuplicateName {
                    name: shorten(&names[pair[0]], 80),
                    first: place(),
                    second: place(),
                });
            }
        }
        let mut dropped = vec![false; names.len()];
        for name in &options.drop {
            dropped[find(name)?] = true;
        }
        positions.retain(|&position| !dropped[position]);
        if positions.len() < 2 {
            return Err(nocurl::Error::TooFewColumns { columns: positions.len() }.into());
        }
        if positions.len() > options.max_columns {
            return Err(Error::TooManyColumns {
                path: label.into(),
                columns: positions.len(),
                limit: options.max_columns,
            });
        }
        let names = positions.iter().map(|&position| names[position].clone()).collect();
        let columns = positions.len();
        ask(
            "reading",
            reading_memory(false, columns, rayon::current_num_threads()).at(columns, 0),
        )?;
        let most_rows = options.room.map_or(u64::MAX, |room| room.rows(columns));
        Ok(Self { names, positions, most_rows })
    }
}

fn unknown_column(name: &str, names: &[String]) -> Error {
    let suggestion = nocurl::error::closest(name, names.iter().map(String::as_str));
    Error::UnknownColumn {
        name: shorten(name, 80),
        suggestion: suggestion.map(|known| shorten(known, 80)),
    }
}

/// The positions below `columns` that are not in `left_out`, which is sorted.
pub(super) fn without(columns: usize, left_out: &[usize]) -> Vec<usize> {
    (0..columns).filter(|j| left_out.binary_search(j).is_err()).collect()
}

pub(super) fn constant_warning(names: &[String], constant: &[usize]) -> nocurl::Text {
    let list: Vec<String> = constant.iter().map(|&j| format!("`{}`", names[j])).collect();
    let vary = if list.len() == 1 { "does not vary" } else { "do not vary" };
    format!("left out {}, which {vary}", list.join(", ")).into()
}
