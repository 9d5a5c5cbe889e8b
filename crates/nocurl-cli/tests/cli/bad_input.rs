//! Every kind of bad input: one line, exit code 2, and no file that was not there before.

use crate::{Folder, chain};

/// Learning from `table` must be refused with words that include all of `told`.
#[track_caller]
fn refuses(table: &str, flags: &[&str], told: &[&str]) {
    let folder = Folder::new();
    folder.write("data.csv", table);
    let common = ["learn", "data.csv", "--output", "graph.json"];
    let line = folder.refused(&[common.as_slice(), flags].concat());
    for words in told {
        assert!(line.contains(words), "`{words}` is not in `{line}`");
    }
    assert_eq!(folder.files(), ["data.csv"]);
}

#[test]
fn files_without_a_table() {
    let folder = Folder::new();
    assert!(folder.refused(&["learn", "none.csv", "--output", "g.json"]).contains("none.csv"));
    assert!(folder.refused(&["learn", "."]).contains("folder"));
    assert!(folder.files().is_empty());
    refuses("", &[], &["data.csv", "empty"]);
    refuses("a,b\n", &[], &["no rows"]);
}

#[test]
fn broken_rows_and_cells() {
    refuses("a,b\n1,2\n3\n", &[], &["line 3", "1 cells", "2 are expected"]);
    refuses("a,b\n1,2\n3,cat\n", &[], &["`b`", "1 column is left", "--categorical b"]);
    refuses(
        "a,b\n1,2\n3,\n4,5\n,6\n",
        &[],
        &["`b`", "row 2", "2 values", "--missing drop keeps 2 of 4 rows, --missing em"],
    );
    refuses("a,b\n1,2\n3,nan\n4,5\n", &[], &["`b`", "row 2", "--missing"]);
    refuses("a,b\n1,2\n3,inf\n4,5\n", &[], &["`b`", "row 2", "infinite"]);
    refuses("a,a\n1,2\n3,4\n", &[], &["`a`"]);
}

#[test]
fn too_little_to_learn_from() {
    refuses("a,b\n1,2\n", &[], &["1 row of", "at least 2"]);
    refuses("a\n1\n2\n3\n", &[], &["1 column of", "at least 2"]);
    refuses("a,b\n1,2\n1,3\n1,4\n", &[], &["1 column is left", "left out `a` (one value)"]);
}

#[test]
fn unknown_names() {
    let table = chain();
    refuses(&table, &["--method", "nocrul"], &["`nocrul`", "did you mean `nocurl`?", "eq-td"]);
    refuses(&table, &["--method", "eq-td", "--lambda", "3"], &["--lambda", "`eq-td`", "none"]);
    refuses(&table, &["--score", "bic"], &["--score bic", "`degenerate-gaussian`", "`bic`"]);
    let nocurl = ["--method", "nocurl", "--param", "lambdsa=3"];
    refuses(&table, &nocurl, &["lambdsa", "did you mean `lambdas`?"]);
    refuses(&table, &["--param", "tolerance"], &["name=value"]);
    refuses(&table, &["--columns", "rain,wett"], &["`wett`", "`wet`"]);
    refuses(&table, &["--drop", "rainy"], &["`rainy`", "`rain`"]);
    refuses(&table, &["--treshold", "1"], &["--treshold", "--threshold"]);
    refuses(&table, &["--variant", "x"], &["'x'", "rand-init"]);
}

#[test]
fn values_out_of_range() {
    let table = chain();
    for value in ["-1", "nan", "inf", "x"] {
        refuses(&table, &["--threshold", value], &["--threshold"]);
    }
    for (value, words) in [("-1", "-1"), ("1,,2", "--lambda"), ("", "at least one")] {
        refuses(&table, &["--method", "nocurl", "--lambda", value], &["lambda", words]);
    }
    refuses(&table, &["--restarts", "-1"], &["--restarts -1"]);
    refuses(&table, &["--restarts", "many"], &["--restarts many"]);
    refuses(&table, &["--param", "penalty=0"], &["penalty", "above 0"]);
    refuses(&table, &["--method", "notears", "--lambda1", "-2"], &["lambda1", "-2"]);
    refuses(&table, &["--threads", "0"], &["--threads"]);
    refuses(&table, &["--seed", "-4"], &["--seed"]);
    refuses(&table, &["--alpha", "0.1"], &["--alpha", "t-test"]);
    refuses(&table, &["--prune", "t-test", "--alpha", "2"], &["alpha", "2"]);
    refuses(&table, &["--delimiter", "ab"], &["--delimiter"]);
    for value in ["max_iterations=0", "max_iterations=1.5"] {
        refuses(&table, &["--method", "nocurl", "--param", value], &["max_iterations"]);
    }
}

#[test]
fn outputs_that_cannot_be_written_are_found_before_the_data_is_read() {
    let folder = Folder::new();
    // The table does not exist either: the output is looked at first.
    for output in ["no/such/folder/g.json", "g.xyz", "g", "."] {
        let line = folder.refused(&["learn", "none.csv", "--output", output]);
        assert!(line.contains(output) && !line.contains("none.csv"), "{line}");
    }
    folder.write("data.csv", chain());
    let line = folder.refused(&["learn", "data.csv", "--output", "./data.csv"]);
    assert!(line.contains("is also the table, which is read"), "{line}");
    let line = folder.refused(&["learn", "data.csv", "--output", "g.json", "--output", "no/g.dot"]);
    assert!(line.contains("no/g.dot"), "{line}");
    assert_eq!(folder.text("data.csv"), chain());
    assert_eq!(folder.files(), ["data.csv"]);
}

#[test]
fn collinear_columns_go_on_with_a_warning() {
    let folder = Folder::new();
    let table: String = chain()
        .lines()
        .enumerate()
        .map(|(row, line)| {
            let sum = line.split(',').filter_map(|cell| cell.parse::<f64>().ok()).sum::<f64>();
            if row == 0 { format!("{line},total\n") } else { format!("{line},{sum}\n") }
        })
        .collect();
    folder.write("data.csv", table);
    let shown = folder.run(&["learn", "data.csv"]);
    assert!(shown.contains("collinear") && shown.contains("`total`"), "{shown}");
}

#[test]
fn fewer_rows_than_columns_go_on_with_a_warning() {
    let folder = Folder::new();
    folder.write("data.csv", "a,b,c,d\n1,2,4,3\n2,1,1,5\n4,3,2,2\n");
    let shown = folder.run(&["learn", "data.csv"]);
    assert!(shown.contains("3 rows are too few for 4 variables"), "{shown}");
}

#[test]
fn names_cannot_break_the_line_or_send_codes() {
    let folder = Folder::new();
    folder.write("data.csv", "\"a\nb\",\"c\u{1b}[31m\"\n1,2\n1,3\n1,5\n");
    let line = folder.refused(&["learn", "data.csv", "--output", "g.json"]);
    assert!(!line.contains('\u{1b}'), "{line:?}");
    assert_eq!(folder.files(), ["data.csv"]);
}
