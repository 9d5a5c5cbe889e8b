//! Several files as one table: columns matched by name, rows in the order of the files.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use nocurl::Run;
use rayon::prelude::*;

use super::collect::{Assembly, files_at_once};
use super::kinds::{Candidate, Declared};
use super::open::{candidates, planned};
use super::opened::{Found, Opened};
use super::reading::{self, Reading};
use super::survey::{ColumnSurvey, Survey};
use super::top::{Decimals, Top};
use super::words::{Absent, number};
use super::{LeftOut, Origin, ReadOptions};
use crate::digest::{Digest, alongside_into};
use crate::error::shorten;
use crate::input::{Input, Stamp, Watch};
use crate::source::Part;
use crate::{Error, Format, Source};

/// The files that a source is made of, if it is more than one or their names are asked for.
pub(super) fn parts<'a>(source: &'a Source, reading: &Reading<'_>) -> Option<Cow<'a, [Part]>> {
    match source {
        Source::Several { parts, .. } => Some(Cow::Borrowed(parts)),
        Source::Path(path) if reading.file_column.is_some() => {
            Some(Cow::Owned(vec![Part { path: path.clone(), values: Vec::new() }]))
        }
        _ => None,
    }
}

/// Reads the files in their order.
pub(super) fn read(
    parts: &[Part],
    reading: Reading<'_>,
    run: &Run<'_>,
) -> Result<(Assembly, Option<Origin>), Error> {
    let mut files = Files::new(parts, &reading);
    if reading.decimal.is_none() && parts.len() > 1 {
        let inputs = (0..parts.len()).map(|at| files.input(at).map(|(input, _)| input));
        files.decimals = decimals(inputs, &reading)?;
    }
    let result =
        planned(reading, |reading| files.read(reading, run), |reading| files.look(reading, run));
    let mut found = result.map_err(|error| files.located(error))?;
    let state = files.state.into_inner();
    found.left_out.extend(state.left_out);
    let origin = state.format.zip(state.digest);
    Ok((found, origin.map(|(format, digest)| Origin { digest, format })))
}

/// What the first rows of some files say about the decimal sign, if any is text: it is one in all.
fn decimals(
    inputs: impl Iterator<Item = Result<Input, Error>>,
    reading: &Reading<'_>,
) -> Result<Option<Decimals>, Error> {
    let mut all: Option<Decimals> = None;
    for input in inputs {
        // What is wrong with a file is found when it is read.
        let start = Found::text_start(input?, reading).ok().flatten();
        let top = start.and_then(|(text, label)| Top::new(&text, &label, reading).ok());
        all = all.into_iter().chain(top.map(|top| top.decimals)).reduce(Decimals::and);
    }
    Ok(all)
}

/// The decimal sign of several files that are parts of one table, if their first rows tell.
///
/// # Errors
/// A file that cannot be opened.
pub fn decimal_sign(parts: &[Source], options: &ReadOptions) -> Result<Option<u8>, Error> {
    let files = parts.iter().filter(|part| matches!(part, Source::Path(_)));
    let inputs = files.map(|part| Input::open(part).map(|(input, _)| input));
    let all = decimals(inputs, &Reading::new::<Survey>(options))?;
    Ok(all.and_then(|all| all.told()))
}

struct Files<'a> {
    parts: &'a [Part],
    /// For each file the columns that its name and folders tell.
    constants: Vec<Vec<(String, String)>>,
    /// What their first rows say about the decimal sign, where they are text.
    decimals: Option<Decimals>,
    state: RefCell<State>,
}

/// What is known of the files by now.
#[derive(Default)]
struct State {
    /// How each was found when it was opened first.
    stamps: Vec<Option<Stamp>>,
    digest: Option<String>,
    format: Option<Format>,
    left_out: Vec<(String, LeftOut)>,
    /// The name of each, with the rows and lines before it.
    starts: Vec<(String, u64, u64)>,
}

/// What is kept of a file beside its rows.
struct OneFile {
    label: String,
    format: Option<Format>,
    left_out: Vec<(String, LeftOut)>,
}

/// Files that were read side by side, with what came of each.
type Wave = Vec<(OneFile, Result<Assembly, Error>)>;

impl OneFile {
    fn of(opened: Opened) -> Self {
        let Opened { place, format, left_out, .. } = opened;
        Self { label: place.label, format: Some(format), left_out }
    }

    fn unopened(part: &Part) -> Self {
        Self { label: part.path.display().to_string(), format: None, left_out: Vec::new() }
    }
}

impl<'a> Files<'a> {
    fn new(parts: &'a [Part], reading: &Reading<'_>) -> Self {
        let mut keys: Vec<&String> = Vec::new();
        for (key, _) in parts.iter().flat_map(|part| &part.values) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let of = |part: &Part| {
            let value = |key: &String| part.values.iter().find(|(known, _)| known == key);
            let told = keys.iter().map(|&key| {
                (key.clone(), value(key).map_or_else(String::new, |(_, value)| value.clone()))
            });
            let name = reading.file_column.clone().map(|column| (column, stem(&part.path)));
            told.chain(name).collect()
        };
        let constants = parts.iter().map(of).collect();
        let state = State { stamps: vec![None; parts.len()], ..State::default() };
        Self { parts, constants, decimals: None, state: RefCell::new(state) }
    }

    /// Opens a file, which must be the same each time.
    fn open(&self, at: usize, reading: &Reading<'_>) -> Result<(Opened, Watch), Error> {
        let (input, watch) = self.input(at)?;
        let opened = watch.unchanged(Found::of(input, reading).and_then(Found::again))?;
        Ok((opened, watch))
    }

    fn input(&self, at: usize) -> Result<(Input, Watch), Error> {
        let source = Source::Path(self.parts[at].path.clone());
        let (input, watch) = Input::open(&source)?;
        let stamp = watch.stamp();
        let known = self.state.borrow().stamps[at].clone();
        if known.is_some() && known != stamp {
            return Err(Error::Changed { path: input.label });
        }
        self.state.borrow_mut().stamps[at] = stamp;
        Ok((input, watch))
    }

    /// Reads all of them; those that have names but no rows are passed over.
    fn read(&self, reading: &Reading<'_>, run: &Run<'_>) -> Result<Assembly, Error> {
        // Numbers in names are numbers; for words there must be a plan.
        if reading.plan.is_none() && !reading.purpose.surveys && !self.are_numbers(reading) {
            return Err(Error::KindsNeeded);
        }
        let mut total: Option<Assembly> = None;
        let mut first: Option<(String, Vec<String>)> = None;
        let mut digest = Digest::new();
        let mut empty = None;
        let stamps = std::mem::take(&mut self.state.borrow_mut().stamps);
        self.state.replace(State { stamps, ..State::default() });
        let mut next = 0;
        while next < self.parts.len() {
            // The first of them says what columns there are.
            let width = total.as_ref().map_or(1, |total| {
                let columns = total.selection.names.len();
                files_at_once(columns, reading.purpose, reading.room.as_ref())
            });
            let end = next + width.min(self.parts.len() - next);
            let of_all = first.as_ref().map(|(label, names)| (label.as_str(), names.as_slice()));
            let wave = self.read_wave(next..end, reading, of_all, &mut digest, run)?;
            next = end;
            for (file, found) in wave {
                self.note(&file, total.as_ref());
                let found = match found {
                    Err(error @ Error::HeaderOnly { .. }) => {
                        empty.get_or_insert(error);
                        continue;
                    }
                    other => other?,
                };
                first.get_or_insert_with(|| (file.label, found.selection.of_file.to_vec()));
                match &mut total {
                    None => total = Some(found),
                    Some(total) => total.add(found)?,
                }
            }
        }
        self.state.borrow_mut().digest = Some(digest.finish());
        match (total, empty) {
            (Some(total), _) => Ok(total),
            (None, Some(error)) => Err(error),
            (None, None) => Err(Error::Empty { path: "the folder".into() }),
        }
    }

    /// Reads some files side by side, up to the first that cannot be read.
    fn read_wave(
        &self,
        wave: Range<usize>,
        reading: &Reading<'_>,
        first: Option<(&str, &[String])>,
        digest: &mut Digest,
        run: &Run<'_>,
    ) -> Result<Wave, Error> {
        let mut files = Vec::with_capacity(wave.len());
        let mut failed = None;
        for at in wave {
            match self.open(at, reading) {
                Ok(opened) => files.push((at, opened)),
                // Those before it come first.
                Err(error) if !files.is_empty() => {
                    failed = Some((OneFile::unopened(&self.parts[at]), Err(error)));
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        let (constants, decimals) = (&self.constants, self.decimals.as_ref());
        let read = |(at, (opened, watch)): &(usize, (Opened, Watch))| {
            let part = reading::Part { decimals, first, constants: &constants[*at] };
            watch.unchanged(opened.read(&reading.of_part(part), run))
        };
        let places: Vec<_> = files.iter().map(|(_, (opened, _))| &opened.place).collect();
        let found = alongside_into(digest, &places, || {
            let all: Vec<_> = files.par_iter().map(read).collect();
            Ok(all)
        })?;
        let named = files.into_iter().map(|(_, (opened, _))| OneFile::of(opened));
        Ok(named.zip(found).chain(failed).collect())
    }

    /// Keeps what is to be said of a file, which comes after those that were read.
    fn note(&self, file: &OneFile, before: Option<&Assembly>) {
        let mut state = self.state.borrow_mut();
        let (rows, lines) = before.map_or((0, 0), |all| (all.rows, all.lines));
        state.starts.push((file.label.clone(), rows, lines));
        if state.format.is_none() {
            state.format = file.format;
        }
        state.left_out.extend(file.left_out.iter().cloned());
        state.left_out.dedup();
    }

    /// Looks at the columns of all of them.
    fn look(&self, reading: &Reading<'_>, run: &Run<'_>) -> Result<Vec<Candidate>, Error> {
        let reading = reading.of_all();
        let (absent, condition) = (Absent::new(&reading.na), reading.condition.clone());
        let mut all: Vec<Candidate> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut first: Option<(String, Vec<String>)> = None;
        for at in 0..self.parts.len() {
            let (opened, watch) = self.open(at, &reading)?;
            let label = opened.place.label.clone();
            let part = reading::Part {
                decimals: self.decimals.as_ref(),
                first: first.as_ref().map(|(label, names)| (label.as_str(), names.as_slice())),
                constants: &self.constants[at],
            };
            let reading = reading.of_part(part);
            let seen = match watch.unchanged(opened.read(&reading, run)) {
                Err(Error::HeaderOnly { .. }) => continue,
                other => other?,
            };
            let (rows, of_file) = (seen.rows, seen.selection.of_file.clone());
            first.get_or_insert_with(|| (label.clone(), of_file.to_vec()));
            let told = self.constants[at].iter().filter(|(name, _)| !of_file.contains(name));
            let told = told.map(|(name, value)| {
                let mut survey = ColumnSurvey::new(condition.as_ref() == Some(name));
                survey.repeat(value.as_bytes(), rows, &absent);
                Candidate { name: name.clone(), declared: Declared::Cells, survey }
            });
            for mut found in candidates(seen).into_iter().chain(told) {
                found.survey.in_file(&label);
                match places.get(&found.name) {
                    Some(&place) => {
                        let column = &mut all[place];
                        column.join(found, 0).map_err(|(before, here)| Error::OtherTypes {
                            path: label.clone(),
                            column: shorten(&column.name, 80),
                            here: here.held(),
                            before: before.held(),
                        })?;
                    }
                    None => {
                        places.insert(found.name.clone(), all.len());
                        all.push(found);
                    }
                }
            }
        }
        // What users leave out or do not choose is not decided about.
        all.retain(|column| reading.is_chosen(&column.name));
        Ok(all)
    }

    /// Whether all that the names of files tell are numbers, or nothing.
    fn are_numbers(&self, reading: &Reading<'_>) -> bool {
        let absent = Absent::new(&reading.na);
        let is_number = |text: &str| number(text.as_bytes(), b'.').is_some();
        let told = self.constants.iter().flatten().filter(|(name, _)| reading.is_chosen(name));
        told.into_iter().all(|(_, text)| absent.has(text.as_bytes()) || is_number(text))
    }

    /// Says in which file something is wrong, where the error does not.
    fn located(&self, error: Error) -> Error {
        let state = self.state.borrow();
        let Some(row) = error.row() else {
            let last = state.starts.last().map(|(label, ..)| label.clone());
            return match (last, error.names_file()) {
                (Some(path), false) => Error::InFile { path, error: Box::new(error) },
                _ => error,
            };
        };
        // The last file that begins before this row.
        let file = state.starts.iter().rfind(|(_, rows, _)| *rows < row);
        match file {
            Some((path, rows, lines)) => {
                Error::InFile { path: path.clone(), error: Box::new(error.lowered(*rows, *lines)) }
            }
            None => error,
        }
    }
}

/// The name of a file without what says how it is packed and written.
fn stem(path: &Path) -> String {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    let whole = |text: &String| text.rsplit_once('.').map(|(stem, _)| stem.to_string());
    let inner = Source::Path(path.to_path_buf()).extension();
    let mut stem = name;
    // One ending, or two where the file is packed.
    for _ in 0..2 {
        let ending = stem.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
        let Some(shorter) = whole(&stem).filter(|shorter| !shorter.is_empty()) else { break };
        let is_last = ending.as_ref() == Some(&inner);
        stem = shorter;
        if is_last {
            break;
        }
    }
    stem
}
