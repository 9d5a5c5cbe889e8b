use crate::Folder;

#[test]
fn the_papers_tables_appear_beside_the_published_values() {
    let folder = Folder::new();
    let command =
        ["bench", "paper", "--sizes", "10", "--trials", "2", "--methods", "NoCurl-1,Eq+TD"];
    let shown = folder.run(&[&command[..], &["--output", "out"]].concat());
    for words in ["## ER3-Gaussian", "## SF4-Gumbel", "2.18 ± 0.28", "Wrote", "nocurl bench paper"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let mut files: Vec<String> = std::fs::read_dir(folder.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let expected =
        ["results.csv", "results.json", "shd.svg", "tables.csv", "tables.md", "time.svg"];
    assert_eq!(files, expected);
    assert!(shown.starts_with(&folder.text("out/tables.md")));
    let rows = folder.text("out/results.csv");
    assert!(rows.starts_with("scenario,d,method,trial,seed,status,seconds,timing,threads,"));

    // The same command has nothing left to do, and another grid is sent away.
    assert_eq!(folder.run(&[&command[..], &["--output", "out", "-q"]].concat()), "");
    assert_eq!(folder.text("out/results.csv"), rows);
    let told = folder.refused(&["bench", "standardised", "--output", "out"]);
    assert!(told.contains("paper-linear") && told.contains("--output"), "{told}");
    assert_eq!(folder.text("out/results.csv"), rows);
}

#[test]
fn a_grid_of_ones_own() {
    let folder = Folder::new();
    folder.write(
        "grid.toml",
        "name = \"mine\"\ntrials = 2\nsizes = [5]\n[[scenario]]\nname = \"chain\"\ngraph = \"chain\"\n\
         [[method]]\nmethod = \"eq-td\"\nprune = \"bic\"\n",
    );
    assert!(folder.run(&["bench", "grid.toml", "--jobs", "1"]).contains("## chain"));
    assert!(folder.path("bench-mine/tables.md").exists());
}

#[test]
fn mistakes_say_what_would_be_right() {
    let folder = Folder::new();
    let told = |arguments: &[&str], words: &[&str]| {
        let line = folder.refused(arguments);
        for word in words {
            assert!(line.contains(word), "`{word}` is not in `{line}`");
        }
    };
    told(&["bench", "papr"], &["did you mean `paper`?", "standardised", ".toml"]);
    told(&["bench", "paper", "--methods", "NoCurl1"], &["did you mean `NoCurl-1`?", "NOTEARS"]);
    told(&["bench", "paper", "--scenarios", "ER5-Gaussian"], &["did you mean `ER"]);
    told(&["bench", "paper", "--timeout", "-1"], &["--timeout -1", "positive"]);
    told(&["bench", "paper", "--sizes", "1"], &["sizes", "from 2"]);
    told(&["bench", "paper", "--trials", "0"], &["--trials"]);
    told(&["bench", "none.toml"], &["`none.toml`"]);
    folder.write("grid.toml", "name = \"mine\"\nsize = [5]\n");
    told(&["bench", "grid.toml"], &["grid.toml", "[[scenario]]"]);
    assert_eq!(folder.files(), ["grid.toml"]);
}
