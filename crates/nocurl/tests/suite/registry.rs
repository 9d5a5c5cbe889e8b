//! The list of methods: each has its facts, and a new one needs a file and a line.

use nocurl::Algorithm;
use nocurl::methods::{MOST_TO_CHECK, TakesKnowledge};
use nocurl::refine::Refine;

#[test]
fn facts_are_complete_and_their_names_unique() {
    let methods = Algorithm::all();
    let mut names: Vec<&str> = methods.iter().map(Algorithm::name).collect();
    names.extend(Refine::ALL.iter().map(Refine::name));
    let mut classes: Vec<&str> = methods.iter().map(|method| method.facts().class).collect();
    for list in [&mut names, &mut classes] {
        let all = list.len();
        list.sort_unstable();
        list.dedup();
        assert_eq!(list.len(), all, "{list:?}");
    }
    let facts = methods.iter().map(Algorithm::facts);
    for facts in facts.chain(Refine::ALL.iter().map(Refine::facts)) {
        assert!(!facts.name.is_empty() && !facts.summary.is_empty(), "{facts:?}");
        assert!(!facts.reference.is_empty() && !facts.columns.is_empty(), "{facts:?}");
        assert!((2..=MOST_TO_CHECK).contains(&facts.most_to_check), "{facts:?}");
        if let TakesKnowledge::No { instead, .. } = facts.knowledge {
            assert!(Algorithm::from_name(instead).unwrap().takes_knowledge().is_ok());
        }
    }
}

#[test]
fn every_parameter_has_its_meaning_and_no_other_has() {
    for method in Algorithm::all() {
        let facts = method.facts();
        let mut described: Vec<&str> = facts.parameters.iter().map(|about| about.name).collect();
        let values = method.parameters();
        let mut there: Vec<&str> = values.keys().copied().collect();
        described.sort_unstable();
        there.sort_unstable();
        assert_eq!(described, there, "{}", facts.name);
        for about in facts.parameters {
            assert!(about.meaning.ends_with('.') && !about.range.is_empty(), "{about:?}");
        }
    }
}

/// The toy method is a file and a line; tests of all methods have it too, by `Algorithm::all`.
#[test]
#[cfg(feature = "toy")]
fn a_method_of_one_file_and_one_line_is_everywhere() {
    use nocurl::methods::Toy;
    use nocurl::simulate::{Simulation, simulate};
    use nocurl::{Options, Run, learn};
    let toy = Algorithm::from_name("toy").unwrap();
    assert!(Algorithm::all().contains(&toy));
    assert!(super::quick_methods().contains(&toy));
    let reversed = toy.with_parameter("reverse", true.into()).unwrap();
    assert_eq!(reversed, Algorithm::from(Toy { reverse: true }));
    assert!(reversed.downcast::<Toy>().unwrap().reverse);
    let data = simulate(&Simulation { variables: 6, ..Simulation::default() }, 1).unwrap().data;
    let options = Options { algorithm: reversed, ..Options::default() };
    assert_eq!(learn(&data, &options, &Run::default()).unwrap().order, [5, 4, 3, 2, 1, 0]);
}

#[test]
fn methods_know_their_own_type_alone() {
    use nocurl::methods::{EqBu, EqTd};
    let method = Algorithm::from(EqTd {});
    assert!(method.downcast::<EqTd>().is_some() && method.downcast::<EqBu>().is_none());
    assert_ne!(method, Algorithm::from(EqBu {}));
}

#[test]
fn a_refinement_is_found_by_name_and_survives_json() {
    for refine in Refine::ALL {
        let text = serde_json::to_string(refine).unwrap();
        assert_eq!(text, format!("\"{}\"", refine.name()));
        assert_eq!(serde_json::from_str::<Refine>(&text).unwrap(), *refine);
    }
    let error = Refine::from_name("bik").unwrap_err().to_string();
    assert!(error.contains("did you mean `bic`?") && error.contains("networks"), "{error}");
}
