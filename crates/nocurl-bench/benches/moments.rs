//! Moments from files, beside the plain product they cannot beat.
//!
//! Run with `cargo bench -p nocurl-bench --bench moments`. `NOCURL_BENCH_ROWS` sets the number of
//! rows (100,000 unless told; the figures in the README are for 1,000,000). All tables have 100
//! columns and are written to a temporary folder first.

use nocurl::Run;
use std::path::PathBuf;
use std::sync::OnceLock;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use nocurl::{Dataset, Mat};
use nocurl_io::{ReadOptions, Source, read_moments, write_table};
use rayon::prelude::*;

const COLUMNS: usize = 100;

fn main() {
    divan::main();
}

fn rows() -> usize {
    let told = std::env::var("NOCURL_BENCH_ROWS").ok();
    told.and_then(|text| text.parse().ok()).unwrap_or(100_000)
}

/// Numbers without a pattern, by a multiplicative hash of their place.
fn dataset() -> &'static Dataset {
    static DATA: OnceLock<Dataset> = OnceLock::new();
    DATA.get_or_init(|| {
        let values = Mat::from_fn(rows(), COLUMNS, |i, j| {
            let mixed = ((i * COLUMNS + j + 1) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64
                / (1_u64 << 53) as f64
        });
        Dataset::new(Dataset::default_names(COLUMNS), values).expect("all values are finite")
    })
}

fn file(name: &str) -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder"));
    let path = folder.path().join(name);
    if !path.exists() {
        write_table(&path, dataset()).expect("the table is written");
    }
    path
}

/// The lower bound: `X'X` of the table in memory, rows shared between threads.
#[divan::bench]
fn product_in_memory(bencher: Bencher<'_, '_>) {
    let values = dataset().values();
    let threads = rayon::current_num_threads();
    let share = values.nrows().div_ceil(threads);
    bencher.counter(BytesCount::new(values.nrows() * COLUMNS * 8)).bench(|| {
        let products: Vec<Mat<f64>> = (0..threads)
            .into_par_iter()
            .map(|thread| {
                let start = values.nrows().min(thread * share);
                let part = values.subrows(start, share.min(values.nrows() - start));
                let mut product = Mat::zeros(COLUMNS, COLUMNS);
                nocurl::internals::linalg::gram_accumulate(&mut product, part);
                product
            })
            .collect();
        black_box(products)
    });
}

#[divan::bench]
fn moments_in_memory(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::new(rows() * COLUMNS * 8)).bench(|| black_box(dataset().moments()));
}

#[divan::bench(args = ["table.parquet", "table.npy", "table.csv"])]
fn moments_of_file(bencher: Bencher<'_, '_>, name: &str) {
    let path = file(name);
    let length = std::fs::metadata(&path).expect("the file is there").len();
    let source = Source::new(&path);
    bencher.counter(BytesCount::new(length)).bench(|| {
        read_moments(black_box(&source), &ReadOptions::default(), &Run::default())
            .expect("the file is fine")
    });
}
