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
