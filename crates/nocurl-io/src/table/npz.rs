//! NumPy archives: one array as a table, or several of one dimension as its columns.

use std::io;
use std::sync::Arc;

use nocurl::Run;

use super::block::{Block, column_mut};
use super::collect::{Assembly, by_rows};
use super::columns::Selection;
use super::header::Header;
use super::kinds::{Declared, are_told};
use super::npy::Layout;
use super::reading::Reading;
use super::sheet::listed;
use crate::Error;
use crate::archive::{Archive, Member};
use crate::error::shorten;
use crate::input::Seekable;
use nocurl::moments::BLOCK_ROWS;

/// The arrays of an archive that make a table.
pub(super) enum Arrays {
    /// One of two dimensions.
    Table(Seekable),
    /// Several of one dimension, by their names.
    Columns(Vec<(String, Seekable)>),
}

/// Whether all files of an archive are arrays.
pub(super) fn is_npz(archive: &Archive) -> bool {
    let members = archive.members();
    !members.is_empty() && members.iter().all(|member| member.name.ends_with(".npy"))
}

impl Arrays {
    pub(super) fn open(archive: &Archive, wanted: Option<&str>) -> Result<Self, Error> {
        let label = &archive.place().label;
        let name = |member: &Member| member.name.trim_end_matches(".npy").to_string();
        if let Some(wanted) = wanted {
            let found = archive.members().iter().find(|member| name(member) == wanted);
            return match found {
                Some(member) => Ok(Self::Table(unpacked(archive, member)?)),
                None => Err(Error::NoSuchPart {
                    path: label.clone(),
                    what: "array",
                    name: shorten(wanted, 80),
                    there: listed(
                        archive
                            .members()
                            .iter()
                            .map(name)
                            .collect::<Vec<_>>()
                            .iter()
                            .map(String::as_str),
                    ),
                }),
            };
        }
        if let [member] = archive.members() {
            return Ok(Self::Table(unpacked(archive, member)?));
        }
        let mut shapes = Vec::new();
        for member in archive.members() {
            let header = Header::read(archive.stream(member)?);
            let header = header.map_err(|error| Error::decoding(label, "NumPy", &error))?;
            shapes.push((member, header.shape));
        }
        let lengths: Vec<u64> = shapes.iter().filter_map(|(_, shape)| one(shape)).collect();
        if lengths.len() == shapes.len() && lengths.windows(2).all(|pair| pair[0] == pair[1]) {
            let columns =
                shapes.iter().map(|(member, _)| Ok((name(member), unpacked(archive, member)?)));
            return Ok(Self::Columns(columns.collect::<Result<_, Error>>()?));
        }
        let shown: Vec<String> = shapes
            .iter()
            .map(|(member, shape)| {
                let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
                format!("{} ({})", name(member), sizes.join(" x "))
            })
            .collect();
        Err(Error::SeveralParts {
            path: label.clone(),
            what: "arrays",
            parts: listed(shown.iter().map(String::as_str)),
            first: name(shapes[0].0),
        })
    }

    pub(super) fn read(
        &self,
        label: &str,
        options: &Reading<'_>,
        run: &Run<'_>,
    ) -> Result<Assembly, Error> {
        match self {
            Self::Table(array) => super::npy::read(array, options, run),
            Self::Columns(arrays) => read_columns(arrays, label, options, run),
        }
    }
}

fn one(shape: &[u64]) -> Option<u64> {
    match shape {
        [length] => Some(*length),
        _ => None,
    }
}

fn unpacked(archive: &Archive, member: &Member) -> Result<Seekable, Error> {
    Seekable::spooled(archive.place().label.clone(), archive.stream(member)?)
}

/// Reads arrays side by side.
fn read_columns(
    arrays: &[(String, Seekable)],
    label: &str,
    options: &Reading<'_>,
    run: &Run<'_>,
) -> Result<Assembly, Error> {
    let names: Vec<String> = arrays.iter().map(|(name, _)| name.clone()).collect();
    let layouts = arrays.iter().map(|(_, array)| Layout::read_column(array, options));
    let layouts: Vec<Layout> = layouts.collect::<Result<_, Error>>()?;
    let rows = layouts.first().map_or(0, |layout| layout.rows);
    let selection = Selection::new(label, &names, options, |_| Declared::Number)?;
    let selection = Arc::new(selection.for_reading(options, are_told(options))?);
    let mut total = Assembly::new(&selection, options.missing);
    by_rows(&mut total, rows, names.len(), run, |from, count| {
        let mut part = Assembly::new(&selection, options.missing);
        let mut block = Block::new(selection.names.len());
        let read = |error: io::Error| Error::read(label, &error);
        for start in (0..count).step_by(BLOCK_ROWS) {
            let mut target = block.rows_mut(BLOCK_ROWS.min(count - start));
            for (slot, &position) in selection.positions.iter().enumerate() {
                let column = column_mut(&mut target, slot);
                let first = from + start as u64;
                let rounded =
                    layouts[position].read_column_at(&arrays[position].1, 0, first, column);
                if rounded.map_err(read)? {
                    selection.note_rounded(slot);
                }
            }
            part.push(target, None);
        }
        Ok(part)
    })?;
    Ok(total)
}
