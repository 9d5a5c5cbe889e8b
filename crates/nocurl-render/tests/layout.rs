//! Pictures of many graphs: nothing overlaps, nothing is lost, nothing runs.

use nocurl_render::{Area, Diagram, Direction, Edge, Kind, Layout, Node, Part, layout, svg};

/// A fixed sequence of numbers below 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() * bound as f64) as usize
    }
}

const ODD: [&str; 8] = [
    "$\\alpha$",
    "<b>&amp;\"quoted\"</b>",
    "שלום עולם",
    "a name of several words that must be cut into lines",
    "CamelCaseNameWithoutAnyBlanks",
    "数据科学",
    "under_scores_and.dots-and/slashes",
    "",
];

/// A random graph of `n` variables with `degree` edges each on average, some of them on hubs.
fn graph(n: usize, degree: f64, hubs: bool, odd: bool, seed: u64) -> Diagram {
    let mut random = Random(seed);
    let name = |v: usize| match odd {
        true if v == 0 => "x".repeat(300),
        true => format!("{} {v}", ODD[v % ODD.len()]),
        false => format!("x{v}"),
    };
    let kinds = [Kind::Continuous, Kind::Categorical, Kind::Context];
    let nodes = (0..n).map(|v| Node { name: name(v), kind: kinds[usize::from(odd) * (v % 3)] });
    let mut edges: Vec<Edge> = Vec::new();
    while (edges.len() as f64) < degree * n as f64 / 2.0 {
        let a = if hubs && random.next() < 0.4 { random.below(3) } else { random.below(n) };
        let b = random.below(n);
        let (from, to) = (a.min(b), a.max(b));
        if from != to && !edges.iter().any(|edge| edge.from == from && edge.to == to) {
            let direction = [Direction::Determined, Direction::Likely, Direction::Undetermined]
                [random.below(3)];
            let weight = Some(3.0 * random.next() - 1.5);
            let confidence = Some(random.next());
            edges.push(Edge { from, to, weight, confidence, direction, ..Edge::default() });
        }
    }
    Diagram { nodes: nodes.collect(), edges, title: "a graph".into(), compared: None }
}

/// Boxes, names and weights, with what each is.
fn areas(layout: &Layout) -> Vec<(Area, String)> {
    let mut areas = Vec::new();
    for (v, place) in layout.nodes.iter().enumerate().filter(|(_, place)| place.shown) {
        areas.push((place.area(), format!("variable {v}")));
        if let Some(name) = place.name.filter(|_| layout.overview) {
            areas.push((name, format!("name {v}")));
        }
    }
    for (k, route) in layout.edges.iter().enumerate() {
        areas.extend(route.label.as_ref().map(|(area, _)| (*area, format!("weight {k}"))));
    }
    areas
}

/// Points on the curves of an edge.
fn points(route: &nocurl_render::Route) -> Vec<[f64; 2]> {
    let mut found = Vec::new();
    for piece in 0..route.points.len().saturating_sub(1) / 3 {
        let p = &route.points[3 * piece..3 * piece + 4];
        for step in 0..=20 {
            let t = f64::from(step) / 20.0;
            let s = 1.0 - t;
            let w = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
            found.push([0, 1].map(|axis| (0..4).map(|k| w[k] * p[k][axis]).sum()));
        }
    }
    found
}

fn check(name: &str, diagram: &Diagram) {
    let layout = layout(diagram);
    let areas = areas(&layout);
    for (k, (one, what)) in areas.iter().enumerate() {
        for (other, which) in &areas[..k] {
            assert!(!one.overlaps(other), "{name}: {what} lies on {which}");
        }
        let (right, bottom) = (one.x + one.width / 2.0, one.y + one.height / 2.0);
        assert!(one.x >= one.width / 2.0 && right <= layout.width, "{name}: {what} is outside");
        assert!(one.y >= one.height / 2.0 && bottom <= layout.height, "{name}: {what} is outside");
    }
    if diagram.edges.len() <= nocurl_render::MOST_WEIGHTS && !layout.overview {
        assert!(layout.edges.iter().all(|route| route.label.is_some()), "{name}: a weight is lost");
    }
    for (edge, route) in diagram.edges.iter().zip(&layout.edges) {
        let passed = layout.nodes.iter().enumerate();
        let passed = passed.filter(|(v, _)| *v != edge.from && *v != edge.to && !layout.overview);
        let line = points(route);
        for (v, place) in passed.filter(|(_, place)| place.shown) {
            let inside = |[x, y]: &[f64; 2]| {
                place.area().overlaps(&Area { x: *x, y: *y, width: 0.0, height: 0.0 })
            };
            assert!(!line.iter().any(inside), "{name}: {} -> {} crosses {v}", edge.from, edge.to);
        }
    }
    if diagram.nodes.len() <= nocurl_render::MOST_BOXES && diagram.nodes.len() > 10 {
        let shape = layout.width / layout.height;
        assert!((0.4..3.0).contains(&shape), "{name}: {} x {}", layout.width, layout.height);
    }
}

#[test]
fn nothing_overlaps_in_any_of_many_pictures() {
    for (n, degree) in
        [(10, 2.0), (10, 4.0), (30, 2.0), (30, 4.0), (60, 2.0), (60, 4.0), (200, 4.0)]
    {
        for (hubs, odd) in [(false, false), (true, false), (false, true), (true, true)] {
            for seed in 0..2 {
                let name =
                    format!("d = {n}, degree {degree}, hubs {hubs}, odd names {odd}, {seed}");
                check(&name, &graph(n, degree, hubs, odd, 7 + seed));
            }
        }
    }
}

#[test]
fn edges_point_downwards_and_end_at_their_variables() {
    let diagram = graph(40, 4.0, true, false, 1);
    let layout = layout(&diagram);
    for (edge, route) in diagram.edges.iter().zip(&layout.edges) {
        let (from, to) = (&layout.nodes[edge.from], &layout.nodes[edge.to]);
        assert!(from.y < to.y && from.layer < to.layer);
        let (start, end) = (route.points[0], route.points[route.points.len() - 1]);
        let near = |value: f64, wanted: f64| (value - wanted).abs() < 1e-9;
        assert!(near(start[1], from.y + from.height / 2.0) && near(end[1], to.y - to.height / 2.0));
        assert!((start[0] - from.x).abs() <= from.width / 2.0);
        assert!((end[0] - to.x).abs() <= to.width / 2.0);
    }
}

#[test]
fn a_picture_is_the_same_each_time() {
    let diagram = graph(50, 4.0, false, true, 3);
    assert_eq!(svg(&diagram, &layout(&diagram)), svg(&diagram, &layout(&diagram)));
}

#[test]
fn graphs_of_no_and_of_few_edges_are_drawn() {
    for n in [0, 1, 3, 70, 500] {
        let diagram = graph(n, 0.0, false, false, 0);
        check(&format!("{n} variables"), &diagram);
        let shown = layout(&diagram).nodes.iter().filter(|place| place.shown).count();
        assert_eq!(shown, n.min(80));
        assert!(svg(&diagram, &layout(&diagram)).ends_with("</svg>\n"));
    }
}

#[test]
fn five_thousand_variables_are_an_overview() {
    let mut random = Random(5);
    let node = |v: usize| Node { name: format!("x{v}"), ..Node::default() };
    let edge = |to: usize, random: &mut Random| Edge {
        from: to - 1 - random.below(to.min(300)),
        to,
        ..Edge::default()
    };
    let edges: Vec<Edge> = (1..5000).map(|to| edge(to, &mut random)).collect();
    let diagram = Diagram { nodes: (0..5000).map(node).collect(), edges, ..Diagram::default() };
    let layout = layout(&diagram);
    assert!(layout.overview && layout.nodes.iter().all(|place| place.shown));
    assert!(layout.nodes.iter().filter(|place| place.name.is_some()).count() > 50);
    assert!(svg(&diagram, &layout).len() < 8_000_000);
}

#[test]
fn names_are_text_and_nothing_else() {
    let names = [
        "<script>alert(1)</script>",
        "\"/><image href=x onerror=alert(1)>",
        "]]><svg onload=alert(1)>",
        "a\u{0}b\u{8}c",
        "'};alert(1)//",
    ];
    let nodes: Vec<Node> =
        names.iter().map(|&name| Node { name: name.into(), ..Node::default() }).collect();
    let edge = |to: usize| Edge { from: 0, to, weight: Some(1.0), ..Edge::default() };
    let title = names.concat();
    let edges = (1..names.len()).map(edge).collect();
    let compared = Some([names[0].to_string(), names[1].to_string()]);
    let diagram = Diagram { nodes, edges, title, compared };
    let text = svg(&diagram, &layout(&diagram));
    for wrong in ["<script", "<image", "<svg onload", "\u{0}", "\u{8}"] {
        assert!(!text[5..].contains(wrong), "{wrong}");
    }
    assert!(text.contains("&lt;script&gt;"));
}

#[test]
fn both_graphs_of_a_comparison_are_drawn_even_in_circles() {
    let node = |name: &str| Node { name: name.into(), ..Node::default() };
    let edge = |from, to, part| Edge { from, to, part: Some(part), ..Edge::default() };
    let diagram = Diagram {
        nodes: ["a", "b", "c"].map(node).into(),
        edges: vec![edge(0, 1, Part::First), edge(1, 2, Part::Shared), edge(2, 0, Part::Second)],
        title: String::new(),
        compared: Some(["one".into(), "other".into()]),
    };
    let layout = layout(&diagram);
    // Against the layers, from c at the bottom up to a.
    let up = &layout.edges[2].points;
    assert!(up[0][1] > up[up.len() - 1][1]);
    let text = svg(&diagram, &layout);
    for words in ["in both", "only in one", "only in other"] {
        assert!(text.contains(words), "{words}");
    }
}

#[cfg(feature = "print")]
#[test]
fn files_for_print_are_whole() {
    let diagram = graph(20, 3.0, false, true, 2);
    let layout = layout(&diagram);
    let png = nocurl_render::png(&diagram, &layout).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.ends_with(b"IEND\xae\x42\x60\x82"));
    let pdf = nocurl_render::pdf(&diagram, &layout);
    assert!(pdf.starts_with(b"%PDF-1.7") && pdf.ends_with(b"%%EOF\n"));
    // Every object is where the table says.
    let text: String =
        pdf.iter().map(|&b| if b.is_ascii() { char::from(b) } else { '?' }).collect();
    let table = text.rfind("\nxref\n").unwrap();
    for (number, line) in
        text[table..].lines().skip(4).take_while(|l| l.ends_with("n ")).enumerate()
    {
        let place: usize = line[..10].parse().unwrap();
        assert!(text[place..].starts_with(&format!("{} 0 obj", number + 1)), "{line}");
    }
}

#[test]
fn tex_takes_names_for_text() {
    let nodes = vec![Node { name: "$x_1^2$ & 50% \\input{a} #{}~".into(), ..Node::default() }];
    let diagram = Diagram { nodes, ..Diagram::default() };
    let text = nocurl_render::tikz(&diagram, &layout(&diagram));
    let body = text.lines().find(|line| line.starts_with("\\node[continuous")).unwrap();
    assert!(!body.contains("\\input") && body.contains("\\$x\\_1"), "{body}");
}
