//! Arrow IPC files and streams, and Arrow batches in memory.

use std::io::{BufReader, Read};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Schema};
use nocurl::Run;
use nocurl::memory::ask;
use nocurl::moments::BLOCK_ROWS;

use super::block::{Block, column_mut};
use super::collect::{Assembly, append_wave, piece_rows, report, wave_width};
use super::columns::{Selection, check_count};
use super::guard::guarded;
use super::ipc;
use super::memory::LABEL;
use super::numbers::{Numbers, declared, look};
use super::reading::Reading;
use super::words::Absent;
use crate::Error;
use crate::input::{Handle, Seekable};
use crate::stack::on_stack;

const FORMAT: &str = "Arrow";

/// Selected columns of an Arrow schema.
pub(super) struct Projection {
    pub(super) selection: Arc<Selection>,
    /// Positions of the selected columns in the file, in increasing order.
    pub(super) positions: Vec<usize>,
    /// For each of them, its place in the result.
    pub(super) slots: Vec<usize>,
    /// For each of them, its type.
    pub(super) kinds: Vec<DataType>,
    /// Words that a first look takes for missing values.
    pub(super) absent: Absent,
}

impl Projection {
    /// The columns that are read, or for a first look those whose kinds are open.
    pub(super) fn new(
        label: &str,
        schema: &Schema,
        options: &Reading<'_>,
        ordered: impl Fn(usize) -> bool,
    ) -> Result<Self, Error> {
        check_count(label, schema.fields().len(), options)?;
        let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        let kind = |at: usize| declared(schema.field(at).data_type(), ordered(at));
        let selection = Selection::new(label, &names, options, kind)?;
        let open = (0..selection.positions.len()).any(|slot| selection.is_open(slot, options));
        let selection = Arc::new(selection.for_reading(options, open)?);
        let mut slots: Vec<usize> = (0..selection.positions.len()).collect();
        slots.sort_by_key(|&slot| selection.positions[slot]);
        let positions: Vec<usize> = slots.iter().map(|&slot| selection.positions[slot]).collect();
        let kinds = positions.iter().map(|&position| schema.field(position).data_type().clone());
        let kinds = kinds.collect();
        Ok(Self { selection, positions, slots, kinds, absent: Absent::new(&options.na) })
    }

    /// Adds the rows of a batch that has the selected columns in the order of the file.
    fn push(
        &self,
        batch: &RecordBatch,
        block: &mut Block,
        part: &mut Assembly,
    ) -> Result<(), ArrowError> {
        if batch.num_columns() != self.slots.len() {
            return Err(ArrowError::SchemaError("a batch has other columns than the file".into()));
        }
        if self.selection.purpose.surveys {
            for (&slot, array) in self.slots.iter().zip(batch.columns()) {
                if self.selection.texts[slot] {
                    let rows = part.rows;
                    look(array, &mut part.columns_seen()[slot], &self.absent, rows);
                }
            }
        }
        let codings = self.slots.iter().map(|&slot| self.selection.codings[slot].as_deref());
        let columns: Vec<_> = batch
            .columns()
            .iter()
            .zip(codings)
            .map(|(a, coding)| Numbers::new(a, coding))
            .collect();
        let mut start = 0;
        while start < batch.num_rows() {
            let rows = BLOCK_ROWS.min(batch.num_rows() - start);
            let mut target = block.rows_mut(rows);
            for (&slot, column) in self.slots.iter().zip(&columns) {
                let target = column_mut(&mut target, slot);
                column.copy(start, target);
                if column.rounds(start, target) {
                    self.selection.note_rounded(slot);
                }
            }
            part.push(target, None);
            start += rows;
        }
        Ok(())
    }
}

/// Whether the categories of a column have an order.
fn is_ordered(schema: &Schema, position: usize) -> bool {
    schema.field(position).dict_is_ordered() == Some(true)
}

/// Whether a column has no value.
pub(super) fn is_empty(column: &ArrayRef) -> bool {
    if column.is_empty() {
        return false;
    }
    let nulls = column.nulls().map_or(0, |nulls| nulls.null_count());
    if nulls == column.len() || *column.data_type() == DataType::Null {
        return true;
    }
    match column.data_type() {
        DataType::Float64 => {
            let column = column.as_primitive::<Float64Type>();
            column.iter().all(|value| value.is_none_or(f64::is_nan))
        }
        _ => false,
    }
}

/// Whether the kinds of columns must be found out before they are read.
pub(super) fn must_look(schema: &Schema, options: &Reading<'_>) -> Result<bool, Error> {
    match Projection::new(LABEL, schema, options, |_| false) {
        Ok(_) => Ok(false),
        Err(Error::KindsNeeded) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Reads an Arrow IPC file or stream.
pub(super) fn read(
    input: &Seekable,
    options: &Reading<'_>,
    run: &Run<'_>,
) -> Result<Assembly, Error> {
    let label = input.label.as_str();
    let mut magic = [0; 4];
    if input.read_at(0, &mut magic).is_ok() && magic == *b"FEA1" {
        let reason = "Feather version 1 is not read; write it again as version 2 or Parquet";
        return Err(Error::unsupported(label, reason));
    }
    let announced = guarded(label, FORMAT, || ipc::check(input, FORMAT))?;
    // The decoder takes what it needs in a way that cannot fail.
    ask("reading", announced.bytes())?;
    let (projection, batches) =
        on_stack(|| guarded(label, FORMAT, || Batches::open(input, options)))?;
    let table = gather(label, &projection, batches, options, run)?;
    let rows = announced.rows;
    if table.rows != rows && !projection.positions.is_empty() {
        let reason = format!("it has {} rows where {rows} are announced", table.rows);
        return Err(Error::invalid(label, FORMAT, reason));
    }
    Ok(table)
}

/// Reads batches that another program hands over in memory.
pub(super) fn read_batches(
    batches: Box<dyn RecordBatchReader + Send + '_>,
    options: &Reading<'_>,
    run: &Run<'_>,
) -> Result<Assembly, Error> {
    let schema = batches.schema();
    let projection = Projection::new(LABEL, &schema, options, |at| is_ordered(&schema, at))?;
    let positions = projection.positions.clone();
    gather(LABEL, &projection, Batches::Given(batches, positions), options, run)
}

/// Batches are read one after the other, which for this format is little more than copying, and
/// cut into pieces that are worked on in parallel.
fn gather(
    label: &str,
    projection: &Projection,
    mut batches: Batches<'_>,
    options: &Reading<'_>,
    run: &Run<'_>,
) -> Result<Assembly, Error> {
    let invalid = |error: ArrowError| Error::decoding(label, FORMAT, &error);
    let mut total = Assembly::new(&projection.selection, options.missing);
    let columns = projection.positions.len();
    if columns == 0 {
        return Ok(total);
    }
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
                        let mut block = Block::new(projection.selection.names.len());
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
    if total.rows == 0 && !options.part {
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
    fn open(input: &Seekable, options: &Reading<'_>) -> Result<(Projection, Self), Error> {
        let label = input.label.as_str();
        let invalid = |error: ArrowError| Error::decoding(label, FORMAT, &error);
        let mut magic = [0; 6];
        let is_file = input.handle().read_exact(&mut magic).is_ok() && magic == *b"ARROW1";
        let handle = || BufReader::new(input.handle());
        if is_file {
            let schema = FileReader::try_new(handle(), None).map_err(invalid)?.schema();
            let ordered = |at| is_ordered(&schema, at);
            let projection = Projection::new(label, &schema, options, ordered)?;
            let columns = Some(projection.positions.clone());
            let reader = FileReader::try_new(handle(), columns).map_err(invalid)?;
            Ok((projection, Self::File(reader)))
        } else {
            let schema = StreamReader::try_new(handle(), None).map_err(invalid)?.schema();
            let ordered = |at| is_ordered(&schema, at);
            let projection = Projection::new(label, &schema, options, ordered)?;
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
