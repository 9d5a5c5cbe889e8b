//! Archives and workbooks put together by hand.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::io::Write;

/// A zip archive of these files, each deflated.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut list) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut packed =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(content).unwrap();
        let packed = packed.finish().unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let mut common = vec![20, 0, 0, 0, 8, 0, 0, 0, 0, 0];
        common.extend(crc.sum().to_le_bytes());
        common.extend((packed.len() as u32).to_le_bytes());
        common.extend((content.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        list.extend(b"PK\x01\x02\x14\x00");
        list.extend(&common);
        list.extend([0; 10]);
        list.extend((archive.len() as u32).to_le_bytes());
        list.extend(name.bytes());
        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(name.bytes());
        archive.extend(packed);
    }
    let (at, size, count) = (archive.len() as u32, list.len() as u32, files.len() as u16);
    archive.extend(list);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend(count.to_le_bytes());
    archive.extend(count.to_le_bytes());
    archive.extend(size.to_le_bytes());
    archive.extend(at.to_le_bytes());
    archive.extend([0, 0]);
    archive
}

const MAIN: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A workbook of Excel with these sheets, given by the inside of `<sheetData>` and what follows it.
/// Style 1 shows dates; the texts are those that all cells share.
pub(crate) fn xlsx(sheets: &[(&str, &str)], texts: &[&str]) -> Vec<u8> {
    let mut book = String::from("<?xml version=\"1.0\"?><workbook><sheets>");
    let mut places = String::from("<Relationships>");
    let mut files: Vec<(String, String)> = Vec::new();
    for (at, (name, rows)) in (1..).zip(sheets) {
        book += &format!("<sheet name=\"{name}\" sheetId=\"{at}\" r:id=\"rId{at}\"/>");
        places += &format!(
            "<Relationship Id=\"rId{at}\" Type=\"{MAIN}/worksheet\" \
             Target=\"worksheets/sheet{at}.xml\"/>"
        );
        let (rows, after) = rows.split_once("|||").unwrap_or((rows, ""));
        let sheet = format!("<worksheet><sheetData>{rows}</sheetData>{after}</worksheet>");
        files.push((format!("xl/worksheets/sheet{at}.xml"), sheet));
    }
    places += &format!(
        "<Relationship Id=\"s\" Type=\"{MAIN}/styles\" Target=\"styles.xml\"/>\
         <Relationship Id=\"t\" Type=\"{MAIN}/sharedStrings\" Target=\"/xl/sharedStrings.xml\"/>\
         </Relationships>"
    );
    let shared: String = texts.iter().map(|text| format!("<si><t>{text}</t></si>")).collect();
    let styles = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/>\
                  </numFmts><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/></cellXfs>\
                  </styleSheet>";
    files.push(("xl/workbook.xml".into(), book + "</sheets></workbook>"));
    files.push(("xl/_rels/workbook.xml.rels".into(), places));
    files.push(("xl/styles.xml".into(), styles.into()));
    files.push(("xl/sharedStrings.xml".into(), format!("<sst>{shared}</sst>")));
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    zip(&files)
}

/// An OpenDocument spreadsheet with these sheets, given by their rows.
pub(crate) fn ods(sheets: &[(&str, &str)]) -> Vec<u8> {
    let sheets: String = sheets
        .iter()
        .map(|(name, rows)| format!("<table:table table:name=\"{name}\">{rows}</table:table>"))
        .collect();
    let content = format!(
        "<office:document-content><office:body><office:spreadsheet>{sheets}</office:spreadsheet>\
         </office:body></office:document-content>"
    );
    zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_bytes()),
    ])
}

/// A NumPy array of doubles.
pub(crate) fn npy(shape: &str, values: &[f64]) -> Vec<u8> {
    let head = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}
