//! Which columns of a file are read, and into which place.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nocurl::memory::ask;
use nocurl::{Kind, Transform};

use super::collect::{Purpose, reading_memory};
use super::kinds::{Coding, Declared, is_told, left_out_note};
use super::part::Resample;
use super::pattern::{is_meant, is_pattern};
use super::reading::Reading;
use super::transform::{Scale, transform_of};
use super::words::{Absent, number};
use crate::Error;
use crate::error::shorten;

/// More columns than this are not those of a table; names of so many would fill the memory.
pub(crate) const MOST_COLUMNS: usize = 1_000_000;

/// Refuses a file that has too many columns, before anything is made of each of them.
pub(super) fn check_count(label: &str, columns: usize, options: &Reading<'_>) -> Result<(), Error> {
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
    /// Position in the file of each selected column; those that the file's name tells have none,
    /// and come last.
    pub(super) positions: Vec<usize>,
    /// The values of these, in the whole file.
    constants: Vec<f64>,
    /// All columns of the file.
    pub(super) of_file: Arc<Vec<String>>,
    /// Whether integers of a column were rounded.
    rounded: Arc<Vec<AtomicBool>>,
    /// Whether cells of a column are percentages.
    percents: Arc<Vec<AtomicBool>>,
    /// What they are read for.
    pub(super) purpose: Purpose,
    /// The most rows that may be kept in memory.
    pub(super) most_rows: u64,
    /// What their types say.
    pub(super) declared: Vec<Declared>,
    /// How those with levels are coded.
    pub(super) codings: Vec<Option<Arc<Coding>>>,
    /// Of each the codes, as themselves.
    pub(super) places: Arc<Vec<Vec<usize>>>,
    /// Those with levels whose cells come as numbers.
    pub(super) recoded: Vec<bool>,
    /// Those that a first look sees as text.
    pub(super) texts: Vec<bool>,
    /// Numbers that stand for missing values.
    pub(super) absent: Vec<f64>,
    /// The place of the weights of rows, which is the last.
    pub(super) weight: Option<usize>,
    /// The place of the conditions of an experiment.
    pub(super) condition: Option<usize>,
    /// Tables that are drawn from the same rows.
    pub(super) resample: Option<Resample>,
    /// What is done to columns of numbers.
    pub(super) transforms: Vec<Option<Transform>>,
    /// Columns of types that are not read, with which there is nothing to look at.
    pub(super) unread: Vec<(String, Declared)>,
}

impl Selection {
    /// Applies `columns` and `drop` to the names of a file, whose types say what `declared` says,
    /// and leaves out what the plan does.
    pub(super) fn new(
        label: &str,
        names: &[String],
        options: &Reading<'_>,
        declared: impl Fn(usize) -> Declared,
    ) -> Result<Self, Error> {
        let of_file = Arc::new(names.to_vec());
        if let Some(name) = options.file_column.as_ref().filter(|name| names.contains(name)) {
            return Err(Error::FileColumnTaken { name: shorten(name, 80) });
        }
        // What stands in the file counts, not what its folders say.
        let told = options.constants().iter().filter(|(name, _)| !names.contains(name));
        let told: Vec<&(String, String)> = told.collect();
        let mut all = names.to_vec();
        all.extend(told.iter().map(|(name, _)| name.clone()));
        let names = all.as_slice();
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
        // A name may be written out, be a pattern for several, or mean all of a kind.
        let is_kind = |position: usize, kind: Kind| {
            let coding = options.plan.and_then(|plan| plan.codings.get(&names[position]));
            match coding {
                Some(coding) => coding.is(kind),
                // Where kinds are not known yet, nothing may be lost.
                None => {
                    kind == Kind::Continuous
                        || options.plan.is_none() && declared(position) != Declared::Number
                }
            }
        };
        let find = |name: &String| -> Result<Vec<usize>, Error> {
            if let Some(&position) = known.get(name.as_str()) {
                return Ok(vec![position]);
            }
            if let Some(kind) = kind_of(name) {
                return Ok((0..names.len()).filter(|&at| is_kind(at, kind)).collect());
            }
            let found: Vec<usize> =
                (0..names.len()).filter(|&position| is_meant(name, &names[position])).collect();
            if found.is_empty() { Err(unknown_column(name, names)) } else { Ok(found) }
        };
        let kinds = [&options.categorical, &options.continuous].into_iter().flatten();
        for name in kinds.chain(options.ordinal.iter().map(|ordinal| &ordinal.column)) {
            find(name)?;
        }
        check_transforms(options, &find)?;
        let mut positions: Vec<usize> = Vec::new();
        match &options.columns {
            None => positions.extend(in_order(label, options, &known, of_file.len())?),
            Some(columns) => {
                let needed = options.plan.and_then(|plan| plan.needed.as_ref());
                for name in columns {
                    let found = match (find(name), needed) {
                        (Err(_), Some(needed)) if !needed.contains(name) => continue,
                        (Err(_), Some(_)) => return Err(lacks_column(label, name, names)),
                        (found, _) => found?,
                    };
                    // Before kinds are known, one that is meant by kind may also be named.
                    let open =
                        options.plan.is_none() && columns.iter().any(|c| kind_of(c).is_some());
                    let several = is_pattern(name) || kind_of(name).is_some() || open;
                    let new = |at: &usize| !several || !positions.contains(at);
                    let found: Vec<usize> = found.into_iter().filter(new).collect();
                    positions.extend(found);
                }
            }
        }
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
        let unknown = |name: &&String| options.plan.is_none() && kind_of(name).is_some();
        for name in options.drop.iter().filter(|name| !unknown(name)) {
            find(name)?.into_iter().for_each(|position| dropped[position] = true);
        }
        positions.retain(|&position| !dropped[position]);
        let plan = options.plan;
        positions.retain(|&position| plan.is_none_or(|plan| !plan.leaves_out(&names[position])));
        // A look says what is wrong with all of them.
        let looks = options.purpose.glances && plan.is_some();
        if positions.len() < 2 && !looks {
            let left = plan.and_then(|plan| left_out_note(&plan.left_out));
            return Err(match left {
                Some(left) => Error::FewLeft { columns: positions.len(), left },
                None => nocurl::Error::TooFewColumns { columns: positions.len() }.into(),
            });
        }
        if positions.len() > options.max_columns {
            return Err(Error::TooManyColumns {
                path: label.into(),
                columns: positions.len(),
                limit: options.max_columns,
            });
        }
        // What the file does not hold comes last.
        positions.sort_by_key(|&position| position >= of_file.len());
        let weight = match &options.weights {
            None => None,
            Some(_) if !told.is_empty() => {
                let reason = "rows of files whose names or folders tell columns are not weighted";
                return Err(Error::unsupported(label, reason));
            }
            Some(name) => {
                let at = *known.get(name.as_str()).ok_or_else(|| unknown_column(name, names))?;
                positions.retain(|&position| position != at);
                positions.push(at);
                Some(positions.len() - 1)
            }
        };
        let names: Vec<String> =
            positions.iter().map(|&position| names[position].clone()).collect();
        let declared = |at: usize| if at < of_file.len() { declared(at) } else { Declared::Cells };
        let declared: Vec<Declared> = positions.iter().map(|&at| declared(at)).collect();
        let coding = |name| plan.and_then(|plan| plan.codings.get(name)).cloned();
        let codings: Vec<_> = names.iter().map(coding).collect();
        let columns = positions.len();
        ask(
            "reading",
            reading_memory(false, columns, rayon::current_num_threads()).at(columns, 0),
        )?;
        let constants = positions.iter().zip(&codings).filter(|(at, _)| **at >= of_file.len());
        let constants = constants
            .map(|(&at, coding)| constant(&told[at - of_file.len()].1, coding.as_deref(), options))
            .collect();
        positions.retain(|&position| position < of_file.len());
        let selection = Self::of(names, positions, declared, codings, options);
        Ok(Self { weight, constants, of_file, ..selection })
    }

    fn of(
        names: Vec<String>,
        positions: Vec<usize>,
        declared: Vec<Declared>,
        codings: Vec<Option<Arc<Coding>>>,
        options: &Reading<'_>,
    ) -> Self {
        let levels = |coding: &Option<Arc<Coding>>| coding.as_ref().map_or(0, |c| c.levels.len());
        let places = codings.iter().map(|coding| (0..levels(coding)).collect()).collect();
        let recoded = codings.iter().zip(&declared).map(|(coding, declared)| {
            let numeric = |coding: &Arc<Coding>| match declared {
                Declared::Number => true,
                // 0 and 1 are the codes already, unless somebody calls them levels.
                Declared::Truth => coding.levels.iter().all(|level| level.parse::<f64>().is_ok()),
                _ => false,
            };
            coding.as_ref().is_some_and(numeric)
        });
        let text = |declared: &Declared| !declared.is_number();
        let transform = |(name, coding): (&String, &Option<_>)| match coding {
            None => transform_of(&options.transform, options.scores, name),
            Some(_) => None,
        };
        Self {
            transforms: names.iter().zip(&codings).map(transform).collect(),
            recoded: recoded.collect(),
            texts: declared.iter().map(text).collect(),
            places: Arc::new(places),
            absent: Absent::new(&options.na).numbers().to_vec(),
            purpose: options.purpose,
            unread: Vec::new(),
            constants: Vec::new(),
            of_file: Arc::default(),
            rounded: Arc::new(names.iter().map(|_| AtomicBool::new(false)).collect()),
            percents: Arc::new(names.iter().map(|_| AtomicBool::new(false)).collect()),
            weight: None,
            condition: names.iter().position(|name| options.condition.as_ref() == Some(name)),
            resample: options.resample.clone(),
            most_rows: options.room.map_or(u64::MAX, |room| room.rows(names.len())),
            names,
            positions,
            declared,
            codings,
        }
    }

    /// The same as they are read now: those to look at in a first look; else all, whose kinds must be
    /// known where they are `open`.
    pub(super) fn for_reading(self, options: &Reading<'_>, open: bool) -> Result<Self, Error> {
        if options.purpose.surveys {
            return Ok(self.to_look_at(options));
        }
        if open && options.plan.is_none() { Err(Error::KindsNeeded) } else { Ok(self) }
    }

    /// The columns that a first look has to see: those whose kind is open, unless all are asked for.
    pub(super) fn to_look_at(&self, options: &Reading<'_>) -> Self {
        let unread =
            |slot: &usize| matches!(self.declared[*slot], Declared::Other(_) | Declared::Date);
        let (left, kept): (Vec<usize>, Vec<usize>) = (0..self.positions.len())
            .filter(|&slot| options.all || self.is_open(slot, options))
            .partition(unread);
        let mut kept = Self::of(
            kept.iter().map(|&slot| self.names[slot].clone()).collect(),
            kept.iter().map(|&slot| self.positions[slot]).collect(),
            kept.iter().map(|&slot| self.declared[slot].clone()).collect(),
            kept.iter().map(|&slot| self.codings[slot].clone()).collect(),
            options,
        );
        let left =
            left.into_iter().map(|slot| (self.names[slot].clone(), self.declared[slot].clone()));
        kept.unread = left.collect();
        kept.of_file = Arc::clone(&self.of_file);
        kept
    }

    /// Whether the kind of a column has to be found out: it is not of numbers alone, somebody says
    /// what it is, or its name says that it is no variable.
    pub(super) fn is_open(&self, slot: usize, options: &Reading<'_>) -> bool {
        let name = &self.names[slot];
        if self.weight == Some(slot) {
            return false;
        }
        self.declared[slot] != Declared::Number || is_told(name, options) || is_index(name)
    }

    /// The values of columns that the name of the file tells, by their places.
    pub(super) fn constants(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        (self.positions.len()..).zip(self.constants.iter().copied())
    }

    /// Notes that integers of a column were rounded.
    pub(super) fn note_rounded(&self, slot: usize) {
        self.rounding(slot).note();
    }

    /// Where it is noted that integers of a column were rounded.
    pub(super) fn rounding(&self, slot: usize) -> Rounding {
        Rounding(Arc::clone(&self.rounded), slot)
    }

    /// The columns whose integers were rounded.
    pub(super) fn rounded(&self) -> Vec<String> {
        self.marked(&self.rounded)
    }

    /// Notes that a cell of a column is a percentage.
    pub(super) fn note_percent(&self, slot: usize) {
        self.percents[slot].store(true, Ordering::Relaxed);
    }

    /// The columns with percentages.
    pub(super) fn percents(&self) -> Vec<String> {
        self.marked(&self.percents)
    }

    fn marked(&self, marks: &[AtomicBool]) -> Vec<String> {
        let names = self.names.iter().zip(marks);
        let marked = names.filter(|(_, mark)| mark.load(Ordering::Relaxed));
        marked.map(|(name, _)| name.clone()).collect()
    }

    /// For each column whether it has levels.
    pub(super) fn discrete(&self) -> Vec<bool> {
        self.codings.iter().map(Option::is_some).collect()
    }
}

/// Where a decoder notes that it has rounded integers of a column.
pub(super) struct Rounding(Arc<Vec<AtomicBool>>, usize);

impl Rounding {
    pub(super) fn note(&self) {
        self.0[self.1].store(true, Ordering::Relaxed);
    }
}

/// All columns, in the order of the first file where there are several; those must be the same.
fn in_order(
    label: &str,
    options: &Reading<'_>,
    known: &BTreeMap<&str, usize>,
    of_file: usize,
) -> Result<Vec<usize>, Error> {
    let Some((first, names)) = options.file.and_then(|part| part.first) else {
        return Ok((0..known.len()).collect());
    };
    let here = |name: &str| known.get(name).copied().filter(|&at| at < of_file);
    let lacks: Vec<String> =
        names.iter().filter(|name| here(name).is_none()).map(|name| shorten(name, 40)).collect();
    let expected: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let adds = known.iter().filter(|(name, at)| **at < of_file && !expected.contains(*name));
    let adds: Vec<String> = adds.map(|(name, _)| shorten(name, 40)).collect();
    if !lacks.is_empty() || !adds.is_empty() {
        let (path, first) = (label.into(), first.into());
        return Err(Error::OtherColumns { path, first, lacks, adds });
    }
    Ok(names.iter().filter_map(|name| here(name)).chain(of_file..known.len()).collect())
}

/// The number that stands for what the name of a file says.
fn constant(text: &str, coding: Option<&Coding>, options: &Reading<'_>) -> f64 {
    if Absent::new(&options.na).has(text.as_bytes()) {
        return f64::NAN;
    }
    match coding {
        Some(coding) => coding.of_text(text.as_bytes()),
        None => number(text.as_bytes(), b'.').unwrap_or(f64::NAN),
    }
}

/// The kind that a name such as `kind:continuous` means.
pub(super) fn kind_of(name: &str) -> Option<Kind> {
    let word = name.strip_prefix("kind:")?;
    Kind::ALL.iter().copied().find(|kind| kind.name() == word)
}

/// Refuses transformations of columns that are not there or, by name, are no numbers on a scale.
fn check_transforms(
    options: &Reading<'_>,
    find: &impl Fn(&String) -> Result<Vec<usize>, Error>,
) -> Result<(), Error> {
    for name in options.transform.iter().flat_map(|rule| &rule.columns).filter(|name| *name != "*")
    {
        find(name)?;
    }
    let Some(plan) = options.plan else { return Ok(()) };
    for rule in options.transform.iter().filter(|rule| rule.scale != Scale::None) {
        for name in &rule.columns {
            if let Some(coding) = plan.codings.get(name) {
                let (scale, name, kind) =
                    (rule.scale.name(), shorten(name, 80), coding.kind.name());
                return Err(Error::NotOnAScale { scale, name, kind });
            }
        }
    }
    Ok(())
}

/// A column in which pandas keeps the names of rows.
pub(super) fn is_index(name: &str) -> bool {
    name.starts_with("__index_level_")
}

/// The error for a table that lacks a column of a model.
fn lacks_column(label: &str, name: &str, names: &[String]) -> Error {
    const SHOWN: usize = 12;
    let mut columns: Vec<String> =
        names.iter().take(SHOWN).map(|known| shorten(known, 40)).collect();
    if names.len() > SHOWN {
        columns.push(format!("and {} more", names.len() - SHOWN));
    }
    Error::LacksColumn { path: label.into(), column: shorten(name, 80), columns }
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
