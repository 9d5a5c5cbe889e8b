//! Numbers that a Parquet file stores as a fixed count of bytes, made floats page by page.
//!
//! The decoder makes a shared buffer of each of them, which takes longer than all else. So the
//! values of a page are replaced by floats before it is decoded; levels and indices stay.

use bytes::Bytes;
use parquet::basic::{Encoding, Type as Physical};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, Type};

/// The pages of a column, with floats for values.
pub(super) struct Floats<F> {
    pages: Box<dyn PageReader>,
    /// Bytes of a value.
    width: usize,
    /// Bits of the level that says whether there is a value.
    bits: usize,
    number: F,
}

/// Whether all values of a column stand one after the other, in its pages or its dictionary.
pub(super) fn plain(chunk: &ColumnChunkMetaData) -> bool {
    chunk.encodings().all(|encoding| {
        !matches!(
            encoding,
            Encoding::DELTA_BINARY_PACKED
                | Encoding::DELTA_LENGTH_BYTE_ARRAY
                | Encoding::DELTA_BYTE_ARRAY
                | Encoding::BYTE_STREAM_SPLIT
        )
    })
}

/// What a column is called once its values are floats.
pub(super) fn as_floats(column: &ColumnDescriptor) -> Result<ColumnDescPtr> {
    let float = Type::primitive_type_builder(column.name(), Physical::DOUBLE).build()?;
    let levels = (column.max_def_level(), column.max_rep_level());
    Ok(ColumnDescriptor::new(float.into(), levels.0, levels.1, column.path().clone()).into())
}

impl<F: Fn(&[u8]) -> f64> Floats<F> {
    /// Pages of a plain column, with what makes a number of the bytes of a value.
    pub(super) fn new(column: &ColumnDescriptor, pages: Box<dyn PageReader>, number: F) -> Self {
        let width = usize::try_from(column.type_length()).unwrap_or(0);
        let bits = 16 - column.max_def_level().leading_zeros();
        Self { pages, width, bits: bits as usize, number }
    }

    /// Replaces the values of a page. What is too short stays as it is for the decoder to refuse.
    fn convert(&self, mut page: Page) -> Result<Page> {
        match &mut page {
            Page::DictionaryPage { buf, .. } => self.replace(buf, 0),
            Page::DataPage {
                encoding: Encoding::PLAIN,
                buf,
                num_values,
                def_level_encoding,
                ..
            } => {
                let levels = self.levels(buf, *num_values as usize, *def_level_encoding);
                self.replace(buf, levels);
            }
            Page::DataPageV2 {
                encoding: Encoding::PLAIN,
                buf,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
                let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                self.replace(buf, levels);
            }
            _ => {
                let encoding = page.encoding();
                if !matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY) {
                    let reason = format!("a page has the encoding {encoding}, its column does not");
                    return Err(ParquetError::General(reason));
                }
            }
        }
        Ok(page)
    }

    /// Bytes before the values of a page of the first version.
    fn levels(&self, page: &[u8], values: usize, encoding: Encoding) -> usize {
        match (self.bits, encoding, page.first_chunk()) {
            (0, ..) => 0,
            (_, Encoding::RLE, Some(&length)) => {
                (u32::from_le_bytes(length) as usize).saturating_add(4)
            }
            (bits, ..) => (values * bits).div_ceil(8),
        }
    }

    fn replace(&self, page: &mut Bytes, levels: usize) {
        let Some((levels, values)) = page.split_at_checked(levels) else {
            return;
        };
        let values = values.chunks_exact(self.width);
        let mut floats = Vec::with_capacity(levels.len() + 8 * values.len());
        floats.extend_from_slice(levels);
        values.for_each(|value| floats.extend_from_slice(&(self.number)(value).to_le_bytes()));
        *page = floats.into();
    }
}

impl<F: Fn(&[u8]) -> f64 + Send> Iterator for Floats<F> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<F: Fn(&[u8]) -> f64 + Send> PageReader for Floats<F> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.pages.get_next_page()?.map(|page| self.convert(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::{ArrowPrimitiveType, Float16Type};
    use nocurl::Run;
    use parquet::data_type::{ByteArray, FixedLenByteArray, FixedLenByteArrayType};
    use parquet::file::properties::{WriterProperties, WriterVersion};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;
    use crate::{Missing, ReadOptions, Source, read_dataset};

    /// More than a piece, so that rows are passed over as well.
    const ROWS: i32 = 140_000;

    const SCHEMA: &str = "message table {
        optional fixed_len_byte_array(3) decimal (DECIMAL(6, 2));
        required fixed_len_byte_array(2) half (FLOAT16);
    }";

    /// The values of row `i` before they are stored: hundredths, if any, and an integer.
    fn row(i: i32) -> (Option<i32>, u16) {
        ((i % 7 != 3).then_some(37 * (i % 4000) - 50_000), (i % 2000) as u16)
    }

    fn file(version: WriterVersion, dictionary: bool, encoding: Encoding) -> Vec<u8> {
        type Half = <Float16Type as ArrowPrimitiveType>::Native;
        let fixed = |bytes: &[u8]| FixedLenByteArray::from(ByteArray::from(bytes.to_vec()));
        let properties = WriterProperties::builder().set_writer_version(version);
        let properties = properties.set_dictionary_enabled(dictionary).set_encoding(encoding);
        let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
        let mut file = Vec::new();
        let mut writer =
            SerializedFileWriter::new(&mut file, schema, Arc::new(properties.build())).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let decimals = (0..ROWS).filter_map(|i| row(i).0);
        let decimals: Vec<_> = decimals.map(|x| fixed(&x.to_be_bytes()[1..])).collect();
        let levels: Vec<i16> = (0..ROWS).map(|i| row(i).0.is_some().into()).collect();
        let halves = (0..ROWS).map(|i| Half::from_f32(row(i).1.into()));
        let halves: Vec<_> = halves.map(|x| fixed(&x.to_le_bytes())).collect();
        for (values, levels) in [(decimals, Some(&levels[..])), (halves, None)] {
            let mut column = group.next_column().unwrap().unwrap();
            let typed = column.typed::<FixedLenByteArrayType>();
            typed.write_batch(&values, levels, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
        file
    }

    #[test]
    fn numbers_of_fixed_length_are_read_in_every_encoding() {
        let expected: Vec<[f64; 2]> = (0..ROWS)
            .filter_map(|i| Some([f64::from(row(i).0?) / 100.0, row(i).1.into()]))
            .collect();
        let options = ReadOptions { missing: Missing::Drop, ..Default::default() };
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for (dictionary, encoding) in [
                (true, Encoding::PLAIN),
                (false, Encoding::PLAIN),
                (false, Encoding::BYTE_STREAM_SPLIT),
                (false, Encoding::DELTA_BYTE_ARRAY),
            ] {
                let file = file(version, dictionary, encoding);
                let source = Source::bytes("t.parquet", &file);
                let table = read_dataset(&source, &options, &Run::default()).unwrap();
                let values = table.data.values();
                let found = (0..values.nrows()).map(|i| [values[(i, 0)], values[(i, 1)]]);
                assert!(found.eq(expected.iter().copied()), "{version:?} {dictionary} {encoding}");
            }
        }
    }
}
