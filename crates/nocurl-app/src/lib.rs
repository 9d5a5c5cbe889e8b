//! The job of nocurl, from a table to a described graph: what the command line and Python share.
//!
//! A [`Job`] says what to learn; running it gives an [`Outcome`], which has everything that was
//! found, and its [`document`](Outcome::document) for files and front ends. Messages and advice are
//! values ([`nocurl::advice`]) until a front end spells them.
//!
//! ```
//! use nocurl::Run;
//! use nocurl::advice::Neutral;
//! use nocurl_app::Job;
//! use nocurl_io::Source;
//! let table = Source::bytes("rain.csv", "rain,wet\n1,2\n2,4\n3,7\n4,7\n5,11\n");
//! let job = Job::default();
//! let outcome = job.run(&table, &Run::default())?;
//! let document = outcome.document(&job, &Neutral);
//! assert_eq!(document.variables, ["rain", "wet"]);
//! assert_eq!(document.input.unwrap().path, "rain.csv");
//! # Ok::<(), nocurl_app::Error>(())
//! ```

mod confidence;
mod describe;
mod differences;
mod directions;
mod edges;
mod error;
mod experiments;
mod fitted;
mod inspection;
mod job;
mod known;
mod memory;
mod next;
mod outcome;
mod parts;
mod request;
mod resampled;
mod scores;
mod seen;
mod suspicions;
mod view;

/// The licences of everything that the program is built from, with their texts.
pub const LICENSES: &str = include_str!("../data/third-party.txt");

pub use confidence::{ConfidenceOptions, DEFAULT_OPERATIONS, Shown};
pub use describe::describe;
pub use differences::{Difference, Differences, Side};
pub use error::Error;
pub use experiments::condition_from_files;
pub use fitted::{AdjustmentSets, EffectEntry, Effects, Fitted, Intervention, Moved};
pub use inspection::Inspection;
pub use job::Job;
pub use memory::{MemoryPlan, parse_bytes, show_bytes};
pub use next::{NextRequest, describe_next};
pub use outcome::Outcome;
pub use parts::summarise;
pub use request::{Request, TableRequest};
pub use resampled::Resampled;
pub use scores::score;
pub use seen::Seen;
pub use suspicions::{Suspicion, suspicions};
pub use view::View;
