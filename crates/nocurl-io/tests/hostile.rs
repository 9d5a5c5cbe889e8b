//! Files made to do harm are refused in one line: nothing is lost in silence, nothing crashes.

use std::fs;
use std::path::Path;

use nocurl::Run;
use nocurl_io::{
    Error, Format, GraphDocument, ReadOptions, Source, read_dataset, read_graph, read_knowledge,
    read_moments,
};

fn file(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/hostile").join(name))
        .unwrap()
}

fn rows(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<u64, Error> {
    read_moments(&Source::bytes(name, bytes), options, &Run::default()).map(|table| table.rows)
}

fn refused(name: &str, bytes: &[u8]) -> String {
    let text = rows(name, bytes, &ReadOptions::default()).unwrap_err().to_string();
    assert!(!text.contains('\n'), "{text}");
    text
}

fn without_name() -> ReadOptions {
    ReadOptions { drop: vec!["name".into()], ..Default::default() }
}

/// 200 rows with a name each; `change` may give a row another name.
fn names(change: impl Fn(usize) -> Option<&'static str>) -> String {
    let row = |i: usize| {
        let name = change(i).map_or_else(|| format!("n{i}"), String::from);
        format!("{}.5,{},{name}\n", i % 7, i % 5)
    };
    std::iter::once("a,b,name\n".into()).chain((0..200).map(row)).collect()
}

#[test]
fn a_quote_that_is_not_closed_names_its_line() {
    let text = names(|i| (i == 20).then_some("\"O'Neil"));
    let error = rows("t.csv", text.as_bytes(), &without_name()).unwrap_err();
    let expected = "`t.csv`, line 22: a quote opens a cell and none closes it";
    assert_eq!(error.to_string(), expected);
    // In the last row, in the first line, and after many pieces.
    let text = names(|i| (i == 199).then_some("\"O'Neil"));
    assert!(rows("t.csv", text.as_bytes(), &without_name()).is_err());
    let error = refused("t.csv", b"a,\"b\n1,2\n3,4\n5,6\n");
    assert_eq!(error, "`t.csv`, line 1: a quote opens a cell and none closes it");
    let mut text = String::from("a,b,name\n");
    (0..3_000_000).for_each(|_| text.push_str("1,2,x\n"));
    text.push_str("1,2,\"x\n3,4,y\n");
    let error = rows("t.csv", text.as_bytes(), &without_name()).unwrap_err();
    assert!(error.to_string().starts_with("`t.csv`, line 3000002: a quote"), "{error}");
}

#[test]
fn a_quote_that_is_closed_many_lines_later_takes_no_rows() {
    for last in ["x\"", "\"x\"", "\"Brien"] {
        let text = names(|i| match i {
            20 => Some("\"O'Neil"),
            150 => Some(last),
            _ => None,
        });
        let error = rows("t.csv", text.as_bytes(), &without_name()).unwrap_err();
        assert!(error.to_string().starts_with("`t.csv`, line 22: "), "{error}");
    }
    let error = refused("t.csv", b"a,\"b\n1,2\n3,4\"\n5,6\n7,8\n");
    assert!(error.starts_with("`t.csv`, line 1: a quote opens a cell of 3 lines"), "{error}");
    // Notes of several lines are fine.
    let text = names(|i| (i % 3 == 0).then_some("\"a note\nof 3, maybe 4,\nlines\""));
    assert_eq!(rows("t.csv", text.as_bytes(), &without_name()).unwrap(), 200);
}

#[test]
fn a_quoted_cell_that_is_too_long_names_its_line() {
    let mut text = b"a,b,name\n1,2,x\n3,4,\"y\n".to_vec();
    text.resize(80 << 20, b'z');
    let error = rows("t.csv", &text, &without_name()).unwrap_err();
    let expected = "`t.csv`, line 3: a quoted cell does not end within 64 MiB";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn long_first_lines_are_refused_before_names_are_made() {
    let text = b"a,".repeat(16 << 20);
    let expected = "has more than 1000000 columns, and 20000 are read";
    assert!(refused("t.csv", &text).contains(expected));
    let some = ReadOptions { columns: Some(vec!["a".into()]), ..Default::default() };
    let error = rows("t.csv", &text, &some).unwrap_err();
    assert!(error.to_string().contains("has more than 1000000 columns"), "{error}");
    // One sentence, however many names are missing.
    let text = format!("a{}\n{}", ",".repeat(9999), format!("1{}\n", ",2".repeat(9999)).repeat(3));
    let options = ReadOptions {
        columns: Some(vec!["a".into(), "x2".into()]),
        keep_constant: true,
        ..Default::default()
    };
    let source = Source::bytes("t.csv", text);
    let table = read_moments(&source, &options, &Run::default()).unwrap();
    assert_eq!(table.warnings.len(), 1);
    assert!(table.warnings[0].to_string().starts_with("9999 columns have no names"));
}

fn npy(version: u8, header: &str, length: Option<u32>, body: usize) -> Vec<u8> {
    let mut bytes = [b"\x93NUMPY".as_slice(), &[version, 0]].concat();
    let length = length.unwrap_or(header.len() as u32);
    match version {
        1 => bytes.extend((length as u16).to_le_bytes()),
        _ => bytes.extend(length.to_le_bytes()),
    }
    bytes.extend(header.as_bytes());
    bytes.resize(bytes.len() + body, 0);
    bytes
}

#[test]
fn headers_of_numpy() {
    let header =
        |shape: &str| format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    let brackets = "[".repeat(40) + "1" + &"]".repeat(40);
    assert!(refused("t.npy", &npy(1, &header(&brackets), None, 0)).ends_with("makes no sense"));
    let long = npy(2, &header("(2, 2)"), Some(u32::MAX), 32);
    assert!(refused("t.npy", &long).ends_with("its header has 4294967295 bytes, more than 65536"));
    let digits = npy(2, &header(&format!("(2, {})", "9".repeat(2_000_000))), None, 0);
    assert!(refused("t.npy", &digits).contains("more than 65536"));
    let digits = npy(2, &header(&format!("(2, {})", "9".repeat(60_000))), None, 0);
    assert!(refused("t.npy", &digits).ends_with("makes no sense"));
    let wide = npy(1, &header("(2, 4000000)"), None, 64_000_000);
    assert!(refused("t.npy", &wide).contains("more than 1000000 columns, and 20000 are read"));
    let more = npy(1, &header("(2, 2)"), None, 40);
    assert!(refused("t.npy", &more).contains("it goes on after the 2 x 2 numbers"));
}

#[test]
fn numbers_of_another_byte_order_are_refused() {
    let error = refused("t.arrows", &file("be_int.arrows"));
    assert!(error.contains("big-endian, which is not read"), "{error}");
}

#[test]
fn messages_of_no_kind_are_refused() {
    let error = refused("t.arrow", &file("hdr0.arrow"));
    assert!(error.ends_with("a message is of a kind that no table has"), "{error}");
    // Two streams, one after the other.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tables/stream.arrows");
    let stream = fs::read(path).unwrap();
    let error = refused("t.arrows", &[stream.clone(), stream].concat());
    assert!(error.contains("it goes on after its end"), "{error}");
}

#[test]
fn checksums_of_pages_are_verified() {
    let whole = file("checksum.parquet");
    assert_eq!(rows("t.parquet", &whole, &ReadOptions::default()).unwrap(), 50);
    // Within the 50 numbers of the first page, behind its head.
    for at in (120..440).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        refused("t.parquet", &bytes);
    }
}

#[test]
fn wrong_types_in_the_metadata_of_parquet_are_refused() {
    let error = refused("t.parquet", &file("confused.parquet"));
    assert!(error.ends_with("the head of a page makes no sense"), "{error}");
}

#[test]
fn groups_within_groups_are_refused_before_they_are_decoded() {
    let error = refused("t.parquet", &file("deep.parquet"));
    assert!(error.ends_with("in more than 64 groups, one in the other"), "{error}");
}

#[test]
fn short_knowledge_cannot_state_more_edges_than_there_is_memory_for() {
    let list = |letter: char| (0..100_000).map(|i| format!("{letter}{i} ")).collect::<String>();
    let text = format!("/knowledge\nforbiddengroup\n{}\n{}\n", list('a'), list('b'));
    let error = read_knowledge(&Source::bytes("k.txt", text)).unwrap_err().to_string();
    assert!(error.ends_with("state 10000000000 edges, more than 1000000"), "{error}");
    let text = format!("/knowledge\naddtemporal\n1- {}\n2 x\n3 {}\n", list('a'), list('b'));
    assert!(read_knowledge(&Source::bytes("k.txt", text)).is_err());
    for deep in
        ["[".repeat(100_000), "a.".repeat(100_000), "a = ".to_string() + &"[".repeat(100_000)]
    {
        let error = read_knowledge(&Source::bytes("k.toml", deep)).unwrap_err().to_string();
        assert!(!error.contains('\n') && error.len() < 400, "{error}");
    }
}

fn graph(name: &str, text: impl AsRef<[u8]>) -> Result<GraphDocument, Error> {
    read_graph(&Source::bytes(name, text))
}

#[test]
fn graphs_with_very_many_parts() {
    let nodes = |open: &str, node: fn(usize) -> String, close: &str| {
        open.to_string() + &(0..160_000).map(node).collect::<String>() + close
    };
    let dot = nodes("digraph {\n", |i| format!("v{i};\n"), "}\n");
    let gml = nodes("graph [\n", |i| format!("node [ id {i} ]\n"), "]\n");
    let xml = nodes("<graph>\n", |i| format!("<node id=\"v{i}\"/>\n"), "</graph>\n");
    for (name, text) in [("g.dot", dot), ("g.gml", gml), ("g.graphml", xml)] {
        let error = graph(name, text).unwrap_err().to_string();
        assert!(error.ends_with("it has 160000 variables, more than 20000"), "{name}: {error}");
    }
    let references = "&".repeat(400_000);
    for (name, text) in [
        ("g.graphml", format!("<graph><node id=\"{references}\"/></graph>")),
        (
            "g.graphml",
            format!("<graph><node id=\"a\"><data key=\"name\">{references}</data></node></graph>"),
        ),
        ("g.gml", format!("graph [ node [ id 1 label \"{references}\" ] ]")),
        ("g.graphml", "<a>".repeat(400_000)),
        ("g.gml", "a [ ".repeat(400_000)),
        ("g.dot", "digraph { a [".to_string() + &"[ ".repeat(400_000)),
        ("g.dot", "digraph { a -- ".to_string() + &"<".repeat(400_000)),
        ("g.json", "[".repeat(400_000)),
        ("g.json", "{\"a\":".repeat(400_000)),
        ("g.csv", "\"".repeat(400_001)),
    ] {
        if let Err(error) = graph(name, &text) {
            let error = error.to_string();
            assert!(!error.contains('\n') && error.len() < 500, "{name}: {error}");
        }
    }
}

#[test]
fn details_of_graphs() {
    let text = "<graphml><graph edgedefault='undirected'><node id='a'/><node id='b'/>\
                <edge source='a' target='b'/></graph></graphml>";
    assert!(!graph("g.graphml", text).unwrap().edges[0].is_determined());
    let ports = graph("g.dot", "digraph { a:n -> b:in:sw; c:x; }").unwrap();
    assert_eq!(ports.variables, ["a", "b", "c"]);
    for (name, text) in [
        ("g.csv", "from,to,weight\na,b,0\nb,c,0.0\n"),
        ("g.dot", "digraph { a -> b [weight=0]; b -> c [weight=\"0.0\"]; }"),
    ] {
        let found = graph(name, text).unwrap();
        assert_eq!(found.edges.len(), 2, "{name}");
        assert_eq!(found.edges[0].weight, Some(0.0), "{name}");
    }
}

#[test]
fn names_of_formats_do_not_decide_what_is_safe() {
    let files = ["confused.parquet", "deep.parquet", "be_int.arrows", "hdr0.arrow"];
    for (name, format) in files.into_iter().flat_map(|name| {
        [Format::Csv, Format::Npy, Format::Arrow, Format::Parquet].map(|format| (name, format))
    }) {
        let options = ReadOptions { format: Some(format), ..Default::default() };
        let source = Source::bytes("t", file(name));
        assert!(read_dataset(&source, &options, &Run::default()).is_err(), "{name} {format:?}");
    }
}
