//! States of trainings: true ones with wrong parts, under a digest that is right, so that they get
//! as far as the training that goes on from them.

use std::path::Path;
use std::sync::{Mutex, OnceLock};

use nocurl::simulate::{Simulation, simulate};
use nocurl::{Algorithm, Dataset, Keeper, Options, Run, TrainingState, learn};
use nocurl_io::{TrainingRun, read_checkpoint};
use serde_json::Value;

use crate::check_message;
use crate::random::Random;

/// Methods that keep states of their own form.
const METHODS: [&str; 4] = ["dag-gnn", "nocurl-mlp", "gran-dag", "nonlinear"];

/// Parameters that keep a training short.
const SHORT: [(&str, u64); 8] = [
    ("hidden", 2),
    ("epochs", 2),
    ("estimate_epochs", 2),
    ("batch", 20),
    ("max_iterations", 2),
    ("max_rounds", 2),
    ("max_steps", 20),
    ("iterations", 20),
];

/// A training, and states that it goes through.
struct Training {
    method: &'static str,
    data: Dataset,
    options: Options,
    run: TrainingRun,
    states: Vec<Value>,
}

/// Goes on from a state, and keeps those after it.
#[derive(Default)]
struct Shelf {
    from: Option<TrainingState>,
    states: Mutex<Vec<Value>>,
}

impl Keeper for Shelf {
    fn state(&self) -> Option<TrainingState> {
        self.from.clone()
    }

    fn is_due(&self) -> bool {
        true
    }

    fn keep(&self, state: &TrainingState) {
        let state = serde_json::to_value(state).expect("a state is JSON");
        self.states.lock().expect("nobody panics here").push(state);
    }
}

impl Training {
    fn of(method: &'static str) -> Self {
        let table = Simulation { variables: 3, rows: 40, degree: 2.0, ..Simulation::default() };
        let data = simulate(&table, 1).expect("a small table can be simulated").data;
        let mut algorithm = Algorithm::from_name(method).expect("the method exists");
        for (name, value) in SHORT {
            if let Ok(shorter) = algorithm.clone().with_parameter(name, value.into()) {
                algorithm = shorter;
            }
        }
        let options = Options { algorithm, ..Options::default() };
        let shelf = Shelf::default();
        learn(&data, &options, &Run::default().kept_by(&shelf)).expect("a sound table is learnt");
        let states = shelf.states.into_inner().expect("nobody panics here");
        assert!(!states.is_empty(), "{method} keeps no state");
        let run = TrainingRun::new(&data, &options);
        Self { method, data, options, run, states }
    }

    fn all() -> &'static [Self] {
        static ALL: OnceLock<Vec<Training>> = OnceLock::new();
        ALL.get_or_init(|| METHODS.map(Self::of).into())
    }

    fn go_on(&self, state: TrainingState) -> Result<bool, String> {
        let shelf = Shelf { from: Some(state), ..Shelf::default() };
        match learn(&self.data, &self.options, &Run::default().kept_by(&shelf)) {
            Ok(_) => Ok(true),
            Err(error) => check_message(&error.to_string()),
        }
    }
}

/// How many values are in a value, itself counted.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(fields) => fields.values().map(size).sum::<usize>(),
        _ => 0,
    }
}

/// The value of a number, counted from the outside in.
fn find(value: &mut Value, at: usize) -> &mut Value {
    let Some(mut rest) = at.checked_sub(1) else { return value };
    let items: Box<dyn Iterator<Item = &mut Value>> = match value {
        Value::Array(items) => Box::new(items.iter_mut()),
        Value::Object(fields) => Box::new(fields.values_mut()),
        _ => unreachable!("values without parts have the size 1"),
    };
    for item in items {
        match rest.checked_sub(size(item)) {
            None => return find(item, rest),
            Some(left) => rest = left,
        }
    }
    unreachable!("the number is below the size")
}

fn change(random: &mut Random, state: &mut Value) {
    let at = random.below(size(state));
    let found = find(state, at);
    *found = match (random.below(3), found.take()) {
        (0, Value::Number(number)) => random.number(number.as_i64().unwrap_or(0)).into(),
        (1, Value::Number(_)) => {
            [1e300, -1e300, 1e-300, -0.5, 0.5, f64::NAN][random.below(6)].into()
        }
        (0, Value::Array(mut items)) => {
            items.truncate(random.below(items.len()));
            items.into()
        }
        (1, Value::Array(mut items)) => {
            let again = items.get(random.below(items.len())).cloned();
            items.insert(random.below(items.len() + 1), again.unwrap_or(Value::Null));
            items.into()
        }
        (0, Value::Object(mut fields)) => {
            let name = fields.keys().nth(random.below(fields.len())).cloned();
            name.map(|name| fields.remove(&name));
            fields.into()
        }
        (_, other) => match random.below(5) {
            0 => Value::Null,
            1 => true.into(),
            2 => "a".into(),
            3 => vec![other].into(),
            _ => other,
        },
    };
}

pub(crate) fn make(random: &mut Random, _: &[Vec<u8>]) -> Vec<u8> {
    let all = Training::all();
    let training = &all[random.below(all.len())];
    let mut state = training.states[random.below(training.states.len())].clone();
    for _ in 0..random.below(4) {
        change(random, &mut state);
    }
    let state = state.to_string();
    let mut digest = format!("xxh3-128:{:032x}", xxhash_rust::xxh3::xxh3_128(state.as_bytes()));
    if random.once_in(20) {
        digest.pop();
    }
    let mut heading = serde_json::to_value(&training.run).expect("a run is JSON");
    heading["state"] = digest.into();
    let mut bytes = format!("{heading}\n{state}\n").into_bytes();
    if random.once_in(6) {
        random.change(&mut bytes);
    }
    bytes
}

/// Reads a state and goes on from it.
pub(crate) fn read(bytes: &[u8]) -> Result<bool, String> {
    thread_local! {
        static FOLDER: tempfile::TempDir = tempfile::tempdir().expect("there is a place for files");
    }
    let named = |training: &&Training| {
        let name = format!("\"method\":\"{}\"", training.method);
        bytes.windows(name.len()).any(|window| window == name.as_bytes())
    };
    let all = Training::all();
    let training = all.iter().find(named).unwrap_or(&all[0]);
    let read = |folder: &Path| {
        let path = folder.join("state");
        std::fs::write(&path, bytes).map_err(|error| format!("cannot write: {error}"))?;
        Ok::<_, String>(read_checkpoint(&path, &training.run))
    };
    match FOLDER.with(|folder| read(folder.path()))? {
        Ok(state) => training.go_on(state.ok_or("the file is not seen")?),
        Err(error) => check_message(&error.to_string()),
    }
}
