//! From a table to a described graph.

use nocurl::Run;
use nocurl::advice::{Action, Neutral, Spelling};
use nocurl::bootstrap::BootstrapParams;
use nocurl::{Algorithm, KnowledgeSpec, Options};
use nocurl_app::{Error, Job, Outcome};
use nocurl_io::{Missing, ReadOptions, Source};
use serde_json::{Value, json};

fn table() -> Source {
    let mut text = String::from("rain,,wet\n");
    for i in 0..40 {
        let noise = f64::from((i * 37) % 11) - 5.0;
        text += &format!("{},{},{}\n", i, (i * 13) % 7, 2.0 * f64::from(i) + noise);
    }
    Source::bytes("rain.csv", text)
}

fn by(method: &str) -> Options {
    Options { algorithm: Algorithm::from_name(method).unwrap(), ..Options::default() }
}

fn refused(job: &Job) -> Error {
    job.run(&Source::new("there/is/no/table.csv"), &Run::default()).unwrap_err()
}

#[test]
fn a_document_is_finished() {
    let read = ReadOptions { drop_constant: true, ..ReadOptions::default() };
    let bootstrap = Some(BootstrapParams { replicates: 4, ..BootstrapParams::default() });
    let job = Job { read, bootstrap, diagnose: true, ..Job::default() };
    let outcome = job.run(&table(), &Run::default()).unwrap();
    let document = outcome.document(&job, &Neutral);
    let input = document.input.as_ref().unwrap();
    assert_eq!((input.path.as_str(), input.rows, input.columns), ("rain.csv", 40, 3));
    assert!(input.digest.starts_with("xxh3-128:"), "{}", input.digest);
    for (name, value) in [
        ("missing", json!("error")),
        ("drop_constant", json!(true)),
        ("columns", Value::Null),
        ("threshold", json!(0.0)),
    ] {
        assert_eq!(document.parameters[name], value, "{name}");
    }
    assert_eq!(document.elapsed_seconds, outcome.elapsed.as_secs_f64());
    assert!(document.elapsed_seconds > 0.0);
    assert_eq!(document.bootstrap.unwrap().replicates, 4);
    let findings = document.diagnosis.as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["advice"].is_array()), "{findings:?}");
    assert!(document.warnings[0].contains("leave out `x2`"), "{:?}", document.warnings);
}

#[test]
fn sentences_are_those_of_the_front_end() {
    struct Loud;
    impl Spelling for Loud {
        fn spell(&self, action: &Action) -> String {
            format!("<{}>", serde_json::to_string(action).unwrap())
        }
    }
    let options = Options { threshold: Some(1e6), ..by("nocurl") };
    let job = Job { options, diagnose: true, ..Job::default() };
    let outcome: Outcome = job.run(&table(), &Run::default()).unwrap();
    let document = outcome.document(&job, &Loud);
    assert!(document.warnings[0].contains(r#"<{"leave_out":["x2"]}>"#), "{:?}", document.warnings);
    let told = document.warnings.last().unwrap();
    assert!(told.contains(r#"<{"set":"threshold"}>"#), "{told}");
    assert!(told.contains(r#"<{"set":"prune","to":"bic"}>"#), "{told}");
    let advised = document.diagnosis.as_array().unwrap().iter().find(|finding| {
        finding["advice"] != json!([]) && finding["sentence"].as_str().unwrap().contains("<{")
    });
    assert!(advised.is_some(), "{}", document.diagnosis);
}

#[test]
fn what_does_not_go_together_is_refused_before_the_table_is_read() {
    let bootstrap = |replicates| Some(BootstrapParams { replicates, ..BootstrapParams::default() });
    let em = ReadOptions { missing: Missing::Em, ..ReadOptions::default() };
    let error = refused(&Job { read: em, bootstrap: bootstrap(9), ..Job::default() });
    assert!(matches!(error, Error::NoRowsToDraw), "{error}");
    assert!(error.text().actions().any(|action| *action == Action::set("missing", "drop")));
    let error = refused(&Job { bootstrap: bootstrap(1), ..Job::default() });
    assert_eq!(
        error.to_string(),
        "`bootstrap = 1`: between 2 and 1000000 tables can be drawn, some hundred are usual"
    );
    let kept = |options, bootstrap| Job {
        options,
        bootstrap,
        checkpoint: Some("kept.json".into()),
        ..Job::default()
    };
    let error = refused(&kept(by("fges"), None));
    assert!(matches!(&error, Error::NotTrained { method: "fges", .. }), "{error}");
    assert!(error.to_string().contains("method `notears-mlp`"), "{error}");
    let error = refused(&kept(by("dag-gnn"), bootstrap(5)));
    assert!(matches!(error, Error::OneState), "{error}");
    let knowledge = KnowledgeSpec {
        forbidden: vec![("wet".into(), "rain".into())],
        ..KnowledgeSpec::default()
    };
    let error = refused(&Job { options: Options { knowledge, ..by("fges") }, ..Job::default() });
    assert!(
        error.to_string().contains("equivalence classes; use method `order-search`"),
        "{error}"
    );
    // All of them fit on one line, and so does the table that is not there.
    let error = refused(&Job::default());
    assert!(error.to_string().contains("there is no such file"), "{error}");
}
