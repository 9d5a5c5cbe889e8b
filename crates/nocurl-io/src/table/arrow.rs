//! Arrow IPC files and streams, and Arrow batches in memory.

use std::io::{BufReader, Read};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Schema};
use nocurl::Run;
use nocurl::moments::BLOCK_ROWS;

use super::block::{Block, column_mut};
use super::collect::{Assembly, Collect, append_wave, piece_rows, report, wave_width};
use super::columns::{Selection, check_count};
use super::guard::guarded;
use super::ipc;
use super::memory::LABEL;
use super::numbers::{Numbers, is_numeric};
use crate::error::shorten;
use crate::input::{Handle, Seekable};
use crate::stack::on_stack;
use crate::{Error, ReadOptions};

const FORMAT: &str = "Arrow";

/// Selected columns of an Arrow schema.
pub(super) struct Projection {
    pub(super) selection: Selection,
    /// Positions of the selected columns in the file, in increasing order.
    pub(super) positions: Vec<usize>,
    /// For each of them, its place in the result.
    pub(super) slots: Vec<usize>,
    /// For each of them, its type.
    pub(super) kinds: Vec<DataType>,
}

impl Projection {
    pub(super) fn new(label: &str, schema: &Schema, options: &ReadOptions) -> Result<Self, Error> {
        check_count(label, schema.fields().len(), options)?;
        let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        let selection = Selection::new(label, &names, options)?;
        for &position in &selection.positions {
            let field = schema.field(position);
            if !is_numeric(field.data_type()) {
                return Err(Error::ColumnType {
                    column: shorten(field.name(), 80),
                    kind: shorten(&field.data_type().to_string(), 60),
                });
            }
        }
        let mut slots: Vec<usize> = (0..selection.positions.len()).collect();
        slots.sort_by_key(|&slot| selection.positions[slot]);
        let positions: Vec<usize> = slots.iter().map(|&slot| selection.positions[slot]).collect();
        let kinds = positions.iter().map(|&position| schema.field(position).data_type().clone());
        let kinds = kinds.collect();
        Ok(Self { selection, positions, slots, kinds })
    }

    /// Adds the rows of a batch that has the selected columns in the order of the file.
    fn push<C: Collect>(
        &self,
        batch: &RecordBatch,
        block: &mut Block,
        part: &mut Assembly<C>,
    ) -> Result<(), ArrowError> {
        if batch.num_columns() != self.slots.len() {
            return Err(ArrowError::SchemaError("a batch has other columns than the file".into()));
        }
        let columns: Vec<_> = batch.columns().iter().map(Numbers::new).collect();
        let mut start = 0;
        while start < batch.num_rows() {
            let rows = BLOCK_ROWS.min(batch.num_rows() - start);
            let mut target = block.rows_mut(rows);
            for (&slot, column) in self.slots.iter().zip(&columns) {
                column.copy(start, column_mut(&mut target, slot));
            }
            part.push(target, None);
            start += rows;
        }
        Ok(())
    }
}

/// Reads an Arrow IPC file or stream.
pub(super) fn read<C: Collect>(
    input: &Seekable,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<Assembly<C>, Error> {
    let label = input.label.as_str();
    let mut magic = [0; 4];
    if input.read_at(0, &mut magic).is_ok() && magic == *b"FEA1" {
        let reason = "Feather version 1 is not read; write it again as version 2 or Parquet";
        return Err(Error::unsupported(label, reason));
    }
    let rows = guarded(label, FORMAT, || ipc::check(input, FORMAT))?;
    let (projection, batches) =
        on_stack(|| guarded(label, FORMAT, || Batches::open(input, options)))?;
    let table = gather(label, &projection, batches, options, run)?;
    if table.rows != rows {
        let reason = format!("it has {} rows where {rows} are announced", table.rows);
        return Err(Error::invalid(label, FORMAT, reason));
    }
    Ok(table)
}

/// Reads batches that another program hands over in memory.
pub(super) fn read_batches<C: Collect>(
    batches: Box<dyn RecordBatchReader + Send + '_>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<Assembly<C>, Error> {
    let projection = Projection::new(LABEL, &batches.schema(), options)?;
    let positions = projection.positions.clone();
    gather(LABEL, &projection, Batches::Given(batches, positions), options, run)
}

/// Batches are read one after the other, which for this format is little more than copying, and
/// cut into pieces that are worked on in parallel.
fn gather<C: Collect>(
    label: &str,
    projection: &Projection,
    mut batches: Batches<'_>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<Assembly<C>, Error> {
    let invalid = |error: ArrowError| Error::invalid(label, FORMAT, error);
    let mut total = Assembly::new(&projection.selection, options.missing);
    let columns = projection.positions.len();
    let rows = piece_rows(columns);
    let width = wave_width(columns, 8 * rows * columns);
    let mut wave: Vec<RecordBatch> = Vec::new();
    loop {
        let (next, added) = rayon::join(
            || guarded(label, FORMAT, || batches.pieces(width, rows).map_err(invalid)),
            || {
                append_wave(&mut total, wave, |piece| {
                    guarded(label, FORMAT, || {
                        let mut part = Assembly::new(&projection.selection, options.missing);
                        let mut block = Block::new(columns);
                        projection.push(&piece, &mut block, &mut part).map_err(invalid)?;
                        Ok(part)
                    })
                })
            },
        );
        added?;
        wave = next?;
        if wave.is_empty() {
            break;
        }
        report(run, total.rows, None)?;
    }
    if total.rows == 0 {
        return Err(Error::HeaderOnly { path: label.into() });
    }
    Ok(total)
}

/// The batches of a file or of a stream.
enum Batches<'a> {
    File(FileReader<BufReader<Handle>>),
    Stream(StreamReader<BufReader<Handle>>),
    /// Of another program, with the positions of the selected columns.
    Given(Box<dyn RecordBatchReader + Send + 'a>, Vec<usize>),
}

impl Batches<'_> {
    fn open(input: &Seekable, options: &ReadOptions) -> Result<(Projection, Self), Error> {
        let label = input.label.as_str();
        let invalid = |error: ArrowError| Error::invalid(label, FORMAT, error);
        let mut magic = [0; 6];
        let is_file = input.handle().read_exact(&mut magic).is_ok() && magic == *b"ARROW1";
        let handle = || BufReader::new(input.handle());
        if is_file {
            let schema = FileReader::try_new(handle(), None).map_err(invalid)?.schema();
            let projection = Projection::new(label, &schema, options)?;
            let columns = Some(projection.positions.clone());
            let reader = FileReader::try_new(handle(), columns).map_err(invalid)?;
            Ok((projection, Self::File(reader)))
        } else {
            let schema = StreamReader::try_new(handle(), None).map_err(invalid)?.schema();
            let projection = Projection::new(label, &schema, options)?;
            let columns = Some(projection.positions.clone());
            let reader = StreamReader::try_new(handle(), columns).map_err(invalid)?;
            Ok((projection, Self::Stream(reader)))
        }
    }

    /// Pieces of at most `rows` rows, `width` of them or as many as one batch more makes.
    fn pieces(&mut self, width: usize, rows: usize) -> Result<Vec<RecordBatch>, ArrowError> {
        let mut pieces = Vec::new();
        while pieces.len() < width {
            let next = match self {
                Self::File(reader) => reader.next(),
                Self::Stream(reader) => reader.next(),
                Self::Given(reader, positions) => {
                    reader.next().map(|batch| batch?.project(positions))
                }
            };
            let Some(batch) = next else { break };
            let batch = batch?;
            let mut start = 0;
            while start < batch.num_rows() {
                let length = rows.min(batch.num_rows() - start);
                pieces.push(batch.slice(start, length));
                start += length;
            }
        }
        Ok(pieces)
    }
}
