//! Parquet: ranges of rows of the row groups, decoded in parallel.

use std::io::{self, BufReader, Seek, SeekFrom};
use std::sync::Arc;

use bytes::Bytes;
use nocurl::Run;
use nocurl::moments::BLOCK_ROWS;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use super::arrow::Projection;
use super::block::{Block, column_mut};
use super::collect::{Assembly, Collect, append_wave, report, wave_width};
use super::guard::guarded;
use super::leaves::{self, Leaf};
use super::pages::{check_footer, check_pages};
use super::schema::arrow_schema;
use crate::input::{Handle, Seekable};
use crate::{Error, ReadOptions};

const FORMAT: &str = "Parquet";

/// Rows of a piece. Row groups may be as large as the file, so they are cut further; a piece
/// should not be much shorter than a page, because a page is read again by each piece it spans.
const PIECE_ROWS: usize = 1 << 17;

/// A range of rows within a row group.
struct Piece {
    group: usize,
    start: usize,
    rows: usize,
}

/// Reads a Parquet file, only the selected columns of it.
pub(super) fn read<C: Collect>(
    input: &Seekable,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<Assembly<C>, Error> {
    let label = input.label.as_str();
    check_footer(input)?;
    let (metadata, schema) = guarded(label, FORMAT, || {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&Chunks(input.clone()));
        let metadata = metadata.map_err(|error| Error::invalid(label, FORMAT, error))?;
        let schema = arrow_schema(metadata.file_metadata());
        Ok((metadata, schema.map_err(|error| Error::invalid(label, FORMAT, error))?))
    })?;
    let projection = Projection::new(label, &schema, options)?;
    let table = Selected { input, leaves: leaves_of(&metadata, &projection), metadata, projection };
    guarded(label, FORMAT, || check_pages(input, &table.metadata, &table.leaves))?;
    let mut total = Assembly::new(&table.projection.selection, options.missing);
    let pieces = pieces(&table.metadata, label)?;
    let rows: u64 = pieces.iter().map(|piece| piece.rows as u64).sum();
    if rows == 0 {
        return Err(Error::HeaderOnly { path: label.into() });
    }
    let decode = |piece| guarded(label, FORMAT, || table.read_piece(options, &piece));
    let width = wave_width(table.leaves.len(), 8 * BLOCK_ROWS * table.leaves.len());
    let mut pieces = pieces.into_iter();
    loop {
        let wave: Vec<Piece> = pieces.by_ref().take(width).collect();
        if wave.is_empty() {
            return Ok(total);
        }
        append_wave(&mut total, wave, decode)?;
        report(run, total.rows, Some(rows))?;
    }
}

/// Cuts all row groups into pieces, in order.
fn pieces(metadata: &ParquetMetaData, label: &str) -> Result<Vec<Piece>, Error> {
    let mut pieces = Vec::new();
    for (group, found) in metadata.row_groups().iter().enumerate() {
        let rows = usize::try_from(found.num_rows())
            .map_err(|_| Error::invalid(label, FORMAT, "a row group has fewer than no rows"))?;
        for start in (0..rows).step_by(PIECE_ROWS) {
            pieces.push(Piece { group, start, rows: PIECE_ROWS.min(rows - start) });
        }
    }
    Ok(pieces)
}

/// Where the selected columns, none of which has columns within, stand in a row group.
fn leaves_of(metadata: &ParquetMetaData, projection: &Projection) -> Vec<usize> {
    let schema = metadata.file_metadata().schema_descr();
    let selected = |leaf: &usize| {
        projection.positions.binary_search(&schema.get_column_root_idx(*leaf)).is_ok()
    };
    (0..schema.num_columns()).filter(selected).collect()
}

/// The selected columns of a file.
struct Selected<'a> {
    input: &'a Seekable,
    metadata: ParquetMetaData,
    projection: Projection,
    /// In increasing order, as the positions of the projection are.
    leaves: Vec<usize>,
}

impl Selected<'_> {
    fn read_piece<C: Collect>(
        &self,
        options: &ReadOptions,
        piece: &Piece,
    ) -> Result<Assembly<C>, Error> {
        let invalid = |error: ParquetError| Error::invalid(&self.input.label, FORMAT, error);
        let chunks = Arc::new(Chunks(self.input.clone()));
        let columns = (0..self.leaves.len()).map(|i| self.open(&chunks, piece, i));
        let mut columns = columns.collect::<ParquetResult<Vec<_>>>().map_err(invalid)?;
        let mut part = Assembly::new(&self.projection.selection, options.missing);
        let mut block = Block::new(columns.len());
        for start in (0..piece.rows).step_by(BLOCK_ROWS) {
            let mut target = block.rows_mut(BLOCK_ROWS.min(piece.rows - start));
            for (&slot, column) in self.projection.slots.iter().zip(&mut columns) {
                column.read(column_mut(&mut target, slot)).map_err(invalid)?;
            }
            part.push(target, None);
        }
        Ok(part)
    }

    /// Opens a selected column at the start of a piece.
    fn open(&self, file: &Arc<Chunks>, piece: &Piece, i: usize) -> ParquetResult<Box<dyn Leaf>> {
        let group = self.metadata.row_group(piece.group);
        let chunk = group.column(self.leaves[i]);
        let rows = usize::try_from(group.num_rows()).unwrap_or(0);
        let pages = SerializedPageReader::new(file.clone(), chunk, rows, None)?;
        let mut column = leaves::open(&self.projection.kinds[i], chunk, Box::new(pages))?;
        column.skip(piece.start)?;
        Ok(column)
    }
}

/// The file as the decoder wants it.
struct Chunks(Seekable);

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.0.length
    }
}

impl ChunkReader for Chunks {
    type T = BufReader<Handle>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let mut handle = self.0.handle();
        handle.seek(SeekFrom::Start(start))?;
        Ok(BufReader::with_capacity(512, handle))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let end = start.checked_add(length as u64).filter(|&end| end <= self.len());
        if end.is_none() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        if let Some(bytes) = self.0.memory() {
            let start = start as usize;
            return Ok(Bytes::from_owner(bytes.clone()).slice(start..start + length));
        }
        let mut bytes = vec![0; length];
        self.0.read_at(start, &mut bytes)?;
        Ok(bytes.into())
    }
}
