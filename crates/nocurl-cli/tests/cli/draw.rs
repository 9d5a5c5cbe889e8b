//! `nocurl draw` and `nocurl compare`.

use crate::Folder;

const GRAPH: &str = "from,to,weight\nraf,mek,1.5\nmek,erk,-0.5\nerk,akt,0.3\npka,raf,0.2\n";

fn refused(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.nocurl(arguments).assert().code(2).get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn every_kind_of_picture_is_drawn() {
    let folder = Folder::new();
    folder.write("g.csv", GRAPH);
    let starts = [
        ("g.svg", "<svg"),
        ("g.pdf", "%PDF"),
        ("g.tex", "%"),
        ("g.mmd", "flowchart TD\n"),
        ("g.dagitty", "dag {\n"),
        ("g.dot", "digraph"),
    ];
    let mut arguments = vec!["draw", "g.csv", "--output", "g.png"];
    starts.iter().for_each(|(name, _)| arguments.extend(["--output", name]));
    folder.nocurl(&arguments).assert().success();
    for (name, start) in starts {
        let bytes = std::fs::read(folder.path(name)).unwrap();
        assert!(bytes.starts_with(start.as_bytes()), "{name}");
    }
    assert!(std::fs::read(folder.path("g.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_part_of_a_graph_is_drawn() {
    let folder = Folder::new();
    folder.write("g.csv", GRAPH);
    folder
        .nocurl(&["draw", "g.csv", "--output", "g.svg", "--around", "raf", "--output", "p.json"])
        .assert()
        .success();
    assert_eq!(folder.json("p.json")["variables"], serde_json::json!(["raf", "mek", "pka"]));
    assert!(!folder.text("g.svg").contains("akt"));
    folder
        .nocurl(&["draw", "g.csv", "--output", "p.json", "--around", "raf", "--depth", "2"])
        .assert()
        .success();
    assert_eq!(folder.json("p.json")["edges"].as_array().unwrap().len(), 3);
}

#[test]
fn what_cannot_be_drawn_is_said_in_one_line() {
    let folder = Folder::new();
    folder.write("g.csv", GRAPH);
    let cases: [(&[&str], &str); 6] = [
        (&["--around", "raff"], "no variable `raff`; did you mean `raf`?"),
        (&["--min-confidence", "0.5"], "does not say how sure its edges are"),
        (&["--min-confidence", "2"], "from 0 to 1"),
        (&["--depth", "2"], "--around"),
        (&["--output", "g.xyz"], "unknown format"),
        (&["--output", "g.csv"], "g.csv"),
    ];
    for (more, expected) in cases {
        let error = refused(&folder, &[&["draw", "g.csv", "--output", "g.svg"], more].concat());
        assert!(error.contains(expected) && error.lines().count() == 1, "{error}");
    }
    assert_eq!(folder.files(), ["g.csv"]);
}

#[test]
fn two_graphs_are_compared_and_drawn() {
    let folder = Folder::new();
    folder.write("one.csv", GRAPH);
    folder.write("other.csv", "from,to\nmek,raf\nmek,erk\nerk,pkc\n");
    let output = folder
        .nocurl(&["compare", "one.csv", "other.csv", "--output", "both.svg", "--output", "d.csv"])
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.contains("1 edge in both, 2 edges only in the first, 1 edge only in the second"));
    assert!(text.contains("only the second graph has `pkc`"), "{text}");
    assert!(folder.text("both.svg").contains("in opposite directions"));
    assert!(folder.text("d.csv").starts_with("part,from,to,weight_1,edge_1,weight_2,edge_2\n"));
    assert!(folder.text("d.csv").contains("reversed,raf,mek,1.5,->,,<-\n"));
    let output = folder.nocurl(&["compare", "one.csv", "other.csv", "--json"]).assert().success();
    let found: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!((&found["schema"], &found["reversed"]), (&"nocurl/compare/1".into(), &1.into()));
    let error = refused(&folder, &["compare", "one.csv", "other.csv", "--output", "d.gml"]);
    assert!(error.contains(".tex, .svg, .png or .pdf, .html, .json or .csv"), "{error}");
}

#[test]
fn a_report_is_written_by_every_command_that_shows_graphs() {
    let folder = Folder::new();
    folder.write("rain.csv", crate::chain());
    let data = |name: &str| -> serde_json::Value {
        let page = folder.text(name);
        let (_, rest) = page.split_once("id=\"data\">").unwrap();
        serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
    };
    let learn = ["learn", "rain.csv", "--quiet", "--seed", "1", "--output", "g.json"];
    folder.run(&[&learn[..], &["--output", "r.html"]].concat());
    let full = data("r.html");
    assert_eq!(full["command"], "nocurl learn rain.csv --seed 1");
    assert!(full["sample"][0].as_array().unwrap().len() > 30);
    assert!(full["variables"][0]["histogram"]["counts"].is_array());
    assert_eq!(full["variables"][0]["missing"], 0);
    assert_eq!(full["views"][1]["name"], "Consensus");
    assert!(folder.text("r.html").contains("Content-Security-Policy"));
    folder.run(&[&learn[..], &["--output", "none.html", "--report-rows", "0"]].concat());
    assert_eq!(data("none.html")["sample"], serde_json::json!([]));
    // A JSON file has no rows, and all the rest.
    assert!(folder.json("g.json").get("sample").is_none());
    folder.run(&["draw", "g.json", "--quiet", "--output", "drawn.html"]);
    let drawn = data("drawn.html");
    assert_eq!(drawn["sample"], serde_json::json!([]));
    for part in ["variables", "views", "effects", "checks", "command", "settings"] {
        assert_eq!(drawn[part], full[part], "{part}");
    }
    folder.write("g.csv", GRAPH);
    folder.run(&["compare", "g.json", "g.csv", "--quiet", "--output", "both.html"]);
    assert_eq!(data("both.html")["compared"]["graphs"], serde_json::json!(["g.json", "g.csv"]));
}
