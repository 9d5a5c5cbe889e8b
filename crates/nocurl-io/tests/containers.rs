//! Tables inside other files: sheets, archives, packed files, JSON lines.

mod common;

use std::io::Write;

use common::{npy, ods, xlsx, zip};
use nocurl::Run;
use nocurl_io::{Format, LeftOut, ReadOptions, Source, Table, read_dataset, read_moments};

fn read(name: &str, bytes: &[u8], options: &ReadOptions) -> Table<nocurl::Dataset> {
    let source = Source::bytes(name, bytes);
    let table = read_dataset(&source, options, &Run::default()).unwrap();
    let moments = read_moments(&source, options, &Run::default()).unwrap();
    assert_eq!(moments.data.variables(), table.data.variables());
    table
}

fn refused(name: &str, bytes: &[u8], options: &ReadOptions) -> String {
    let source = Source::bytes(name, bytes);
    let words = read_moments(&source, options, &Run::default()).unwrap_err().to_string();
    assert!(!words.contains('\n'), "{words}");
    words
}

fn sheet(name: &str) -> ReadOptions {
    ReadOptions { sheet: Some(name.into()), ..Default::default() }
}

/// Rows of a number, a text, a date and a truth value, below a title and names.
fn rows() -> String {
    let mut rows = String::from(
        "<row r=\"1\"><c r=\"B1\" t=\"inlineStr\"><is><t>Weights of 2020</t></is></c></row>\
         <row r=\"3\"><c r=\"B3\" t=\"s\"><v>0</v></c><c r=\"C3\" t=\"s\"><v>1</v></c>\
         <c r=\"E3\" t=\"s\"><v>2</v></c><c r=\"F3\" t=\"s\"><v>3</v></c></row>",
    );
    for i in 0..12 {
        let (r, kind, day) = (4 + i, 4 + i % 2, 43_831 + i);
        rows += &format!(
            "<row r=\"{r}\"><c r=\"B{r}\"><f>A1*2</f><v>{}.5</v></c><c r=\"C{r}\" t=\"s\"><v>{kind}\
             </v></c><c r=\"E{r}\" s=\"1\"><v>{day}</v></c><c r=\"F{r}\" t=\"b\"><v>{}</v></c></row>",
            i * 7 % 5,
            u8::from(i % 3 == 0)
        );
    }
    rows
}

const TEXTS: [&str; 6] = ["weight", "kind &amp; breed", "day", "fed", "cat", "do<!-- -->g"];

#[test]
fn a_sheet_of_excel_is_a_table() {
    let book = xlsx(&[("empty", ""), ("data", &rows()), ("other", &rows())], &TEXTS);
    for name in ["t.xlsx", "t", "t.zip"] {
        let table = read(name, &book, &ReadOptions::default());
        assert_eq!(table.data.names(), ["weight", "kind & breed", "fed"]);
        assert_eq!(table.rows, 12);
        assert_eq!(table.data.column(0)[..3], [0.5, 2.5, 4.5]);
        assert_eq!(table.data.variables().list()[1].levels, ["cat", "dog"]);
        assert_eq!(table.left_out, [("day".to_string(), LeftOut::Date)]);
        assert_eq!(table.origin.as_ref().unwrap().format, Format::Xlsx);
        let words: Vec<String> = table.warnings.iter().map(ToString::to_string).collect();
        assert!(words[0].contains("read sheet `data` of 3"), "{words:?}");
        assert!(words[1].contains("Weights of 2020"), "{words:?}");
    }
    assert_eq!(read("t.xlsx", &book, &sheet("other")).rows, 12);
    assert_eq!(read("t.xlsx", &book, &sheet("3")).rows, 12);
    let words = refused("t.xlsx", &book, &sheet("none"));
    assert_eq!(words, "`t.xlsx` has no sheet `none`; there are `empty`, `data`, `other`");
    assert!(
        refused("t.xlsx", &book, &sheet("empty")).contains("sheet `empty` of `t.xlsx` is empty")
    );
}

#[test]
fn lines_of_messages_are_rows_of_the_sheet() {
    let rows = rows().replace("<v>4.5</v></c><c r=\"C6\"", "<v></v></c><c r=\"C6\"");
    let book = xlsx(&[("data", &rows)], &TEXTS);
    let words = refused("t.xlsx", &book, &ReadOptions::default());
    assert!(words.contains("`weight` has no value in row 3 (line 6)"), "{words}");
    let rows = rows.replace("<v></v></c><c r=\"C6\"", "<v>#DIV/0!</v></c><c r=\"C6\"");
    let book = xlsx(&[("data", &rows)], &TEXTS);
    let words = refused("t.xlsx", &book, &ReadOptions::default());
    assert!(words.contains("`#DIV/0!` (line 6)"), "{words}");
}

#[test]
fn what_a_sheet_does_not_tell_is_said() {
    let formula = rows().replace("<f>A1*2</f><v>0.5</v>", "<f>A1*2</f>");
    let merged = format!("{formula}|||<mergeCells><mergeCell ref=\"A4:A7\"/></mergeCells>");
    let options = ReadOptions { missing: nocurl_io::Missing::Drop, ..Default::default() };
    let table = read("t.xlsx", &xlsx(&[("data", &merged)], &TEXTS), &options);
    let words: Vec<String> = table.warnings.iter().map(ToString::to_string).collect();
    assert!(words.iter().any(|words| words.contains("formulas have no value")), "{words:?}");
    assert!(words.iter().any(|words| words.contains("merged") && words.contains("A4:A7")));
    let words = refused("t.csv", b"a,b\n1,2\n3,4\n", &sheet("2"));
    assert!(words.contains("without sheets"), "{words}");
}

#[test]
fn broken_workbooks_are_refused() {
    let options = ReadOptions::default();
    let book = xlsx(&[("data", &rows())], &TEXTS);
    for (cut, name) in [(book.len() / 2, "t.xlsx"), (40, "t.xlsx"), (book.len() - 30, "t.ods")] {
        let words = refused(name, &book[..cut], &options);
        assert!(words.contains("may have been cut off"), "{words}");
    }
    let old = [&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1][..], &[0; 600]].concat();
    for name in ["t.xlsx", "t.xls", "t"] {
        let words = refused(name, &old, &options);
        assert!(words.contains("with a password or of before 2007"), "{words}");
    }
    let wrong = rows().replace("<v>5</v>", "<v>99</v>");
    let words = refused("t.xlsx", &xlsx(&[("data", &wrong)], &TEXTS), &options);
    assert!(words.contains("a cell refers to a text that is not there"), "{words}");
    let open = rows().replace("</row>", "");
    let words = refused("t.xlsx", &xlsx(&[("data", &open)], &TEXTS), &options);
    assert!(words.contains("t.xlsx"), "{words}");
    let wide = "<row r=\"1\"><c r=\"XFE1\"><v>1</v></c></row>";
    let words = refused("t.xlsx", &xlsx(&[("data", wide)], &TEXTS), &options);
    assert!(words.contains("more than 16384 columns"), "{words}");
    assert!(refused("t.xlsx", b"a,b\n1,2\n3,4\n", &options).contains("may be of another kind"));
    let mut changed = book.clone();
    // The checksum of the first member, in the list.
    let at = changed.windows(4).position(|part| part == b"PK\x01\x02").unwrap() + 16;
    changed[at] ^= 1;
    let words = refused("t.xlsx", &changed, &options);
    assert!(words.contains("not what its checksum says"), "{words}");
}

const CELL: &str = "<table:table-cell office:value-type=";

#[test]
fn a_sheet_of_open_document_is_a_table() {
    let text = |text: &str| format!("{CELL}\"string\"><text:p>{text}</text:p></table:table-cell>");
    let names = ["x", "y", "day", "well"].map(text).concat();
    let mut rows = format!(
        "<table:table-row>{names}</table:table-row>\
         <table:table-row table:number-rows-repeated=\"2\"><table:table-cell/></table:table-row>"
    );
    for i in 0..10 {
        let repeated = if i == 4 { " table:number-rows-repeated=\"3\"" } else { "" };
        rows += &format!(
            "<table:table-row{repeated}>{CELL}\"float\" office:value=\"{i}.25\"><text:p>{i}\
             </text:p></table:table-cell>{CELL}\"percentage\" office:value=\"{}\"/>{CELL}\"date\" \
             office:date-value=\"2020-01-0{}\"/>{CELL}\"boolean\" office:boolean-value=\"{}\">\
             <office:annotation><text:p>a note</text:p></office:annotation><text:p>so</text:p>\
             </table:table-cell><table:table-cell table:number-columns-repeated=\"1020\"/>\
             </table:table-row>",
            i * 3 % 7,
            i % 9 + 1,
            i % 2 == 0
        );
    }
    rows += "<table:table-row table:number-rows-repeated=\"1048000\"><table:table-cell \
             table:number-columns-repeated=\"1024\"/></table:table-row>";
    let book = ods(&[("Sheet1", &rows), ("Sheet2", "")]);
    let table = read("t.ods", &book, &ReadOptions::default());
    assert_eq!(table.data.names(), ["x", "y", "well"]);
    assert_eq!(table.rows, 12);
    assert_eq!(table.data.column(0)[3..8], [3.25, 4.25, 4.25, 4.25, 5.25]);
    assert_eq!(table.left_out, [("day".to_string(), LeftOut::Date)]);
    assert_eq!(table.origin.unwrap().format, Format::Ods);
    let words = refused("t.ods", &book, &sheet("Sheet3"));
    assert!(words.contains("there are `Sheet1`, `Sheet2`"), "{words}");
}

#[test]
fn small_files_that_stand_for_large_ones_are_refused() {
    let options = ReadOptions::default();
    let all = "<table:table-row table:number-rows-repeated=\"1048576\"><table:table-cell \
               office:value-type=\"float\" office:value=\"1\" \
               table:number-columns-repeated=\"16384\"/></table:table-row>";
    let words = refused("t.ods", &ods(&[("all", all)]), &options);
    assert!(words.contains("more than"), "{words}");
    let long = format!("<row><c t=\"str\"><v>{}</v></c></row>", "x".repeat(5 << 20));
    let words = refused("t.xlsx", &xlsx(&[("data", &long)], &[]), &options);
    assert!(words.contains("a cell in it is longer than 4 MiB"), "{words}");
    let wide = format!(
        "<row>{}</row>",
        format!("<c t=\"str\"><v>{}</v></c>", "x".repeat(3 << 20)).repeat(30)
    );
    let words = refused("t.xlsx", &xlsx(&[("data", &wide)], &[]), &options);
    assert!(
        words.contains("a row of it has more than 64 MiB") || words.contains("is empty"),
        "{words}"
    );
}

const TABLE: &[u8] = b"a,b\n1,2\n3,5\n2,2\n";

#[test]
fn an_archive_with_one_table_is_read() {
    let options = ReadOptions::default();
    for files in [
        vec![("deep/t.csv", TABLE)],
        vec![("t.csv", TABLE), ("README.md", b"words"), ("__MACOSX/._t.csv", b"?")],
        vec![("t", TABLE)],
    ] {
        let table = read("t.zip", &zip(&files), &options);
        assert_eq!(table.data.names(), ["a", "b"]);
        assert_eq!(table.data.column(1), [2.0, 5.0, 2.0]);
    }
    let two = zip(&[("one.csv", TABLE), ("more/two.tsv", TABLE)]);
    let words = refused("t.zip", &two, &options);
    assert!(
        words.contains("holds several tables: `one.csv`, `more/two.tsv`; choose one"),
        "{words}"
    );
    assert_eq!(read("t.zip", &two, &sheet("one.csv")).rows, 3);
    let words = refused("t.zip", &two, &sheet("three.csv"));
    assert!(words.contains("has no file `three.csv`"), "{words}");
    let words = refused("t.zip", &zip(&[("a.md", b"x"), ("b.md", b"y")]), &options);
    assert!(words.contains("it holds no table, but `a.md`, `b.md`"), "{words}");
    let mut secret = zip(&[("t.csv", TABLE)]);
    let at = secret.windows(4).position(|part| part == b"PK\x01\x02").unwrap() + 8;
    secret[at] |= 1;
    assert!(refused("t.zip", &secret, &options).contains("it is encrypted"));
}

#[test]
fn packed_text_is_read_and_what_is_cut_off_is_not() {
    let text: Vec<u8> = (0..5000)
        .flat_map(|i| format!("{},{}.5\n", i * 37 % 101, i * 61 % 97).into_bytes())
        .collect();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&text).unwrap();
    let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bz.write_all(&text).unwrap();
    for (name, bytes) in [
        ("t.csv.gz", gz.finish().unwrap()),
        ("t.csv.bz2", bz.finish().unwrap()),
        ("t.csv.zst", zstd::encode_all(&text[..], 1).unwrap()),
    ] {
        assert_eq!(read(name, &bytes, &ReadOptions::default()).rows, 5000);
        let words = refused(name, &bytes[..bytes.len() - 100], &ReadOptions::default());
        assert!(words.contains("it is no whole"), "{words}");
    }
}

#[test]
fn arrays_of_numpy_are_tables() {
    let table: Vec<f64> = (0..30).map(|i| f64::from(i * 7 % 11)).collect();
    let options = ReadOptions::default();
    let one = zip(&[("arr_0.npy", &npy("10, 3", &table))]);
    assert_eq!(read("t.npz", &one, &options).data.names(), ["x1", "x2", "x3"]);
    let two: [(&str, &[u8]); 2] =
        [("age.npy", &npy("15,", &table[..15])), ("dose.npy", &npy("15,", &table[15..]))];
    let columns = read("t.npz", &zip(&two), &options);
    assert_eq!(columns.data.names(), ["age", "dose"]);
    assert_eq!(columns.data.column(1), &table[15..]);
    assert_eq!(columns.origin.unwrap().format, Format::Npz);
    let both = zip(&[two[0], ("X.npy", &npy("10, 3", &table))]);
    let words = refused("t.npz", &both, &options);
    assert!(words.contains("several arrays: `age (15)`, `X (10 x 3)`; choose one"), "{words}");
    assert_eq!(read("t.npz", &both, &sheet("X")).rows, 10);
    assert!(
        refused("t.npz", &both, &sheet("Y")).contains("has no array `Y`; there are `age`, `X`")
    );
}

#[test]
fn json_lines_are_rows() {
    let mut text = String::new();
    for i in 0..12 {
        let kind = ["cat", "do\\u0067"][i % 2];
        text += &format!(
            "{{\"x\": {}.5e0, \"kind\": \"{kind}\", \"tags\": [1, {i}], \"ok\": {}}}\n\n",
            i * 5 % 7,
            i % 3 == 0
        );
    }
    text += "{\"kind\": \"cat\", \"x\": 1, \"ok\": true, \"late\": null}\n";
    for name in ["t.jsonl", "t.ndjson", "t"] {
        let table = read(name, text.as_bytes(), &ReadOptions::default());
        assert_eq!(table.data.names(), ["x", "kind", "ok"]);
        assert_eq!(table.data.variables().list()[1].levels, ["cat", "dog"]);
        assert_eq!(table.rows, 13);
        let left: Vec<&str> = table.left_out.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(left, ["late", "tags"]);
        assert_eq!(table.origin.unwrap().format, Format::Jsonl);
    }
    let gap = text.replace("\"x\": 1,", "\"x\": null,");
    let words = refused("t.jsonl", gap.as_bytes(), &ReadOptions::default());
    assert!(words.contains("`x` has no value in row 13 (line 25)"), "{words}");
    let words = refused("t.jsonl", b"{\"a\": 1, \"b\": 2}\n{\"a\": 1,\n", &ReadOptions::default());
    assert!(words.contains("line 2"), "{words}");
    let words = refused("t.jsonl", b"[1, 2]\n[3, 4]\n", &ReadOptions::default());
    assert!(words.contains("line 1") && words.contains("an object with names"), "{words}");
}

#[test]
fn other_programs_are_named_with_what_converts_them() {
    for (name, line) in [
        ("t.sav", "pandas.read_spss(path)"),
        ("t.dta", "pandas.read_stata(path)"),
        ("t.rds", "readRDS(path)"),
        ("t.RData", "load(path)"),
        ("t.json", "pandas.read_json(path)"),
        ("t.sas7bdat", "pandas.read_sas(path)"),
        ("t.h5", "pandas.read_hdf(path)"),
    ] {
        let start: &[u8] = if name == "t.h5" { b"\x89HDF\r\n\x1a\n" } else { b"[1, 2]\x01" };
        let words = refused(name, start, &ReadOptions::default());
        assert!(words.contains("convert it in") && words.contains(line), "{words}");
    }
}

#[test]
fn files_of_other_programs_are_the_same_table() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tables");
    let read = |name: &str| {
        let source = Source::new(folder.join(name));
        read_dataset(&source, &ReadOptions::default(), &Run::default()).unwrap()
    };
    let expected = read("book.csv");
    assert_eq!(expected.data.names(), ["weight", "count", "kind", "well"]);
    let names = [
        "openpyxl.xlsx",
        "xlsxwriter.xlsx",
        "odfpy.ods",
        "pandas.jsonl",
        "pandas.csv.bz2",
        "pandas.zip",
    ];
    for name in names {
        let table = read(name);
        // Truth values are spelt in several ways.
        assert_eq!(table.data.names(), expected.data.names(), "{name}");
        for column in 0..3 {
            assert_eq!(table.data.column(column), expected.data.column(column), "{name}");
        }
        let well: Vec<bool> =
            table.data.column(3).iter().map(|&x| x == table.data.column(3)[0]).collect();
        let other: Vec<bool> =
            expected.data.column(3).iter().map(|&x| x == expected.data.column(3)[0]).collect();
        assert_eq!(well, other, "{name}");
        assert!(table.left_out.contains(&("day".into(), LeftOut::Date)), "{name}");
    }
    let arrays = read("columns.npz");
    assert_eq!(arrays.data.names(), ["weight", "count"]);
    assert_eq!(arrays.data.column(1), expected.data.column(1));
}

#[test]
fn a_row_that_no_sheet_has_is_refused() {
    let row = |r: u64, value: &str| {
        let other = r % 7;
        format!(
            "<row r=\"{r}\"><c r=\"A{r}\"><v>{value}</v></c><c r=\"B{r}\"><v>{other}</v></c></row>"
        )
    };
    let book = |far: u64, after: &str| {
        let rows = row(2, "1") + &row(3, "3") + &row(far, "5") + after;
        xlsx(&[("data", &rows)], &[])
    };
    let options = ReadOptions { header: nocurl_io::Header::No, ..Default::default() };
    for (far, after) in
        [(1 << 28, ""), ((1 << 20) + 1, ""), (u64::MAX, "<row><c><v>1</v></c></row>")]
    {
        let words = refused("t.xlsx", &book(far, after), &options);
        assert!(words.ends_with("it has more than 1048576 rows"), "{words}");
    }
    assert_eq!(read("t.xlsx", &book(1 << 20, ""), &options).rows, 3);
}

#[test]
fn a_packed_file_is_refused_by_its_start() {
    let gzip = |bytes: &[u8]| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    };
    // Its end is missing, which is seen only by who unpacks all of it.
    let mut bytes = gzip(&vec![0; 40 << 20]);
    bytes.truncate(bytes.len() / 2);
    for (name, words) in [
        ("t.csv.gz", "CSV file: it holds zero bytes, so it is not text"),
        ("t.jsonl.gz", "JSON lines file: it holds zero bytes, so it is not text"),
        ("t.npy.gz", "NumPy file: it does not begin as such a file does"),
        ("t.parquet.gz", "Parquet file: it does not begin as such a file does"),
    ] {
        let told = ReadOptions { categorical: vec!["a".into()], ..Default::default() };
        for options in [ReadOptions::default(), told] {
            let found = refused(name, &bytes, &options);
            assert!(found.contains(words), "{found}");
        }
    }
    let late = [&b"a,b\n"[..], &b"1,2\n".repeat(3 << 20), &vec![0; 40 << 20]].concat();
    let found = refused("t.csv.gz", &gzip(&late), &ReadOptions::default());
    assert!(found.contains("it holds zero bytes"), "{found}");
}

/// A row of cells: numbers as they are, other words as text.
fn row(r: usize, cells: &[&str]) -> String {
    let cell = |(at, text): (usize, &&str)| {
        let place = char::from(b'A' + at as u8);
        match text.parse::<f64>() {
            _ if text.is_empty() => String::new(),
            Ok(_) => format!("<c r=\"{place}{r}\"><v>{text}</v></c>"),
            Err(_) => format!("<c r=\"{place}{r}\" t=\"inlineStr\"><is><t>{text}</t></is></c>"),
        }
    };
    let cells: String = cells.iter().enumerate().map(cell).collect();
    format!("<row r=\"{r}\">{cells}</row>")
}

#[test]
fn notes_and_units_of_a_sheet_are_passed_over() {
    let mut rows = row(1, &["Measured by Ann"]) + &row(2, &["Contact", "ann@example.org"]);
    rows += &(row(4, &["a", "b", "c", "d", "e"]) + &row(5, &["mm", "kg", "s", "m", "K"]));
    for i in 0..20 {
        let cells = [1, 2, 3, 4, 5].map(|j| format!("{}.5", i * j % 7));
        rows += &row(6 + i, &cells.each_ref().map(String::as_str));
    }
    let table = read("t.xlsx", &xlsx(&[("s", &rows)], &[]), &ReadOptions::default());
    assert_eq!((table.rows, table.data.names().join("")), (20, "abcde".into()));
    let notes: Vec<String> = table.warnings.iter().map(ToString::to_string).collect();
    assert!(notes[0].contains("`Measured by Ann`") && notes[1].contains("units"), "{notes:?}");
}

#[test]
fn whole_numbers_of_a_sheet_were_doubles_already() {
    // Programs write the double, which is whole and does not show that it was rounded.
    let rows = |large: &str| {
        let cells = [["id", "b"], [large, "2"], ["2", "4"], ["3", "5"]];
        cells.iter().enumerate().map(|(i, cells)| row(i + 1, cells)).collect::<String>()
    };
    for (large, told) in
        [("9007199254740992", true), ("9007199254740991", false), ("1.5E+300", false)]
    {
        let table = read("t.xlsx", &xlsx(&[("s", &rows(large))], &[]), &ReadOptions::default());
        let notes: Vec<String> = table.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(notes.iter().any(|note| note.contains("beyond 2^53")), told, "{notes:?}");
    }
}
