//! Workbooks, archives and JSON lines: put together from what they are made of, before and after
//! they are packed.

use crate::archives::{npy, ods, xlsx, zip};
use crate::random::Random;

const VALUES: [&str; 14] =
    ["1", "2.5", "-3e2", "0", "NA", "", "1e400", "x", "TRUE", "43831", "99", "&amp;", "&#65;", "3"];

/// A workbook of Excel.
pub(crate) fn make_xlsx(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    if let Some(bytes) = known(random, corpus) {
        return bytes;
    }
    let (rows, columns) = (1 + random.below(12), 1 + random.below(5));
    let mut sheet = String::new();
    for row in 1..=rows {
        let number = if random.once_in(9) { random.number(row as i64) } else { row as i64 };
        sheet += &format!("<row r=\"{number}\">");
        for column in 0..columns {
            let letter = random.pick(&["A", "B", "C", "D", "AA", "ZZZZZ", ""]);
            let place = match random.once_in(12) {
                true => format!("{letter}{row}"),
                false => format!("{}{row}", char::from(b'A' + column as u8)),
            };
            let plain = !random.once_in(4);
            let kind = if plain { "n" } else { random.pick(&["s", "str", "b", "e", "d", "x"]) };
            let style = random.below(3);
            let value = if row == 1 { "n" } else { random.pick(&VALUES) };
            let value = if row == 1 { format!("{value}{column}") } else { value.to_string() };
            let kind = if row == 1 { "str" } else { kind };
            sheet += &format!("<c r=\"{place}\" t=\"{kind}\" s=\"{style}\"><v>{value}</v></c>");
        }
        sheet += "</row>";
    }
    if random.once_in(6) {
        sheet += "|||<mergeCells><mergeCell ref=\"A1:A9\"/></mergeCells>";
    }
    let sheet = damaged(random, sheet);
    let mut bytes = xlsx(&[("a", &sheet), ("b", "")], &["one", "two", "two"]);
    if random.once_in(4) {
        random.change(&mut bytes);
    }
    bytes
}

/// An OpenDocument spreadsheet.
pub(crate) fn make_ods(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    if let Some(bytes) = known(random, corpus) {
        return bytes;
    }
    let (rows, columns) = (1 + random.below(12), 1 + random.below(5));
    let mut sheet = String::new();
    for row in 0..rows {
        let times = match random.below(8) {
            0 => format!(" table:number-rows-repeated=\"{}\"", random.number(2).min(70)),
            _ => String::new(),
        };
        sheet += &format!("<table:table-row{times}>");
        for column in 0..columns {
            let value = random.pick(&VALUES);
            let times = match random.below(20) {
                0 => format!(" table:number-columns-repeated=\"{}\"", random.number(2)),
                _ => String::new(),
            };
            sheet += &match (row, random.below(6)) {
                (0, _) => format!(
                    "<table:table-cell office:value-type=\"string\"><text:p>n{column}</text:p>\
                     </table:table-cell>"
                ),
                (_, 0) => format!("<table:table-cell{times}/>"),
                (_, 1) => "<table:table-cell office:value-type=\"date\" office:date-value=\"2020-01-02\"/>".to_string(),
                _ => format!(
                    "<table:table-cell{times} office:value-type=\"float\" office:value=\"{value}\"/>"
                ),
            };
        }
        sheet += "</table:table-row>";
    }
    let sheet = damaged(random, sheet);
    let mut bytes = ods(&[("a", &sheet)]);
    if random.once_in(4) {
        random.change(&mut bytes);
    }
    bytes
}

/// An archive of arrays or of text.
pub(crate) fn make_zip(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    if let Some(bytes) = known(random, corpus) {
        return bytes;
    }
    let rows = 2 + random.below(20);
    let values: Vec<f64> = (0..3 * rows).map(|i| (i * 7 % 11) as f64).collect();
    let other = random.number(rows as i64);
    let (table, column) =
        (npy(&format!("{rows}, 3"), &values), npy(&format!("{rows},"), &values[..rows]));
    let wrong = npy(&format!("{other},"), &values[..rows]);
    let mut bytes = match random.below(6) {
        0 => zip(&[("a.npy", &table)]),
        1 => zip(&[("a.npy", &column), ("b.npy", &column)]),
        2 => zip(&[("a.npy", &column), ("b.npy", &wrong)]),
        3 => zip(&[("a.npy", &table), ("b.npy", &column)]),
        4 => zip(&[("a.csv", b"a,b\n1,2\n3,4\n"), ("b.md", b"x")]),
        _ => zip(&[("a.csv", &zip(&[("a.csv", b"a,b\n1,2\n3,5\n")]))]),
    };
    if random.once_in(2) {
        random.change(&mut bytes);
    }
    bytes
}

/// JSON lines.
pub(crate) fn make_lines(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    if let Some(bytes) = known(random, corpus) {
        return bytes;
    }
    const CELLS: [&str; 14] = [
        "1",
        "2.5",
        "-3e2",
        "null",
        "true",
        "\"x\"",
        "\"\\u0041\"",
        "[1]",
        "{\"a\":1}",
        "1e999",
        "9007199254740993",
        "\"\"",
        "NaN",
        "0.1",
    ];
    let mut text = String::new();
    for _ in 0..2 + random.below(20) {
        let mut pairs = Vec::new();
        for name in ["a", "b", "c", "d,\\n"].iter().take(2 + random.below(3)) {
            let cell =
                if random.once_in(5) { random.pick(&CELLS) } else { random.pick(&CELLS[..3]) };
            pairs.push(format!("\"{name}\": {cell}"));
        }
        if random.once_in(3) {
            pairs.reverse();
        }
        text += &format!(
            "{{{}}}{}",
            pairs.join(", "),
            random.pick(&["\n", "\n", "\n", "\r\n", "\n\n"])
        );
    }
    let mut bytes = text.into_bytes();
    if random.once_in(3) {
        random.change(&mut bytes);
    }
    bytes
}

/// A good file with some damage, now and then.
fn known(random: &mut Random, corpus: &[Vec<u8>]) -> Option<Vec<u8>> {
    if corpus.is_empty() || !random.once_in(4) {
        return None;
    }
    let mut bytes = corpus[random.below(corpus.len())].clone();
    random.change(&mut bytes);
    Some(bytes)
}

/// Text with some damage, now and then.
fn damaged(random: &mut Random, text: String) -> String {
    if !random.once_in(3) {
        return text;
    }
    let mut bytes = text.into_bytes();
    random.change(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
