//! `nocurl moments`: a table in several files.

use crate::Folder;

fn table(from: usize, count: usize) -> String {
    let row = |i: usize| {
        let a = ((i * 37) % 101) as f64;
        let b = 2.0 * a + ((i * 53) % 97) as f64;
        format!("{a},{b},{}\n", b - 3.0 * ((i * 71) % 89) as f64)
    };
    String::from("a,b,c\n") + &(from..from + count).map(row).collect::<String>()
}

#[test]
fn parts_learn_as_the_whole_does() {
    let folder = Folder::new();
    folder.write("one.csv", table(0, 700));
    folder.write("two.csv", table(700, 1));
    folder.write("three.csv", "a,b,c\n");
    folder.write("four.csv", table(701, 299));
    folder.write("all.csv", table(0, 1000));
    let parts = ["one.csv", "two.csv", "three.csv", "four.csv"];
    let command = [&["moments"], &parts[..], &["--output", "m.moments"]].concat();
    assert!(folder.run(&command).contains("1000 rows of 3 variables in 4 parts"));
    folder.run(&["learn", "m.moments", "-q", "-o", "parts.json"]);
    folder.run(&["learn", "all.csv", "-q", "-o", "all.json"]);
    let (one, all) = (folder.json("parts.json"), folder.json("all.json"));
    assert_eq!(one["edges"].as_array().unwrap().len(), all["edges"].as_array().unwrap().len());
    for (a, b) in one["edges"].as_array().unwrap().iter().zip(all["edges"].as_array().unwrap()) {
        assert_eq!((&a["from"], &a["to"]), (&b["from"], &b["to"]));
    }
    // All rows are few enough to be kept, so that checks and resampling see them.
    assert_eq!(one["bootstrap"]["kind"], "rows");
    // Moments of moments, and some of the columns.
    folder.run(&["moments", "m.moments", "four.csv", "-o", "more.moments", "-q"]);
    folder.run(&["learn", "more.moments", "--columns", "c,a"]);
}

#[test]
fn bad_files_are_one_line() {
    let folder = Folder::new();
    folder.write("one.csv", table(0, 50));
    folder.write("other.csv", "a,b,x\n1,2,3\n");
    folder.write("gap.csv", "a,b,c\n1,,3\n");
    folder.run(&["moments", "one.csv", "-o", "m.moments", "-q"]);
    let bytes = std::fs::read(folder.path("m.moments")).unwrap();
    folder.write("cut.moments", &bytes[..bytes.len() / 2]);
    let mut later = bytes.clone();
    later[8] = 7;
    folder.write("later.moments", later);
    folder.write("text.moments", "a,b\n1,2\n");
    let cases: [(&[&str], &str); 8] = [
        (&["learn", "cut.moments"], "cut off"),
        (&["learn", "later.moments"], "version 7"),
        (&["learn", "text.moments"], "does not begin as a file of moments"),
        (&["learn", "m.moments", "--columns", "z,a"], "`z`"),
        (&["learn", "m.moments", "--missing", "drop"], "--missing"),
        (&["moments", "one.csv", "other.csv", "-o", "n.moments"], "`other.csv`"),
        (&["moments", "one.csv", "gap.csv", "-o", "n.moments"], "`gap.csv`: "),
        (&["moments", "one.csv", "-o", "one.csv"], "choose another name"),
    ];
    for (command, words) in cases {
        let text = folder.refused(command);
        assert!(text.contains(words), "{command:?}: {text}");
    }
    assert!(!folder.path("n.moments").exists());
}
