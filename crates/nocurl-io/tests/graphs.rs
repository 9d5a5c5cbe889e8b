//! Graphs that come back as they were written, and files that are refused.

use nocurl::Determines;
use nocurl::bootstrap::{Confidence, Kind};
use nocurl::methods::{RunnerUp, SearchReport};
use nocurl_io::{
    BootstrapSummary, Class, ConsensusEdge, DescribedVariable, Direction, Edge, FORMATS, Format,
    GraphDocument, GraphFormat, InputDescription, MechanismDocument, Missing, ModelDocument,
    PairSupport, PathSupport, Source, TermDocument, check_writable, format_graph, read_graph,
    write_graph,
};
use proptest::prelude::*;

fn written(graph: &GraphDocument, extension: &str) -> String {
    format_graph(graph, GraphFormat::of_path(format!("g.{extension}")).unwrap()).unwrap()
}

fn read(name: &str, text: &str) -> GraphDocument {
    read_graph(&Source::bytes(name, text)).unwrap()
}

fn edge(from: &str, to: &str, weight: Option<f64>, direction: Direction) -> Edge {
    Edge { from: from.into(), to: to.into(), weight, direction, ..Edge::default() }
}

/// A document with something in every field.
fn document(names: &[String], edges: Vec<Edge>) -> GraphDocument {
    GraphDocument {
        schema: GraphDocument::SCHEMA.into(),
        variables: names.to_vec(),
        order: names.to_vec(),
        potential: Some((0..names.len()).map(|i| i as f64 / 3.0).collect()),
        class: Some(Class {
            directed: vec![],
            undirected: vec![[names[0].clone(), names[1].clone()]],
        }),
        determines: Determines::Class,
        directions: "Some are undetermined.".into(),
        assumption: Some("equal error variances".into()),
        bootstrap: Some(bootstrapped(names)),
        model: Some(model(names, &edges)),
        error_variances: None,
        part: false,
        needs_json: false,
        error_shape: None,
        experiments: None,
        means: Some((0..names.len()).map(|i| i as f64 / 7.0).collect()),
        kinds: names
            .iter()
            .map(|name| DescribedVariable {
                variable: nocurl::Variable::continuous(name.clone()),
                shares: vec![],
                mean: Some(0.5),
                deviation: Some(2.5),
                missing: Some(1),
                histogram: Some(nocurl_report::Histogram {
                    range: [-1.0, 3.0],
                    from: 0.0,
                    to: 2.0,
                    counts: vec![1, 2],
                }),
            })
            .collect(),
        method: "nocurl".into(),
        parameters: serde_json::json!({ "lambda": [10.0, 1000.0] }),
        seed: u64::MAX,
        version: "0.1.0".into(),
        input: Some(InputDescription {
            path: "x.csv".into(),
            format: Format::Csv,
            rows: 10,
            rows_dropped: 1,
            columns: names.len(),
            digest: "xxh3-128:00".into(),
            missing: Missing::Drop,
        }),
        termination: "converged".into(),
        iterations: 12,
        search: Some(SearchReport {
            runs: 2,
            agreed: 2,
            restarts: 12,
            reached_best: 3,
            runner_up: Some(RunnerUp { gap: 0.5, differs: 2 }),
            price: Some(7.5),
        }),
        warnings: vec!["careful".into()],
        diagnosis: serde_json::json!([{ "name": "units", "verdict": "ok", "later": 1 }]),
        elapsed_seconds: 0.1 + 0.2,
        command: Some("nocurl learn a.csv".into()),
        sample: vec![],
        edges,
    }
}

/// A linear mechanism for each variable, with the parents of the edges.
fn model(names: &[String], edges: &[Edge]) -> ModelDocument {
    let mechanism = |name: &String| MechanismDocument::Linear {
        parents: edges
            .iter()
            .filter(|edge| edge.to == *name)
            .map(|edge| TermDocument {
                variable: edge.from.clone(),
                coefficients: vec![edge.weight.unwrap_or(1.0)],
            })
            .collect(),
        intercept: 0.25,
        variance: 0.5,
        rows: 10.0,
        covariance: vec![],
    };
    ModelDocument {
        mechanisms: names.iter().map(mechanism).collect(),
        experiment: None,
        missing: vec!["-9".into()],
    }
}

fn bootstrapped(names: &[String]) -> BootstrapSummary {
    let (from, to) = (names[0].clone(), names[1].clone());
    BootstrapSummary {
        kind: Kind::Rows,
        asked: Some(12),
        replicates: 10,
        failed: 1,
        first_error: Some("constant".into()),
        level: 0.9,
        calibrated: true,
        consensus_level: Some(0.5),
        pairs: vec![PairSupport {
            from: from.clone(),
            to: to.clone(),
            forward: 0.5,
            backward: 0.25,
            undirected: 0.0,
            adjacent: 0.75,
            weight: Some([1.0, 2.0]),
            weight_backward: None,
        }],
        paths: vec![PathSupport {
            from: from.clone(),
            to: to.clone(),
            ancestor: 0.5,
            effect: Some([0.0, 2.0]),
        }],
        classes: Vec::new(),
        consensus: vec![ConsensusEdge { from, to, direction: Direction::Determined, weight: None }],
    }
}

#[test]
fn support_of_an_edge_is_found_by_its_ends() {
    let summary = bootstrapped(&["a", "b"].map(String::from));
    let edges = summary.edges();
    let (there, back) = (edges[&("a", "b")], edges[&("b", "a")]);
    assert_eq!((there.directed, there.adjacent, there.weight), (0.5, 0.75, Some([1.0, 2.0])));
    assert_eq!((back.directed, back.adjacent, back.weight), (0.25, 0.75, None));
}

fn three() -> GraphDocument {
    let edges = vec![
        edge("a", "b", Some(1.5), Direction::Undetermined),
        edge("b", "c", Some(-0.1), Direction::Determined),
    ];
    document(&["a", "b", "c"].map(String::from), edges)
}

#[test]
fn json_holds_the_whole_document() {
    let text = written(&three(), "json");
    assert_eq!(read("g.json", &text), three());
    assert_eq!(written(&read("g.json", &text), "json"), text);
    assert_eq!(GraphDocument::from_json(&text).unwrap(), three());
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    for key in [
        "schema",
        "variables",
        "edges",
        "order",
        "potential",
        "class",
        "determines",
        "directions",
        "means",
        "bootstrap",
        "method",
        "parameters",
        "seed",
        "version",
        "input",
        "termination",
        "iterations",
        "warnings",
        "diagnosis",
        "elapsed_seconds",
    ] {
        assert!(value.get(key).is_some(), "{key}");
    }
}

#[test]
fn the_other_formats_look_as_expected() {
    assert_eq!(
        written(&three(), "csv"),
        "from,to,weight,direction\na,b,1.5,undetermined\nb,c,-0.1,determined\n"
    );
    for (extension, parts) in [
        (
            "dot",
            [
                "  determines=\"class\";\n  method=\"nocurl\";\n",
                "\"b\" [potential=\"0.3333333333333333\", mean=\"0.14285714285714285\", errorvariance=\"0.5\"];",
                "\"a\" -> \"b\" [edge_weight=\"1.5\", direction=\"undetermined\", label=\"1.50\", \
                 color=\"#0072b2cf\", fontcolor=\"#0072b2\", penwidth=3.00, dir=none];",
                "\"b\" -> \"c\" [edge_weight=\"-0.1\", direction=\"determined\", label=\"\u{2212}0.10\", \
                 color=\"#d55e0040\", fontcolor=\"#d55e00\", penwidth=0.90, style=dashed];",
            ],
        ),
        (
            "gml",
            [
                "  directed 1\n  determines \"class\"\n",
                "node [ id 0 label \"a\" potential 0.0 mean 0.0 errorvariance 0.5 ]",
                "edge [ source 0 target 1 weight 1.5 direction \"undetermined\" ]",
                "edge [ source 1 target 2 weight -0.1 direction \"determined\" ]",
            ],
        ),
        (
            "graphml",
            [
                "<key id=\"direction\" for=\"edge\" attr.name=\"direction\" attr.type=\"string\"/>",
                "<data key=\"determines\">class</data>",
                "<data key=\"name\">a</data>",
                "<edge source=\"n1\" target=\"n2\">\n      <data key=\"weight\">-0.1</data>\n      \
                 <data key=\"direction\">determined</data>\n    </edge>",
            ],
        ),
    ] {
        let text = written(&three(), extension);
        for part in parts {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    let faint = vec![edge("a", "b", Some(1e-7), Direction::Determined)];
    let gml = written(&GraphDocument { edges: faint, ..three() }, "gml");
    assert!(gml.contains("weight 1.0e-7 "), "other readers need the point: {gml}");
}

#[test]
fn edges_are_drawn_with_heads_where_their_direction_is_determined() {
    let dot = written(&three(), "dot");
    assert_eq!((dot.matches("->").count(), dot.matches("dir=none").count()), (2, 1), "{dot}");
}

#[test]
fn confidence_comes_back_from_every_format() {
    let confidence = Confidence {
        adjacent: 0.97,
        direction: 0.625,
        adjacent_frequency: 0.9,
        direction_frequency: 0.7,
    };
    let mut graph = three();
    graph.edges[0].direction = Direction::Likely;
    graph.edges[0].confidence = Some(confidence);
    for extension in ["json", "csv", "dot", "graphml", "gml"] {
        let text = written(&graph, extension);
        let found = read(&format!("g.{extension}"), &text);
        assert_eq!(found.edges, graph.edges, "{text}");
        assert_eq!(found.directed().unwrap().directed().count(), 2);
        assert_eq!(found.determined().unwrap().directed().count(), 1);
        let wrong = text.replace("0.625", "1.625");
        if extension != "json" {
            let error = read_graph(&Source::bytes(format!("g.{extension}"), wrong)).unwrap_err();
            assert!(error.to_string().contains("it is a number from 0 to 1"), "{error}");
        }
    }
    let csv = written(&graph, "csv");
    assert!(csv.contains("likely,0.97,0.625,0.9,0.7\nb,c,-0.1,determined,,,,\n"), "{csv}");
}

#[test]
fn every_format_has_its_extensions_and_a_line_in_the_list() {
    for &format in FORMATS {
        for extension in format.extensions {
            assert_eq!(GraphFormat::of_path(format!("g.{extension}")).unwrap(), format);
            let read = GraphFormat::of_extension(extension);
            assert!(read.is_none_or(|read| read == format));
        }
        for extension in format.also_read {
            assert_eq!(GraphFormat::of_extension(extension), Some(format));
        }
    }
    let known = ".json, .dot, .graphml, .gml";
    let error = GraphFormat::of_path("g.xyz").unwrap_err().to_string();
    let all = format!("{known}, .csv, .dagitty, .mmd, .tex, .svg, .html, .png or .pdf");
    assert!(error.ends_with(&format!("end the name in {all}")), "{error}");
    let error = GraphFormat::picture_of_path("g.csv").unwrap_err().to_string();
    assert!(error.ends_with("end the name in .tex, .svg, .png or .pdf"), "{error}");
    let error = read_graph(&Source::bytes("g.png", "x")).unwrap_err().to_string();
    assert!(error.ends_with(&format!("{known} and .csv are read")), "{error}");
}

#[test]
fn it_is_known_whether_all_edges_have_weights() {
    let weighted = |name: &str, text: &str| read(name, text).is_weighted();
    assert!(weighted("g.csv", "from,to,weight\nx,y,2\n"));
    assert!(weighted("g.csv", "x,y\n0,2\n0,0\n"));
    assert!(!weighted("g.csv", "x,y,2\ny,z\n"));
    assert!(!weighted("g.dot", "digraph { a -> b }"));
    assert!(weighted("g.dot", "digraph { a -> b [weight=2] }"));
    assert!(weighted("g.json", &written(&three(), "json")));
    // No format invents a weight when it is written again.
    let mixed = read("g.csv", "x,y,2\ny,z\n");
    for extension in ["json", "dot", "graphml", "gml", "csv"] {
        let found = read(&format!("g.{extension}"), &written(&mixed, extension));
        assert_eq!(found.edges, mixed.edges, "{extension}");
    }
    assert_eq!(mixed.dag().unwrap().weights()[(1, 2)], 1.0);
}

#[test]
fn an_edge_of_weight_zero_stays_an_edge() {
    for (name, text) in
        [("g.csv", "a,b,0\nb,c,1\n"), ("g.dot", "digraph { a -> b [weight=0]; b -> c [weight=1] }")]
    {
        let graph = read(name, text);
        assert_eq!(graph.edges[0].weight, Some(0.0), "the document keeps the number");
        let dag = graph.dag().unwrap();
        assert!(dag.has_edge(0, 1) && dag.weights()[(0, 1)] < 1e-300, "{name}");
        assert_eq!(dag.edge_count(), 2);
        assert_eq!(read("g.json", &written(&graph, "json")), graph);
    }
}

#[test]
fn bad_graphs_are_errors_on_one_line() {
    let valid = written(&three(), "json");
    for (name, text, part) in [
        ("g.json", "{}".to_string(), "no `schema`"),
        ("g.json", valid.replace("graph/3", "graph/4"), "schema `nocurl/graph/4` is not known"),
        (
            "g.json",
            valid.replace("\"from\": \"a\"", "\"from\": \"q\""),
            "`q`, which is no variable",
        ),
        ("g.json", valid.replace("\"means\": [", "\"means\": [ 1.0,"), "4 means for 3 variables"),
        (
            "g.json",
            valid.replace("\"potential\": [", "\"potential\": [ 1.0,"),
            "4 potentials for 3 variables",
        ),
        ("g.json", valid.replace("\"order\": [\n    \"a\"", "\"order\": [\n    \"b\""), "`order`"),
        ("g.json", valid.replace("undetermined\"", "maybe\""), "unknown variant `maybe`"),
        ("g.json", valid[..valid.len() / 2].to_string(), "not JSON"),
        ("g.csv", "a,b,c,d\n1,2\n".into(), "line 1 has 4 cells"),
        ("g.csv", "from,to,weight,direction\na,b,1,maybe\n".into(), "line 2 has 4 cells"),
        ("g.dot", "digraph { claim=all }".into(), "`claim` is `all`; it is `graph`, `class` or"),
        ("g.dot", "digraph { determines=all }".into(), "`determines` is `all`; it is `graph`"),
        ("g.dot", "digraph { a -> b [cpdag=1] }".into(), "`cpdag` `1`; it is `directed` or"),
        ("g.dot", "digraph { a -> b [direction=1] }".into(), "`direction` `1`; it is `determined`"),
        ("g.csv", "a,b,heavy\n".into(), "the weight `heavy` is not a number"),
        ("g.csv", "a,b,1\na,b,2\n".into(), "line 2: edge `a` -> `b` is there twice"),
        ("g.csv", "a,b\nb,\n".into(), "line 2: a variable has no name"),
        ("g.csv", ",x,y\ny,0,1\nx,0,0\n".into(), "row 1 is `y` but column 1 is `x`"),
        ("g.csv", "a,b,inf\n".into(), "not finite"),
        ("g.csv", " \n".into(), "is empty"),
        ("g.dot", "strict { a -> b }".into(), "neither a `digraph` nor a `graph`"),
        ("g.dot", "digraph { a -> ".into(), "an edge leads to nothing"),
        ("g.dot", "digraph { a -> { b c } }".into(), "subgraphs are not read"),
        ("g.dot", "digraph { a [label=<b>".into(), "a `[` is not closed"),
        ("g.dot", "digraph { a [label=<b".into(), "a `<` is not closed"),
        ("g.gml", "graph [ node [ id 1 ] edge [ source 1 target 1 ] ]".into(), "a cycle: 1 -> 1"),
        ("g.gml", "graph [ node [ id 1 ] edge [ source 1 target 2 ] ]".into(), "names node `2`"),
        ("g.graphml", "<graph><edge source=\"a\" target=\"b\"/></graph>".into(), "node `a`"),
        ("g.graphml", "<graph><node id='a'/>".into(), "ends inside an element"),
        ("g.graphml", "<graph><node id='a'></edge></graph>".into(), "expected `</node>`"),
        ("g.graphml", "<graph><node name='a'/></graph>".into(), "a <node> has no `id`"),
        ("g.graphml", "<node id='a'><data key='name'>&x;</data></node>".into(), "entity"),
        ("g.graphml", format!("<node id='a'/>{}", "&".repeat(400_000)), "not a valid graph"),
        ("g.png", "x".into(), "unknown format"),
    ] {
        let error = read_graph(&Source::bytes(name, &text)).unwrap_err().to_string();
        let shown = &text[..text.len().min(200)];
        assert!(error.contains(part) && !error.contains('\n'), "{shown:?}: {error}");
    }
    let mut broken = three();
    broken.edges[0].weight = Some(f64::NAN);
    let json = GraphFormat::of_path("g.json").unwrap();
    assert!(format_graph(&broken, json).is_err());
    assert!(
        format_graph(&GraphDocument { means: Some(vec![f64::NAN; 3]), ..three() }, json).is_err()
    );
}

#[test]
fn files_are_written_whole_and_destinations_checked_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.json");
    check_writable(&path).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
    std::fs::write(&path, "old").unwrap();
    check_writable(&path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    write_graph(&path, &three()).unwrap();
    assert_eq!(read_graph(&Source::new(&path)).unwrap().variables, ["a", "b", "c"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    let say = |path: &std::path::Path| check_writable(path).unwrap_err().to_string();
    assert!(say(&folder.path().join("none/g.json")).contains("there is no folder"));
    assert!(say(folder.path()).contains("it is a folder"));
    assert!(say(&path.join("g.json")).contains("cannot write"));
    assert!(write_graph(folder.path().join("g.bmp"), &three()).is_err());
    #[cfg(unix)]
    assert!(say(std::path::Path::new("/dev/null")).contains("not a plain file"));
}

fn graphs(name: &'static str) -> impl Strategy<Value = GraphDocument> {
    proptest::collection::btree_set(name, 2..6).prop_flat_map(|names| {
        let names: Vec<String> = names.into_iter().collect();
        let d = names.len();
        let weight = any::<f64>().prop_filter("weights are finite", |w| w.is_finite());
        let about = (proptest::option::weighted(0.9, weight), any::<bool>());
        proptest::collection::btree_map((0..d, 0..d), about, 1..8).prop_map(move |pairs| {
            // Edges from later to earlier variables, so that there is no cycle.
            let pairs = pairs.into_iter().filter(|((from, to), _)| from > to);
            let edges: Vec<Edge> = pairs
                .map(|((from, to), (weight, determined))| {
                    let direction =
                        if determined { Direction::Determined } else { Direction::Undetermined };
                    edge(&names[from], &names[to], weight, direction)
                })
                .collect();
            let has = |direction| edges.iter().any(|edge| edge.direction == direction);
            let determines = match (has(Direction::Determined), has(Direction::Undetermined)) {
                (true, false) => Determines::Graph,
                (false, true) => Determines::Skeleton,
                _ => Determines::Class,
            };
            GraphDocument { determines, ..document(&names, edges) }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn graphs_come_back_exactly(graph in graphs("\\PC{1,6}")) {
        prop_assert_eq!(&read("g.json", &written(&graph, "json")), &graph);
        for extension in ["dot", "graphml", "gml"] {
            let found = read(&format!("g.{extension}"), &written(&graph, extension));
            let held = |graph: &GraphDocument| {
                let graph = graph.clone();
                let GraphDocument { variables, edges, determines, method, means, potential, .. } =
                    graph;
                (variables, edges, determines, method, means, potential)
            };
            prop_assert_eq!(held(&found), held(&graph), "{}", extension);
            prop_assert_eq!(&read("g.json", &written(&found, "json")), &found);
            prop_assert!(found.dag().is_ok() && found.determined().is_ok());
        }
    }

    #[test]
    fn edge_lists_keep_edges_and_their_directions(graph in graphs("[a-zß\",;\n]{0,4}[a-z]")) {
        prop_assert_eq!(read("g.csv", &written(&graph, "csv")).edges, graph.edges);
    }
}

#[test]
fn names_are_text_in_every_format_that_draws() {
    let name = "<script>alert(1)</script> \"$x_1$\" #1; \\input";
    let graph = read("g.json", &written(&three(), "json").replace("\"b\"", &format!("{name:?}")));
    for extension in ["svg", "mmd", "dot", "tex", "dagitty"] {
        let text = written(&graph, extension);
        // In DOT and DAGitty the name stands in quotes, where nothing is run.
        assert!(!text.contains("<script") || ["dot", "dagitty"].contains(&extension), "{text}");
    }
    assert!(written(&graph, "mmd").contains("(\"#60;script#62;alert(1)#60;/script#62; #34;"));
    assert!(written(&graph, "tex").contains("\\$x\\_1"));
    for extension in ["png", "pdf"] {
        let format = GraphFormat::of_path(format!("g.{extension}")).unwrap();
        assert!(
            format.is_picture() && nocurl_io::graph_bytes(&graph, format).unwrap().len() > 1000
        );
        let error = format_graph(&graph, format).unwrap_err().to_string();
        assert!(error.contains("is no text"), "{error}");
    }
}

#[test]
fn dot_of_before_and_of_now_have_the_same_weights() {
    for attribute in ["weight", "edge_weight"] {
        let graph = read("g.dot", &format!("digraph {{ a -> b [{attribute}=\"2.5\"] }}"));
        assert_eq!(graph.edges[0].weight, Some(2.5));
    }
}

#[test]
fn names_that_a_format_cannot_hold_stay_apart_or_are_refused() {
    let graph = |names: [&str; 2]| {
        let names = names.map(String::from);
        let edge = edge(&names[0], &names[1], Some(1.5), Direction::Determined);
        document(&names, vec![edge])
    };
    let refused = |graph: &GraphDocument, extension: &str| {
        let format = GraphFormat::of_path(format!("g.{extension}")).unwrap();
        format_graph(graph, format).unwrap_err().text().to_string()
    };
    for names in [["a\u{1}", "a\u{2}"], ["\u{fffd}", "\u{ffff}"], ["\0", "\u{7f}\u{85}"]] {
        let graph = graph(names);
        for extension in ["graphml", "gml", "json"] {
            let back = read(&format!("g.{extension}"), &written(&graph, extension));
            assert_eq!(back.variables, names, "{extension}");
            assert_eq!((&*back.edges[0].from, &*back.edges[0].to), (names[0], names[1]));
        }
    }
    // Other programs see a name without them, and nothing more where nothing is foreign.
    let text = written(&graph(["a\u{1}", "b"]), "graphml");
    assert!(text.contains("<data key=\"name\">a\u{fffd}</data>"), "{text}");
    assert!(text.contains("<data key=\"name_json\">&quot;a\\u0001&quot;</data>"), "{text}");
    assert!(!written(&graph(["a", "b"]), "graphml").contains("name_json"));
    for (names, extension, words) in [
        (["a\0", "b"], "dot", "DOT cannot hold the name `a `"),
        (["a\0", "b"], "csv", "CSV cannot hold the name `a `"),
        (["", "b"], "csv", "CSV cannot hold the name ``"),
        (["a", "a "], "csv", "CSV cannot tell the names `a` and `a ` apart"),
        (["a\u{1}", "a "], "dagitty", "DAGitty cannot tell the names `a ` and `a ` apart"),
        (["a\"", "a\u{2033}"], "dagitty", "DAGitty cannot tell the names `a\"` and `a\u{2033}`"),
    ] {
        let said = refused(&graph(names), extension);
        assert!(said.contains(words) && said.contains("rename it"), "{said}");
    }
    let broken = text.replace("&quot;a\\u0001&quot;", "a");
    assert!(
        read_graph(&Source::bytes("g.graphml", broken))
            .unwrap_err()
            .to_string()
            .contains("name_json")
    );
}
