//! Requests and replies, by the program as it is built for this machine.

use assert_cmd::Command;
use serde_json::{Value, json};

/// The reply to a request in the folder of the data, and whether it is a result.
fn ask(request: &Value) -> (Value, bool) {
    let mut command = Command::cargo_bin("nocurl-web").unwrap();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data");
    let done = command.current_dir(data).write_stdin(request.to_string()).output().unwrap();
    (serde_json::from_slice(&done.stdout).unwrap(), done.status.success())
}

#[test]
fn a_table_is_looked_at_and_learnt_from() {
    let (seen, _) = ask(&json!({ "call": "inspect", "file": "sachs.csv" }));
    assert_eq!(seen["result"]["rows"], 7466);
    assert_eq!(seen["result"]["columns"].as_array().unwrap().len(), 11);
    assert_eq!(seen["result"]["columns"][0]["kind"], "continuous");
    let settings = json!({ "confidence": false, "knowledge": { "forbidden": [["pkc", "p38"]] } });
    let (learnt, good) =
        ask(&json!({ "call": "learn", "file": "sachs.csv", "settings": settings }));
    assert!(good, "{learnt}");
    let result = &learnt["result"];
    let command = result["command"].as_str().unwrap();
    assert!(command.starts_with("nocurl learn sachs.csv --no-confidence --forbid pkc,p38 "));
    assert!(result["svg"].as_str().unwrap().starts_with("<svg"));
    let edges = result["document"]["edges"].as_array().unwrap();
    assert!(edges.len() > 5 && !edges.iter().any(|e| e["from"] == "pkc" && e["to"] == "p38"));
    let part = json!({ "call": "draw", "document": result["document"], "around": ["raf"] });
    let (part, _) = ask(&part);
    assert!(part["result"]["svg"].as_str().unwrap().contains(">raf<"), "{part}");
    let dot = json!({ "call": "write", "document": result["document"], "format": "dot" });
    assert!(ask(&dot).0["result"].as_str().unwrap().contains("digraph"));
}

#[test]
fn wrong_requests_are_one_line() {
    for (request, words) in [
        (json!({ "call": "lern" }), "the request: unknown variant"),
        (json!({ "call": "learn", "file": "nowhere.csv" }), "there is no such file"),
        (json!({ "call": "learn", "file": "sachs.csv", "settings": { "x": 1 } }), "x: there is no"),
        (
            json!({ "call": "learn", "file": "sachs.csv", "settings": { "threads": 2 } }),
            "threads: only the program",
        ),
        (
            json!({ "call": "learn", "file": "sachs.csv", "settings": { "memory": "1MB" } }),
            "or use the program `nocurl`",
        ),
    ] {
        let (reply, good) = ask(&request);
        let error = reply["error"].as_str().unwrap();
        assert!(error.contains(words) && !error.contains('\n') && !good, "{request}: {error}");
    }
}
