//! Parquet files whose parts fit together but for a few: footers and heads of pages are changed as
//! trees, pages as bytes, and places and lengths follow.

use crate::random::Random;
use crate::thrift::Value;

/// Numbers of fields, after `parquet.thrift`.
const ROW_GROUPS: i16 = 4;
const COLUMNS: i16 = 1;
const METADATA: i16 = 3;
const LENGTH: i16 = 7;
const DATA_PAGE: i16 = 9;
const DICTIONARY_PAGE: i16 = 11;
const STORED: i16 = 3;

/// A page: its head and its bytes.
type Page = (Value, Vec<u8>);

/// A file in parts.
struct File {
    footer: Value,
    /// The pages of each column of each row group.
    chunks: Vec<Vec<Page>>,
}

pub(crate) fn make(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = corpus[random.below(corpus.len())].clone();
    match (random.below(8), File::parse(&bytes)) {
        (1.., Some(mut file)) => {
            for _ in 0..=random.below(3) {
                file.change(random);
            }
            bytes = file.bytes(random);
            if random.once_in(10) {
                random.change(&mut bytes);
            }
        }
        _ => random.change(&mut bytes),
    }
    bytes
}

impl File {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let tail = bytes.len().checked_sub(8)?;
        let length = u32::from_le_bytes(bytes[tail..tail + 4].try_into().ok()?) as usize;
        let (mut footer, _) = Value::parse(bytes.get(tail.checked_sub(length)?..tail)?)?;
        let mut chunks = Vec::new();
        for metadata in columns(&mut footer) {
            let length = metadata.field(LENGTH)?.integer()? as usize;
            let data = metadata.field(DATA_PAGE)?.integer()?;
            let start = metadata.field(DICTIONARY_PAGE).and_then(|place| place.integer());
            let start = start.unwrap_or(data) as usize;
            let mut rest = bytes.get(start..start.checked_add(length)?)?;
            let mut pages = Vec::new();
            while !rest.is_empty() {
                let (mut head, taken) = Value::parse(rest)?;
                let stored = head.field(STORED)?.integer()? as usize;
                let page = rest.get(taken..taken.checked_add(stored)?)?.to_vec();
                rest = &rest[taken + stored..];
                pages.push((head, page));
            }
            chunks.push(pages);
        }
        Some(Self { footer, chunks })
    }

    fn change(&mut self, random: &mut Random) {
        let chunk = random.below(self.chunks.len());
        let Some(pages) = self.chunks.get_mut(chunk).filter(|pages| !pages.is_empty()) else {
            return self.footer.change(random);
        };
        let page = random.below(pages.len());
        match random.below(7) {
            0..=1 => self.footer.change(random),
            2..=3 => pages[page].0.change(random),
            4 => random.change(&mut pages[page].1),
            5 => pages.push(pages[page].clone()),
            _ => drop(pages.remove(page)),
        }
    }

    /// The file with places and lengths that fit, most of the time.
    fn bytes(mut self, random: &mut Random) -> Vec<u8> {
        let fit = !random.once_in(5);
        let mut bytes = b"PAR1".to_vec();
        let mut columns = columns(&mut self.footer).into_iter();
        for pages in &mut self.chunks {
            let start = bytes.len();
            let mut data = None;
            for (head, page) in pages {
                if fit && let Some(stored) = head.field(STORED) {
                    stored.set(page.len() as i64);
                }
                if head.field(7).is_none() {
                    data = data.or(Some(bytes.len()));
                }
                bytes.extend(head.bytes());
                bytes.extend(page.iter());
            }
            let Some(metadata) = columns.next().filter(|_| fit) else { continue };
            let end = bytes.len();
            for (field, value) in [
                (LENGTH, end - start),
                (DATA_PAGE, data.unwrap_or(start)),
                (DICTIONARY_PAGE, start),
            ] {
                if let Some(place) = metadata.field(field) {
                    place.set(value as i64);
                }
            }
        }
        drop(columns);
        let footer = self.footer.bytes();
        bytes.extend(&footer);
        bytes.extend((footer.len() as u32).to_le_bytes());
        bytes.extend(b"PAR1");
        bytes
    }
}

/// The metadata of each column of each row group.
fn columns(footer: &mut Value) -> Vec<&mut Value> {
    let Some(groups) = footer.field(ROW_GROUPS) else { return Vec::new() };
    let columns = groups.elements().iter_mut().filter_map(|group| group.field(COLUMNS));
    columns
        .flat_map(|columns| columns.elements().iter_mut())
        .filter_map(|column| column.field(METADATA))
        .collect()
}
