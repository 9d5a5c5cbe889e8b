//! Parquet: ranges of rows of the row groups, decoded in parallel.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nocurl::Run;
use nocurl::memory::{ask, zeros};
use nocurl::moments::BLOCK_ROWS;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::serialized_reader::SerializedPageReader;
use rayon::prelude::*;

use super::arrow::Projection;
use super::block::{Block, column_mut};
use super::chunks::Chunks;
use super::collect::{Assembly, BUDGET, append_wave, report, wave_width};
use super::guard::guarded;
use super::leaves::{self, Leaf};
use super::pages::{Group, check_footer, check_pages};
use super::reading::Reading;
use super::schema::arrow_schema;
use super::survey::ColumnSurvey;
use crate::Error;
use crate::input::Seekable;
use crate::stack::on_stack;

const FORMAT: &str = "Parquet";

/// Rows of a piece. Row groups may be as large as the file, so they are cut further.
const PIECE_ROWS: usize = 1 << 17;

/// Rows of a page above which the columns of a row group are read in order: a page is decoded
/// again by each piece that it spans.
const LONG_PAGE: u64 = 2 * PIECE_ROWS as u64;

/// A range of rows within a row group.
#[derive(Clone, Copy)]
struct Piece {
    group: usize,
    start: usize,
    rows: usize,
}

/// Reads a Parquet file, only the selected columns of it.
pub(super) fn read(
    input: &Seekable,
    options: &Reading<'_>,
    run: &Run<'_>,
) -> Result<Assembly, Error> {
    let label = input.label.as_str();
    check_footer(input)?;
    let chunks = Arc::new(Chunks::new(input));
    let parse = || {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&*chunks);
        let metadata = metadata.map_err(|error| Error::decoding(label, FORMAT, &error))?;
        let schema = arrow_schema(metadata.file_metadata());
        Ok((metadata, schema.map_err(|error| Error::decoding(label, FORMAT, &error))?))
    };
    let (metadata, schema) = on_stack(|| guarded(label, FORMAT, parse))?;
    // Dictionaries of pages have no order that means anything.
    let projection = Projection::new(label, &schema, options, |_| false)?;
    let leaves = leaves_of(&metadata, &projection);
    let table = Selected { input, options, chunks, leaves, metadata, projection };
    let groups = guarded(label, FORMAT, || check_pages(input, &table.metadata, &table.leaves))?;
    let mut total = Assembly::new(&table.projection.selection, options.missing);
    if table.leaves.is_empty() {
        return Ok(total);
    }
    // The decoder takes what it needs in a way that cannot fail.
    ask("reading", groups.iter().map(|group| group.bytes).max().unwrap_or(0))?;
    // Pages that are not long are found by each piece for itself, across row groups.
    let mut waiting = Vec::new();
    for (group, Group { longest, .. }) in groups.into_iter().enumerate() {
        waiting.extend(table.pieces(group));
        // A first look at text is kept by each piece.
        if longest > LONG_PAGE && !options.purpose.surveys {
            let pieces = waiting.split_off(waiting.len() - table.pieces(group).count());
            table.read_each(std::mem::take(&mut waiting), &mut total, run)?;
            table.read_in_order(&pieces, &mut total, run)?;
        }
    }
    table.read_each(waiting, &mut total, run)?;
    if total.rows == 0 && !options.part {
        return Err(Error::HeaderOnly { path: label.into() });
    }
    Ok(total)
}

/// Where the selected columns, none of which has columns within, stand in a row group.
fn leaves_of(metadata: &ParquetMetaData, projection: &Projection) -> Vec<usize> {
    let schema = metadata.file_metadata().schema_descr();
    let selected = |leaf: &usize| {
        projection.positions.binary_search(&schema.get_column_root_idx(*leaf)).is_ok()
    };
    (0..schema.num_columns()).filter(selected).collect()
}

/// What a first look has seen of a column of text.
type Seen = Arc<Mutex<ColumnSurvey>>;

fn locked(seen: &Seen) -> MutexGuard<'_, ColumnSurvey> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The selected columns of a file.
struct Selected<'a> {
    input: &'a Seekable,
    options: &'a Reading<'a>,
    chunks: Arc<Chunks>,
    metadata: ParquetMetaData,
    projection: Projection,
    /// In increasing order, as the positions of the projection are.
    leaves: Vec<usize>,
}

impl Selected<'_> {
    /// The pieces of a row group, in order.
    fn pieces(&self, group: usize) -> impl Iterator<Item = Piece> + use<> {
        let rows = usize::try_from(self.metadata.row_group(group).num_rows()).unwrap_or(0);
        let starts = (0..rows).step_by(PIECE_ROWS);
        starts.map(move |start| Piece { group, start, rows: PIECE_ROWS.min(rows - start) })
    }

    fn report(&self, run: &Run<'_>, total: &Assembly) -> Result<(), Error> {
        let rows = u64::try_from(self.metadata.file_metadata().num_rows()).ok();
        report(run, total.rows, rows)
    }

    /// Reads pieces that have nothing to do with each other.
    fn read_each(
        &self,
        pieces: Vec<Piece>,
        total: &mut Assembly,
        run: &Run<'_>,
    ) -> Result<(), Error> {
        let width = wave_width(self.leaves.len(), 8 * BLOCK_ROWS * self.leaves.len());
        for wave in pieces.chunks(width) {
            append_wave(total, wave.to_vec(), |piece| {
                guarded(&self.input.label, FORMAT, || self.read_piece(&piece))
            })?;
            self.report(run, total)?;
        }
        Ok(())
    }

    fn read_piece(&self, piece: &Piece) -> Result<Assembly, Error> {
        let mut part: Assembly = Assembly::new(&self.projection.selection, self.options.missing);
        // A first look at text is kept where the decoder can reach it.
        let texts = &self.projection.selection.texts;
        let started = part.columns_seen().iter();
        let seen: Vec<Seen> = started.map(|known| Arc::new(Mutex::new(known.clone()))).collect();
        let mut columns = self.open_all(piece, &seen)?;
        let mut block = Block::new(self.projection.selection.names.len());
        for start in (0..piece.rows).step_by(BLOCK_ROWS) {
            let mut target = block.rows_mut(BLOCK_ROWS.min(piece.rows - start));
            for (&slot, column) in self.projection.slots.iter().zip(&mut columns) {
                let read = column.read(column_mut(&mut target, slot));
                read.map_err(|error| self.invalid(&error))?;
            }
            part.push(target, None);
        }
        for (slot, seen) in seen.iter().enumerate().filter(|(slot, _)| texts[*slot]) {
            let mut seen = std::mem::take(&mut *locked(seen));
            seen.missing = piece.rows as u64 - seen.present();
            part.columns_seen()[slot] = seen;
        }
        Ok(part)
    }

    /// Reads the pieces of a row group one after the other: columns by several threads, each
    /// decoding its pages once, then pieces by several threads.
    fn read_in_order(
        &self,
        pieces: &[Piece],
        total: &mut Assembly,
        run: &Run<'_>,
    ) -> Result<(), Error> {
        let Some(first) = pieces.first() else { return Ok(()) };
        let label = &self.input.label;
        let mut columns = guarded(label, FORMAT, || self.open_all(first, &[]))?;
        let bytes = 8 * PIECE_ROWS * columns.len();
        for wave in pieces.chunks(wave_width(columns.len(), bytes)) {
            if bytes > BUDGET {
                // Too wide for a piece in memory: a block of it at a time.
                for piece in wave {
                    let mut part = Assembly::new(&self.projection.selection, self.options.missing);
                    for start in (0..piece.rows).step_by(BLOCK_ROWS) {
                        let rows = BLOCK_ROWS.min(piece.rows - start);
                        let values = self.next_rows(&mut columns, rows)?;
                        self.push(&values, 0, rows, &mut part);
                    }
                    total.append(part);
                }
            } else {
                let values =
                    self.next_rows(&mut columns, wave.iter().map(|piece| piece.rows).sum())?;
                append_wave(total, wave.to_vec(), |piece| {
                    let mut part = Assembly::new(&self.projection.selection, self.options.missing);
                    self.push(&values, piece.start - wave[0].start, piece.rows, &mut part);
                    Ok(part)
                })?;
            }
            self.report(run, total)?;
        }
        Ok(())
    }

    /// The next rows of each column.
    fn next_rows(
        &self,
        columns: &mut [Box<dyn Leaf>],
        rows: usize,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let read = |column: &mut Box<dyn Leaf>| {
            guarded(&self.input.label, FORMAT, || {
                let mut values: Vec<f64> = zeros("the rows", rows)?;
                for block in values.chunks_mut(BLOCK_ROWS) {
                    column.read(block).map_err(|error| self.invalid(&error))?;
                }
                Ok(values)
            })
        };
        columns.par_iter_mut().map(read).collect()
    }

    /// Adds rows of columns that have been decoded.
    fn push(&self, values: &[Vec<f64>], from: usize, rows: usize, part: &mut Assembly) {
        let mut block = Block::new(self.projection.selection.names.len());
        for start in (0..rows).step_by(BLOCK_ROWS) {
            let count = BLOCK_ROWS.min(rows - start);
            let mut target = block.rows_mut(count);
            for (&slot, column) in self.projection.slots.iter().zip(values) {
                let found = &column[from + start..from + start + count];
                column_mut(&mut target, slot).copy_from_slice(found);
            }
            part.push(target, None);
        }
    }

    fn invalid(&self, error: &ParquetError) -> Error {
        Error::decoding(&self.input.label, FORMAT, error)
    }

    /// Opens the selected columns at the start of a piece.
    fn open_all(&self, piece: &Piece, seen: &[Seen]) -> Result<Vec<Box<dyn Leaf>>, Error> {
        let texts = &self.projection.selection.texts;
        let columns = self
            .projection
            .slots
            .iter()
            .enumerate()
            .map(|(i, &slot)| self.open(piece, i, seen.get(slot).filter(|_| texts[slot])));
        columns.collect::<ParquetResult<_>>().map_err(|error| self.invalid(&error))
    }

    /// Opens a selected column at the start of a piece.
    fn open(&self, piece: &Piece, i: usize, seen: Option<&Seen>) -> ParquetResult<Box<dyn Leaf>> {
        let group = self.metadata.row_group(piece.group);
        let chunk = group.column(self.leaves[i]);
        let rows = usize::try_from(group.num_rows()).unwrap_or(0);
        let pages = SerializedPageReader::new(Arc::clone(&self.chunks), chunk, rows, None)?;
        let (kind, slot) = (&self.projection.kinds[i], self.projection.slots[i]);
        let pages = Box::new(pages);
        let mut column = match (seen, &self.projection.selection.codings[slot]) {
            (Some(seen), _) => {
                let (seen, absent) = (Arc::clone(seen), self.projection.absent.clone());
                leaves::texts(chunk, pages, move |content| {
                    match absent.has(content) {
                        true => locked(&seen).absent(content, &absent),
                        false => locked(&seen).text(content, false, 0, None),
                    }
                    f64::NAN
                })?
            }
            (None, Some(coding)) if self.projection.selection.texts[slot] => {
                let coding = Arc::clone(coding);
                leaves::texts(chunk, pages, move |content| coding.of_text(content))?
            }
            _ => leaves::open(kind, chunk, pages, self.projection.selection.rounding(slot))?,
        };
        column.skip(piece.start)?;
        Ok(column)
    }
}

#[cfg(test)]
mod tests {
    use parquet::data_type::DoubleType;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use crate::{ReadOptions, Source, read_moments};

    /// More than five pieces, the last of them short.
    const ROWS: i32 = 700_001;

    fn file(page_rows: usize) -> Vec<u8> {
        let schema = "message t { required double a; optional double b; required double c; }";
        let properties = WriterProperties::builder()
            .set_data_page_row_count_limit(page_rows)
            .set_data_page_size_limit(usize::MAX)
            .set_dictionary_enabled(false)
            .set_max_row_group_row_count(None)
            .build();
        let mut file = Vec::new();
        let schema = parse_message_type(schema).unwrap().into();
        let mut writer = SerializedFileWriter::new(&mut file, schema, properties.into()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        for step in [3, 5, 7] {
            let values: Vec<f64> = (0..ROWS).map(|i| f64::from(i * step % 1009).sqrt()).collect();
            let levels = vec![1; values.len()];
            let mut column = group.next_column().unwrap().unwrap();
            let levels = (step == 5).then_some(&levels[..]);
            column.typed::<DoubleType>().write_batch(&values, levels, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
        file
    }

    #[test]
    fn long_pages_give_the_same_bits_as_short_ones() {
        let moments = |page_rows| {
            let source = Source::bytes("t.parquet", file(page_rows));
            let table = read_moments(&source, &ReadOptions::default(), &Default::default());
            let moments = table.unwrap().data;
            (moments.rows(), moments.mean().to_vec(), moments.second_moments(true))
        };
        let long = moments(usize::MAX);
        assert_eq!(long.0, ROWS as u64);
        assert_eq!(long, moments(20_000));
    }
}
