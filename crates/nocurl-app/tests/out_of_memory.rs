//! Memory that the system refuses: every request of a small run fails once.

use std::fmt::Write as _;
use std::path::Path;

use nocurl::advice::Neutral;
use nocurl::refine::Refine;
use nocurl::{Algorithm, Options, Run, memory};
use nocurl_app::{ConfidenceOptions, Error, Job};
use nocurl_io::{
    GraphFormat, Kinds, Missing, ReadOptions, Source, read_dataset, read_graph, read_moments,
    read_part, read_summary, write_graph, write_summary,
};

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

/// Lets the requests of some work fail one after the other, and returns how many there are. None may
/// be called a bad input, and none may go by without a word.
fn requests_that_fail<T>(name: &str, work: impl Fn() -> Result<T, Error>) -> u64 {
    for request in 1..1000 {
        memory::fail_at(request);
        let outcome = work();
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

/// Parameters that keep a training short.
const SHORT: [(&str, u64); 9] = [
    ("hidden", 2),
    ("epochs", 1),
    ("estimate_epochs", 1),
    ("batch", 20),
    ("max_iterations", 2),
    ("max_rounds", 1),
    ("max_steps", 100),
    ("iterations", 100),
    ("restarts", 1),
];

/// A method with those of the parameters above that it has.
fn short(method: &str) -> Options {
    let mut algorithm = Algorithm::from_name(method).unwrap();
    for (name, value) in SHORT {
        if let Ok(shorter) = algorithm.clone().with_parameter(name, value.into()) {
            algorithm = shorter;
        }
    }
    Options { algorithm, ..Options::default() }
}

fn read_tables() {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tables");
    let files = [
        ("pandas.csv", 2),
        ("c.npy", 2),
        ("fortran.npy", 2),
        ("columns.npz", 3),
        ("pandas.zip", 3),
        ("openpyxl.xlsx", 3),
        ("odfpy.ods", 3),
        ("pandas.jsonl", 2),
        ("dictionary.parquet", 4),
        ("nullable.parquet", 4),
        ("types.parquet", 4),
        ("zstd.parquet", 4),
        ("text.parquet", 4),
        ("dictionary.feather", 4),
        ("lz4.feather", 4),
        ("stream.arrows", 4),
        ("types.arrow", 4),
        ("numbers.parquet", 4),
        ("numbers.feather", 4),
    ];
    let options = ReadOptions { missing: Missing::Drop, ..ReadOptions::default() };
    for (file, least) in files {
        let source = Source::new(testdata.join(file));
        let moments = || Ok(read_moments(&source, &options, &Run::default())?);
        let rows = || Ok(read_dataset(&source, &options, &Run::default())?);
        for requests in [requests_that_fail(file, moments), requests_that_fail(file, rows)] {
            assert!(requests >= least, "{file} asks {requests} times");
        }
    }
}

/// Graphs and moments: no file is there where memory was refused.
fn write_files() {
    let source = table(false);
    let folder = tempfile::tempdir().unwrap();
    let job = Job { options: by("eq-td", &[]), ..Job::default() };
    let document = job.run(&source, &Run::default()).unwrap().document(&job, &Neutral);
    for format in nocurl_io::FORMATS {
        let path = folder.path().join(format!("g.{}", format.extensions[0]));
        let write = || {
            let written = write_graph(&path, &document);
            assert!(written.is_ok() || !path.exists(), "{} is there", path.display());
            Ok(written?)
        };
        assert!(requests_that_fail(format.name, write) >= 1);
        if GraphFormat::of_extension(format.extensions[0]).is_some() {
            let read = || Ok(read_graph(&Source::new(&path))?.dag()?);
            assert!(requests_that_fail(format.name, read) >= 1);
        }
    }
    let path = folder.path().join("x.moments");
    let read = ReadOptions::default();
    let (summary, _) = read_part(&source, &read, Kinds::Find, &Run::default()).unwrap();
    let write = || {
        let written = write_summary(&path, &summary);
        assert!(written.is_ok() || !path.exists());
        Ok(written?)
    };
    assert!(requests_that_fail("writing moments", write) >= 1);
    let read = || Ok(read_summary(&Source::new(&path))?);
    assert!(requests_that_fail("reading moments", read) >= 1);
}

// One test: the count belongs to the process.
#[test]
fn each_request_that_fails_is_an_error_of_its_own() {
    let confidence = ConfidenceOptions::OFF;
    let plain = |options| Job { options, confidence, diagnose: true, ..Job::default() };
    let mut jobs: Vec<(String, Job, bool)> = Vec::new();
    for name in Algorithm::all().iter().map(Algorithm::name) {
        jobs.push((name.into(), plain(short(name)), false));
    }
    let refined = |refine| Options { refine: Some(refine), ..by("eq-td", &[]) };
    jobs.push(("refined".into(), plain(refined(Refine::BIC)), false));
    let confidence = ConfidenceOptions { replicates: Some(2), ..ConfidenceOptions::default() };
    jobs.push(("resampled".into(), Job { confidence, ..plain(by("cam", &[])) }, false));
    let searched = by("order-search", &[]);
    jobs.push(("searched again".into(), Job { confidence, ..plain(searched) }, false));
    let read = ReadOptions { missing: Missing::Em, ..ReadOptions::default() };
    jobs.push(("gaps".into(), Job { read, ..plain(by("eq-td", &[])) }, true));
    for (name, job, gap) in &jobs {
        let source = table(*gap);
        let requests = requests_that_fail(name, || job.run(&source, &Run::default()));
        assert!(requests >= 3, "{name} asks {requests} times");
    }
    read_tables();
    write_files();
}
