//! A file that is open, to be read as often as it takes: first for kinds, then for values.

use std::io::Read;

use nocurl::{Run, Text};

use super::collect::Assembly;
use super::encoding::is_utf16;
use super::kinds::LeftOut;
use super::npz::{self, Arrays};
use super::reading::Reading;
use super::sheet::{self, Sheet, listed};
use super::transposed::Transposed;
#[cfg(feature = "parquet")]
use super::{arrow, parquet};
use super::{csv, foreign, lines, npy};
use crate::archive::{Archive, is_zip};
use crate::error::shorten;
use crate::input::{Input, Seekable};
use crate::{Error, Format, Header, ReadOptions, Source};

/// Bytes that are enough to know a format.
const MAGIC_BYTES: usize = 8;

/// Bytes that tell whether a stream is what it is said to be.
const START: usize = 1 << 16;

/// Bytes that hold the first rows of a text.
const TOP: usize = 1 << 20;

/// Packings one in the other that are taken off: a `.csv.gz` in a `.zip` is one too many for most.
const MOST_PACKINGS: usize = 3;

/// What a file turned out to be.
pub(super) enum Found {
    /// Text, which can be read in order.
    Text(Input),
    /// Anything else.
    Opened(Opened),
}

/// A table that can be read again.
pub(super) struct Opened {
    pub(super) format: Format,
    body: Body,
    /// The bytes of the file.
    pub(super) place: Seekable,
    pub(super) notes: Vec<Text>,
    pub(super) left_out: Vec<(String, LeftOut)>,
}

enum Body {
    /// Bytes of a format that needs no order.
    Placed,
    Text,
    Arrays(Arrays),
    Sheet(Sheet),
    Lines(lines::Columns),
    /// Text of any origin whose rows were variables.
    Transposed(Transposed),
}

impl Found {
    /// Finds out what an input is.
    pub(super) fn of(mut input: Input, reading: &Reading<'_>) -> Result<Self, Error> {
        let mut chosen = reading.sheet.is_none();
        for _ in 0..MOST_PACKINGS {
            input = input.unpacked()?;
            if !is_zip(&input.peek(MAGIC_BYTES)?) {
                break;
            }
            let archive = Archive::open(input.into_seekable()?)?;
            let wanted = reading.sheet.as_deref();
            if let Some(format) = sheet::kind_of(&archive) {
                return Opened::sheet(archive, format, reading).map(Self::Opened);
            }
            if npz::is_npz(&archive) {
                return Opened::arrays(&archive, wanted).map(Self::Opened);
            }
            input = member(&archive, wanted)?;
            chosen = true;
        }
        if !chosen {
            let reason = "a sheet is asked for, but it is one table without sheets";
            return Err(Error::unsupported(&input.label, reason));
        }
        let start = input.peek(MAGIC_BYTES)?;
        if start.is_empty() {
            return Err(Error::Empty { path: input.label });
        }
        let by_name = Format::of_extension(&input.extension);
        let format = reading.format.or(by_name).unwrap_or_else(|| Format::of_magic(&start));
        if by_name.is_none() && reading.format.is_none() && format != Format::Jsonl {
            foreign::refuse(&input.label, &input.extension, &start)?;
        }
        if input.length().is_none() {
            check_start(&mut input, format)?;
        }
        if reading.transpose && format != Format::Csv {
            let reason = "only text and sheets are read with rows as variables: transpose it first";
            return Err(Error::unsupported(&input.label, reason));
        }
        match format {
            Format::Csv if reading.transpose => {
                let place = input.into_seekable()?;
                let mut bytes = Vec::new();
                let read = place.handle().read_to_end(&mut bytes);
                read.map_err(|error| Error::read(&place.label, &error))?;
                let turned = Transposed::of(&bytes, &place.label, reading)?;
                Ok(Self::Opened(Opened::new(format, Body::Transposed(turned), place)))
            }
            Format::Csv => Ok(Self::Text(input)),
            // These are known by what is in them.
            Format::Xlsx | Format::Ods | Format::Npz => {
                foreign::refuse(&input.label, "", &start)?;
                let reason = "it does not begin as such a file does; it may be of another kind";
                Err(Error::invalid(&input.label, format.name(), reason))
            }
            format => Opened::placed(format, input.into_seekable()?, reading).map(Self::Opened),
        }
    }

    /// The start of an input and its label, if it is text.
    pub(super) fn text_start(
        input: Input,
        reading: &Reading<'_>,
    ) -> Result<Option<(Vec<u8>, String)>, Error> {
        let mut input = input.unpacked()?;
        let start = input.peek(TOP)?;
        let by_name = Format::of_extension(&input.extension);
        let format = reading.format.or(by_name).unwrap_or_else(|| Format::of_magic(&start));
        let text = csv::decoded(&start);
        let is_text = format == Format::Csv && !is_zip(&start) && !text.contains(&0);
        Ok(is_text.then_some((text, input.label)))
    }

    /// The same, in a form that can be read again.
    pub(super) fn again(self) -> Result<Opened, Error> {
        match self {
            Self::Opened(opened) => Ok(opened),
            Self::Text(input) => Ok(Opened::new(Format::Csv, Body::Text, input.into_seekable()?)),
        }
    }
}

/// Refuses what is no file of its format by its start, before all of it is unpacked or copied: a
/// small file can unpack to gigabytes.
fn check_start(input: &mut Input, format: Format) -> Result<(), Error> {
    let start = input.peek(START)?;
    match format {
        Format::Csv if is_utf16(&start) => Ok(()),
        Format::Csv | Format::Jsonl => csv::check_is_text(&start, &input.label, format.name()),
        Format::Npy | Format::Parquet if Format::of_magic(&start) != format => {
            let reason = "it does not begin as such a file does; it may be of another kind";
            Err(Error::invalid(&input.label, format.name(), reason))
        }
        _ => Ok(()),
    }
}

/// The one table in an archive, or that which is asked for.
fn member(archive: &Archive, wanted: Option<&str>) -> Result<Input, Error> {
    let label = &archive.place().label;
    let base = |name: &str| name.rsplit('/').next().unwrap_or(name).to_string();
    // Programs leave notes of their own in archives.
    let own = |name: &str| name.starts_with("__MACOSX/") || base(name).starts_with('.');
    let files: Vec<_> = archive.members().iter().filter(|member| !own(&member.name)).collect();
    let extension = |name: &str| Source::Path(name.into()).extension();
    let is_table = |name: &str| Format::of_extension(&extension(name)).is_some();
    let tables: Vec<_> = files.iter().filter(|member| is_table(&member.name)).collect();
    let there = || listed(files.iter().map(|member| member.name.as_str()));
    let found = match (wanted, tables.as_slice(), files.as_slice()) {
        (Some(wanted), ..) => {
            let named = |name: &str| name == wanted || base(name) == wanted;
            let found = files.iter().find(|member| named(&member.name));
            found.ok_or_else(|| Error::NoSuchPart {
                path: label.clone(),
                what: "file",
                name: shorten(wanted, 80),
                there: there(),
            })?
        }
        (None, [one], _) => one,
        (None, [], [one]) => one,
        (None, [], []) => return Err(Error::Empty { path: label.clone() }),
        (None, [], _) => {
            let reason = format!("it holds no table, but {}", there());
            return Err(Error::unsupported(label, reason));
        }
        (None, [first, ..], _) => {
            return Err(Error::SeveralParts {
                path: label.clone(),
                what: "tables",
                parts: listed(tables.iter().map(|member| member.name.as_str())),
                first: first.name.clone(),
            });
        }
    };
    Ok(Input::of_stream(label.clone(), extension(&found.name), archive.stream(found)?))
}

impl Opened {
    fn new(format: Format, body: Body, place: Seekable) -> Self {
        Self { format, body, place, notes: Vec::new(), left_out: Vec::new() }
    }

    fn placed(format: Format, place: Seekable, reading: &Reading<'_>) -> Result<Self, Error> {
        if format != Format::Jsonl {
            return Ok(Self::new(format, Body::Placed, place));
        }
        let mut columns = lines::Columns::of(&place, reading)?;
        let left_out = std::mem::take(&mut columns.nested);
        Ok(Self { left_out, ..Self::new(format, Body::Lines(columns), place) })
    }

    fn sheet(archive: Archive, format: Format, reading: &Reading<'_>) -> Result<Self, Error> {
        let place = archive.place().clone();
        let mut sheet = Sheet::open(archive, format, reading.sheet.as_deref())?;
        let notes = std::mem::take(&mut sheet.notes);
        if reading.transpose {
            let mut bytes = Vec::new();
            let read = sheet.text()?.read_to_end(&mut bytes);
            read.map_err(|error| Error::read(&place.label, &error))?;
            let turned = Transposed::of(&bytes, &place.label, reading)?;
            return Ok(Self { notes, ..Self::new(format, Body::Transposed(turned), place) });
        }
        Ok(Self { notes, ..Self::new(format, Body::Sheet(sheet), place) })
    }

    fn arrays(archive: &Archive, wanted: Option<&str>) -> Result<Self, Error> {
        let arrays = Arrays::open(archive, wanted)?;
        Ok(Self::new(Format::Npz, Body::Arrays(arrays), archive.place().clone()))
    }

    /// Reads it once, from its first row to its last.
    pub(super) fn read(&self, reading: &Reading<'_>, run: &Run<'_>) -> Result<Assembly, Error> {
        let label = &self.place.label;
        match &self.body {
            Body::Text => {
                let length = Some(self.place.length);
                Ok(csv::read(self.place.handle(), label, length, reading, run)?.0)
            }
            Body::Sheet(sheet) => {
                let options = as_text(reading, None);
                made(sheet.text()?, label, &reading.over(&options).of_doubles(), run)
            }
            Body::Transposed(turned) => {
                let options = turned.options(reading);
                made(turned.text(), label, &reading.over(&options), run)
            }
            Body::Lines(columns) => {
                let options = as_text(reading, Some(Header::Yes));
                let mut found: Assembly =
                    made(columns.text(&self.place), label, &reading.over(&options), run)
                        .map_err(|error| error.raised(1))?;
                // The line of names is not in the file.
                found.raise(1);
                Ok(found)
            }
            Body::Arrays(arrays) => arrays.read(label, reading, run),
            Body::Placed => self.read_placed(reading, run),
        }
    }

    fn read_placed(&self, reading: &Reading<'_>, run: &Run<'_>) -> Result<Assembly, Error> {
        match self.format {
            Format::Npy => npy::read(&self.place, reading, run),
            #[cfg(feature = "parquet")]
            Format::Parquet => parquet::read(&self.place, reading, run),
            #[cfg(feature = "parquet")]
            Format::Arrow => arrow::read(&self.place, reading, run),
            _ => Err(Error::unsupported(
                &self.place.label,
                "Parquet and Arrow are not read here: use the program, or convert the table to CSV",
            )),
        }
    }
}

/// How text that was made of cells is read.
fn as_text(reading: &Reading<'_>, header: Option<Header>) -> ReadOptions {
    ReadOptions {
        delimiter: Some(b','),
        decimal: Some(b'.'),
        comment: None,
        skip_rows: if header.is_some() { 0 } else { reading.skip_rows },
        header: header.unwrap_or(reading.header),
        ..(**reading).clone()
    }
}

fn made(
    text: impl Read + Send,
    label: &str,
    reading: &Reading<'_>,
    run: &Run<'_>,
) -> Result<Assembly, Error> {
    Ok(csv::read(text, label, None, reading, run)?.0)
}
