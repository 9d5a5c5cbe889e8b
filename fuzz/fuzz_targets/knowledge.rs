//! Any bytes, read as prior knowledge, give statements or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nocurl_io::{Source, read_knowledge};

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = read_knowledge(&Source::bytes("k", bytes)) {
        assert!(!error.to_string().contains('\n'));
    }
});
