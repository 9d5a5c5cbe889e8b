//! How much memory a job takes, and whether it is there.

use nocurl::memory::{Memory, Size};
use nocurl::variable::MOST_CONDITIONS;
use nocurl::{Action, Algorithm, Text, bootstrap};
use nocurl_io::{Missing, ReadOptions, Room, available_memory, reading_memory};

use crate::{Error, Job};

/// What a job takes at its peak, in bytes, from above.
///
/// ```
/// use nocurl_app::Job;
/// let plan = Job::default().plan(1000, Some(5000), 2);
/// assert!(plan.total() >= plan.learning && plan.learning > 8 * 1000 * 1000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryPlan {
    /// The table as it is kept: its moments, or its rows.
    pub data: u64,
    /// Reading it.
    pub reading: u64,
    /// Learning, beside the data.
    pub learning: u64,
    /// Checking the result, beside the data.
    pub checking: u64,
    /// Learning from resampled tables, beside the data.
    pub resampling: u64,
    /// What there is: as set, or what the machine has left; nothing where neither is known.
    pub available: Option<u64>,
}

impl MemoryPlan {
    /// The most at any time.
    pub fn total(&self) -> u64 {
        let after = self.learning.max(self.checking).max(self.resampling);
        self.reading.max(self.data.saturating_add(after))
    }

    /// In a few words.
    pub fn summary(&self) -> String {
        let parts = [
            ("data", self.data),
            ("reading", self.reading),
            ("learning", self.learning),
            ("checking", self.checking),
            ("resampling", self.resampling),
        ];
        let parts = parts.iter().filter(|(_, bytes)| *bytes > 0);
        let parts: Vec<String> =
            parts.map(|(what, bytes)| format!("{what} {}", show_bytes(*bytes))).collect();
        let there = self
            .available
            .map_or_else(String::new, |bytes| format!(" of {} that are there", show_bytes(bytes)));
        format!("at most {}{there} ({})", show_bytes(self.total()), parts.join(", "))
    }
}

impl Job {
    /// What the job will take on a table of this size; without a number of rows, at least.
    pub fn plan(&self, columns: usize, rows: Option<u64>, threads: usize) -> MemoryPlan {
        let rows = rows.unwrap_or(0);
        let size = Size { variables: columns, rows, threads };
        let at = |memory: Memory| memory.at(columns, rows);
        let parts = self.parts(&size);
        let conditions = match self.options.experiments.is_empty() {
            true => 0,
            false => conditions_memory(columns, rows),
        };
        MemoryPlan {
            data: at(parts.data),
            reading: at(parts.reading).saturating_add(conditions / 2),
            learning: at(parts.learning).saturating_add(conditions),
            checking: at(parts.checking).saturating_add(conditions),
            resampling: at(parts.resampling),
            available: self.memory.or_else(available_memory),
        }
    }

    fn parts(&self, size: &Size) -> Parts {
        let keeps = self.keeps_rows();
        // Incomplete rows are kept, and filled in a copy.
        let gaps = if self.read.missing == Missing::Em { 2.0 } else { 0.0 };
        let data = Memory::matrices(1.0).and_tables(f64::from(u8::from(keeps)));
        let learning = self.options.memory(size);
        // What is resampled without being asked for is bounded by its own limits.
        let resampling = self
            .confidence
            .is_asked()
            .then(|| bootstrap::memory(&self.options, &self.confidence.params(), size));
        Parts {
            data,
            reading: reading_memory(keeps, size.variables, size.threads).and_tables(gaps),
            learning,
            checking: match self.diagnose {
                true => self.options.checking_memory(size, data),
                false => Memory::default(),
            },
            resampling: resampling.unwrap_or_default(),
        }
    }

    /// True when moments are not enough.
    pub(crate) fn keeps_rows(&self) -> bool {
        let estimated = self.read.missing == Missing::Em;
        self.options.needs_rows() || self.confidence.is_asked() && !estimated
    }

    /// How the table is read so that no more is taken than there is, and the method can use it: the
    /// number of columns is checked before any row is read, that of rows meanwhile.
    pub(crate) fn bounded(&self, threads: usize) -> Bounded<'_> {
        let bytes = self.memory.or_else(available_memory);
        let fits = |columns: usize| {
            self.takes(columns).is_ok()
                && bytes.is_none_or(|bytes| self.plan(columns, None, threads).total() <= bytes)
        };
        // All of it grows with the columns.
        let (mut most, mut too_many) = (1, self.read.max_columns.saturating_add(1));
        while too_many - most > 1 {
            let middle = most + (too_many - most) / 2;
            if fits(middle) { most = middle } else { too_many = middle }
        }
        Bounded { job: self, bytes, threads, most }
    }

    fn takes(&self, columns: usize) -> Result<(), nocurl::Error> {
        self.options.algorithm.takes(columns, !self.options.knowledge.is_empty())
    }
}

/// What is kept of the conditions of a table, from above: their rows twice, or as many matrices where
/// these are less, and the rows of correlations that are remembered.
fn conditions_memory(columns: usize, rows: u64) -> u64 {
    const REMEMBERED: u64 = 512 << 20;
    let (d, numbers) = (columns as u64, rows.saturating_mul(columns as u64));
    let matrices = d.saturating_mul(d).saturating_mul(MOST_CONDITIONS as u64);
    let remembered = d.saturating_pow(3).saturating_mul(16).min(REMEMBERED);
    numbers.min(matrices).saturating_mul(16).saturating_add(remembered)
}

struct Parts {
    data: Memory,
    reading: Memory,
    learning: Memory,
    checking: Memory,
    resampling: Memory,
}

/// A job within its bounds.
pub(crate) struct Bounded<'a> {
    job: &'a Job,
    bytes: Option<u64>,
    threads: usize,
    most: usize,
}

impl Bounded<'_> {
    pub(crate) fn read_options(&self) -> ReadOptions {
        let room = self.bytes.map(|bytes| {
            // Few variables: what depends on the rows does not depend on these.
            let size = Size { variables: 2, rows: 0, threads: self.threads };
            let parts = self.job.parts(&size);
            let work = parts.learning.or(parts.checking).or(parts.resampling);
            let taken = parts.reading.or(parts.data.plus(work));
            Room { bytes, taken: Memory { bytes: 0.0, ..taken } }
        });
        let max_columns = self.most.min(self.job.read.max_columns);
        ReadOptions { max_columns, room, ..self.job.read.clone() }
    }

    /// Says which bound it was.
    pub(crate) fn explain(&self, error: nocurl_io::Error) -> Error {
        match error {
            nocurl_io::Error::TooManyColumns { path, columns, .. }
                if columns > self.job.read.max_columns =>
            {
                let limit = self.job.read.max_columns;
                nocurl_io::Error::TooManyColumns { path, columns, limit }.into()
            }
            nocurl_io::Error::TooManyColumns { columns, .. } => match self.job.takes(columns) {
                Err(error) => error.into(),
                Ok(()) => self.over_budget(columns, None),
            },
            nocurl_io::Error::TooManyRows { rows, columns, limit } => {
                self.over_budget(columns, Some((rows, limit)))
            }
            other => other.into(),
        }
    }

    /// What does not fit, and what would.
    fn over_budget(&self, columns: usize, rows: Option<(u64, u64)>) -> Error {
        let count = rows.map(|(rows, _)| rows);
        let plan = self.job.plan(columns, count, self.threads);
        let available = self.bytes.unwrap_or(u64::MAX);
        let table = match count {
            Some(rows) => format!("{rows} rows of {columns} columns"),
            None => format!("{columns} columns"),
        };
        let mut advice = match rows {
            Some((_, limit)) => Text::new(format!("at most {limit} rows fit")),
            None if self.most < 2 => Text::new("not even two columns fit"),
            None => {
                Text::new(format!("at most {} columns fit: ", self.most)).act(Action::FewerColumns)
            }
        };
        let fits = |job: &Job, threads| job.plan(columns, count, threads).total() <= available;
        if self.threads > 1 && fits(self.job, 1) {
            advice = advice.say("; or work on one thread");
        }
        let smaller = ["order-search", "eq-td"].into_iter().find(|name| {
            let Ok(algorithm) = Algorithm::from_name(name) else { return false };
            let mut other = self.job.clone();
            other.options.algorithm = algorithm;
            self.job.options.algorithm.name() != *name && fits(&other, self.threads)
        });
        if let Some(name) = smaller {
            advice = advice.say("; or use ").act(Action::method(name));
        }
        advice = advice.say("; or raise ").act(Action::setting("memory"));
        Error::OverBudget { table, needed: plan.total(), available, advice }
    }
}

/// A number of bytes with a unit.
pub fn show_bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = UNITS[0];
    for larger in &UNITS[1..] {
        if value >= 1024.0 {
            (value, unit) = (value / 1024.0, larger);
        }
    }
    if value >= 100.0 { format!("{value:.0} {unit}") } else { format!("{value:.1} {unit}") }
}

/// Bytes from a text such as `4GiB`, `500 MB` or `1e9`: powers of 1024 with an i, of 1000 without.
///
/// ```
/// use nocurl_app::parse_bytes;
/// assert_eq!(parse_bytes("4GiB"), Some(4 << 30));
/// assert_eq!(parse_bytes("500 MB"), Some(500_000_000));
/// assert_eq!(parse_bytes("many"), None);
/// ```
pub fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let end =
        text.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor = match unit.to_ascii_lowercase().trim() {
        "" | "b" | "bytes" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "ki" | "kib" => 1024.0,
        "mi" | "mib" => 1_048_576.0,
        "gi" | "gib" => 1_073_741_824.0,
        "ti" | "tib" => 1_099_511_627_776.0,
        _ => return None,
    };
    let bytes = number.trim().parse::<f64>().ok()? * factor;
    (1.0..1e18).contains(&bytes).then_some(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_shown() {
        for (text, bytes) in [
            ("1", 1),
            ("2k", 2000),
            ("1.5GiB", 1_610_612_736),
            ("3 gb", 3_000_000_000),
            ("1e9", 1_000_000_000),
        ] {
            assert_eq!(parse_bytes(text), Some(bytes), "{text}");
        }
        for text in ["", "0", "-1", "GiB", "1 QB", "nan", "inf", "1e30", "1..2MB"] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
        assert_eq!(show_bytes(1000), "1000 bytes");
        assert_eq!(show_bytes(3 << 20), "3.0 MiB");
        assert_eq!(show_bytes(300 << 30), "300 GiB");
    }

    #[test]
    fn more_of_anything_takes_more() {
        let job = Job::default();
        let total = |columns, rows, threads| job.plan(columns, Some(rows), threads).total();
        assert!(total(200, 100, 1) > total(100, 100, 1));
        assert!(total(1000, 100, 8) > total(1000, 100, 1));
        let confidence = crate::ConfidenceOptions { replicates: Some(100), ..Default::default() };
        let rows = Job { confidence, ..Job::default() };
        assert!(rows.plan(10, Some(1 << 30), 1).total() > rows.plan(10, Some(1), 1).total());
    }
}
