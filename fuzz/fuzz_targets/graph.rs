//! Any bytes, read as a graph of any format, give a graph or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nocurl_io::{Source, read_graph};

fuzz_target!(|bytes: &[u8]| {
    for name in ["g", "g.json", "g.dot", "g.graphml", "g.gml"] {
        if let Err(error) = read_graph(&Source::bytes(name, bytes)) {
            assert!(!error.to_string().contains('\n'));
        }
    }
});
