//! The paper's experiments and others like them, from a grid to tables and figures.
//!
//! ```text
//! Grid      scenarios x sizes x contenders x trials: a preset or a TOML file      grid, preset
//!   |   run: every finished trial is appended to results.csv at once              run, results
//!   v
//! Row       one trial: its seed, its time, its distance from the truth
//!   |   summary: means, standard errors, agreement with the published values      published
//!   v
//! Markdown, CSV, SVG                                                              table, plot
//! ```
//!
//! Studies of their own: [`calibration`], what confidence is worth; [`interventions`], learning from
//! experiments; [`scale`], time and memory.
//!
//! The benchmarks of speed alone are in `benches/`.

pub mod calibration;
mod error;
pub mod grid;
pub mod interventions;
pub mod plot;
mod preset;
pub mod published;
pub mod results;
pub mod run;
pub mod scale;
pub mod summary;
pub mod table;

pub use error::Error;
pub use grid::{Contender, Grid, Scenario};
pub use results::{FILES, Log, Row};
pub use run::{Settings, TrialTask, missing_tasks, run, run_task};
pub use summary::{Cell, Estimate, Verdict, summarise};
