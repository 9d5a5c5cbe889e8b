//! nocurl as a program of WebAssembly (WASI), for the page and for Node.
//!
//! Standard input has one request as JSON, `{"call": "learn", "file": "table.csv", "settings": {}}`;
//! standard output gets one reply, `{"result": ...}` or `{"error": "one line"}`; standard error gets a
//! line of JSON now and then while it works. The table is a file that whoever runs the program lays
//! into its folder: in a browser, the file the user dropped, read where it is. Each call is a run of
//! its own, so that nothing is left behind by one that was stopped or ran out of memory.

mod calls;
mod command;
mod inspect;
mod progress;
mod spelling;

use std::io::{Read, Write, stdin, stdout};
use std::process::ExitCode;

use serde_json::{Value, json};

fn main() -> ExitCode {
    let mut request = String::new();
    let reply = match stdin().read_to_string(&mut request) {
        Ok(_) => calls::answer(&request),
        Err(error) => Err(format!("the request cannot be read: {error}")),
    };
    let (reply, code) = match reply {
        Ok(result) => (json!({ "result": result }), ExitCode::SUCCESS),
        Err(error) => (json!({ "error": error }), ExitCode::from(2)),
    };
    match write(&reply) {
        Ok(()) => code,
        Err(_) => ExitCode::FAILURE,
    }
}

fn write(reply: &Value) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::with_capacity(1 << 20, stdout().lock());
    serde_json::to_writer(&mut out, reply)?;
    out.flush()
}
