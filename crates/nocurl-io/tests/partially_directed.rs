//! Partially directed graphs in the forms that people have them in, and files of older versions.

use nocurl::{Determines, Mat, Pdag};
use nocurl_io::{GraphDocument, Source, read_graph};

fn read(name: &str, text: &str) -> GraphDocument {
    read_graph(&Source::bytes(name, text)).unwrap()
}

/// Directed and undirected edges by name.
fn edges(graph: &GraphDocument) -> (Vec<String>, Vec<String>) {
    let determined = graph.determined().unwrap();
    let name = |i: usize| graph.variables[i].as_str();
    let directed = determined.directed().map(|(i, j)| format!("{}{}", name(i), name(j)));
    let mut undirected: Vec<String> = determined
        .undirected()
        .map(|(i, j)| [name(i).min(name(j)), name(i).max(name(j))].concat())
        .collect();
    undirected.sort();
    (directed.collect(), undirected)
}

#[test]
fn every_form_of_a_partially_directed_graph_is_read() {
    // a -> c <- b, and c -> d is directed while d - e is not.
    for (name, text) in [
        ("g.csv", "a,b,c,d,e\n0,0,1,0,0\n0,0,1,0,0\n0,0,0,1,0\n0,0,0,0,1\n0,0,0,1,0\n"),
        // causal-learn: -1 is a tail and 1 is a head.
        ("g.csv", "a,b,c,d,e\n0,0,-1,0,0\n0,0,-1,0,0\n1,1,0,-1,0\n0,0,1,0,-1\n0,0,0,-1,0\n"),
        // pgmpy: both directions of an undirected edge.
        ("g.csv", "from,to\na,c\nb,c\nc,d\nd,e\ne,d\n"),
        ("g.dot", "digraph { a -> c; b -> c; c -> d; d -> e; e -> d }"),
        ("g.dot", "digraph { a -> c; b -> c; c -> d; d -> e [dir=none] }"),
        ("g.dot", "digraph { a -> c; b -> c; c -> d; edge [dir=both, arrowhead=none]; d -> e }"),
        ("g.dot", "digraph { a -> c; b -> c; c -> d; d -- e }"),
        (
            "g.gml",
            "graph [ directed 1 node [ id 0 label \"a\" ] node [ id 1 label \"b\" ] \
             node [ id 2 label \"c\" ] node [ id 3 label \"d\" ] node [ id 4 label \"e\" ] \
             edge [ source 0 target 2 ] edge [ source 1 target 2 ] edge [ source 2 target 3 ] \
             edge [ source 3 target 4 directed 0 ] ]",
        ),
        (
            "g.graphml",
            "<graphml><key id='k' for='edge' attr.name='directed'/><graph edgedefault='directed'>\
             <node id='a'/><node id='b'/><node id='c'/><node id='d'/><node id='e'/>\
             <edge source='a' target='c'/><edge source='b' target='c'/>\
             <edge source='c' target='d'><data key='k'>True</data></edge>\
             <edge source='d' target='e'><data key='k'>False</data></edge></graph></graphml>",
        ),
        (
            "g.graphml",
            "<graphml><graph edgedefault = 'directed'><node id='a'/><node id='b'/><node id='c'/>\
             <node id='d'/><node id='e'/><edge source='a' target='c'/><edge source='b' target='c'/>\
             <edge source='c' target='d'/><edge directed=\"false\" source='e' target='d'/>\
             </graph></graphml>",
        ),
    ] {
        let graph = read(name, text);
        let (directed, undirected) = edges(&graph);
        let mut sorted = directed.clone();
        sorted.sort();
        assert_eq!(sorted, ["ac", "bc", "cd"], "{text}");
        assert_eq!(undirected, ["de"], "{text}");
        assert_eq!(graph.determines, Determines::Class, "{text}");
        let open = graph.edges.iter().find(|edge| !edge.is_determined()).unwrap();
        // The member without a new v-structure, and no weight for a direction that nobody drew.
        assert_eq!((open.from.as_str(), open.to.as_str(), open.weight), ("d", "e", None), "{text}");
        assert!(!graph.is_drawn() && graph.dag().is_ok(), "{text}");
        assert_eq!(graph.class.as_ref().unwrap().undirected.len(), 1);
    }
}

#[test]
fn undirected_graphs_are_read_as_such() {
    for (name, text) in [
        ("g.dot", "graph { a -- b -- c; c -- a }"),
        ("g.dot", "strict GRAPH g { a -- b; b -- c; a -- c }"),
        (
            "g.gml",
            "graph [ node [ id 0 label \"a\" ] node [ id 1 label \"b\" ] node [ id 2 label \"c\" ] \
             edge [ source 0 target 1 ] edge [ source 1 target 2 ] edge [ source 2 target 0 ] ]",
        ),
        (
            "g.gml",
            "graph [ directed 0 node [ id 0 label \"a\" ] node [ id 1 label \"b\" ] \
             node [ id 2 label \"c\" ] edge [ source 0 target 1 ] edge [ source 1 target 2 ] \
             edge [ source 2 target 0 ] ]",
        ),
        (
            "g.graphml",
            "<graph edgedefault='undirected'><node id='a'/><node id='b'/><node id='c'/>\
             <edge source='a' target='b'/><edge source='b' target='c'/>\
             <edge source='c' target='a'/></graph>",
        ),
        (
            "g.graphml",
            "<graph edgedefault=\"undirected\"><node id='a'/><node id='b'/><node id='c'/>\
             <edge source='a' target='b'/><edge source='b' target='c'/>\
             <edge source='c' target='a'/></graph>",
        ),
        ("g.csv", "a,b,c\n0,1,1\n1,0,1\n1,1,0\n"),
        ("g.csv", "a,b,c\n0,-1,-1\n-1,0,-1\n-1,-1,0\n"),
    ] {
        let graph = read(name, text);
        assert_eq!(
            edges(&graph),
            (vec![], ["ab", "ac", "bc"].map(String::from).to_vec()),
            "{text}"
        );
        assert_eq!(graph.dag().unwrap().edge_count(), 3, "{text}");
    }
    // A square has no member without a new v-structure; it is drawn without a cycle all the same.
    let square = read("g.dot", "graph { a -- b; b -- c; c -- d; d -- a }");
    assert_eq!(square.dag().unwrap().edge_count(), 4);
    assert!(square.determined().unwrap().to_dag().is_err());
}

#[test]
fn cycles_of_directed_edges_are_refused_by_name() {
    for (name, text) in [
        ("g.csv", "hen,egg\negg,chick\nchick,hen\n"),
        ("g.csv", "hen,egg,chick\n0,1,0\n0,0,1\n1,0,0\n"),
        ("g.dot", "digraph { hen -> egg -> chick -> hen; chick -- cock }"),
        ("g.dot", "digraph { claim=class; hen -> egg -> chick -> hen }"),
    ] {
        let error = read_graph(&Source::bytes(name, text)).unwrap_err().to_string();
        assert!(error.contains(&format!("`{name}` has a cycle: ")), "{error}");
        let arrows = ["hen -> egg -> chick -> hen", "egg -> chick -> hen -> egg"];
        let found = arrows.iter().any(|cycle| error.contains(cycle));
        assert!(found || error.contains("chick -> hen -> egg -> chick"), "{error}");
    }
    let error = read_graph(&Source::bytes("g.csv", "a,b,1\na,a,1\n")).unwrap_err().to_string();
    assert!(error.contains("a cycle: a -> a"), "{error}");
    let text = "a,b\n0,-1\n1,0\n".replace("-1", "1");
    assert_eq!(edges(&read("g.csv", &text)).1, ["ab"]);
    let heads = "a,b,c\n0,1,-1\n1,0,0\n1,0,0\n";
    let error = read_graph(&Source::bytes("g.csv", heads)).unwrap_err().to_string();
    assert!(error.contains("between `a` and `b` has two heads"), "{error}");
}

#[test]
fn a_matrix_in_memory_is_taken_like_a_file() {
    let names = ["a", "b", "c"].map(String::from);
    let mut matrix = Mat::zeros(3, 3);
    (matrix[(0, 1)], matrix[(0, 2)]) = (2.0, -3.0);
    (matrix[(1, 2)], matrix[(2, 1)]) = (1.0, 0.5);
    let graph = GraphDocument::from_matrix(&names, matrix.as_ref()).unwrap();
    assert_eq!(graph.determined().unwrap(), Pdag::new(3, &[(0, 1), (0, 2)], &[(1, 2)]).unwrap());
    let weights: Vec<Option<f64>> = graph.edges.iter().map(|edge| edge.weight).collect();
    assert_eq!(weights, [Some(-3.0), Some(2.0), None], "from the largest");
    assert!(GraphDocument::from_matrix(&names[..2], matrix.as_ref()).is_err());
    matrix[(0, 0)] = 1.0;
    let error = GraphDocument::from_matrix(&names, matrix.as_ref()).unwrap_err().to_string();
    assert_eq!(error, "the matrix has a cycle: a -> a");
}

#[test]
fn weights_that_look_like_endpoints_are_weights() {
    let graph = read("g.csv", "a,b,c\n0,-1,0\n0,0,1\n0,0,0\n");
    assert_eq!(
        graph.edges.iter().map(|edge| edge.weight).collect::<Vec<_>>(),
        [Some(-1.0), Some(1.0)]
    );
    assert_eq!(graph.determines, Determines::Graph);
}

#[test]
fn what_is_determined_is_read_wherever_it_stands() {
    for (name, text) in [
        ("g.dot", "digraph { determines = class a -> b [direction=\"undetermined\"] }"),
        (
            "g.dot",
            "digraph { graph [bgcolor=white, determines=class]; a -> b [direction=undetermined] }",
        ),
        // As nocurl wrote them before.
        ("g.dot", "digraph { claim = class a -> b [cpdag=\"undirected\", dir=none] }"),
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
        ("g.csv", "a,b,1,undetermined\n"),
        ("g.csv", "from,to,weight,direction\na,b,,undetermined\n"),
    ] {
        let graph = read(name, text);
        assert_eq!(graph.determines, Determines::Class, "{text}");
        assert_eq!(edges(&graph), (vec![], vec!["ab".into()]), "{text}");
        assert_eq!((graph.edges[0].from.as_str(), graph.class.unwrap().undirected.len()), ("a", 1));
    }
    // The old edge list had no place for `claim`: all its directions are determined.
    let list = read("g.csv", "from,to,weight,cpdag\na,b,1,undirected\n");
    assert_eq!((list.determines, edges(&list).0), (Determines::Graph, vec!["ab".into()]));
    assert_eq!(list.class.unwrap().undirected, [["a".to_string(), "b".to_string()]]);
    for (name, text) in [
        ("g.csv", "from,to,weight\na,b,1\n"),
        ("g.csv", "a,b,1,directed\nb,c,1\n"),
        ("g.dot", "digraph { a -> b }"),
        ("g.gml", "graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"),
        ("g.graphml", "<node id='a'/><node id='b'/><edge source='a' target='b'/>"),
    ] {
        let graph = read(name, text);
        assert!(graph.edges.iter().all(|edge| edge.is_determined()), "{text}");
        assert_eq!((graph.determines, graph.class), (Determines::Graph, None), "{text}");
    }
    // A class without marks is that of the graph; a skeleton has no direction at all.
    assert_eq!(edges(&read("g.dot", "digraph { claim=class; a -> b; c -> b; b -> d }")).0.len(), 3);
    assert_eq!(edges(&read("g.dot", "digraph { claim=class; a -> b; b -> d }")).1.len(), 2);
    let skeleton = read("g.dot", "digraph { determines=skeleton; a -> b; c -> b }");
    assert_eq!((edges(&skeleton).1.len(), skeleton.determines), (2, Determines::Skeleton));
}

#[test]
fn ports_and_html_of_dot_are_no_variables() {
    let text = "digraph g { rankdir=LR; node [shape=box]; a:n -> b:port:s -> \"c d\"; /* no */ \
                e [label=<<b>x -> y</b>>]; \"f:g\" }";
    let graph = read("g.dot", text);
    assert_eq!(graph.variables, ["a", "b", "c d", "e", "f:g"]);
    assert_eq!(graph.edges.len(), 2);
}

#[test]
fn large_files_take_linear_time() {
    // Each of these took the square of its length: seconds to minutes.
    let nodes: String = (0..19_000).map(|i| format!("variable_of_some_length_{i}\n")).collect();
    let repeated = nodes.repeat(4);
    let dot = read("g.dot", &format!("digraph {{ {repeated} }}"));
    assert_eq!(dot.variables.len(), 19_000);
    let label = "&".repeat(400_000);
    let gml = format!("graph [ directed 1 node [ id 0 label \"{label}\" ] ]");
    assert_eq!(read("g.gml", &gml).variables, [label]);
    let label = "&amp;".repeat(400_000);
    let xml = format!("<graph><node id='a'><data key='name'>{label}</data></node></graph>");
    assert_eq!(read("g.graphml", &xml).variables[0].len(), 400_000);
}

/// What version 1 of the schema looked like, as the program of that time wrote it.
const FIRST: &str = include_str!("data/graph-1-class.json");

#[test]
fn files_of_the_first_schema_are_still_read() {
    let graph = read("g.json", FIRST);
    assert_eq!(graph.schema, GraphDocument::SCHEMA);
    assert_eq!(graph.determines, Determines::Class);
    let old: serde_json::Value = serde_json::from_str(FIRST).unwrap();
    let number = |part: &str| old["cpdag"][part].as_array().unwrap().len();
    let (directed, undirected) = edges(&graph);
    assert_eq!((directed.len(), undirected.len()), (number("directed"), number("undirected")));
    assert!(!directed.is_empty() && !undirected.is_empty(), "the file has both kinds");
    let new = serde_json::to_value(&graph).unwrap();
    for field in ["variables", "order", "potential", "means", "method", "parameters"] {
        assert_eq!(new[field], old[field], "{field}");
    }
    for field in ["replicates", "failed", "first_error", "kind", "level", "pairs", "paths"] {
        assert_eq!(new["bootstrap"][field], old["bootstrap"][field], "{field}");
    }
    let consensus = |document: &serde_json::Value| -> Vec<[serde_json::Value; 3]> {
        let edges = document["bootstrap"]["consensus"].as_array().unwrap().iter();
        edges.map(|edge| ["from", "to", "weight"].map(|part| edge[part].clone())).collect()
    };
    assert_eq!(consensus(&new), consensus(&old));
    assert!(consensus(&new).iter().all(|[.., weight]| weight.is_number()));
    for field in ["seed", "version", "input", "termination", "iterations", "warnings", "diagnosis"]
    {
        assert_eq!(new[field], old[field], "{field}");
    }
    assert_eq!(new["class"], old["cpdag"]);
    assert!(graph.bootstrap.is_some() && graph.diagnosis.is_array() && graph.input.is_some());
    for (before, after) in old["edges"].as_array().unwrap().iter().zip(&graph.edges) {
        assert_eq!(
            (before["from"].as_str(), before["weight"].as_f64()),
            (Some(after.from.as_str()), after.weight)
        );
    }
    // The same file with all or none of its directions.
    let all = read("g.json", &FIRST.replace("\"claim\": \"class\"", "\"claim\": \"dag\""));
    assert_eq!((all.determines, edges(&all).1.len()), (Determines::Graph, 0));
    assert_eq!(all.class, graph.class);
    let none = read("g.json", &FIRST.replace("\"claim\": \"class\"", "\"claim\": \"skeleton\""));
    assert_eq!((none.determines, edges(&none).0.len()), (Determines::Skeleton, 0));
    // The field was optional.
    let unsaid = read("g.json", &FIRST.replace("\"claim\": \"class\",", ""));
    assert_eq!(unsaid.determines, Determines::Graph);
}

#[test]
fn the_other_files_of_the_first_version_say_the_same() {
    let json = read("g.json", FIRST);
    for (name, text) in [
        ("g.dot", include_str!("data/graph-1-class.dot")),
        ("g.graphml", include_str!("data/graph-1-class.graphml")),
        ("g.gml", include_str!("data/graph-1-class.gml")),
    ] {
        let graph = read(name, text);
        assert_eq!(graph.edges, json.edges, "{name}");
        assert_eq!((graph.variables, graph.determines), (json.variables.clone(), json.determines));
    }
    let list = read("g.csv", include_str!("data/graph-1-class.csv"));
    assert_eq!(list.edges.len(), json.edges.len());
}
