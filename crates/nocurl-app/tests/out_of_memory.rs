//! Memory that the system refuses: every request of a small run fails once.

use std::fmt::Write as _;

use nocurl::refine::Refine;
use nocurl::{Algorithm, Options, Run, memory};
use nocurl_app::{ConfidenceOptions, Error, Job};
use nocurl_io::{Missing, ReadOptions, Source};

/// A chain of four variables from a fixed sequence of numbers, with a gap where that is wanted.
fn table(gap: bool) -> Source {
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24) - 0.5
    };
    let mut text = String::from("a,b,c,d\n");
    for row in 0..80 {
        let a = noise();
        let b = 1.5 * a + noise();
        let c = b * b + noise();
        let d = if gap && row == 7 { String::new() } else { (c + noise()).to_string() };
        writeln!(text, "{a},{b},{c},{d}").unwrap();
    }
    Source::bytes("x.csv", text)
}

fn by(method: &str, parameters: &[(&str, u64)]) -> Options {
    let mut algorithm = Algorithm::from_name(method).unwrap();
    for (name, value) in parameters {
        algorithm = algorithm.with_parameter(name, (*value).into()).unwrap();
    }
    Options { algorithm, ..Options::default() }
}

/// Lets the requests of a job fail one after the other, and returns how many there are.
fn requests_that_fail(name: &str, job: &Job, gap: bool) -> u64 {
    let source = table(gap);
    for request in 1..1000 {
        memory::fail_at(request);
        let outcome = job.run(&source, &Run::default());
        let asked = memory::requests();
        memory::fail_at(0);
        match outcome {
            Ok(_) => {
                assert!(asked < request, "{name}: request {request} failed without a word");
                return request - 1;
            }
            Err(Error::Io(nocurl_io::Error::Engine(nocurl::Error::OutOfMemory { .. }))) => {}
            Err(other) => panic!("{name}, request {request}: {other}"),
        }
    }
    panic!("{name} asks without end");
}

// One test: the count belongs to the process.
#[test]
fn each_request_that_fails_is_an_error_of_its_own() {
    let confidence = ConfidenceOptions::OFF;
    let plain = |options| Job { options, confidence, diagnose: true, ..Job::default() };
    let mut jobs: Vec<(String, Job, bool)> = Vec::new();
    for method in ["order-search", "nocurl", "notears", "eq-td", "exact", "fges", "mmpc", "cam"] {
        jobs.push((method.into(), plain(by(method, &[])), false));
    }
    let training = [("hidden", 2), ("epochs", 1), ("estimate_epochs", 1), ("batch", 20)];
    jobs.push(("nocurl-gnn".into(), plain(by("nocurl-gnn", &training)), false));
    let network = [("hidden", 1), ("max_iterations", 2), ("max_rounds", 1)];
    jobs.push(("notears-mlp".into(), plain(by("notears-mlp", &network)), false));
    let refined = Options { refine: Some(Refine::BIC), ..by("eq-td", &[]) };
    jobs.push(("refined".into(), plain(refined), false));
    let confidence = ConfidenceOptions { replicates: Some(2), ..ConfidenceOptions::default() };
    jobs.push(("resampled".into(), Job { confidence, ..plain(by("cam", &[])) }, false));
    let read = ReadOptions { missing: Missing::Em, ..ReadOptions::default() };
    jobs.push(("gaps".into(), Job { read, ..plain(by("eq-td", &[])) }, true));
    for (name, job, gap) in &jobs {
        let requests = requests_that_fail(name, job, *gap);
        assert!(requests >= 3, "{name} asks {requests} times");
    }
}
