//! From a table to a described graph.

use nocurl::Run;
use nocurl::advice::{Action, Neutral, Spelling};
use nocurl::bootstrap::Kind;
use nocurl::simulate::{Simulation, simulate};
use nocurl::{Algorithm, KnowledgeSpec, Options};
use nocurl_app::{ConfidenceOptions, Error, Job, Outcome};
use nocurl_io::{Direction, Missing, ReadOptions, Source, read_moments};
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
    let read = ReadOptions { na: vec!["gone".into()], ..ReadOptions::default() };
    let confidence = ConfidenceOptions { replicates: Some(4), ..ConfidenceOptions::default() };
    let job = Job { read, confidence, diagnose: true, ..Job::default() };
    let outcome = job.run(&table(), &Run::default()).unwrap();
    let document = outcome.document(&job, &Neutral);
    let input = document.input.as_ref().unwrap();
    assert_eq!((input.path.as_str(), input.rows, input.columns), ("rain.csv", 40, 3));
    assert!(input.digest.starts_with("xxh3-128:"), "{}", input.digest);
    for (name, value) in [
        ("missing", json!("error")),
        ("na", json!(["gone"])),
        ("columns", Value::Null),
        ("threshold", json!(0.0)),
    ] {
        assert_eq!(document.parameters[name], value, "{name}");
    }
    assert_eq!(document.elapsed_seconds, outcome.elapsed.as_secs_f64());
    assert!(document.elapsed_seconds > 0.0);
    let summary = document.bootstrap.unwrap();
    assert_eq!((summary.replicates, summary.asked), (4, Some(4)));
    assert!(document.edges.iter().all(|edge| edge.confidence.is_some()));
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
    let default = ConfidenceOptions::default();
    let asked = |replicates| ConfidenceOptions { replicates: Some(replicates), ..default };
    let error = refused(&Job { confidence: asked(1), ..Job::default() });
    assert_eq!(
        error.to_string(),
        "`bootstrap = 1`: between 2 and 1000000 tables can be drawn, some hundred are usual"
    );
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let confidence = ConfidenceOptions { seconds: Some(seconds), ..default };
        let error = refused(&Job { confidence, ..Job::default() });
        assert!(error.to_string().contains("a positive number of seconds"), "{error}");
        assert!(error.text().actions().any(|action| *action == Action::set("confidence", false)));
    }
    for level in [-0.1, 1.1, f64::NAN] {
        let confidence = ConfidenceOptions { level: Some(level), ..default };
        let error = refused(&Job { confidence, ..Job::default() });
        assert!(error.to_string().contains("a number from 0 to 1"), "{error}");
    }
    let kept = |options, confidence| Job {
        options,
        confidence,
        checkpoint: Some("kept.json".into()),
        ..Job::default()
    };
    let error = refused(&kept(by("fges"), default));
    assert!(matches!(&error, Error::NotTrained { method: "fges", .. }), "{error}");
    assert!(error.to_string().contains("method `notears-mlp`"), "{error}");
    let error = refused(&kept(by("dag-gnn"), asked(5)));
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

fn drawn(rows: usize, seed: u64) -> Source {
    let simulation = Simulation { variables: 6, degree: 2.0, rows, ..Simulation::default() };
    let data = simulate(&simulation, seed).unwrap().data;
    let mut text = data.names().join(",") + "\n";
    for i in 0..rows {
        let cells: Vec<String> = (0..6).map(|j| data.values()[(i, j)].to_string()).collect();
        text += &(cells.join(",") + "\n");
    }
    Source::bytes("drawn.csv", text)
}

#[test]
fn a_search_that_did_not_settle_determines_nothing() {
    let job = Job::default();
    let mut outcome = job.run(&drawn(2000, 3), &Run::default()).unwrap();
    let determined = |outcome: &Outcome| {
        let document = outcome.document(&job, &Neutral);
        let count = document.edges.iter().filter(|edge| edge.direction == Direction::Determined);
        (count.count(), document.directions)
    };
    assert!(determined(&outcome).0 > 0);
    let search = outcome.fit.search.as_mut().unwrap();
    (search.runs, search.agreed) = (10, 1);
    let (count, sentence) = determined(&outcome);
    assert!(count == 0 && sentence.contains("No two searches"), "{sentence}");
}

#[test]
fn confidence_is_there_by_default_and_says_what_it_is_made_of() {
    let job = Job { diagnose: true, ..Job::default() };
    let outcome = job.run(&drawn(300, 1), &Run::default()).unwrap();
    let document = outcome.document(&job, &Neutral);
    let summary = document.bootstrap.as_ref().unwrap();
    assert_eq!((summary.kind, summary.asked, summary.failed), (Kind::Rows, Some(100), 0));
    assert!(!document.edges.is_empty() && summary.paths.is_empty());
    let mut last = 1.0;
    for edge in &document.edges {
        let sure = edge.confidence.unwrap();
        assert!(sure.adjacent <= last && sure.direction <= sure.adjacent, "{document:?}");
        last = sure.adjacent;
        let word = sure.word(edge.direction == Direction::Determined, 0.9);
        assert_eq!(word, edge.direction, "{sure:?}");
    }
    // Another level, other words: nothing is determined with a confidence of more than 1.
    let confidence = ConfidenceOptions { level: Some(1.0), ..job.confidence };
    let strict = outcome.document(&Job { confidence, ..job.clone() }, &Neutral);
    let determined = |document: &nocurl_io::GraphDocument| {
        document.edges.iter().filter(|edge| edge.is_determined()).count()
    };
    assert!(determined(&strict) <= determined(&document));
    assert_eq!(strict.bootstrap.unwrap().consensus_level, Some(1.0));
}

#[test]
fn moments_and_missing_values_are_resampled_as_a_gaussian_law() {
    let job = Job::default();
    let moments = read_moments(&drawn(200, 2), &ReadOptions::default(), &Run::default()).unwrap();
    let outcome = job.run_on_moments(&moments.data, &Run::default()).unwrap();
    assert_eq!(outcome.bootstrap.unwrap().kind, Kind::Gaussian);
    let read = ReadOptions { missing: Missing::Em, ..ReadOptions::default() };
    let asked = ConfidenceOptions { replicates: Some(12), ..ConfidenceOptions::default() };
    let job = Job { read, confidence: asked, ..Job::default() };
    let outcome = job.run(&drawn(200, 2), &Run::default()).unwrap();
    assert_eq!(outcome.bootstrap.unwrap().kind, Kind::Gaussian);
}

#[test]
fn what_takes_long_or_fails_leaves_confidence_out_and_says_so() {
    let refine = Some(nocurl::refine::Refine::NETWORKS);
    let job = Job { options: Options { refine, ..by("eq-td") }, ..Job::default() };
    let outcome = job.run(&drawn(40, 3), &Run::default()).unwrap();
    assert!(outcome.bootstrap.is_none());
    let told = outcome.unmeasured.as_ref().unwrap().to_string();
    assert!(told.contains("takes long"), "{told}");
    let document = outcome.document(&job, &Neutral);
    assert_eq!(document.warnings.last(), Some(&told));
    assert!(document.edges.iter().all(|edge| edge.confidence.is_none()));
    assert!(document.directions.contains("was not measured"), "{}", document.directions);
    // Columns that one row makes vary are constant in most resampled tables.
    let mut text = String::from("a,b,c,d\n");
    for i in 0..9 {
        let cells = [1, 2, 3, 4].map(|j| if i == j { "1" } else { "0" });
        text += &(cells.join(",") + "\n");
    }
    let rare = Source::bytes("rare.csv", text);
    let job = Job::default();
    let outcome = job.run(&rare, &Run::default()).unwrap();
    let told = outcome.unmeasured.unwrap().to_string();
    assert!(told.contains("could not be measured") && told.contains("constant"), "{told}");
    let asked = ConfidenceOptions { replicates: Some(30), ..ConfidenceOptions::default() };
    let error = Job { confidence: asked, ..job }.run(&rare, &Run::default()).unwrap_err();
    assert!(error.to_string().contains("of 30 replicates"), "{error}");
    // No time for even one table.
    let hasty = ConfidenceOptions { seconds: Some(1e-9), ..ConfidenceOptions::default() };
    let job = Job { confidence: hasty, ..Job::default() };
    let outcome = job.run(&drawn(50, 4), &Run::default()).unwrap();
    let told = outcome.unmeasured.unwrap().to_string();
    assert!(told.contains("no resampled table was learnt in"), "{told}");
}

#[test]
fn confidence_with_gaps_says_what_it_does_not_know() {
    let mut text = String::from("p,q\n");
    for i in 0..100 {
        let q = if i % 7 == 0 { String::new() } else { format!("w{}", i % 2) };
        text += &format!("{},{q}\n", if i % 3 == 0 { "u" } else { "v" });
    }
    let read = ReadOptions { missing: Missing::Em, ..ReadOptions::default() };
    let confidence = ConfidenceOptions { replicates: Some(4), ..ConfidenceOptions::default() };
    let job = Job { read, confidence, ..Job::default() };
    let outcome = job.run(&Source::bytes("t.csv", text), &Run::default()).unwrap();
    assert_eq!(outcome.bootstrap.as_ref().unwrap().kind, Kind::Gaussian);
    let words: Vec<String> = outcome.warnings(&job).iter().map(ToString::to_string).collect();
    assert!(words.iter().any(|words| words.contains("have no gaps")), "{words:?}");
}
