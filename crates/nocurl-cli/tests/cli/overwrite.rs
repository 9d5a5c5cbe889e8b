//! Nothing that belongs to the user is overwritten.

use std::fs;

use crate::{Folder, chain};

const TRUTH: &str = r#"{"variables":["a","b"],"edges":[{"from":"a","to":"b","weight":1.0}]}"#;

/// Runs commands that would write over something they read, and checks that no file has changed.
fn all_refused(folder: &Folder, commands: &[(&str, &str)]) {
    let before: Vec<_> =
        folder.files().iter().map(|name| fs::read(folder.path(name)).ok()).collect();
    let names = folder.files();
    for (command, words) in commands {
        let told = folder.refused(&command.split(' ').collect::<Vec<_>>());
        assert!(told.contains(words), "{command}: {told}");
        let after: Vec<_> =
            folder.files().iter().map(|name| fs::read(folder.path(name)).ok()).collect();
        assert_eq!((folder.files(), &after), (names.clone(), &before), "{command}");
    }
}

#[test]
fn an_output_that_is_read_is_refused_by_every_command() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    folder.write("know.csv", "[[tier]]\nvariables = [\"rain\"]\n");
    folder.write("truth.json", TRUTH);
    folder.write("est.json", TRUTH);
    all_refused(
        &folder,
        &[
            (
                "evaluate truth.json est.json --output truth.json",
                "is also the true graph, which is read",
            ),
            ("evaluate truth.json est.json --output ./est.json", "is also the estimated graph"),
            ("effects truth.json --output truth.json", "is also the graph, which is read"),
            (
                "intervene truth.json --do a=1 --output truth.json",
                "is also the graph, which is read",
            ),
            ("learn rain.csv --output rain.csv", "is also the table, which is read"),
            (
                "learn rain.csv --knowledge know.csv --output know.csv",
                "is also the prior knowledge",
            ),
            ("learn rain.csv --output g.json --output ./g.json", "are one file"),
            ("simulate --output s.csv --truth ./s.csv", "are one file"),
        ],
    );
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    #[test]
    fn links_of_both_kinds_are_seen_through() {
        let folder = Folder::new();
        folder.write("rain.csv", chain());
        folder.write("truth.json", TRUTH);
        symlink("truth.json", folder.path("soft.json")).unwrap();
        fs::hard_link(folder.path("truth.json"), folder.path("hard.json")).unwrap();
        symlink(".", folder.path("here")).unwrap();
        symlink("new.json", folder.path("dangling.json")).unwrap();
        all_refused(
            &folder,
            &[
                ("evaluate truth.json truth.json --output soft.json", "is also the true graph"),
                ("evaluate soft.json truth.json --output hard.json", "is also the true graph"),
                ("effects here/truth.json --output truth.json", "is also the graph"),
                ("learn rain.csv --output new.json --output here/new.json", "are one file"),
                ("learn rain.csv --output new.json --output dangling.json", "are one file"),
            ],
        );
    }

    #[test]
    fn standard_input_is_a_file_too() {
        let folder = Folder::new();
        let table = folder.write("rain.csv", chain());
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("nocurl"));
        command.args(["learn", "-", "--output", "rain.csv"]).current_dir(folder.path("."));
        let output = command.stdin(fs::File::open(table).unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_eq!(folder.text("rain.csv"), chain());
    }

    #[test]
    fn a_file_that_is_replaced_keeps_its_mode_and_a_link_stays_one() {
        let folder = Folder::new();
        folder.write("rain.csv", chain());
        folder.write("real.json", "old");
        fs::set_permissions(folder.path("real.json"), fs::Permissions::from_mode(0o600)).unwrap();
        symlink("real.json", folder.path("link.json")).unwrap();
        symlink("new.json", folder.path("dangling.json")).unwrap();
        folder.run(&["learn", "rain.csv", "-q", "-o", "link.json", "-o", "dangling.json"]);
        assert!(folder.json("real.json")["edges"].is_array());
        assert!(folder.json("new.json")["edges"].is_array());
        assert_eq!(fs::metadata(folder.path("real.json")).unwrap().mode() & 0o7777, 0o600);
        for link in ["link.json", "dangling.json"] {
            assert!(fs::symlink_metadata(folder.path(link)).unwrap().is_symlink(), "{link}");
        }
        symlink("b.json", folder.path("a.json")).unwrap();
        symlink("a.json", folder.path("b.json")).unwrap();
        let told = folder.refused(&["learn", "rain.csv", "--output", "a.json"]);
        assert!(told.contains("go round in a circle"), "{told}");
    }

    #[test]
    fn an_owner_is_kept_where_that_is_possible() {
        let folder = Folder::new();
        folder.write("rain.csv", chain());
        folder.write("g.json", "old");
        // Only the superuser can give a file away; elsewhere there is nothing to see.
        if std::os::unix::fs::chown(folder.path("g.json"), Some(1234), Some(4321)).is_err() {
            return;
        }
        folder.run(&["learn", "rain.csv", "-q", "-o", "g.json"]);
        let found = fs::metadata(folder.path("g.json")).unwrap();
        assert_eq!((found.uid(), found.gid()), (1234, 4321));
        assert!(folder.json("g.json")["edges"].is_array());
    }
}

#[test]
fn a_folder_that_is_no_bench_is_not_filled() {
    let folder = Folder::new();
    fs::create_dir(folder.path("mine")).unwrap();
    folder.write("mine/tables.csv", "my own\n");
    let bench = ["bench", "paper", "--sizes", "5", "--trials", "1", "--methods", "Eq+TD"];
    let told = folder.refused(&[&bench[..], &["--output", "mine"]].concat());
    assert!(told.contains("such as `tables.csv`: choose another folder"), "{told}");
    assert_eq!(folder.text("mine/tables.csv"), "my own\n");
    assert_eq!(fs::read_dir(folder.path("mine")).unwrap().count(), 1);
    // One that is empty, but for grids, is.
    fs::rename(folder.path("mine/tables.csv"), folder.path("mine/grid.toml")).unwrap();
    folder.run(&[&bench[..], &["--output", "mine", "-q", "--timing-trials", "0"]].concat());
    assert!(folder.path("mine/tables.csv").exists());
}

#[test]
fn names_in_a_grid_stay_in_the_folder_and_can_be_shown() {
    let folder = Folder::new();
    fs::create_dir(folder.path("inside")).unwrap();
    let grid = |name: &str, scenario: &str, method: &str| {
        let text = format!(
            "name = \"{name}\"\ntrials = 1\nsizes = [5]\n[[scenario]]\nname = \"{scenario}\"\n\
             [[method]]\nmethod = \"eq-td\"\nname = \"{method}\"\n"
        );
        folder.write("inside/grid.toml", text);
        folder.refused(&["bench", "inside/grid.toml"])
    };
    for name in ["../../x", "a/b", "a\\\\b", ""] {
        assert!(grid(name, "s", "m").contains("fit for a folder"), "{name}");
    }
    for bad in ["a\\u0007b", "a\\u001b[31m", "a\\u202eb", "a\\nb"] {
        assert!(grid(bad, "s", "m").contains("cannot be shown"), "{bad}");
        assert!(grid("x", bad, "m").contains("cannot be shown"), "{bad}");
        assert!(grid("x", "s", bad).contains("cannot be shown"), "{bad}");
    }
    assert_eq!(folder.files(), ["inside"]);
}
