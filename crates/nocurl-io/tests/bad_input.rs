//! Bad input is an error on one line, and never a panic.

use nocurl::Run;
use nocurl_io::{
    Error, Format, Missing, ReadOptions, Source, read_dataset, read_graph, read_matrix,
    read_moments,
};
use proptest::prelude::*;

fn testdata(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tables").join(name)
}

fn message(source: &Source, options: &ReadOptions) -> String {
    let text = read_moments(source, options, &Run::default()).unwrap_err().to_string();
    assert!(!text.contains('\n'), "{text}");
    let rows = read_dataset(source, options, &Run::default()).unwrap_err().to_string();
    assert_eq!(text, rows, "both readers say the same");
    text
}

fn csv(text: impl AsRef<[u8]>) -> String {
    message(&Source::bytes("t.csv", text), &ReadOptions::default())
}

#[test]
fn text_tables() {
    for (input, expected) in [
        ("", "`t.csv` is empty"),
        ("\n \n", "`t.csv` is empty"),
        ("a,b\n", "`t.csv` has a header but no rows of data"),
        ("a,b\n1,2\n3\n", "`t.csv`, line 3: 1 cells where 2 are expected"),
        ("a,b\n\n1,2\n3,4,5\n", "`t.csv`, line 4: 3 cells where 2 are expected"),
        (
            "a,b\n1,2\n3,oh no\n",
            "1 column is left, and at least 2 are needed to learn a graph: \
             left out `b` (identifier); to keep as a category, use `categorical = [b]`",
        ),
        (
            "a,b\n1,2\n,4\n5,NA\n",
            "column `a` has no value in row 2 (line 3), and 2 values are missing in all \
             (also `b` 1); `missing = drop` keeps 1 of 3 rows, `missing = em` estimates these 2 values",
        ),
        (
            "a,b\n1,2\n3,nan\n",
            "column `b` has no value in row 2 (line 3), and 1 value is missing in all; \
             `missing = drop` keeps 1 of 2 rows, `missing = em` estimates this value",
        ),
        (
            "a,b\n1,2\n3,-inf\n",
            "column `b` is infinite in row 2 (line 3), and 1 value is infinite in all; use \
             `na = [-inf]` and `missing = drop` if they stand for missing values, correct them, or \
             leave out `b`",
        ),
        (
            "a,b,c\n1,2,inf\n-inf,,3\n4,inf,5\n",
            "column `c` is infinite in row 1 (line 2), and 3 values are infinite in all (also `a` \
             1, `b` 1); use `na = [inf,-inf]` and `missing = drop` if they stand for missing \
             values, correct them, or leave out `c`, `a`, `b`; besides, column `b` has no value in \
             row 2 (line 3), and 1 value is missing in all; `missing = drop` keeps 2 of 3 rows, \
             `missing = em` estimates this value",
        ),
        ("a,b,a\n1,2,3\n", "columns 1 and 3 are both called `a`; names must be unique"),
        ("a\n1\n2\n", "1 column of data: at least 2 are needed to learn a graph"),
        ("a,b\n1,2\n", "1 row of data: at least 2 are needed"),
        ("PK\0\0", "`t.csv` is not a valid CSV file: it holds zero bytes, so it is not text"),
    ] {
        assert_eq!(csv(input), expected, "{input:?}");
    }
    assert_eq!(csv(b"\xff\xfea\0,\0b\0"), "`t.csv` has a header but no rows of data");
    let long = format!("a,b\n1,2\n3,{}\n", "x".repeat(500));
    assert!(csv(long).len() < 200);
    // A gap does not hide an infinite value, nor does dropping rows.
    let source = Source::bytes("t.csv", "a,b\n1,\n3,inf\n4,5\n6,7\n");
    let options = ReadOptions { missing: Missing::Drop, ..Default::default() };
    assert!(message(&source, &options).contains("infinite in row 2"));
}

#[test]
fn dropping_every_row_leaves_too_few() {
    let source = Source::bytes("t.csv", "a,b\n1,\n,3\n4,5\n");
    let options = ReadOptions { missing: Missing::Drop, ..Default::default() };
    assert_eq!(
        message(&source, &options),
        "1 row has no gap, and at least 2 are needed; 2 were left out: estimate what is missing \
         with `missing = em`, or leave out the columns with most gaps"
    );
}

#[test]
fn selections() {
    let source = Source::bytes("t.csv", "height,weight,age\n1,2,3\n4,5,6\n");
    let with = |columns: &[&str], drop: &[&str]| ReadOptions {
        columns: (!columns.is_empty()).then(|| columns.iter().map(|&c| c.into()).collect()),
        drop: drop.iter().map(|&c| c.into()).collect(),
        ..Default::default()
    };
    assert_eq!(
        message(&source, &with(&["heigth", "age"], &[])),
        "there is no column `heigth`; did you mean `height`?"
    );
    assert_eq!(message(&source, &with(&[], &["income"])), "there is no column `income`");
    assert!(message(&source, &with(&["age", "age"], &[])).contains("both called `age`"));
    assert!(message(&source, &with(&[], &["age", "weight"])).starts_with("1 column of data"));
    let few = ReadOptions { max_columns: 2, ..Default::default() };
    assert!(message(&source, &few).contains("3 columns, more than 2"));
}

#[test]
fn files_that_cannot_be_read() {
    let options = ReadOptions::default();
    let missing = message(&Source::new("no/such/file.csv"), &options);
    assert_eq!(missing, "cannot read `no/such/file.csv`: there is no such file");
    let folder = tempfile::tempdir().unwrap();
    assert!(message(&Source::new(folder.path()), &options).ends_with("it is a folder"));
}

#[test]
fn arrays_that_are_no_tables() {
    let say = |name: &str| {
        let text = message(&Source::new(testdata(name)), &ReadOptions::default());
        text.rsplit("`: ").next().unwrap_or_default().to_string()
    };
    assert_eq!(say("vector.npy"), "the array has 1 dimensions, a table has 2");
    assert_eq!(say("cube.npy"), "the array has 3 dimensions, a table has 2");
    assert!(say("object.npy").contains("are not read"), "{}", say("object.npy"));
    assert!(say("complex.npy").contains("are not read"), "{}", say("complex.npy"));
}

#[test]
#[cfg(feature = "parquet")]
fn columns_of_text() {
    let source = Source::new(testdata("text.parquet"));
    let table = read_moments(&source, &ReadOptions::default(), &Run::default()).unwrap();
    assert_eq!(table.left_out[0].0, "city");
    let options = ReadOptions { drop: vec!["city".into()], ..Default::default() };
    assert_eq!(read_moments(&source, &options, &Run::default()).unwrap().data.names(), ["a", "b"]);
}

#[test]
fn gaps_in_binary_files_are_named() {
    if cfg!(feature = "parquet") {
        let source = Source::new(testdata("nullable.parquet"));
        assert_eq!(
            message(&source, &ReadOptions::default()),
            "column `k` has no value in row 2, and 2 values are missing in all \
             (also `f` 1); `missing = drop` keeps 5 of 7 rows, `missing = em` estimates these 2 values"
        );
    }
}

/// Reads bytes in every format and policy, only to see that nothing panics.
fn read_everything(bytes: &[u8]) {
    for format in [Format::Csv, Format::Npy, Format::Parquet, Format::Arrow] {
        for missing in [Missing::Error, Missing::Drop, Missing::Em] {
            let format = Some(format);
            let options = ReadOptions { format, missing, max_columns: 64, ..Default::default() };
            let source = Source::bytes("data", bytes);
            if let Err(error) = read_moments(&source, &options, &Run::default()) {
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
    }
    for (rows, transpose) in [(None, true), (Some(9), false), (None, false)] {
        let options = ReadOptions { rows, transpose, max_columns: 64, ..Default::default() };
        let source = Source::bytes("data", bytes);
        let turned = read_moments(&source, &options, &Run::default()).err();
        for error in turned.into_iter().chain(read_matrix(&source, &options).err()) {
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
    for name in ["g", "g.json", "g.dot", "g.graphml", "g.gml"] {
        if let Err(error) = read_graph(&Source::bytes(name, bytes)) {
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}

#[test]
fn truncated_files_are_errors() {
    let mut names = vec!["c.npy", "fortran.npy"];
    if cfg!(feature = "parquet") {
        names.extend(["types.parquet", "zstd.parquet", "types.arrow", "lz4.feather"]);
    }
    for name in names {
        let bytes = std::fs::read(testdata(name)).unwrap();
        for length in (0..bytes.len()).step_by(7) {
            let source = Source::bytes(name, &bytes[..length]);
            let result = read_moments(&source, &ReadOptions::default(), &Run::default());
            assert!(result.is_err(), "{name} of {length} bytes");
        }
    }
}

#[test]
fn corrupt_files_do_not_panic() {
    for name in ["c.npy", "types.parquet", "zstd.parquet", "types.arrow", "lz4.feather"] {
        let bytes = std::fs::read(testdata(name)).unwrap();
        for at in (0..bytes.len()).step_by(5) {
            let mut broken = bytes.clone();
            broken[at] ^= 0xa5;
            let options = ReadOptions { max_columns: 64, ..Default::default() };
            match read_moments(&Source::bytes(name, &broken), &options, &Run::default()) {
                Ok(table) => assert!(table.rows <= 7, "{name}, byte {at}"),
                Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
            }
        }
    }
}

#[test]
fn errors_of_the_engine_pass_through() {
    let source = Source::bytes("t.csv", "a,b\n1,2\n");
    let error = read_moments(&source, &ReadOptions::default(), &Run::default()).unwrap_err();
    assert!(matches!(error, Error::Engine(nocurl::Error::TooFewRows { rows: 1, needed: 2 })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read_everything(&bytes);
    }

    #[test]
    fn anything_like_text(text in "([a-z0-9.,;\" \t\n|\\-]|NA|nan|inf|\r\n|->|<node|\\[|\\]|\\{){0,80}") {
        read_everything(text.as_bytes());
    }

    #[test]
    fn anything_like_a_matrix(
        text in "(/covariance\n|DA NI=2 NO=9\n|LA\n|CM\n)?([a-c0-2.,;\" \t\n-]|1 |\n){0,60}"
    ) {
        read_everything(text.as_bytes());
    }

    #[test]
    fn anything_in_sixteen_bits(units in proptest::collection::vec(any::<u16>(), 0..100), big in any::<bool>()) {
        let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        let bytes: Vec<u8> = [0xfeff].into_iter().chain(units).flat_map(unit).collect();
        read_everything(&bytes);
    }

    #[test]
    fn anything_after_a_signature(
        magic in prop::sample::select(vec![
            &b"PAR1"[..], b"ARROW1\0\0", b"\x93NUMPY\x01\0v\0", b"\xff\xff\xff\xff", b"{\"schema\":",
        ]),
        mut rest in proptest::collection::vec(any::<u8>(), 0..200),
        tail in any::<bool>(),
    ) {
        let mut bytes = magic.to_vec();
        bytes.append(&mut rest);
        if tail {
            bytes.extend_from_slice(magic);
        }
        read_everything(&bytes);
    }
}
