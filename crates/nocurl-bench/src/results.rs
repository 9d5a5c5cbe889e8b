//! The results file: one row for each finished trial, written at once.
//!
//! `results.csv` holds the rows, `results.json` what they are results of. A row is written by one
//! call, so a run that is stopped in whatever way leaves whole lines, or one torn line at the end
//! that the next run cuts off.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use nocurl_io::Claim;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Error, Grid};

const SCHEMA: &str = "nocurl-bench/1";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// With a graph.
    Ok,
    /// With an error, which is in the row.
    Failed,
    /// At the limit of time.
    Timeout,
}

/// What else the machine did while the trial ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// No other trial: the seconds are the method's own, on all cores.
    Alone,
    /// Other trials ran beside it: the seconds say little.
    Throughput,
}

/// One finished trial; figures are there when it ended well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Where the data came from.
    pub scenario: String,
    /// Number of variables.
    pub d: usize,
    /// The contender.
    pub method: String,
    /// The trial's number, from 0.
    pub trial: u32,
    /// Seed of data and method.
    pub seed: u64,
    /// How it ended.
    pub status: Status,
    /// Seconds spent learning.
    pub seconds: f64,
    /// What these seconds mean.
    pub timing: Timing,
    /// Threads the method had.
    pub threads: usize,
    /// Evaluations of the method's objective.
    pub evaluations: Option<f64>,
    /// F of the weights before the threshold, less F of the truth.
    pub delta_f: Option<f64>,
    /// Structural Hamming distance.
    pub shd: Option<f64>,
    /// Extra edges.
    pub extra: Option<f64>,
    /// Missing edges.
    pub missing: Option<f64>,
    /// Reversed edges.
    pub reversed: Option<f64>,
    /// Edges of the truth.
    pub true_edges: Option<f64>,
    /// Edges of the estimate.
    pub estimated_edges: Option<f64>,
    /// Distance of the equivalence classes.
    pub cpdag_shd: Option<f64>,
    /// Structural intervention distance.
    pub sid: Option<f64>,
    /// F1 of the adjacencies.
    pub skeleton_f1: Option<f64>,
    /// Why it failed.
    pub error: Option<String>,
}

/// What rows must share to stand in one file.
#[derive(Debug, Serialize, Deserialize)]
struct Definition {
    schema: String,
    version: String,
    grid: String,
    seed: u64,
    scenarios: BTreeMap<String, Value>,
    methods: BTreeMap<String, Value>,
}

impl Definition {
    fn new(grid: &Grid, seed: u64) -> Self {
        Self {
            schema: SCHEMA.into(),
            version: VERSION.into(),
            grid: grid.name.clone(),
            seed,
            scenarios: grid.scenarios.iter().map(|s| (s.name.clone(), s.definition())).collect(),
            methods: grid.contenders.iter().map(|c| (c.name.clone(), c.definition())).collect(),
        }
    }

    /// Adds what an earlier run had beside this one, or says how the two differ.
    fn join(mut self, earlier: Self) -> Result<Self, String> {
        let same = |what: &str, now: &str, then: &str| match now == then {
            true => Ok(()),
            false => Err(format!("{what} is `{then}` there and `{now}` here")),
        };
        same("the format", &self.schema, &earlier.schema)?;
        same("the version of nocurl", &self.version, &earlier.version)?;
        same("the grid", &self.grid, &earlier.grid)?;
        same("--seed", &self.seed.to_string(), &earlier.seed.to_string())?;
        let kinds = [
            ("scenario", &mut self.scenarios, earlier.scenarios),
            ("method", &mut self.methods, earlier.methods),
        ];
        for (kind, now, then) in kinds {
            for (name, definition) in then {
                if *now.entry(name.clone()).or_insert_with(|| definition.clone()) != definition {
                    return Err(format!("{kind} `{name}` has other settings there than here"));
                }
            }
        }
        Ok(self)
    }
}

/// The rows of a folder, and the file that new ones go to.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    length: u64,
    rows: Vec<Row>,
    /// No other run writes here meanwhile.
    _claim: Claim,
}

/// Names of all files that a bench has in its folder.
pub const FILES: [&str; 6] =
    ["results.csv", "results.json", "tables.md", "tables.csv", "shd.svg", "time.svg"];

impl Log {
    /// Opens the results in a folder, which is made if it is not there; rows of an earlier run are
    /// read, and a line that it left unfinished goes. A folder with other files in it is not filled,
    /// unless they are grids.
    ///
    /// # Errors
    /// Results of another grid, seed or version, a run that is still writing, another kind of
    /// folder, or a file that cannot be read or written. Nothing is changed then.
    pub fn open(folder: &Path, grid: &Grid, seed: u64) -> Result<Self, Error> {
        let (path, definition) = (folder.join("results.csv"), folder.join("results.json"));
        let refused = |why: String| {
            let advice = "choose another folder with --output, or remove this one";
            Error::Input(format!("`{}` holds other results: {why}; {advice}", folder.display()))
        };
        let known = match std::fs::read_to_string(&definition) {
            Ok(text) => Some(text),
            Err(_) if std::fs::metadata(&path).is_ok_and(|file| file.len() > 0) => {
                return Err(refused("results.csv is there without its results.json".into()));
            }
            Err(_) => None,
        };
        if known.is_none() {
            // An empty file of results is what a run leaves that was killed in its first moment.
            let is_ours = |name: &str| name == "results.csv" || name.ends_with(".toml");
            nocurl_io::check_folder(folder, is_ours)?;
        }
        let mut joined = Definition::new(grid, seed);
        if let Some(text) = &known {
            let earlier = serde_json::from_str(text)
                .map_err(|error| refused(format!("results.json cannot be read: {error}")))?;
            joined = joined.join(earlier).map_err(refused)?;
        }
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
        let claim = Claim::of_folder(folder)?;
        nocurl_io::check_writable(&definition)?;
        let mut log = Self::read(path, claim)?;
        let text = serde_json::to_string_pretty(&joined).unwrap_or_default() + "\n";
        if known.as_ref() != Some(&text) {
            nocurl_io::write_text(&definition, &text)?;
        }
        log.cut_torn_line()?;
        Ok(log)
    }

    /// The rows so far, in the order in which they were written.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Writes a row down.
    ///
    /// # Errors
    /// When the file cannot take it; the rows before stay whole.
    pub fn append(&mut self, row: Row) -> Result<(), Error> {
        let mut writer =
            csv::WriterBuilder::new().has_headers(self.length == 0).from_writer(vec![]);
        let line = writer
            .serialize(&row)
            .map_err(std::io::Error::other)
            .and_then(|()| writer.into_inner().map_err(|error| error.into_error()))
            .map_err(Error::file(&self.path))?;
        if let Err(error) = self.file.write_all(&line) {
            // Half a line helps nobody; where it cannot be cut off now, the next run does it.
            let _ = self.cut_torn_line();
            return Err(Error::file(&self.path)(error));
        }
        self.length += line.len() as u64;
        self.rows.push(row);
        Ok(())
    }

    fn read(path: PathBuf, claim: Claim) -> Result<Self, Error> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::file(&path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(Error::file(&path))?;
        bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1));
        let rows = csv::Reader::from_reader(&bytes[..])
            .deserialize()
            .collect::<Result<Vec<Row>, _>>()
            .map_err(|error| Error::Input(format!("`{}`: {error}", path.display())))?;
        Ok(Self { path, file, length: bytes.len() as u64, rows, _claim: claim })
    }

    fn cut_torn_line(&mut self) -> Result<(), Error> {
        let cut = self.file.set_len(self.length);
        let end = cut.and_then(|()| self.file.seek(SeekFrom::Start(self.length)));
        end.map(|_| ()).map_err(Error::file(&self.path))
    }
}
