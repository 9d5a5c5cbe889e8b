//! OpenDocument spreadsheets: all sheets in one file, with rows and cells that stand for several.

use std::io;

use super::xml::{Token, Xml, attribute, skip};
use super::{Cell, Extent, MOST_COLUMNS, MOST_ROWS, Row, Rows, check_row, check_size};
use crate::Error;
use crate::archive::Archive;

/// The sheets in their order.
pub(super) fn sheets(archive: &Archive) -> Result<Vec<(String, Extent)>, Error> {
    let label = &archive.place().label;
    let read = |error: io::Error| Error::decoding(label, "OpenDocument", &error);
    let mut xml = content(archive)?;
    let mut sheets = Vec::new();
    while let Some(name) = next_sheet(&mut xml).map_err(read)? {
        let mut rows = SheetRows { xml, row: 0, ended: false, merged: None };
        let mut extent = Extent::default();
        while let Some(row) = rows.next_row().map_err(read)? {
            extent.see(&row);
        }
        extent.merged = rows.merged;
        xml = rows.xml;
        sheets.push((name, extent));
    }
    Ok(sheets)
}

/// The rows of a sheet by its place.
pub(super) fn rows(archive: &Archive, at: usize) -> Result<SheetRows, Error> {
    let label = &archive.place().label;
    let mut xml = content(archive)?;
    for _ in 0..=at {
        next_sheet(&mut xml).map_err(|error| Error::read(label, &error))?;
    }
    Ok(SheetRows { xml, row: 0, ended: false, merged: None })
}

fn content(archive: &Archive) -> Result<Xml, Error> {
    let label = &archive.place().label;
    if archive
        .text("META-INF/manifest.xml", 1 << 20)?
        .is_some_and(|it| it.contains("encryption-data"))
    {
        let reason = "it is encrypted; save it without a password first";
        return Err(Error::unsupported(label, reason));
    }
    let reason = "it has no content";
    let member = archive.find("content.xml");
    let member = member.ok_or_else(|| Error::invalid(label, "OpenDocument", reason))?;
    Ok(Xml::new(archive.stream(member)?))
}

/// Goes to the start of the next sheet.
fn next_sheet(xml: &mut Xml) -> io::Result<Option<String>> {
    while let Some(token) = xml.next()? {
        if let Token::Start(tag) = token
            && tag.local_name().as_ref() == "table"
        {
            return Ok(Some(attribute(&tag, "name")?.unwrap_or_default()));
        }
    }
    Ok(None)
}

/// The rows of a sheet that has begun.
pub(super) struct SheetRows {
    xml: Xml,
    /// Rows so far.
    row: u64,
    ended: bool,
    merged: Option<String>,
}

/// A cell that is being read.
#[derive(Default)]
struct Open {
    kind: String,
    value: Option<String>,
    text: String,
    times: usize,
}

impl SheetRows {
    /// The cells of a row that has begun.
    fn cells(&mut self) -> io::Result<Vec<(usize, Cell)>> {
        let mut cells = Vec::new();
        let mut open: Option<Open> = None;
        let mut column = 0_usize;
        let mut paragraphs = 0;
        let mut size = 0_usize;
        while let Some(token) = self.xml.next()? {
            match token {
                Token::Start(tag) => match tag.local_name().as_ref() {
                    "table-cell" | "covered-table-cell" => {
                        let spans = attribute(&tag, "number-rows-spanned")?;
                        if spans.is_some_and(|spans| spans != "1") {
                            let row = self.row + 1;
                            self.merged.get_or_insert_with(|| format!("from row {row} on"));
                        }
                        open = Some(cell(&tag)?);
                        paragraphs = 0;
                    }
                    "p" => {
                        if paragraphs > 0 {
                            open.iter_mut().for_each(|cell| cell.text.push(' '));
                        }
                        paragraphs += 1;
                    }
                    "s" => open.iter_mut().for_each(|cell| cell.text.push(' ')),
                    // Notes and pictures are beside what a cell holds.
                    "annotation" | "frame" | "shape" | "shapes" => skip(&mut self.xml)?,
                    _ => {}
                },
                Token::Text(text) if paragraphs > 0 => {
                    open.iter_mut().for_each(|cell| cell.text.push_str(&text));
                }
                Token::Text(_) => {}
                Token::End(name) => match name.as_str() {
                    "table-cell" | "covered-table-cell" => {
                        let Some(cell) = open.take() else { continue };
                        let times = cell.times;
                        if let Some(content) = content_of(cell) {
                            size = size.saturating_add(content.len().saturating_mul(times));
                            check_size(size)?;
                            if column.saturating_add(times) > MOST_COLUMNS {
                                let words = format!("it has more than {MOST_COLUMNS} columns");
                                return Err(io::Error::other(words));
                            }
                            cells.extend((column..column + times).map(|at| (at, content.clone())));
                        }
                        column = column.saturating_add(times);
                    }
                    "table-row" => break,
                    _ => {}
                },
            }
        }
        Ok(cells)
    }
}

fn cell(tag: &quick_xml::events::BytesStart<'_>) -> io::Result<Open> {
    let kind = attribute(tag, "value-type")?.unwrap_or_default();
    let value = match kind.as_str() {
        "float" | "percentage" | "currency" => attribute(tag, "value")?,
        "date" => attribute(tag, "date-value")?,
        "time" => attribute(tag, "time-value")?,
        "boolean" => attribute(tag, "boolean-value")?,
        "string" => attribute(tag, "string-value")?,
        _ => None,
    };
    Ok(Open {
        kind,
        value,
        text: String::new(),
        times: times(tag, "number-columns-repeated")? as usize,
    })
}

fn times(tag: &quick_xml::events::BytesStart<'_>, name: &str) -> io::Result<u64> {
    let given = attribute(tag, name)?.and_then(|text| text.parse::<u64>().ok());
    Ok(given.unwrap_or(1).clamp(1, MOST_ROWS))
}

fn content_of(cell: Open) -> Option<Cell> {
    let Open { kind, value, text, .. } = cell;
    match (kind.as_str(), value) {
        ("float" | "percentage" | "currency", Some(value)) => Some(Cell::Number(value)),
        ("", _) => None,
        (_, value) => Some(value.unwrap_or(text)).filter(|text| !text.is_empty()).map(Cell::Text),
    }
}

impl Rows for SheetRows {
    fn next_row(&mut self) -> io::Result<Option<Row>> {
        while !self.ended {
            let Some(token) = self.xml.next()? else { break };
            match token {
                Token::Start(tag) if tag.local_name().as_ref() == "table-row" => {
                    let times = times(&tag, "number-rows-repeated")?;
                    let cells = self.cells()?;
                    let number = self.row + 1;
                    self.row += times;
                    if !cells.is_empty() {
                        check_row(self.row)?;
                        return Ok(Some(Row { number, times, cells }));
                    }
                }
                Token::End(name) if name == "table" => self.ended = true,
                _ => {}
            }
        }
        Ok(None)
    }
}
