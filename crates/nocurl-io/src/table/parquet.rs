//! Parquet: ranges of rows of the row groups, decoded in parallel.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use bytes::Bytes;
use nocurl::Run;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::{ChunkReader, Length};

use super::arrow::Projection;
use super::block::Block;
use super::collect::{Assembly, Collect, append_wave, report, wave_width};
use super::guard::guarded;
use super::pages::{check_footer, check_pages};
use crate::source::{Handle, Seekable};
use crate::{Error, ReadOptions};

const FORMAT: &str = "Parquet";

/// Rows of a piece. Row groups may be as large as the file, so they are cut further; a piece
/// should not be much shorter than a page, because a page is read again by each piece it spans.
const PIECE_ROWS: usize = 1 << 17;

/// Rows decoded at a time: one block, so that it is still in the cache when it is copied.
const BATCH_ROWS: usize = nocurl::moments::BLOCK_ROWS;

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
    let metadata = guarded(label, FORMAT, || {
        let chunks = Chunks::new(input)?;
        ArrowReaderMetadata::load(&chunks, ArrowReaderOptions::new())
            .map_err(|error| Error::invalid(label, FORMAT, error))
    })?;
    let projection = Projection::new(label, metadata.schema(), options)?;
    let columns = projection.positions.iter().copied();
    let columns = ProjectionMask::roots(metadata.parquet_schema(), columns);
    guarded(label, FORMAT, || check_pages(input, metadata.metadata(), &columns))?;
    let mut total = Assembly::new(&projection.selection, options.missing);
    let pieces = pieces(&metadata, label)?;
    let rows: u64 = pieces.iter().map(|piece| piece.rows as u64).sum();
    if rows == 0 {
        return Err(Error::HeaderOnly { path: label.into() });
    }
    let decode = |piece: Piece| {
        guarded(label, FORMAT, || read_piece(input, &metadata, &projection, options, &piece))
    };
    let width = wave_width(projection.positions.len(), 8 * BATCH_ROWS * projection.positions.len());
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
fn pieces(metadata: &ArrowReaderMetadata, label: &str) -> Result<Vec<Piece>, Error> {
    let mut pieces = Vec::new();
    for (group, found) in metadata.metadata().row_groups().iter().enumerate() {
        let rows = usize::try_from(found.num_rows())
            .map_err(|_| Error::invalid(label, FORMAT, "a row group has fewer than no rows"))?;
        for start in (0..rows).step_by(PIECE_ROWS) {
            pieces.push(Piece { group, start, rows: PIECE_ROWS.min(rows - start) });
        }
    }
    Ok(pieces)
}

fn read_piece<C: Collect>(
    input: &Seekable,
    metadata: &ArrowReaderMetadata,
    projection: &Projection,
    options: &ReadOptions,
    piece: &Piece,
) -> Result<Assembly<C>, Error> {
    let invalid = |error: &dyn std::fmt::Display| Error::invalid(&input.label, FORMAT, error);
    let roots = projection.positions.iter().copied();
    let reader =
        ParquetRecordBatchReaderBuilder::new_with_metadata(Chunks::new(input)?, metadata.clone())
            .with_projection(ProjectionMask::roots(metadata.parquet_schema(), roots))
            .with_row_groups(vec![piece.group])
            .with_offset(piece.start)
            .with_limit(piece.rows)
            .with_batch_size(BATCH_ROWS.min(piece.rows))
            .build()
            .map_err(|error| invalid(&error))?;
    let mut part = Assembly::new(&projection.selection, options.missing);
    let mut block = Block::new(projection.positions.len());
    for batch in reader {
        let batch = batch.map_err(|error| invalid(&error))?;
        projection.push(&batch, &mut block, &mut part).map_err(|error| invalid(&error))?;
    }
    if part.rows != piece.rows as u64 {
        return Err(invalid(&"it has fewer rows than it says"));
    }
    Ok(part)
}

/// A handle of the file for one thread: clones of a file share their position.
enum Chunks {
    File { file: File, length: u64 },
    Bytes(Bytes),
}

impl Chunks {
    fn new(input: &Seekable) -> Result<Self, Error> {
        Ok(match input.handle()? {
            Handle::File(file) => Self::File { file, length: input.length },
            Handle::Bytes(bytes) => Self::Bytes(Bytes::from_owner(bytes.into_inner())),
        })
    }
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        match self {
            Self::File { length, .. } => *length,
            Self::Bytes(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for Chunks {
    type T = Box<dyn Read + Send>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        match self {
            Self::File { file, .. } => {
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(start))?;
                Ok(Box::new(BufReader::with_capacity(512, file)))
            }
            Self::Bytes(bytes) => {
                let start = usize::try_from(start).unwrap_or(usize::MAX).min(bytes.len());
                Ok(Box::new(io::Cursor::new(bytes.slice(start..))))
            }
        }
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let end = start.checked_add(length as u64).filter(|&end| end <= self.len());
        if end.is_none() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        match self {
            Self::File { file, .. } => {
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(start))?;
                let mut bytes = Vec::with_capacity(length);
                file.take(length as u64).read_to_end(&mut bytes)?;
                if bytes.len() < length {
                    return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
                }
                Ok(bytes.into())
            }
            Self::Bytes(bytes) => Ok(bytes.slice(start as usize..start as usize + length)),
        }
    }
}
