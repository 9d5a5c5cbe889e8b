//! Tables as other programs write them, and tables that come back as they were written.

use nocurl::Run;
use nocurl::{Dataset, Mat, Moments};
use nocurl_io::{
    Format, Missing, ReadOptions, Source, read_dataset, read_moments, read_sampled, write_table,
};
use proptest::prelude::*;

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tables")
}

#[derive(serde::Deserialize)]
struct Expected {
    names: Vec<String>,
    rows: u64,
    rows_dropped: u64,
    mean: Vec<f64>,
    second_moments: Vec<Vec<f64>>,
}

#[test]
fn files_of_numpy_pandas_and_pyarrow_have_the_moments_numpy_computes() {
    let text = std::fs::read_to_string(folder().join("expected.json")).unwrap();
    let expected: std::collections::BTreeMap<String, Expected> =
        serde_json::from_str(&text).unwrap();
    assert!(expected.len() > 15);
    let options = ReadOptions { missing: Missing::Drop, keep_constant: true, ..Default::default() };
    for (name, expected) in expected {
        if !cfg!(feature = "parquet") && !name.ends_with("npy") && !name.contains(".csv") {
            continue;
        }
        let table = read_moments(&Source::new(folder().join(&name)), &options, &Run::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(table.data.names(), expected.names, "{name}");
        assert_eq!(table.rows, expected.rows, "{name}");
        assert_eq!(table.rows_dropped, expected.rows_dropped, "{name}");
        let found = table.data.second_moments(false);
        for (i, row) in expected.second_moments.iter().enumerate() {
            assert!(close(table.data.mean()[i], expected.mean[i]), "{name}");
            for (j, &value) in row.iter().enumerate() {
                let scale = expected.second_moments[i][i] * expected.second_moments[j][j];
                let tolerance = 64.0 * f64::EPSILON * scale.sqrt();
                assert!((found[(i, j)] - value).abs() <= tolerance, "{name} {i} {j}");
            }
        }
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 64.0 * f64::EPSILON * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn the_digest_is_that_of_xxh128sum() {
    let source = Source::bytes("t.csv", "a,b\n1,2\n3,4\n");
    let table = read_moments(&source, &ReadOptions::default(), &Run::default()).unwrap();
    let digest = "xxh3-128:d5b28fe5f1cc9b2cb9b773a515cd5ae1";
    assert_eq!(table.origin.unwrap().digest, digest);
    let npy = read_moments(
        &Source::new(folder().join("c.npy")),
        &ReadOptions::default(),
        &Run::default(),
    );
    assert_eq!(npy.unwrap().origin.unwrap().digest, "xxh3-128:790ac73543c95f569e79f25d5519b557");
}

fn text(text: &str) -> nocurl_io::Table<Dataset> {
    read_dataset(&Source::bytes("t.csv", text), &ReadOptions::default(), &Run::default()).unwrap()
}

#[test]
fn text_comes_in_many_dialects() {
    for form in [
        "a,b\n1,2.5\n-3,4e2\n",
        "a;b\r\n1;2.5\r\n-3;4e2\r\n",
        "a\tb\n1\t2.5\n-3\t4e2",
        "a|b\n1|2.5\n-3|4e2\n\n\n",
        "\u{feff}a b\n  1   2.5\n -3 4e2  \n",
        "\n \"a\" , \"b\"\n\n1 , \"2.5\"\n+-3,4e2\n".replace("+-", "-").as_str(),
    ] {
        let table = text(form);
        assert_eq!(table.data.names(), ["a", "b"], "{form:?}");
        let values = table.data.values();
        let found = [values[(0, 0)], values[(0, 1)], values[(1, 0)], values[(1, 1)]];
        assert_eq!(found, [1.0, 2.5, -3.0, 400.0], "{form:?}");
    }
}

#[test]
fn names_may_hold_anything_and_may_be_absent() {
    let table = text("\"a,\"\"b\"\"\",größe\n1,2\n3,4\n");
    assert_eq!(table.data.names(), ["a,\"b\"", "größe"]);
    assert_eq!(text("1,2\n3,4\n").data.names(), ["x1", "x2"]);
    let unnamed = text(",b\n0,2\n1,4\n");
    assert_eq!(unnamed.data.names(), ["x1", "b"]);
    assert!(unnamed.warnings[0].contains("leave out `x1`"), "{}", unnamed.warnings[0]);
    let options = ReadOptions { header: nocurl_io::Header::Yes, ..Default::default() };
    let source = Source::bytes("t.csv", "1,2\n3,4\n5,6\n");
    assert_eq!(read_moments(&source, &options, &Run::default()).unwrap().data.names(), ["1", "2"]);
}

#[test]
fn columns_are_chosen_in_order_and_others_are_not_parsed() {
    let source = Source::bytes("t.csv", "a,city,b,c\n1,Ulm,2,3\n4,\"New\nYork\",5,6\n");
    let columns = Some(vec!["c".into(), "a".into()]);
    let options = ReadOptions { columns, ..Default::default() };
    let table = read_dataset(&source, &options, &Run::default()).unwrap();
    assert_eq!(table.data.names(), ["c", "a"]);
    assert_eq!(table.data.values()[(1, 0)], 6.0);
    let options = ReadOptions { drop: vec!["city".into(), "a".into()], ..Default::default() };
    assert_eq!(read_dataset(&source, &options, &Run::default()).unwrap().data.names(), ["b", "c"]);
}

#[test]
fn rows_with_gaps_can_be_dropped() {
    let source = Source::bytes("t.csv", "a,b,c\n1,NA,0\n2,3,?\n4,5,\n6,7,-\n8,9,null\n0,2,\n");
    let columns = Some(vec!["a".into(), "b".into()]);
    let options = ReadOptions { columns, missing: Missing::Drop, ..Default::default() };
    let table = read_moments(&source, &options, &Run::default()).unwrap();
    assert_eq!((table.rows, table.rows_dropped, table.missing_values), (5, 1, 1));
    assert_eq!(table.data.mean(), [4.0, 5.2]);
}

#[test]
fn constant_columns_are_left_out() {
    let source = Source::bytes("t.csv", "a,k,b\n1,5,2\n3,5,9\n");
    let options = ReadOptions::default();
    let moments = read_moments(&source, &options, &Run::default()).unwrap();
    assert_eq!(moments.data.names(), ["a", "b"]);
    assert_eq!(moments.warnings, ["left out `k` (one value)".into()]);
    assert_eq!(moments.left_out, [("k".to_string(), nocurl_io::LeftOut::Constant)]);
    let kept = ReadOptions { keep_constant: true, ..Default::default() };
    let moments = read_moments(&source, &kept, &Run::default()).unwrap();
    assert_eq!(moments.data.names(), ["a", "k", "b"]);
    assert_eq!(read_dataset(&source, &options, &Run::default()).unwrap().data.names(), ["a", "b"]);
}

#[test]
fn gaps_can_be_estimated() {
    let golden = folder().join("../em");
    let options = ReadOptions { missing: Missing::Em, ..Default::default() };
    let table =
        read_moments(&Source::new(golden.join("gaps.csv")), &options, &Run::default()).unwrap();
    let text = std::fs::read_to_string(golden.join("gaps.json")).unwrap();
    let golden: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(table.rows, golden["rows"].as_u64().unwrap());
    assert!(table.warnings.is_empty(), "{:?}", table.warnings);
    for (j, mean) in table.data.mean().iter().enumerate() {
        assert!((mean - golden["mean"][j].as_f64().unwrap()).abs() < 1e-6);
    }
}

#[test]
fn the_format_is_known_without_an_extension() {
    for (name, format) in [("types.parquet", Format::Parquet), ("types.arrow", Format::Arrow)] {
        let bytes = std::fs::read(folder().join(name)).unwrap();
        let source = Source::bytes("data", bytes);
        if cfg!(feature = "parquet") {
            let table = read_moments(&source, &ReadOptions::default(), &Run::default()).unwrap();
            assert_eq!(table.origin.unwrap().format, format);
        }
    }
}

#[test]
fn work_stops_when_the_observer_asks() {
    struct Stop;
    impl nocurl::Stop for Stop {
        fn is_stopped(&self) -> bool {
            true
        }
    }
    for name in ["pandas.csv", "c.npy"] {
        let options = ReadOptions { missing: Missing::Drop, ..Default::default() };
        let result = read_moments(
            &Source::new(folder().join(name)),
            &options,
            &Run::default().stopped_by(&Stop),
        );
        let error = result.unwrap_err();
        assert!(matches!(error, nocurl_io::Error::Engine(nocurl::Error::Cancelled)), "{error}");
    }
}

/// Pseudo-random numbers of all sizes.
fn large(rows: usize, columns: usize) -> Dataset {
    let values = Mat::from_fn(rows, columns, |i, j| {
        let mixed = ((i * columns + j + 1) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5) * 10_f64.powi((j % 7) as i32 - 3)
    });
    Dataset::new(Dataset::default_names(columns), values).unwrap()
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    // Several pieces in every format: more than 16 MiB of text, more than one range of rows.
    let data = large(140_000, 9);
    let folder = tempfile::tempdir().unwrap();
    let mut names = vec!["t.csv", "t.npy"];
    if cfg!(feature = "parquet") {
        names.push("t.parquet");
    }
    for name in names {
        let path = folder.path().join(name);
        write_table(&path, &data).unwrap();
        let read = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                read_moments(&Source::new(&path), &ReadOptions::default(), &Run::default())
            })
            .unwrap()
        };
        let (one, two) = (read(1), read(2));
        assert_eq!(one.data, two.data, "{name}");
        assert_eq!(one.origin, two.origin, "{name}");
        assert_eq!(one.rows, 140_000, "{name}");
        assert_same(&one.data, &data.moments());

        let sampled = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                read_sampled(&Source::new(&path), &ReadOptions::default(), &Run::default())
            })
            .unwrap()
        };
        let ((table, sample), (_, again)) = (sampled(1), sampled(2));
        let (sample, again) = (sample.rows, again.rows);
        assert_eq!(table.data, one.data, "{name}");
        assert_eq!(sample.values(), again.values(), "{name}");
        // Rows of the table, each once and in its order, from all parts of it.
        let mut places = Vec::new();
        let mut from = 0;
        for i in 0..sample.values().nrows() {
            let same = |&k: &usize| sample.values().row(i) == data.values().row(k);
            let place = (from..140_000).find(same).expect("a later row of the table");
            places.push(place);
            from = place + 1;
        }
        assert_eq!(places.len(), 2000, "{name}");
        for quarter in 0..4 {
            let inside = |&&k: &&usize| k / 35_000 == quarter;
            assert!((400..600).contains(&places.iter().filter(inside).count()), "{name}");
        }
    }
}

#[test]
fn a_sample_has_the_columns_and_the_rows_in_use() {
    let source = Source::bytes("t.csv", "a,k,b\n1,5,2\n3,5,\n4,5,9\n");
    let options = ReadOptions { missing: Missing::Drop, ..Default::default() };
    let (table, kept) = read_sampled(&source, &options, &Run::default()).unwrap();
    let sample = kept.rows;
    assert_eq!((table.rows, table.rows_dropped), (2, 1));
    assert_eq!(sample.names(), ["a", "b"]);
    assert_eq!((sample.column(0), sample.column(1)), (&[1.0, 4.0][..], &[2.0, 9.0][..]));
    let source = Source::bytes("t.csv", "a,b\n1,2\n3,\n4,9\n0,1\n2,2\n");
    let options = ReadOptions { missing: Missing::Em, ..options };
    let (table, kept) = read_sampled(&source, &options, &Run::default()).unwrap();
    let sample = kept.rows;
    assert_eq!((table.rows, sample.values().nrows()), (5, 4));
}

#[test]
fn a_gap_is_placed_right_in_any_piece_of_a_long_file() {
    let mut text = String::from("a,b,c\n");
    for i in 0..1_200_000 {
        text.push_str(if i == 1_100_000 { "1.25,,3\n" } else { "1.25,2.5,3.125\n" });
    }
    let error =
        read_moments(&Source::bytes("t.csv", &text), &ReadOptions::default(), &Run::default())
            .unwrap_err();
    assert!(
        error.to_string().starts_with("column `b` has no value in row 1100001 (line 1100002)"),
        "{error}"
    );
    let text = text.replace("1.25,,3", "1.25,x,3");
    let error =
        read_moments(&Source::bytes("t.csv", &text), &ReadOptions::default(), &Run::default())
            .unwrap_err();
    assert!(
        error.to_string().starts_with("1 of 1200000 cells of `b` is no number: `x` (line 1100002)"),
        "{error}"
    );
}

fn assert_same(found: &Moments, expected: &Moments) {
    assert_eq!(found.names(), expected.names());
    assert_eq!(found.rows(), expected.rows());
    let (a, b) = (found.second_moments(false), expected.second_moments(false));
    let tolerance = 8.0 * f64::EPSILON * (found.rows() as f64).sqrt().max(8.0);
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            let scale = (b[(i, i)] * b[(j, j)]).sqrt().max(f64::MIN_POSITIVE);
            assert!((a[(i, j)] - b[(i, j)]).abs() <= tolerance * scale, "({i}, {j})");
        }
    }
}

fn tables() -> impl Strategy<Value = Dataset> {
    (2_usize..40, 2_usize..6).prop_flat_map(|(rows, columns)| {
        let cell = prop_oneof![
            -1e3..1e3_f64,
            Just(0.0),
            (-300_i32..150).prop_map(|power| 10_f64.powi(power)),
        ];
        let names = proptest::collection::btree_set("[a-zA-Zß\", ;|\\-]{0,5}[a-z]", columns);
        (names, proptest::collection::vec(cell, rows * columns)).prop_map(move |(names, cells)| {
            let values = Mat::from_fn(rows, columns, |i, j| cells[i * columns + j]);
            // Blanks around names are not kept by text files.
            let names: std::collections::BTreeSet<String> =
                names.iter().map(|name| name.trim().to_string()).collect();
            let names = if names.len() == columns {
                names.into_iter().collect()
            } else {
                Dataset::default_names(columns)
            };
            Dataset::new(names, values).unwrap()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn tables_come_back_bit_by_bit(data in tables()) {
        let folder = tempfile::tempdir().unwrap();
        let mut names = vec!["t.csv", "t.tsv", "t.npy"];
        if cfg!(feature = "parquet") {
            names.push("t.parquet");
        }
        for name in names {
            let path = folder.path().join(name);
            write_table(&path, &data).unwrap();
            let options =
                ReadOptions { header: nocurl_io::Header::Yes, keep_constant: true, ..Default::default() };
            let table = read_dataset(&Source::new(&path), &options, &Run::default()).unwrap();
            if name != "t.npy" {
                prop_assert_eq!(table.data.names(), data.names(), "{}", name);
            }
            prop_assert_eq!(table.data.values(), data.values(), "{}", name);
            let moments = read_moments(&Source::new(&path), &options, &Run::default()).unwrap().data;
            assert_same(&moments.select(&(0..moments.columns()).collect::<Vec<_>>()),
                &Dataset::new(table.data.names().to_vec(), data.values().to_owned()).unwrap().moments());
        }
    }
}
