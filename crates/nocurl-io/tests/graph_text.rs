//! Any text, read as a graph, gives a usable graph or an error in one line.

use nocurl_io::{FORMATS, GraphFormat, Source, format_graph, read_graph};
use proptest::prelude::*;

/// Texts of every format, to be cut and mixed.
const TEXTS: [&str; 5] = [
    include_str!("data/graph-1-class.json"),
    include_str!("data/graph-1-class.dot"),
    include_str!("data/graph-1-class.graphml"),
    include_str!("data/graph-1-class.gml"),
    include_str!("data/graph-1-class.csv"),
];

fn check(name: &str, text: &str) -> Result<(), TestCaseError> {
    match read_graph(&Source::bytes(name, text)) {
        Err(error) => prop_assert!(!error.to_string().contains('\n'), "{}", error),
        Ok(graph) => {
            let (dag, determined) = (graph.dag().unwrap(), graph.determined().unwrap());
            prop_assert_eq!(dag.edge_count(), graph.edges.len());
            for (i, j, _) in dag.edges() {
                prop_assert!(determined.is_adjacent(i, j) && !determined.has_directed(j, i));
            }
            let json = GraphFormat::of_extension("json").unwrap();
            let text = format_graph(&graph, json).unwrap();
            if !graph.variables.is_empty() {
                prop_assert_eq!(read_graph(&Source::bytes("g.json", &text)).unwrap(), graph);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn damaged_files_are_refused_or_read(
        which in 0_usize..5,
        cut in any::<prop::sample::Index>(),
        length in 0_usize..40,
        other in "[\\PC\n]{0,12}",
    ) {
        let text: Vec<char> = TEXTS[which].chars().collect();
        let at = cut.index(text.len());
        let before: String = text[..at].iter().collect();
        let after: String = text[(at + length).min(text.len())..].iter().collect();
        for &format in FORMATS {
            check(&format!("g.{}", format.extensions[0]), &format!("{before}{other}{after}"))?;
        }
    }

    #[test]
    fn words_in_any_order_are_refused_or_read(
        words in proptest::collection::vec(prop::sample::select(vec![
            "digraph", "graph", "{", "}", "[", "]", "a", "b", "c", "->", "--", ":", ";", "=", ",",
            "\n", "weight", "dir", "none", "1", "0", "-1", "directed", "node", "edge", "id",
            "source", "target", "label", "\"a\"", "<", ">", "claim", "class", "direction",
            "undetermined", "&", "<node id='a'/>", "<edge source='a' target='b'/>",
        ]), 0..40),
    ) {
        for &format in FORMATS {
            check(&format!("g.{}", format.extensions[0]), &words.join(" "))?;
            check(&format!("g.{}", format.extensions[0]), &format!("digraph {{ {} }}", words.join(" ")))?;
        }
    }

    #[test]
    fn edges_of_every_kind_make_a_graph_unless_directed_ones_go_round(
        edges in proptest::collection::vec((0_usize..6, 0_usize..6, any::<bool>()), 0..14),
    ) {
        let line = |&(i, j, directed): &(usize, usize, bool)| {
            format!("v{i} {} v{j}", if directed { "->" } else { "--" })
        };
        let lines: Vec<String> = edges.iter().map(line).collect();
        check("g.dot", &format!("digraph {{ x; {} }}", lines.join("; ")))?;
    }
}
