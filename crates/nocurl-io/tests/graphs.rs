//! Graphs that come back as they were written, and files that are refused.

use std::collections::BTreeSet;

use nocurl::Claim;
use nocurl::bootstrap::Kind;
use nocurl_io::{
    BootstrapSummary, Cpdag, Edge, Format, GraphDocument, GraphFormat, InputDescription, Missing,
    PairSupport, PathSupport, Source, check_writable, format_graph, read_graph, write_graph,
};
use proptest::prelude::*;

fn document(names: &[String], edges: &[(usize, usize, f64)]) -> GraphDocument {
    let edge = |&(from, to, weight): &(usize, usize, f64)| Edge {
        from: names[from].clone(),
        to: names[to].clone(),
        weight,
    };
    GraphDocument {
        schema: GraphDocument::SCHEMA.into(),
        variables: names.to_vec(),
        edges: edges.iter().map(edge).collect(),
        order: names.to_vec(),
        potential: Some((0..names.len()).map(|i| i as f64 / 3.0).collect()),
        cpdag: Cpdag { directed: vec![], undirected: vec![[names[0].clone(), names[1].clone()]] },
        claim: Claim::Class,
        directions: "Some are open.".into(),
        bootstrap: Some(bootstrapped(names)),
        means: Some((0..names.len()).map(|i| i as f64 / 7.0).collect()),
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
        warnings: vec!["careful".into()],
        diagnosis: serde_json::json!([{ "name": "units", "verdict": "ok", "later": 1 }]),
        elapsed_seconds: 0.1 + 0.2,
    }
}

fn bootstrapped(names: &[String]) -> BootstrapSummary {
    let (from, to) = (names[0].clone(), names[1].clone());
    BootstrapSummary {
        kind: Kind::Rows,
        replicates: 10,
        failed: 1,
        first_error: Some("constant".into()),
        level: 0.9,
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
            effect: [0.0, 2.0],
        }],
        consensus: vec![Edge { from, to, weight: 1.5 }],
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
    let names = ["a", "b", "c"].map(String::from);
    document(&names, &[(0, 1, 1.5), (1, 2, -0.1)])
}

#[test]
fn json_holds_the_whole_document() {
    let text = format_graph(&three(), GraphFormat::Json).unwrap();
    assert_eq!(serde_json::from_str::<GraphDocument>(&text).unwrap(), three());
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    for key in [
        "schema",
        "variables",
        "edges",
        "order",
        "potential",
        "cpdag",
        "claim",
        "directions",
        "means",
        "bootstrap",
        "method",
        "parameters",
        "seed",
        "version",
        "input",
        "termination",
        "warnings",
        "elapsed_seconds",
    ] {
        assert!(value.get(key).is_some(), "{key}");
    }
}

#[test]
fn the_other_formats_look_as_expected() {
    let lines = |format| format_graph(&three(), format).unwrap();
    assert_eq!(
        lines(GraphFormat::Csv),
        "from,to,weight,cpdag\na,b,1.5,undirected\nb,c,-0.1,directed\n"
    );
    let dot = lines(GraphFormat::Dot);
    assert!(dot.contains("claim=\"class\";"), "{dot}");
    for edge in [
        "\"a\" -> \"b\" [weight=\"1.5\", label=\"1.500\", cpdag=undirected, dir=none];",
        "\"b\" -> \"c\" [weight=\"-0.1\", label=\"-0.100\", cpdag=directed];",
    ] {
        assert!(dot.contains(edge), "{dot}");
    }
    let gml = lines(GraphFormat::Gml);
    assert!(gml.contains("claim \"class\""), "{gml}");
    assert!(gml.contains("edge [ source 0 target 1 weight 1.5 cpdag \"undirected\" ]"), "{gml}");
    let graphml = lines(GraphFormat::Graphml);
    assert!(graphml.contains("    <data key=\"claim\">class</data>\n"), "{graphml}");
    let edge = "<edge source=\"n1\" target=\"n2\"><data key=\"weight\">-0.1</data>\
                <data key=\"cpdag\">directed</data></edge>";
    assert!(graphml.contains(edge), "{graphml}");
}

#[test]
fn edges_are_drawn_with_heads_where_their_direction_is_meant() {
    for (claim, heads) in [(Claim::Dag, 2), (Claim::Class, 1), (Claim::Skeleton, 0)] {
        let dot = format_graph(&GraphDocument { claim, ..three() }, GraphFormat::Dot).unwrap();
        assert_eq!(dot.matches("->").count() - dot.matches("dir=none").count(), heads, "{dot}");
    }
}

#[test]
fn claims_and_marks_are_read_wherever_they_stand() {
    let read = |name: &str, text: &str| read_graph(&Source::bytes(name, text)).unwrap();
    let marked = Some(BTreeSet::from([(0, 1)]));
    for (name, text) in [
        ("g.dot", "digraph { claim = class a -> b [cpdag=\"undirected\"] }"),
        ("g.dot", "digraph { graph [bgcolor=white, claim=class]; a -> b [cpdag=undirected] }"),
        (
            "g.graphml",
            "<key id='d1' for='edge' attr.name='cpdag'/><key id='d2' attr.name='claim'/><graph>\
             <node id='a'/><node id='b'/><edge source='a' target='b'><data key='d1'> undirected \
             </data></edge><data key='d2'>class</data></graph>",
        ),
        (
            "g.gml",
            "graph [ directed 1 comment \"claim\" node [ id 0 label \"a\" ] node [ id 1 label \
             \"b\" ] edge [ source 0 target 1 cpdag \"undirected\" ] claim \"class\" ]",
        ),
    ] {
        let graph = read(name, text);
        assert_eq!((graph.claim, &graph.undirected), (Claim::Class, &marked), "{text}");
    }
    // An edge list has no place for a claim; files without marks say nothing of the class.
    let list = read("g.csv", "a,b,1,undirected\n");
    assert_eq!((list.claim, list.undirected), (Claim::Dag, marked));
    for (name, text) in [
        ("g.csv", "from,to,weight\na,b,1\n"),
        ("g.csv", "a,b,1,directed\nb,c,1\n"),
        ("g.dot", "digraph { a -> b }"),
        ("g.gml", "graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"),
        ("g.graphml", "<node id='a'/><node id='b'/><edge source='a' target='b'/>"),
    ] {
        let graph = read(name, text);
        assert_eq!((graph.claim, graph.undirected), (Claim::Dag, None), "{text}");
    }
}

#[test]
fn lists_and_matrices_are_read() {
    let read = |text: &str| read_graph(&Source::bytes("g.csv", text)).unwrap();
    for text in [
        "from,to,weight\nx,y,2\ny,z,1\n",
        "x,y,2\ny,z\n",
        "source;target;weight\nx;y;2\ny;z;1.0\n",
        "x,y,z\n0,2,0\n0,0,1\n0,0,0\n",
        ",x,y,z\nx,0,2,0\ny,0,0,1\nz,0,0,0\n",
        "x,y,z\nx,0,2,0\ny,0,0,1\nz,0,0,0\n",
    ] {
        let graph = read(text);
        assert_eq!(graph.names, ["x", "y", "z"], "{text}");
        assert_eq!((graph.weights[(0, 1)], graph.weights[(1, 2)]), (2.0, 1.0), "{text}");
        assert_eq!(graph.weights.norm_l1(), 3.0, "{text}");
    }
    let dot = "digraph g { rankdir=LR; node [shape=box]; a -> b -> \"c d\"; /* no */ e }";
    let graph = read_graph(&Source::bytes("g.dot", dot)).unwrap();
    assert_eq!(graph.names, ["a", "b", "c d", "e"]);
    assert_eq!((graph.weights[(0, 1)], graph.weights[(1, 2)]), (1.0, 1.0));
}

#[test]
fn it_is_known_whether_all_edges_have_weights() {
    let weighted =
        |name: &str, text: &str| read_graph(&Source::bytes(name, text)).unwrap().weighted;
    assert!(weighted("g.csv", "from,to,weight\nx,y,2\n"));
    assert!(weighted("g.csv", "x,y\n0,2\n0,0\n"));
    assert!(!weighted("g.csv", "x,y,2\ny,z\n"));
    assert!(!weighted("g.dot", "digraph { a -> b }"));
    assert!(weighted("g.dot", "digraph { a -> b [weight=2] }"));
    let graph = format_graph(&three(), GraphFormat::Json).unwrap();
    let graph = read_graph(&Source::bytes("g.json", &graph)).unwrap();
    assert!(graph.weighted);
    assert_eq!((graph.means, graph.method.as_str()), (three().means, "nocurl"));
}

#[test]
fn bad_graphs_are_errors_on_one_line() {
    let valid = format_graph(&three(), GraphFormat::Json).unwrap();
    for (name, text, part) in [
        ("g.json", "{}".to_string(), "no `schema`"),
        ("g.json", valid.replace("graph/1", "graph/2"), "schema `nocurl/graph/2` is not known"),
        (
            "g.json",
            valid.replace("\"from\": \"a\"", "\"from\": \"q\""),
            "`q`, which is no variable",
        ),
        (
            "g.json",
            valid.replace("\"means\": [", "\"means\": [ 1.0,"),
            "it has 4 means for 3 variables",
        ),
        ("g.json", valid[..valid.len() / 2].to_string(), "not JSON"),
        ("g.csv", "a,b,c,d\n1,2\n".into(), "line 1 has 4 cells"),
        ("g.csv", "from,to,weight,cpdag\na,b,1,maybe\n".into(), "line 2 has 4 cells"),
        ("g.dot", "digraph { claim=all }".into(), "`claim` is `all`; it is `dag`, `class` or"),
        ("g.dot", "digraph { a -> b [cpdag=1] }".into(), "`cpdag` `1`; it is `directed` or"),
        ("g.csv", "a,b,heavy\n".into(), "the weight `heavy` is not a number"),
        ("g.csv", "a,b,1\na,b,2\n".into(), "line 2: edge `a` -> `b` is there twice"),
        ("g.csv", "a,b\nb,\n".into(), "line 2: a variable has no name"),
        ("g.csv", ",x,y\ny,0,1\nx,0,0\n".into(), "row 1 is `y` but column 1 is `x`"),
        ("g.csv", "a,b,inf\n".into(), "not finite"),
        ("g.csv", " \n".into(), "is empty"),
        ("g.dot", "graph { a -- b }".into(), "not a `digraph`"),
        ("g.dot", "digraph { a -> ".into(), "an arrow points at nothing"),
        ("g.gml", "graph [ node [ id 1 ] edge [ source 1 target 1 ] ]".into(), "no direction"),
        ("g.graphml", "<graph><edge source=\"a\" target=\"b\"/></graph>".into(), "node `a`"),
        ("g.png", "x".into(), "unknown format"),
    ] {
        let error = read_graph(&Source::bytes(name, &text)).unwrap_err().to_string();
        assert!(error.contains(part) && !error.contains('\n'), "{text:?}: {error}");
    }
    let mut broken = three();
    broken.edges[0].weight = f64::NAN;
    assert!(format_graph(&broken, GraphFormat::Json).is_err());
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
    assert_eq!(read_graph(&Source::new(&path)).unwrap().names, ["a", "b", "c"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    let say = |path: &std::path::Path| check_writable(path).unwrap_err().to_string();
    assert!(say(&folder.path().join("none/g.json")).contains("there is no folder"));
    assert!(say(folder.path()).contains("it is a folder"));
    assert!(say(&path.join("g.json")).contains("cannot write"));
    assert!(write_graph(folder.path().join("g.bmp"), &three()).is_err());
    #[cfg(unix)]
    assert!(say(std::path::Path::new("/dev/null")).contains("not a plain file"));
}

/// The edges that the document leaves open, by the positions of their variables.
fn open_edges(graph: &GraphDocument, names: &[String]) -> Option<BTreeSet<(usize, usize)>> {
    let position = |name: &String| names.iter().position(|known| known == name).unwrap();
    let [first, second] = &graph.cpdag.undirected[0];
    let open = graph.edges.iter().filter(|edge| {
        (&edge.from, &edge.to) == (first, second) || (&edge.from, &edge.to) == (second, first)
    });
    Some(open.map(|edge| (position(&edge.from), position(&edge.to))).collect())
}

fn graphs(name: &'static str) -> impl Strategy<Value = GraphDocument> {
    proptest::collection::btree_set(name, 2..6).prop_flat_map(|names| {
        let names: Vec<String> = names.into_iter().collect();
        let d = names.len();
        let weight = any::<f64>().prop_filter("weights are finite", |w| w.is_finite() && *w != 0.0);
        proptest::collection::btree_map((0..d, 0..d), weight, 1..8).prop_map(move |edges| {
            let claim = Claim::ALL[edges.len() % Claim::ALL.len()];
            let edges: Vec<_> = edges.into_iter().map(|((i, j), w)| (i, j, w)).collect();
            GraphDocument { claim, ..document(&names, &edges) }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn graphs_come_back_exactly(graph in graphs("\\PC{1,6}")) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["g.json", "g.dot", "g.graphml", "g.gml"] {
            let path = folder.path().join(name);
            write_graph(&path, &graph).unwrap();
            let found = read_graph(&Source::new(&path)).unwrap();
            prop_assert_eq!(&found.names, &graph.variables, "{}", name);
            let position = |name: &String| graph.variables.iter().position(|n| n == name).unwrap();
            for edge in &graph.edges {
                let weight = found.weights[(position(&edge.from), position(&edge.to))];
                prop_assert_eq!(weight.to_bits(), edge.weight.to_bits(), "{}", name);
            }
            prop_assert_eq!(found.claim, graph.claim, "{}", name);
            prop_assert_eq!(&found.undirected, &open_edges(&graph, &found.names), "{}", name);
        }
    }

    #[test]
    fn edge_lists_keep_names_and_weights(graph in graphs("[a-zß\",;\n]{0,4}[a-z]")) {
        let text = format_graph(&graph, GraphFormat::Csv).unwrap();
        let found = read_graph(&Source::bytes("g.csv", &text)).unwrap();
        for edge in &graph.edges {
            let position = |name: &str| found.names.iter().position(|n| n == name);
            let at = (position(&edge.from).unwrap(), position(&edge.to).unwrap());
            prop_assert_eq!(found.weights[at].to_bits(), edge.weight.to_bits());
        }
        prop_assert_eq!(&found.undirected, &open_edges(&graph, &found.names));
    }
}
