//! Any bytes, read as Ods, give a table or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nocurl::Run;
use nocurl_io::{Format, Missing, ReadOptions, Source, read_moments};

fuzz_target!(|bytes: &[u8]| {
    for missing in [Missing::Error, Missing::Drop] {
        let options = ReadOptions {
            format: Some(Format::Ods),
            missing,
            // Memory grows with the square of the columns; that limit is not what is tested.
            max_columns: 64,
            ..ReadOptions::default()
        };
        if let Err(error) = read_moments(&Source::bytes("fuzz", bytes), &options, &Run::default()) {
            assert!(!error.to_string().contains('\n'));
        }
    }
});
