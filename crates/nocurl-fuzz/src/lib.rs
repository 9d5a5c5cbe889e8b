//! Fuzzing that stays: files made by chance, but with the structure of their formats, for every
//! reader. The same seed makes the same files.
//!
//! `cargo test -p nocurl-fuzz` reads the files kept in `testdata/fuzz/` and a number of new ones;
//! `cargo xtask fuzz --minutes N` goes on for as long as it is told.

#[path = "../../nocurl-io/tests/common/mod.rs"]
mod archives;
mod arrow;
mod moments;
mod npy;
mod packed;
mod parquet;
mod random;
mod sheets;
mod states;
mod tables;
mod text;
mod thrift;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use random::Random;

/// Counts what is allocated, so that a small file that wants a lot of memory is seen.
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes that reading one of these small files may take.
const MOST_MEMORY: usize = 512 << 20;

/// A reader, and files for it.
pub struct Target {
    /// Its name, and that of its folder of kept files.
    pub name: &'static str,
    /// Makes a file.
    make: fn(&mut Random, &[Vec<u8>]) -> Vec<u8>,
    /// Reads a file: whether it was accepted, or what is wrong with the reader.
    read: fn(&[u8]) -> Result<bool, String>,
    /// Names of good files under `testdata/` that others are made from.
    seeds: &'static [&'static str],
}

/// Every target.
pub static TARGETS: &[Target] = &[
    Target {
        name: "parquet",
        make: parquet::make,
        read: tables::parquet,
        seeds: &[
            "tables/dictionary.parquet",
            "tables/nullable.parquet",
            "tables/types.parquet",
            "tables/zstd.parquet",
            "tables/text.parquet",
            "tables/numbers.parquet",
            "tables/encodings.parquet",
            "tables/dictionaries.parquet",
            "hostile/checksum.parquet",
        ],
    },
    Target {
        name: "arrow",
        make: arrow::make,
        read: tables::arrow,
        seeds: &[
            "tables/dictionary.feather",
            "tables/lz4.feather",
            "tables/numbers.feather",
            "tables/stream.arrows",
            "tables/types.arrow",
        ],
    },
    Target {
        name: "npy",
        make: npy::make,
        read: tables::npy,
        seeds: &["tables/c.npy", "tables/fortran.npy", "tables/i2.npy", "tables/bool.npy"],
    },
    Target {
        name: "csv",
        make: text::csv,
        read: tables::csv,
        seeds: &["tables/pandas.csv", "tables/semicolon.csv", "tables/spaces.txt"],
    },
    Target {
        name: "packed",
        make: packed::make,
        read: tables::csv,
        seeds: &["tables/pandas.csv", "tables/semicolon.csv", "tables/spaces.txt"],
    },
    Target {
        name: "xlsx",
        make: sheets::make_xlsx,
        read: tables::xlsx,
        seeds: &["tables/openpyxl.xlsx", "tables/xlsxwriter.xlsx"],
    },
    Target { name: "ods", make: sheets::make_ods, read: tables::ods, seeds: &["tables/odfpy.ods"] },
    Target {
        name: "zip",
        make: sheets::make_zip,
        read: tables::zip,
        seeds: &["tables/columns.npz", "tables/pandas.zip"],
    },
    Target {
        name: "jsonl",
        make: sheets::make_lines,
        read: tables::jsonl,
        seeds: &["tables/pandas.jsonl"],
    },
    Target { name: "moments", make: moments::make, read: moments::read, seeds: &[] },
    Target { name: "graph", make: text::graph, read: text::read_graphs, seeds: &[] },
    Target { name: "knowledge", make: text::knowledge, read: text::read_statements, seeds: &[] },
    Target { name: "grid", make: text::grid, read: text::read_grid, seeds: &[] },
    Target { name: "checkpoint", make: states::make, read: states::read, seeds: &[] },
];

/// What came of a file.
pub struct Outcome {
    /// The file.
    pub bytes: Vec<u8>,
    /// Whether it was read.
    pub accepted: bool,
    /// How long it took.
    pub elapsed: Duration,
    /// What is wrong with the reader, if anything.
    pub finding: Option<String>,
}

impl Target {
    /// Good files, and those that once were findings.
    pub fn corpus(&self) -> Vec<Vec<u8>> {
        let kept = std::fs::read_dir(testdata().join("fuzz").join(self.name)).into_iter().flatten();
        let mut kept: Vec<PathBuf> = kept.flatten().map(|entry| entry.path()).collect();
        kept.sort();
        let seeds = self.seeds.iter().map(|name| testdata().join(name));
        let files = seeds.chain(kept).map(|path| (std::fs::read(&path), path));
        files
            .map(|(bytes, path)| {
                bytes.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
            })
            .collect()
    }

    /// Makes the file of a number and reads it.
    pub fn run(&self, corpus: &[Vec<u8>], seed: u64, number: u64) -> Outcome {
        self.read(self.file(corpus, seed, number))
    }

    /// Makes the file of a number.
    pub fn file(&self, corpus: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
        let name = self
            .name
            .bytes()
            .fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let mut random = Random::new(name ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        (self.make)(&mut random, corpus)
    }

    /// Reads a file.
    pub fn read(&self, bytes: Vec<u8>) -> Outcome {
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| (self.read)(&bytes)));
        let elapsed = start.elapsed();
        let taken = MEMORY.peak_usage().saturating_sub(before);
        let (accepted, mut finding) = match result {
            Ok(Ok(accepted)) => (accepted, None),
            Ok(Err(what)) => (false, Some(what)),
            Err(_) => (false, Some("it panics".to_string())),
        };
        if taken > MOST_MEMORY {
            finding = finding.or_else(|| Some(format!("it takes {} MiB", taken >> 20)));
        }
        Outcome { bytes, accepted, elapsed, finding }
    }
}

/// The folder of test data.
pub fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

/// What is wrong with an error message: every one is one line of moderate length.
fn check_message(text: &str) -> Result<bool, String> {
    if text.chars().count() > 1500 {
        return Err(format!("its message is long: {text:?}"));
    }
    check_line(text)
}

/// The same for messages that front ends cut.
fn check_line(text: &str) -> Result<bool, String> {
    if text.contains(['\n', '\r', '\u{1b}', '\u{202e}']) {
        return Err(format!("its message is no line: {text:?}"));
    }
    Ok(false)
}
