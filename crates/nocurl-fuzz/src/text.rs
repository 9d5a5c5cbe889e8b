//! Formats that are text: words of each language in any order, more often in one that makes sense.

use nocurl_io::{FORMATS, GraphDocument, Source, format_graph, read_graph, read_knowledge};

use crate::random::Random;
use crate::{check_line, check_message};

/// Cells of tables, good and bad.
const CELLS: [&str; 24] = [
    "1",
    "2.5",
    "-3e4",
    "0",
    "",
    "NA",
    "nan",
    "\"7\"",
    "\"a,b\"",
    "\"x\ny\"",
    "\"",
    "\"\"",
    "\"\"\"\"",
    " 4 ",
    "1e400",
    "inf",
    "O\"Neil",
    "\"p\"q",
    "0x10",
    "é",
    "\u{202e}",
    "-",
    "1,5",
    "9007199254740993",
];

pub(crate) fn csv(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    if random.once_in(4) {
        bytes.clone_from(&corpus[random.below(corpus.len())]);
        random.change(&mut bytes);
        return bytes;
    }
    let delimiter = random.pick(&[",", ",", ";", "\t", "|", " ", "  "]);
    let end = random.pick(&["\n", "\n", "\r\n", "\r"]);
    let (rows, columns) = (random.below(12), 1 + random.below(5));
    // Most tables are sound but for a few cells.
    let odd = [3, 10, 1000][random.below(3)];
    let mut text = String::new();
    if random.once_in(8) {
        text.push_str(random.pick(&["\u{feff}", "\n\n", "  \n", "#\n", "sep=;\n"]));
    }
    for row in 0..=rows {
        for column in 0..columns + usize::from(random.once_in(60)) {
            if column > 0 {
                text.push_str(delimiter);
            }
            if random.once_in(odd) {
                text.push_str(random.pick(&CELLS));
            } else if row == 0 {
                text.push_str(&format!("v{column}"));
            } else {
                text.push_str(&format!("{}.{}", random.below(90), random.below(90)));
            }
        }
        text.push_str(end);
    }
    if random.once_in(6) {
        text.pop();
    }
    bytes.extend(text.bytes());
    if random.once_in(8) {
        random.change(&mut bytes);
    }
    bytes
}

/// Words of the formats of graphs, each list with those of one format.
const WORDS: [&[&str]; 5] = [
    &[
        "digraph",
        "graph",
        "{",
        "}",
        "[",
        "]",
        ";",
        "->",
        "--",
        "=",
        ":",
        ",",
        "a",
        "b",
        "\"c d\"",
        "weight",
        "0",
        "-1.5e300",
        "direction",
        "undetermined",
        "determines",
        "class",
        "edge",
        "node",
        "subgraph",
        "<b>x</b>",
        "<",
        "/*",
        "*/",
        "// x\n",
        "#y\n",
        "\"",
        "\\\"",
        "strict",
    ],
    &[
        "graph [",
        "node [",
        "edge [",
        "]",
        "id",
        "label",
        "source",
        "target",
        "directed",
        "1",
        "0",
        "2",
        "\"a\"",
        "\"&amp;&#8238;\"",
        "\"&#1;\"",
        "\"&#2;\"",
        "\"&#65535;\"",
        "&",
        "weight",
        "1e999",
        "-0.5",
        "direction",
        "\"determined\"",
        "determines",
        "\"skeleton\"",
        "#",
        "\n",
        "\"",
    ],
    &[
        "<graphml>",
        "</graphml>",
        "<graph edgedefault='undirected'>",
        "<graph>",
        "</graph>",
        "<node id=\"a\"/>",
        "<node id='b'>",
        "</node>",
        "<edge source=\"a\" target=\"b\"/>",
        "<edge source='b' target='a' directed='false'>",
        "</edge>",
        "<key id=\"w\" for=\"edge\" \
        attr.name=\"weight\"/>",
        "<data key=\"w\">",
        "0.25",
        "</data>",
        "&lt;",
        "&#0;",
        "&x;",
        "<![CDATA[x]]>",
        "<!-- -->",
        "<?x?>",
        "<",
        ">",
        "<!DOCTYPE a [<!ENTITY x \"y\">]>",
    ],
    &[
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"schema\"",
        "\"nocurl/graph/2\"",
        "\"nocurl/graph/1\"",
        "\"variables\"",
        "\"edges\"",
        "\"order\"",
        "\"from\"",
        "\"to\"",
        "\"a\"",
        "\"b\"",
        "\"weight\"",
        "1.5",
        "null",
        "\"direction\"",
        "\"determined\"",
        "\"class\"",
        "\"\\ud800\"",
        "\"\\u0001\"",
        "\"\\u0002\"",
        "\"\\u0000\"",
        "\"\\uffff\"",
        "true",
        "1e999",
        "\"cpdag\"",
        "\"claim\"",
        "\"means\"",
        "\"potential\"",
    ],
    &[
        "from,to\n",
        "a",
        "b",
        "c",
        ",",
        ",",
        "\n",
        "\n",
        "0.5",
        "0",
        "-1",
        "1",
        "\"",
        "\"a b\"",
        ";",
        "\t",
        "determined",
        "undetermined",
        "weight",
        "",
        " ",
        "nan",
    ],
];

/// Sound graphs, in the order of the lists of words.
const GRAPHS: [&str; 5] = [
    "digraph { determines=\"class\"; a; a -> b [weight=\"1.5\", direction=undetermined]; b -> c; }",
    "graph [ directed 1 node [ id 0 label \"a\" ] node [ id 1 label \"b\" ] edge [ source 0 target \
     1 weight 0.5 direction \"determined\" ] ]",
    "<graphml><key id='w' for='edge' attr.name='weight'/><graph edgedefault='directed'><node \
     id='a'/><node id='b'><data key='name'>x &amp; y</data></node><edge source='a' target='b'>\
     <data key='w'>2</data></edge></graph></graphml>",
    "{\"schema\":\"nocurl/graph/2\",\"variables\":[\"a\",\"b\"],\"order\":[\"a\",\"b\"],\
     \"edges\":[{\"from\":\"a\",\"to\":\"b\",\"weight\":1.5,\"direction\":\"determined\"}]}",
    "from,to,weight,direction\na,b,0.5,determined\nb,c,,undetermined\n",
];

const EXTENSIONS: [&str; 5] = ["dot", "gml", "graphml", "json", "csv"];

/// The first byte says which format follows.
pub(crate) fn graph(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    if random.once_in(10) && !corpus.is_empty() {
        let mut bytes = corpus[random.below(corpus.len())].clone();
        random.change(&mut bytes);
        return bytes;
    }
    let format = random.below(EXTENSIONS.len());
    let text = words(random, WORDS[format], GRAPHS[format]);
    [vec![format as u8], text].concat()
}

/// Words in any order, or a sound text with some of its parts changed.
fn words(random: &mut Random, words: &[&str], sound: &str) -> Vec<u8> {
    let mut text = String::new();
    if random.once_in(3) {
        for _ in 0..random.below(60) {
            text.push_str(random.pick(words));
            text.push_str(random.pick(&["", " ", " ", "\n"]));
        }
        return text.into_bytes();
    }
    text.push_str(sound);
    for _ in 0..=random.below(4) {
        let mut at = random.below(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        match random.below(4) {
            0 => text.insert_str(at, random.pick(words)),
            1 => {
                let mut end = (at + random.below(12)).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                text.replace_range(at..end, random.pick(words));
            }
            2 => {
                let mut bytes = text.into_bytes();
                random.change(&mut bytes);
                text = String::from_utf8_lossy(&bytes).into_owned();
            }
            _ => {
                let word = random.pick(words).repeat(random.below(200));
                text.insert_str(at, &word);
            }
        }
    }
    text.into_bytes()
}

/// Formats that graphs are written in besides those that are read, and may refuse names.
const WRITTEN: [&str; 2] = ["dagitty", "mmd"];

/// Reads a graph; one that is accepted is written in every format of text. It comes back the same,
/// or is refused because the format cannot hold its names.
pub(crate) fn read_graphs(bytes: &[u8]) -> Result<bool, String> {
    let Some((format, text)) = bytes.split_first() else { return Ok(false) };
    let name = format!("g.{}", EXTENSIONS[*format as usize % EXTENSIONS.len()]);
    let graph = match read_graph(&Source::bytes(name, text)) {
        Ok(graph) => graph,
        Err(error) => return check_message(&error.text().to_string()),
    };
    // Only an edge list can name no variable.
    if graph.variables.is_empty() {
        return Ok(true);
    }
    let odd = |name: &String| name.is_empty() || bare(name) != name || name.contains('\0');
    let odd = graph.variables.iter().any(odd);
    for format in FORMATS.iter().copied() {
        let extension = format.extensions[0];
        let (is_read, is_written) = (EXTENSIONS.contains(&extension), WRITTEN.contains(&extension));
        if !is_read && !is_written {
            continue;
        }
        let written = match format_graph(&graph, format) {
            Ok(written) => written,
            // The others have a way to say any name.
            Err(error) if extension == "dagitty" || format.may_omit_variables && odd => {
                check_message(&error.text().to_string())?;
                continue;
            }
            Err(error) => return Err(format!("{} cannot say it: {error}", format.name)),
        };
        if !is_read {
            continue;
        }
        let back = read_graph(&Source::bytes(format!("g.{extension}"), &written))
            .map_err(|error| format!("{} does not come back: {error}", format.name))?;
        let same = match extension {
            "json" => edges(&back) == edges(&graph),
            "csv" => pairs(&back, bare) == pairs(&graph, bare),
            _ => back.variables == graph.variables && pairs(&back, whole) == pairs(&graph, whole),
        };
        if !same {
            return Err(format!("{} comes back as another graph", format.name));
        }
    }
    Ok(true)
}

/// A name as an edge list keeps it.
fn bare(name: &str) -> &str {
    name.trim_matches([' ', '\t'])
}

/// A name as the other formats keep it.
fn whole(name: &str) -> &str {
    name
}

/// The pairs of variables with an edge; one without a determined direction may be drawn the other
/// way.
fn pairs(graph: &GraphDocument, held: fn(&str) -> &str) -> Vec<[&str; 2]> {
    let mut pairs = Vec::new();
    for edge in &graph.edges {
        let mut ends = [held(&edge.from), held(&edge.to)];
        if !edge.is_determined() {
            ends.sort_unstable();
        }
        pairs.push(ends);
    }
    pairs.sort_unstable();
    pairs
}

fn edges(graph: &GraphDocument) -> Vec<(&str, &str, Option<u64>, bool)> {
    let edge = |edge: &'_ nocurl_io::Edge| (edge.weight.map(f64::to_bits), edge.is_determined());
    let all = graph.edges.iter().map(|e| (e.from.as_str(), e.to.as_str(), edge(e)));
    all.map(|(from, to, (weight, determined))| (from, to, weight, determined)).collect()
}

pub(crate) fn knowledge(random: &mut Random, _: &[Vec<u8>]) -> Vec<u8> {
    let toml = [
        "required",
        "forbidden",
        "sources",
        "sinks",
        "tiers",
        "[[tier]]",
        "=",
        "[",
        "]",
        ",",
        "'a'",
        "\"b\"",
        "\n",
        "variables",
        "forbid_within",
        "true",
        "{",
        "}",
        ".",
        "#",
        "'''",
        "1e9",
        "\"\\u001b[2J\"",
        "\"\\u202e\"",
    ];
    let tetrad = [
        "/knowledge\n",
        "addtemporal\n",
        "forbiddirect\n",
        "requiredirect\n",
        "forbiddengroup\n",
        "requiredgroup\n",
        "1*",
        "2-",
        "3",
        "a",
        "b c",
        "\"d e\"",
        "\n",
        "//",
        "comma",
        ",",
        "\"",
        "99999999999",
        "tierstructure\n",
    ];
    let sound = "required = [['a', 'b']]\nforbidden = [['b', 'c']]\nsources = ['a']\n\
                 tiers = [['a'], ['b', 'c']]\n";
    match random.below(2) {
        0 => words(random, &toml, sound),
        _ => {
            let sound = "/knowledge\naddtemporal\n1* a b\n2- c\n3 d\nforbiddirect\nd a\n\
                         requiredgroup\na b\nc d\n";
            words(random, &tetrad, sound)
        }
    }
}

/// Reads prior knowledge; what is accepted is resolved against a few names.
pub(crate) fn read_statements(bytes: &[u8]) -> Result<bool, String> {
    match read_knowledge(&Source::bytes("k", bytes)) {
        Ok(statements) => {
            let names = ["a", "b", "c", "d"].map(String::from);
            if let Err(error) = statements.resolve(&names) {
                check_line(&error.text().to_string())?;
            }
            Ok(true)
        }
        Err(error) => check_message(&error.text().to_string()),
    }
}

pub(crate) fn grid(random: &mut Random, _: &[Vec<u8>]) -> Vec<u8> {
    let all = [
        "name",
        "=",
        "'x'",
        "'../../x'",
        "trials",
        "sizes",
        "[",
        "]",
        "[[scenario]]",
        "[[method]]",
        "10",
        "-1",
        "99999999999",
        "\n",
        "graph",
        "'er'",
        "degree",
        "rows",
        "noise",
        "method",
        "'fges'",
        "1e999",
        "{",
        "}",
        "options",
        "\u{202e}",
    ];
    let sound = "name = 'x'\ntrials = 2\nsizes = [5, 10]\n[[scenario]]\nname = 's'\n\
                 [[method]]\nname = 'm'\nmethod = 'fges'\n";
    words(random, &all, sound)
}

pub(crate) fn read_grid(bytes: &[u8]) -> Result<bool, String> {
    let Ok(text) = nocurl_io::read_text(&Source::bytes("g.toml", bytes), "grid") else {
        return Ok(false);
    };
    match nocurl_bench::Grid::from_toml(&text) {
        Ok(_) => Ok(true),
        // The command line shows it as such text is shown.
        Err(error) => check_line(&nocurl_io::plain(&error.to_string())),
    }
}
