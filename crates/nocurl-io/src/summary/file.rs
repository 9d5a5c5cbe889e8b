//! Summaries in files and on the wire.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `nocurlM` and a zero |
//! | 4 | version: 2; 1 is the same without conditions |
//! | 4 | length of the description |
//! | ... | description: JSON with variables, counts and lengths |
//! | 8 each | means; lower triangle of the scatter matrix, row by row |
//! | 8 each | keys, places and values of the sampled rows |
//! | 8 each | of each condition, where they are told apart: its rows, or means and scatter matrix |
//! | 8 | XXH3 of all that stands before |
//!
//! All numbers are little-endian.

use std::io::Write;
use std::path::Path;

use nocurl::memory::{Memory, ask};
use nocurl::moments::{Conditions, KeptRows};
use nocurl::{Moments, Variable, Variables};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::Summary;
use crate::input::Input;
use crate::output::write_atomic;
use crate::table::{Sample, SampledRow};
use crate::{Error, LeftOut, Source};

const MAGIC: &[u8; 8] = b"nocurlM\0";
const VERSION: u32 = 2;
/// The first version, which is read too.
const FIRST: u32 = 1;
const FORMAT: &str = "moments";

/// The most bytes of a description: names and levels.
const MOST_DESCRIPTION: usize = 256 << 20;

#[derive(Serialize, Deserialize)]
struct Description {
    /// The program that wrote it.
    nocurl: String,
    variables: Vec<Variable>,
    weight: f64,
    rows_dropped: u64,
    missing_values: u64,
    left_out: Vec<(String, String)>,
    estimated: u64,
    sampled: usize,
    seen: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conditions: Option<Told>,
}

/// The variable whose levels are conditions, and for each of them how its rows are kept.
#[derive(Serialize, Deserialize)]
struct Told {
    variable: usize,
    levels: Vec<Kept>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kept {
    /// So many rows, as they are.
    Rows(usize),
    /// Moments of so many rows.
    Moments(f64),
}

impl Kept {
    /// Numbers that it takes, of rows with this many.
    fn numbers(&self, width: usize) -> Option<usize> {
        match self {
            Self::Rows(rows) => rows.checked_mul(width),
            Self::Moments(_) => width.checked_add(3)?.checked_mul(width).map(|twice| twice / 2),
        }
    }
}

/// Whether a file holds a summary: by its first bytes, or by its name where it is too short for them.
/// What is no file is told by its name alone: bytes that are taken from a pipe are gone.
pub fn is_summary(path: &Path) -> bool {
    let named = path.extension().is_some_and(|extension| extension == "moments");
    let file = std::fs::metadata(path).is_ok_and(|found| found.is_file());
    let opened = file.then(|| std::fs::File::open(path).ok()).flatten();
    let start = opened.and_then(|mut file| {
        let mut start = [0; 8];
        std::io::Read::read_exact(&mut file, &mut start).ok()?;
        Some(start)
    });
    named || start.is_some_and(|start| start == *MAGIC)
}

/// Reads a summary from a file.
///
/// # Errors
/// A file that cannot be read, is cut off, is changed or is of another version.
pub fn read_summary(source: &Source) -> Result<Summary, Error> {
    let (input, watch) = Input::open(source)?;
    let label = input.label.clone();
    watch.unchanged(input.into_bytes().and_then(|bytes| Summary::from_bytes(&bytes, &label)))
}

/// Writes a summary to a file, whole or not at all.
///
/// # Errors
/// [`Error::Io`] with the reason.
pub fn write_summary(path: impl AsRef<Path>, summary: &Summary) -> Result<(), Error> {
    let columns = summary.moments.width();
    let rows = summary.sample.rows.len() as u64;
    let told = summary.moments.conditions();
    let of = |condition| summary.moments.variables().columns(condition).len() + 1;
    let conditions = told.map_or(0, |told| of(told.variable()));
    // The numbers in a list, and as bytes; half a matrix for each condition.
    let matrices = Memory::matrices(2.0 + conditions as f64);
    ask("the file of moments", matrices.and_tables(3.0).at(columns, rows))?;
    write_atomic(path.as_ref(), |file| file.write_all(&summary.to_bytes()))
}

impl Summary {
    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let told = self.moments.conditions();
        let kept: Vec<KeptRows> = told.map_or_else(Vec::new, |all| all.kept_rows().collect());
        let others = told.map_or(0, |all| {
            self.moments.width() - self.moments.variables().columns(all.variable()).len()
        });
        let level = |rows: &KeptRows| match rows.weight {
            None => Kept::Rows(rows.numbers.len() / others.max(1)),
            Some(weight) => Kept::Moments(weight),
        };
        let description = Description {
            nocurl: env!("CARGO_PKG_VERSION").into(),
            variables: self.moments.variables().list().to_vec(),
            weight: self.moments.weight(),
            rows_dropped: self.rows_dropped,
            missing_values: self.missing_values,
            left_out: self.left_out.iter().map(|(n, why)| (n.clone(), why.word().into())).collect(),
            estimated: self.estimated,
            sampled: self.sample.rows.len(),
            seen: self.sample.seen,
            conditions: told.map(|all| Told {
                variable: all.variable(),
                levels: kept.iter().map(level).collect(),
            }),
        };
        let text = serde_json::to_vec(&description).expect("names and numbers can be written");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        let numbers = |bytes: &mut Vec<u8>, values: &[f64]| {
            values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        };
        numbers(&mut bytes, self.moments.mean());
        numbers(&mut bytes, &self.moments.scatter_entries());
        let rows = self.sample.clone().rows_in_order();
        rows.iter().for_each(|row| bytes.extend(row.key.to_le_bytes()));
        rows.iter().for_each(|row| bytes.extend(row.place.to_le_bytes()));
        rows.iter().for_each(|row| numbers(&mut bytes, &row.values));
        kept.iter().for_each(|rows| numbers(&mut bytes, &rows.numbers));
        bytes.extend([0; 8]);
        Self::seal(&mut bytes);
        bytes
    }

    /// Writes the checksum of bytes that have room for it at their end.
    #[doc(hidden)]
    pub fn seal(bytes: &mut [u8]) {
        if let Some((body, end)) = bytes.split_last_chunk_mut::<8>() {
            *end = xxh3_64(body).to_le_bytes();
        }
    }

    /// A summary from the bytes of a file; `label` is how messages speak of it.
    ///
    /// # Errors
    /// Bytes that are cut off, changed, or of another version.
    pub fn from_bytes(bytes: &[u8], label: &str) -> Result<Self, Error> {
        let invalid = |reason: &str| Error::invalid(label, FORMAT, reason);
        let cut = || invalid("it is cut off");
        if bytes.len() < MAGIC.len() && MAGIC.starts_with(bytes) {
            return Err(cut());
        }
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| {
            invalid("it does not begin as a file of moments; make it with `nocurl moments`")
        })?;
        let (version, rest) = rest.split_first_chunk().ok_or_else(cut)?;
        let version = u32::from_le_bytes(*version);
        if !(FIRST..=VERSION).contains(&version) {
            let reason = format!(
                "it is of version {version}, this program reads versions {FIRST} to {VERSION}; use \
                 one nocurl for all parts"
            );
            return Err(Error::unsupported(label, reason));
        }
        let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (text, rest) = rest.split_at_checked(length).ok_or_else(cut)?;
        if length > MOST_DESCRIPTION {
            return Err(invalid("its description is too long"));
        }
        let found: Description =
            serde_json::from_slice(text).map_err(|error| invalid(&error.to_string()))?;
        let widths = found.variables.iter().map(Variable::width);
        let width = widths.fold(0_usize, usize::saturating_add);
        let size = found.variables.len();
        let triangle = width.checked_add(1).and_then(|more| more.checked_mul(width));
        let needed = triangle
            .map(|twice| twice / 2)
            .and_then(|triangle| triangle.checked_add(width))
            .and_then(|all| all.checked_add(found.sampled.checked_mul(size.checked_add(2)?)?))
            .and_then(|all| all.checked_add(found.told_numbers(width)?))
            .and_then(|all| all.checked_add(1)?.checked_mul(8))
            .ok_or_else(|| invalid("it announces more numbers than there can be"))?;
        if rest.len() != needed {
            return Err(if rest.len() < needed {
                cut()
            } else {
                invalid("it goes on after its end")
            });
        }
        let (body, sum) = bytes.split_at(bytes.len() - 8);
        if xxh3_64(body).to_le_bytes() != sum {
            return Err(invalid("its checksum is wrong; make or copy it again"));
        }
        decode(found, &rest[..needed - 8], width).map_err(|error| invalid(&error))
    }
}

impl Description {
    /// Coded columns of all variables but the one that tells conditions apart.
    fn others(&self, width: usize) -> Option<usize> {
        let told = self.conditions.as_ref()?;
        width.checked_sub(self.variables.get(told.variable)?.width())
    }

    /// Numbers that the conditions take; nothing where they are more than there can be, or are no
    /// conditions of these variables.
    fn told_numbers(&self, width: usize) -> Option<usize> {
        let Some(told) = &self.conditions else { return Some(0) };
        let others = self.others(width)?;
        told.levels.iter().try_fold(0_usize, |all, kept| all.checked_add(kept.numbers(others)?))
    }
}

/// The numbers behind a description, of which there are as many as it says.
fn decode(found: Description, bytes: &[u8], width: usize) -> Result<Summary, String> {
    let size = found.variables.len();
    let mut chunks = bytes.chunks_exact(8).map(|chunk| chunk.try_into().expect("eight bytes"));
    let mut floats = |count: usize| -> Result<Vec<f64>, String> {
        let values: Vec<f64> = chunks.by_ref().take(count).map(f64::from_le_bytes).collect();
        match values.iter().all(|value| value.is_finite()) {
            true => Ok(values),
            false => Err("it holds numbers that are not finite".into()),
        }
    };
    if !(found.weight.is_finite() && found.weight >= 0.0) {
        return Err("its number of rows is no number".into());
    }
    let mut names: Vec<&str> = found.variables.iter().map(|v| v.name.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("two of its variables have one name".into());
    }
    let mean = floats(width)?;
    let entries = floats(width * (width + 1) / 2)?;
    let diagonal = |j: usize| entries[j * (j + 1) / 2 + j];
    if (0..width).any(|j| diagonal(j) < 0.0) {
        return Err("it has a negative variance".into());
    }
    let mut word = || u64::from_le_bytes(chunks.next().expect("as many as counted"));
    let keys: Vec<u64> = (0..found.sampled).map(|_| word()).collect();
    let places: Vec<u64> = (0..found.sampled).map(|_| word()).collect();
    let mut rows = Vec::new();
    for (key, place) in keys.into_iter().zip(places) {
        let values: Box<[f64]> = (0..size).map(|_| f64::from_bits(word())).collect();
        if place >= found.seen || values.iter().any(|value| !value.is_finite()) {
            return Err("its sample of rows is damaged".into());
        }
        for (value, variable) in values.iter().zip(&found.variables) {
            let levels = variable.levels.len() as f64;
            if variable.is_discrete() && !(value.fract() == 0.0 && (0.0..levels).contains(value)) {
                return Err("its sample of rows is damaged".into());
            }
        }
        rows.push(SampledRow { key, place, values });
    }
    let mut conditions = None;
    if let (Some(told), Some(others)) = (&found.conditions, found.others(width)) {
        let kept = told.levels.iter().map(|kept| {
            let count = kept.numbers(others).unwrap_or_default();
            let numbers: Vec<f64> = (0..count).map(|_| f64::from_bits(word())).collect();
            let weight = match kept {
                Kept::Rows(_) => None,
                Kept::Moments(weight) => Some(*weight),
            };
            KeptRows { weight, numbers }
        });
        conditions = Some(told_apart(&found.variables, told.variable, kept.collect())?);
    }
    let moments = Moments::from_scatter(found.variables, found.weight, mean, &entries)
        .map_err(|error| error.to_string())?;
    let moments = match conditions {
        None => moments,
        Some(conditions) => moments.with_conditions(conditions),
    };
    let left_out = found.left_out.into_iter();
    Ok(Summary {
        moments,
        sample: Sample::of(rows, found.seen),
        rows_dropped: found.rows_dropped,
        missing_values: found.missing_values,
        left_out: left_out.map(|(name, why)| (name, LeftOut::from_word(&why))).collect(),
        estimated: found.estimated,
    })
}

/// The conditions of these variables, after checks of what was kept of them.
fn told_apart(list: &[Variable], told: usize, kept: Vec<KeptRows>) -> Result<Conditions, String> {
    let wrong = |weight: f64| !(weight.is_finite() && weight >= 0.0);
    if kept.iter().filter_map(|rows| rows.weight).any(wrong) {
        return Err("the number of rows of a condition is no number".into());
    }
    if !list[told].is_discrete() {
        return Err(format!("its conditions are those of `{}`, which has none", list[told].name));
    }
    let variables = Variables::new(list.to_vec());
    let conditions = Conditions::of_kept(&variables, told, kept);
    conditions.map_err(|_| "its conditions are damaged".into())
}
