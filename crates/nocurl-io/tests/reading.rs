//! Text files as people save them: headers of numbers, decimal commas, encodings, units, gaps.

use nocurl::{Dataset, Kind, Run};
use nocurl_io::{
    Header, LeftOut, Missing, ReadOptions, Source, Table, read_dataset, read_moments,
    read_overview, read_sampled,
};

fn read_as(bytes: impl AsRef<[u8]>, options: &ReadOptions) -> Table<Dataset> {
    read_dataset(&Source::bytes("t.csv", bytes), options, &Run::default()).unwrap()
}

fn read(bytes: impl AsRef<[u8]>) -> Table<Dataset> {
    read_as(bytes, &ReadOptions::default())
}

fn refused_as(bytes: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    let source = Source::bytes("t.csv", bytes);
    let words = read_moments(&source, options, &Run::default()).unwrap_err().to_string();
    assert!(!words.contains('\n'), "{words}");
    words
}

fn refused(bytes: impl AsRef<[u8]>) -> String {
    refused_as(bytes, &ReadOptions::default())
}

fn notes(table: &Table<Dataset>) -> Vec<String> {
    table.warnings.iter().map(ToString::to_string).collect()
}

/// A body of rows by a function of row and column.
fn rows(columns: usize, count: usize, cell: impl Fn(usize, usize) -> String) -> String {
    let row = |i| (0..columns).map(|j| cell(i, j)).collect::<Vec<_>>().join(",") + "\n";
    (0..count).map(row).collect()
}

#[test]
fn columns_that_are_counted_have_names() {
    let decimals = rows(3, 12, |i, j| format!("{}.5", i * 3 + j * 7 % 5));
    for header in ["0,1,2\n", "1,2,3\n"] {
        let table = read(format!("{header}{decimals}"));
        assert_eq!((table.rows, table.data.names().len()), (12, 3), "{header}");
        assert_eq!(table.data.names().join(","), header.trim());
        assert!(notes(&table).is_empty(), "{:?}", notes(&table));
    }
    // Two columns, whole numbers, or a text: names, and a note with the flag.
    let two = rows(2, 12, |i, j| format!("{}.25", i * (j + 1) % 7));
    let counts = rows(3, 12, |i, j| format!("{}", 50 + i * (j + 2) % 17));
    let text =
        rows(
            3,
            12,
            |i, j| {
                if j == 1 { ["a", "b"][i % 2].into() } else { format!("{}", 7 * i % 5) }
            },
        );
    for (header, body) in [("0,1\n", two), ("0,1,2\n", counts), ("0,1,2\n", text)] {
        let table = read(format!("{header}{body}"));
        assert_eq!(table.rows, 12, "{header}{body}");
        let told = notes(&table).into_iter().any(|note| note.contains("`header = no`"));
        assert!(told, "{:?}", notes(&table));
        let no = ReadOptions { header: Header::No, ..ReadOptions::default() };
        if !body.contains('a') {
            assert_eq!(read_as(format!("{header}{body}"), &no).rows, 13);
        }
    }
    // Rows of the same whole numbers: data, and a note with the flag.
    let binary = rows(2, 12, |i, j| format!("{}", (i + j) % 2));
    let ratings = rows(5, 12, |i, j| format!("{}", (i * 2 + j) % 5 + 1));
    let counted = rows(4, 12, |i, j| format!("{}", 4 * i + j + 4));
    for (header, body) in [("0,1\n", binary), ("1,2,3,4,5\n", ratings), ("0,1,2,3\n", counted)] {
        let table = read(format!("{header}{body}"));
        assert_eq!(table.rows, 13, "{header}{body}");
        assert!(notes(&table)[0].contains("`header = yes`"), "{:?}", notes(&table));
    }
    // pandas writes its index in front, without a name above it.
    let table = read(format!(",0,1\n{decimals}"));
    assert_eq!(table.data.names(), ["0", "1"]);
    assert!(notes(&table).iter().all(|note| !note.contains("header")), "{:?}", notes(&table));
    // Neither counts up.
    for text in ["0,2\n1.5,2\n3,4.5\n", "2,3,4\n1.5,2.5,1.5\n3.5,4.5,1.5\n", "1,1,2\n1.5,2,3\n"] {
        assert!(notes(&read(text)).iter().all(|note| !note.contains("header")), "{text}");
        assert_eq!(read(text).data.names()[0], "x1");
    }
}

#[test]
fn decimal_commas_with_three_places() {
    let table = read("a;b\n0,123;1,456\n-0,200;2,345\n0,301;3,111\n");
    assert_eq!(table.data.column(0), [0.123, -0.2, 0.301]);
    assert_eq!(table.data.column(1), [1.456, 2.345, 3.111]);
    assert!(table.warnings.is_empty());
    // Nothing tells: thousands, and a note with the flag.
    let table = read("a;b\n1,456;1\n2,345;2\n3,111;4\n");
    assert_eq!(table.data.column(0), [1456.0, 2345.0, 3111.0]);
    assert!(notes(&table)[0].contains("`decimal = ,`"), "{:?}", notes(&table));
    let told = ReadOptions { decimal: Some(b'.'), ..ReadOptions::default() };
    assert!(read_as("a;b\n1,456;1\n2,345;2\n", &told).warnings.is_empty());
    // A point elsewhere tells.
    assert!(read("a;b\n1,456;1.5\n2,345;2\n3,111;4\n").warnings.is_empty());
}

#[test]
fn all_files_have_one_decimal_sign() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let paths = [
        write("1.csv", "a;b\n1,456;1,5\n2,345;7,5\n"),
        write("2.csv", "a;b\n3,111;4,111\n5,222;9,333\n"),
    ];
    for paths in [[&paths[0], &paths[1]], [&paths[1], &paths[0]]] {
        let source = Source::of_tables(&paths).unwrap();
        let table = read_dataset(&source, &ReadOptions::default(), &Run::default()).unwrap();
        let mut values = table.data.column(0).to_vec();
        values.sort_by(f64::total_cmp);
        assert_eq!(values, [1.456, 2.345, 3.111, 5.222]);
        assert!(table.warnings.is_empty());
    }
}

#[test]
fn a_class_of_plus_and_minus() {
    let text = rows(2, 40, |i, j| match j {
        0 => ["+", "-"][i * 7 % 5 % 2].into(),
        _ => {
            if i == 3 {
                "-".into()
            } else {
                format!("{i}.5")
            }
        }
    });
    let drop = ReadOptions { missing: Missing::Drop, ..ReadOptions::default() };
    let table = read_as(format!("class,x\n{text}"), &drop);
    let class = &table.data.variables().list()[0];
    assert_eq!((class.kind, class.levels.len()), (Kind::Binary, 2));
    assert_eq!((table.rows, table.missing_values), (39, 1), "among numbers it is missing");
    assert!(table.warnings.is_empty(), "{:?}", notes(&table));
    // Next to words it is a level, and a note says how to change that.
    let words = text.replace('+', "male").replacen("-,", "female,", 4);
    let table = read_as(format!("class,x\n{words}"), &drop);
    assert_eq!(table.data.variables().list()[0].levels.len(), 3);
    assert!(notes(&table)[0].contains("`na = -`"), "{:?}", notes(&table));
    let absent = ReadOptions { na: vec!["-".into()], ..drop };
    let table = read_as(format!("class,x\n{words}"), &absent);
    assert_eq!(table.data.variables().list()[0].levels, ["female", "male"]);
}

#[test]
fn numbers_in_text_are_no_categories() {
    let with = |cell: &dyn Fn(usize) -> String| {
        let row = |i: usize| format!("{};{}\n", cell(i), i * i % 13);
        format!("amount;n\n{}", (0..60).map(row).collect::<String>())
    };
    let told = refused(with(&|i| format!("{}.{} mg", i % 7, i % 3)));
    assert_eq!(
        told,
        "60 of 60 cells of `amount` are numbers with a unit: `0.0 mg` (line 2); strip the unit, \
         use `categorical = [amount]`, or leave out `amount`"
    );
    let told = refused(with(&|i| if i % 9 == 4 { format!("{i} mg") } else { format!("{i}") }));
    assert!(
        told.starts_with("7 of 60 cells of `amount` are numbers with a unit: `4 mg`"),
        "{told}"
    );
    // Two columns with decimal commas, one with points; and the other way round.
    let three = |one: &str, two: &str| {
        let row = |i: usize| format!("{}{one}5;{}{two}25;{}{two}75\n", 3800 + i, i * 3 % 7, i % 5);
        format!("a;b;c\n{}", (0..60).map(row).collect::<String>())
    };
    assert_eq!(
        refused(three(".", ",")),
        "60 of 60 cells of `a` have another decimal sign than the file: `3800.5` (line 2); write \
         all numbers alike, use `categorical = [a]`, or leave out `a`"
    );
    assert_eq!(
        refused(three(",", ".")),
        "60 of 60 cells of `a` have a decimal comma: `3800,5` (line 2); use `decimal = ,`"
    );
    // A few whole numbers are codes: a category, with a note.
    let table = read(with(&|i| format!("{} doors", 2 + i % 3)));
    assert_eq!(table.data.variables().list()[0].kind, Kind::Categorical);
    assert!(notes(&table)[0].contains("numbers with a unit (`2 doors`)"), "{:?}", notes(&table));
    // As the user says.
    let categorical = ReadOptions { categorical: vec!["amount".into()], ..ReadOptions::default() };
    let table = read_as(with(&|i| format!("{}.5 mg", i % 4)), &categorical);
    assert_eq!(table.data.variables().list()[0].levels.len(), 4);
    // Seats and samples are codes, and are left out as before.
    let seat = |i: usize| {
        format!("{}{},{}.5,{}.5\n", i / 4 + 1, ["A", "B", "C", "F"][i % 4], i * 7 % 11, i * 3 % 13)
    };
    let table = read(format!("seat,n,m\n{}", (0..60).map(seat).collect::<String>()));
    assert_eq!(table.left_out, [("seat".into(), LeftOut::Identifier)]);
    // Neither units nor numbers.
    for words in
        ["1st", "2nd", "3rd"].map(|word| with(&|i| if i % 3 == 0 { word } else { "x" }.into()))
    {
        assert!(read(words).warnings.is_empty());
    }
}

#[test]
fn encodings_and_line_ends() {
    let text = "größe,kind\n1.5,ä\n2.5,é\n3.5,ä\n4.5,é\n";
    let utf16 = |mark: &[u8], unit: fn(u16) -> [u8; 2]| {
        [mark, &text.encode_utf16().flat_map(unit).collect::<Vec<u8>>()].concat()
    };
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    for (bytes, told) in [
        (utf16(b"\xff\xfe", u16::to_le_bytes), 0),
        (utf16(b"\xfe\xff", u16::to_be_bytes), 0),
        (utf16(b"", u16::to_le_bytes), 0),
        (text.replace('\n', "\r").into_bytes(), 0),
        (latin, 1),
    ] {
        let table = read(&bytes);
        assert_eq!(table.data.names(), ["größe", "kind"]);
        assert_eq!(table.data.variables().list()[1].levels, ["ä", "é"]);
        assert_eq!(table.rows, 4);
        assert_eq!(notes(&table).len(), told, "{:?}", notes(&table));
        // A stream is decoded on the way.
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, &bytes).unwrap();
        let source = Source::bytes("t.csv.gz", packed.finish().unwrap());
        let again = read_dataset(&source, &ReadOptions::default(), &Run::default()).unwrap();
        assert_eq!(again.data.names(), table.data.names());
    }
    assert_eq!(
        notes(&read(b"a,b\n1,\x80\n2,x\n3,\x80\n4,x\n"))[0],
        "text that is not UTF-8 was read as Windows-1252"
    );
    // Lines are counted as the file has them.
    assert!(refused("a,b\r1,2\r3\r").contains("line 3: 1 cells where 2 are expected"));
}

#[test]
fn units_below_and_notes_above_the_names() {
    let body = rows(3, 12, |i, j| format!("{}.5", i + j * 3));
    let wide = rows(5, 12, |i, j| format!("{}.5", i * (j + 2) % 11));
    let table =
        read(format!("Measured in 2020, by hand\nSecond note,,,,\n,,,,\na,b,c,d,e\n{wide}"));
    assert_eq!((table.rows, table.data.names().join(",")), (12, "a,b,c,d,e".into()));
    assert_eq!(
        notes(&table),
        ["passed over lines above the names: `Measured in 2020, by hand`, `Second note`"]
    );
    for text in [
        format!("a,b,c\nmm,kg,°C\n{body}"),
        format!("a,b,c\n,kg,s\n{body}"),
        format!("Second note,,\n,,\na,b,c\nmm,kg,s\n{body}"),
    ] {
        let table = read(&text);
        assert_eq!((table.rows, table.data.names().join(",")), (12, "a,b,c".into()), "{text}");
        assert!(notes(&table).iter().any(|note| note.contains("units")), "{:?}", notes(&table));
    }
    let units = notes(&read(format!("a,b,c\nmm,kg,s\n{body}")));
    assert_eq!(units, ["passed over line 2, which holds units and no values: `mm`, `kg`, `s`"]);
    // One word above numbers is a cell that is none.
    let told = refused(format!("a,b,c\n1.5,kg,2.5\n{}", body.repeat(3)));
    assert!(told.contains("`kg` (line 2)"), "{told}");
}

#[test]
fn a_few_gaps_are_dropped_and_many_are_refused() {
    let auto = ReadOptions { missing: Missing::Auto, ..ReadOptions::default() };
    let with = |gaps: usize| {
        let body = rows(2, 100, |i, j| {
            if j == 1 && i < gaps { String::new() } else { format!("{}.5", i * (j + 2) % 37) }
        });
        format!("a,b\n{body}")
    };
    let table = read_as(with(5), &auto);
    assert_eq!((table.rows, table.rows_dropped), (95, 5));
    assert_eq!(
        notes(&table)[0],
        "5 of 100 rows were left out because of missing values (`b` 5); to estimate them instead, \
         use `missing = em`"
    );
    let drop = ReadOptions { missing: Missing::Drop, ..ReadOptions::default() };
    assert_eq!(table.data.values(), read_as(with(5), &drop).data.values());
    assert_eq!(
        refused_as(with(6), &auto),
        "column `b` has no value in row 1 (line 2), and 6 values are missing in all; `missing = \
         drop` keeps 94 of 100 rows, `missing = em` estimates these 6 values"
    );
    assert!(read_as(with(0), &auto).warnings.is_empty());
}

#[test]
fn ranks_under_em_are_of_all_values_there_are() {
    // No row is complete.
    let body = rows(3, 300, |i, j| {
        if i % 3 == j {
            String::new()
        } else {
            format!("{}", (((i * 37 + j * 11) % 101) as f64 / 8.0).exp())
        }
    });
    for rule in ["rank:*", "auto"] {
        let em = ReadOptions {
            missing: Missing::Em,
            transform: vec![rule.parse().unwrap()],
            ..ReadOptions::default()
        };
        let source = Source::bytes("t.csv", format!("a,b,c\n{body}"));
        let table = read_moments(&source, &em, &Run::default()).unwrap();
        for variable in table.data.variables().list() {
            assert_eq!(variable.transforms.len(), 1, "{rule}");
        }
        // Normal scores: mean 0, variance just below 1.
        for (mean, variance) in table.data.mean().iter().zip(table.data.variances()) {
            assert!(mean.abs() < 0.1 && (0.8..1.1).contains(&variance), "{mean} {variance}");
        }
    }
}

#[test]
fn rows_with_gaps_are_kept_for_a_look() {
    let body = rows(2, 40, |i, j| match (i % 4, j) {
        (0, 0) => "-999".into(),
        (0, 1) => String::new(),
        _ => format!("{}.5", i * 7 % 11),
    });
    let source = Source::bytes("t.csv", format!("a,b\n{body}"));
    let em = ReadOptions { missing: Missing::Em, ..ReadOptions::default() };
    let (_, sampled) = read_sampled(&source, &em, &Run::default()).unwrap();
    assert_eq!((sampled.rows.values().nrows(), sampled.gapped.nrows()), (30, 10));
    assert!((0..10).all(|i| sampled.gapped[(i, 0)] == -999.0 && sampled.gapped[(i, 1)].is_nan()));
    let seen = read_overview(&source, &ReadOptions::default(), &Run::default()).unwrap();
    assert_eq!(format!("{:?}", seen.gapped), format!("{:?}", sampled.gapped));
}

#[test]
fn percentages_are_fractions() {
    let table = read("p,b\n45%,1\n0.30,2\n0.5,3\n12.5 %,7\n");
    assert_eq!(table.data.column(0), [0.45, 0.3, 0.5, 0.125]);
    assert_eq!(notes(&table), ["percentages in `p` are read as fractions: 45% is 0.45"]);
}

#[test]
fn values_that_differ_are_not_called_one_value() {
    let far = rows(3, 400, |i, j| match j {
        0 => format!("{}", 1e14 + (i * 37 % 101) as f64 / 32.0),
        1 => "1e14".into(),
        _ => format!("{}.5", i * 7 % 13),
    });
    let told = refused(format!("a,b,c\n{far}"));
    assert!(told.contains("`a` (values differ too little for their size"), "{told}");
    assert!(told.contains("`b` (one value)"), "{told}");
    assert_eq!(LeftOut::from_word(LeftOut::TooClose.word()), LeftOut::TooClose);
}

#[test]
fn rows_that_are_variables() {
    let transpose = ReadOptions { transpose: true, ..ReadOptions::default() };
    for text in [
        "gene,s1,s2,s3\na,1.5,2.5,4\n\"b, x\",3,1,2\n",
        "a,1.5,2.5,4\n\"b, x\",3,1,2\n",
        "gene;s1;s2;s3\na;1,5;2,5;4\nb, x;3;1;2\n",
        "id,0,1,2\na,1.5,2.5,4\n\"b, x\",3,1,2\n",
        "s1,s2,s3\na,1.5,2.5,4\n\"b, x\",3,1,2\n",
    ] {
        let table = read_as(text, &transpose);
        assert_eq!(table.data.names(), ["a", "b, x"], "{text}");
        assert_eq!(table.data.column(0), [1.5, 2.5, 4.0], "{text}");
        assert_eq!(table.data.column(1), [3.0, 1.0, 2.0], "{text}");
    }
    // The digest is that of the file.
    let text = "gene,s1,s2\na,1,2\nb,2,1\n";
    let plain = read_moments(
        &Source::bytes("t.csv", text),
        &ReadOptions { columns: Some(vec!["s1".into(), "s2".into()]), ..ReadOptions::default() },
        &Run::default(),
    );
    let turned = read_moments(&Source::bytes("t.csv", text), &transpose, &Run::default());
    assert_eq!(turned.unwrap().origin.unwrap().digest, plain.unwrap().origin.unwrap().digest);
    assert!(refused_as("g,s1,s2\na,1,2\nb,2\n", &transpose).contains("line 3: 2 cells where 3"));
    assert!(refused_as("", &transpose).contains("is empty"));
}
