use serde_json::Value;

use crate::{Folder, repository_data};

#[test]
fn scores_are_right_and_in_every_form() {
    let folder = Folder::new();
    folder.write("truth.csv", "from,to\na,b\nb,c\nc,d\n");
    folder.write("estimate.csv", "from,to,weight\nb,a,1\nb,c,2\na,d,3\n");
    let shown = folder.run(&[
        "evaluate",
        "truth.csv",
        "estimate.csv",
        "--output",
        "s.json",
        "--output",
        "s.csv",
    ]);
    for row in ["SHD", "extra", "missing", "reversed"] {
        let number = if row == "SHD" { "3" } else { "1" };
        let line = shown.lines().find(|line| line.trim_start().starts_with(row)).unwrap();
        assert_eq!(line.split_whitespace().nth(1), Some(number), "{line}");
    }
    let printed = folder.run(&["evaluate", "truth.csv", "estimate.csv", "--json"]);
    assert_eq!(printed, folder.text("s.json"));
    let scores: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((&scores["shd"], &scores["variables"]), (&3.into(), &4.into()));
    assert!(folder.text("s.csv").contains("\nshd,3\n"), "{}", folder.text("s.csv"));
}

#[test]
fn variables_are_matched_by_name_whatever_their_place() {
    let folder = Folder::new();
    folder.write("one.csv", ",a,b,c\na,0,1,0\nb,0,0,2\nc,0,0,0\n");
    folder.write("two.csv", ",c,a,b\nc,0,0,0\na,0,0,1\nb,1,0,0\n");
    let scores: Value =
        serde_json::from_str(&folder.run(&["evaluate", "one.csv", "two.csv", "--json"])).unwrap();
    assert_eq!(scores["shd"], 0);
}

#[test]
fn a_consensus_network_can_be_compared_with_a_learnt_one() {
    let folder = Folder::new();
    folder.run(&["learn", &repository_data("sachs.csv"), "--output", "g.json", "-q"]);
    let shown = folder.run(&["evaluate", &repository_data("sachs-20.csv"), "g.json"]);
    assert!(shown.contains("sachs-20.csv: 20 edges"), "{shown}");
    assert!(shown.contains("11 variables"), "{shown}");
}

#[test]
fn marks_in_files_are_honoured_and_said() {
    let folder = Folder::new();
    folder.write("truth.csv", "from,to\na,b\nb,c\n");
    // Both directions are wrong, but one is undetermined; the class of the graph has neither.
    folder.write("marked.csv", "from,to,weight,direction\nb,a,1,determined\nc,b,1,undetermined\n");
    let scores = |truth: &str, estimate: &str| -> Value {
        serde_json::from_str(&folder.run(&["evaluate", truth, estimate, "--json"])).unwrap()
    };
    let found = scores("truth.csv", "marked.csv");
    assert_eq!((&found["reversed"], &found["shd"]), (&1.into(), &1.into()), "{found}");
    assert_eq!((&found["determines"], &found["cpdag_shd"]), (&"class".into(), &0.into()));
    assert_eq!(found["sid"], 6, "as it is drawn");
    let shown = folder.run(&["evaluate", "truth.csv", "marked.csv"]);
    assert!(shown.contains("the estimate is partially directed: its undetermined"), "{shown}");
    // The same marks as they were written before.
    let old = "digraph { claim=class; b -> a [cpdag=directed]; c -> b [cpdag=undirected] }";
    folder.write("old.dot", old);
    let found = scores("truth.csv", "old.dot");
    assert_eq!((&found["reversed"], &found["determines"]), (&1.into(), &"class".into()));
    folder.write("skeleton.dot", "digraph { determines=skeleton; a -> b; b -> c }");
    let shown = folder.run(&["evaluate", "truth.csv", "skeleton.dot"]);
    assert!(shown.contains("determines a skeleton: edges in the right place"), "{shown}");
}

#[test]
fn partially_directed_graphs_are_compared() {
    let folder = Folder::new();
    folder.write("dag.csv", ",a,b,c,d\na,0,1,0,0\nb,0,0,0,0\nc,0,1,0,0\nd,0,0,1,0\n");
    // a -> b <- c with c - d: as a matrix, as an endpoint matrix, as a list with both directions.
    folder.write("cpdag.csv", ",a,b,c,d\na,0,1,0,0\nb,0,0,0,0\nc,0,1,0,1\nd,0,0,1,0\n");
    folder.write("ends.csv", ",a,b,c,d\na,0,-1,0,0\nb,1,0,1,0\nc,0,-1,0,-1\nd,0,0,-1,0\n");
    folder.write("pgmpy.csv", "from,to\na,b\nc,b\nc,d\nd,c\n");
    let scores = |truth: &str, estimate: &str| -> Value {
        serde_json::from_str(&folder.run(&["evaluate", truth, estimate, "--json"])).unwrap()
    };
    for file in ["cpdag.csv", "ends.csv", "pgmpy.csv"] {
        for (truth, estimate) in [("dag.csv", file), (file, "dag.csv"), ("cpdag.csv", file)] {
            let found = scores(truth, estimate);
            assert_eq!((&found["shd"], &found["cpdag_shd"]), (&0.into(), &0.into()), "{found}");
            assert_eq!((&found["sid"], &found["true_edges"]), (&Value::Null, &3.into()), "{found}");
        }
    }
    let shown = folder.run(&["evaluate", "cpdag.csv", "dag.csv"]);
    assert!(
        shown.contains("the truth is partially directed") && !shown.contains("SID  "),
        "{shown}"
    );
    let shown = folder.run(&["evaluate", "dag.csv", "ends.csv"]);
    assert!(shown.contains("has undirected edges, so there is no SID"), "{shown}");
    assert_eq!(scores("dag.csv", "dag.csv")["sid"], 0);
}

#[test]
fn an_edge_of_weight_zero_counts() {
    let folder = Folder::new();
    folder.write("truth.csv", "a,b,0\nb,c,1\n");
    folder.write("estimate.csv", "b,c\na,c\n");
    let found = folder.run(&["evaluate", "truth.csv", "estimate.csv", "--json"]);
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!((&found["true_edges"], &found["missing"]), (&2.into(), &1.into()), "{found}");
}

#[test]
fn different_variables_are_an_error_that_names_them() {
    let folder = Folder::new();
    folder.write("small.csv", ",a,b,e\na,0,1,0\nb,0,0,0\ne,0,0,0\n");
    folder.write("large.csv", ",a,b,zebra\na,0,1,0\nb,0,0,0\nzebra,0,0,0\n");
    folder.write("list.csv", "from,to\na,b\na,quagga\n");
    folder.write("isolated.csv", "from,to\na,b\n");
    folder.write("strangers.csv", "from,to\np,q\n");
    let line = folder.refused(&["evaluate", "small.csv", "large.csv", "--output", "s.json"]);
    assert!(line.contains("`e`") && line.contains("`zebra`"), "{line}");
    assert!(folder.refused(&["evaluate", "small.csv", "list.csv"]).contains("`quagga`"));
    assert!(folder.refused(&["evaluate", "list.csv", "strangers.csv"]).contains("different"));
    let shown = folder.run(&["evaluate", "isolated.csv", "small.csv"]);
    assert!(shown.contains("`isolated.csv` lists edges only: `e` is taken"), "{shown}");
    let shown = folder.run(&["evaluate", "isolated.csv", "list.csv"]);
    assert!(shown.contains("3 variables"), "{shown}");
    assert!(!folder.files().contains(&"s.json".to_string()));
}

#[test]
fn cycles_and_broken_files_are_errors() {
    let folder = Folder::new();
    folder.write("cycle.csv", "from,to\nhen,egg\negg,chick\nchick,hen\n");
    folder.write("fine.csv", "from,to\nhen,egg\negg,chick\n");
    for (truth, estimate) in [("cycle.csv", "fine.csv"), ("fine.csv", "cycle.csv")] {
        let line = folder.refused(&["evaluate", truth, estimate]);
        assert!(line.contains("`cycle.csv` has a cycle: "), "{line}");
        assert!(
            [
                "hen -> egg -> chick -> hen",
                "egg -> chick -> hen -> egg",
                "chick -> hen -> egg -> chick"
            ]
            .iter()
            .any(|cycle| line.contains(cycle)),
            "{line}"
        );
    }
    folder.write("broken.json", "{");
    assert!(folder.refused(&["evaluate", "broken.json", "fine.csv"]).contains("broken.json"));
    assert!(folder.refused(&["evaluate", "none.json", "fine.csv"]).contains("none.json"));
    let line = folder.refused(&["evaluate", "fine.csv", "fine.csv", "--output", "s.txt"]);
    assert!(line.contains("s.txt"), "{line}");
}
