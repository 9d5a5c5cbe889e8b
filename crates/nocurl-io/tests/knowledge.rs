//! Prior knowledge from files: both formats, and every mistake with its line.

use nocurl::KnowledgeSpec;
use nocurl::knowledge::Tier;
use nocurl_io::{Source, read_knowledge};
use proptest::prelude::*;

fn read(text: &str) -> Result<KnowledgeSpec, String> {
    read_knowledge(&Source::bytes("k", text)).map_err(|error| error.to_string())
}

fn pairs(edges: &[(&str, &str)]) -> Vec<(String, String)> {
    edges.iter().map(|&(from, to)| (from.into(), to.into())).collect()
}

#[test]
fn toml_of_our_own() {
    let text = r#"
        # What the protocol says.
        required = [["a", "b"], ["a, 1", "b"]]
        forbidden = [["c", "d"]]
        sources = ["age"]
        sinks = ["death"]
        tiers = [["age", "sex"], ["dose"], ["outcome"]]
    "#;
    let expected = KnowledgeSpec {
        required: pairs(&[("a", "b"), ("a, 1", "b")]),
        forbidden: pairs(&[("c", "d")]),
        tiers: vec![Tier::new(["age", "sex"]), Tier::new(["dose"]), Tier::new(["outcome"])],
        sources: vec!["age".into()],
        sinks: vec!["death".into()],
    };
    assert_eq!(read(text).unwrap(), expected);
    let text =
        "[[tier]]\nvariables = ['a', 'b']\nforbid_within = true\n[[tier]]\nvariables = ['c']\n";
    let within = Tier { forbid_within: true, ..Tier::new(["a", "b"]) };
    assert_eq!(read(text).unwrap().tiers, [within, Tier::new(["c"])]);
}

#[test]
fn text_of_tetrad() {
    let text = "/knowledge\n\
                // written by hand\n\
                addtemporal\n\n\
                3* X5 \"X 6\"\n\
                1  X1 X2\n\
                2 X3\n\
                1 X4\n\n\
                forbiddirect\n\
                X1 X2\n\n\
                RequireDirect\n\
                X1 X3\n\
                requiredgroup\n\
                X1 X2\n\
                X5\n\
                forbiddengroup\n\
                X4\n\
                X5 \"X 6\"\n";
    let expected = KnowledgeSpec {
        required: pairs(&[("X1", "X3"), ("X1", "X5"), ("X2", "X5")]),
        forbidden: pairs(&[("X1", "X2"), ("X4", "X5"), ("X4", "X 6")]),
        tiers: vec![
            Tier::new(["X1", "X2", "X4"]),
            Tier::new(["X3"]),
            Tier { forbid_within: true, ..Tier::new(["X5", "X 6"]) },
        ],
        ..KnowledgeSpec::default()
    };
    assert_eq!(read(text).unwrap(), expected);
    // Empty sections, as Tetrad writes them.
    let empty = "/knowledge\naddtemporal\n\n\nforbiddirect\n\nrequiredirect\n";
    assert_eq!(read(empty).unwrap(), KnowledgeSpec::default());
}

#[test]
fn tetrad_with_commas_and_tiers_that_act_on_the_next_alone() {
    let text = "/knowledge comma\naddtemporal\n\n0*-  Exam 1, Exam 2\n1  \"Last, First\"\n2,c\n3 d\n\
                forbiddirect\nOther, Exam 1\n\nrequiredirect\n";
    let knowledge = read(text).unwrap();
    let first = Tier { forbid_within: true, ..Tier::new(["Exam 1", "Exam 2"]) };
    let rest = [Tier::new(["Last, First"]), Tier::new(["c"]), Tier::new(["d"])];
    assert_eq!(knowledge.tiers[0], first);
    assert_eq!(knowledge.tiers[1..], rest);
    let skips = [("Exam 1", "c"), ("Exam 2", "c"), ("Exam 1", "d"), ("Exam 2", "d")];
    let forbidden: Vec<(&str, &str)> = [("Other", "Exam 1")].into_iter().chain(skips).collect();
    assert_eq!(knowledge.forbidden, pairs(&forbidden));
}

#[test]
fn mistakes_have_their_line() {
    for (text, told) in [
        ("", "`k` is empty"),
        ("required = [['a', 'b']]\nreqired = []\n", "line 2: unknown field `reqired`"),
        ("required = [\n  ['a', 'b'],\n  ['c'],\n]\n", "line 3: an edge is two names, found 1"),
        ("required = [['a', 'b', 'c']]\n", "line 1: "),
        ("sources = 'a'\n", "line 1: "),
        ("\n\nsinks = [1]\n", "line 3: "),
        ("tiers = [['a']\nsinks = ['b']\n", "line "),
        ("[[tier]]\nvariables = ['a']\nforbid = true\n", "line 3: unknown field `forbid`"),
        ("tiers = [['a']]\n[[tier]]\nvariables = ['b']\n", "line 2: tiers are given both"),
        ("a -> b\n", "line 1: "),
        ("/knowledges\n", "line 1: expected `/knowledge`"),
        ("/knowledge\n1 a\n", "line 2: expected one of `addtemporal`"),
        ("/knowledge\naddtemporal\none a\n", "line 3: expected the number of a tier"),
        ("/knowledge\naddtemporal\n-1 a\n", "line 3: expected the number of a tier"),
        ("/knowledge\n\nforbiddirect\na\n", "line 4: an edge is two names, found 1"),
        ("/knowledge\nrequiredirect\na b c\n", "line 3: an edge is two names, found 3"),
        ("/knowledge\nrequiredirect\n\"a b\n", "line 3: a double quote is not closed"),
        ("/knowledge\nforbiddengroup\na b\nrequiredirect\n", "line 3: a group is two lines"),
        ("/knowledge\nforbiddengroup\na b\n", "line 3: a group is two lines"),
        ("/knowledge\ntierstructure S\n0 a\n", "line 2: `tierstructure` is not read"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(told) && error.contains("`k`"), "{text:?}: {error}");
        assert!(!error.contains('\n'), "{error:?}");
    }
    let error = read_knowledge(&Source::bytes("k", b"\xff")).unwrap_err().to_string();
    assert!(error.contains("not UTF-8"), "{error}");
    let error = read_knowledge(&Source::new("no/such/file")).unwrap_err().to_string();
    assert!(error.contains("no/such/file"), "{error}");
}

/// Lines that have something to do with either format.
fn lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("/knowledge".to_string()),
        Just("/knowledge comma".to_string()),
        Just("addtemporal".to_string()),
        Just("forbiddirect".to_string()),
        Just("requiredgroup".to_string()),
        Just("[[tier]]".to_string()),
        "[0-9]{0,12}[*-]{0,2} ?[a-z\" ,é]{0,8}",
        "(required|tiers|sinks|variables|forbid_within) = [\\[\\]a-z'\", ]{0,12}",
        "\\PC{0,12}",
    ];
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn any_text_is_knowledge_or_an_error_on_one_line(text in lines()) {
        if let Err(error) = read(&text) {
            prop_assert!(!error.contains('\n'), "{error:?}");
        }
    }

    #[test]
    fn any_bytes_are_knowledge_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = read_knowledge(&Source::bytes("k", bytes));
    }

    #[test]
    fn tetrads_text_gives_the_statements_back(
        edges in prop::collection::vec(("[a-z]{1,3}( [a-z])?", "[a-z]{1,3}"), 0..5),
        tiers in prop::collection::vec(prop::collection::vec("[a-z]{1,3}", 1..4), 0..4),
    ) {
        let quoted = |names: &[String]| {
            names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" ")
        };
        let mut text = String::from("/knowledge\naddtemporal\n");
        for (k, tier) in tiers.iter().enumerate() {
            text += &format!("\n{}  {}", k + 1, quoted(tier));
        }
        text += "\n\nforbiddirect\n";
        for (from, to) in &edges {
            text += &format!("\n{}", quoted(&[from.clone(), to.clone()]));
        }
        text += "\n\nrequiredirect\n";
        let knowledge = read(&text).unwrap();
        prop_assert_eq!(knowledge.forbidden, edges);
        prop_assert_eq!(knowledge.tiers, tiers.into_iter().map(Tier::new).collect::<Vec<_>>());
    }
}
