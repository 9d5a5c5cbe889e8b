//! What the paper's tables say; `data/README.md` says where the numbers come from.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::preset::published_scenarios;
use crate::{Contender, Estimate, Scenario};

/// A row of a published table: means and standard errors over 100 trials, 5 in the nonlinear table.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The table's label.
    pub table: String,
    /// The scenario.
    pub case: String,
    /// Number of variables.
    pub d: usize,
    /// The method.
    pub method: String,
    /// Seconds, on the authors' machine.
    pub time: Option<Estimate>,
    /// F before the last threshold, less F of the truth.
    pub delta_f: Option<Estimate>,
    /// Structural Hamming distance.
    pub shd: Option<Estimate>,
    /// Extra edges.
    pub extra: Option<Estimate>,
    /// Missing edges.
    pub missing: Option<Estimate>,
    /// Reversed edges.
    pub reversed: Option<Estimate>,
    /// The time in which not all trials came to an end; there are no figures then.
    pub longer_than: Option<String>,
    /// Why the row is no target, where it is none.
    pub remark: Option<String>,
}

/// The columns of the files; each has some of them.
#[derive(Deserialize)]
struct Record {
    table: String,
    case: String,
    d: usize,
    method: String,
    time: Option<f64>,
    time_se: Option<f64>,
    delta_f: Option<f64>,
    delta_f_se: Option<f64>,
    shd: Option<f64>,
    shd_se: Option<f64>,
    extra: Option<f64>,
    extra_se: Option<f64>,
    missing: Option<f64>,
    missing_se: Option<f64>,
    reversed: Option<f64>,
    reversed_se: Option<f64>,
    longer_than: Option<String>,
    remark: Option<String>,
}

impl From<Record> for Published {
    fn from(record: Record) -> Self {
        let pair = |mean: Option<f64>, error| mean.map(|mean| Estimate { mean, error });
        Self {
            table: record.table,
            case: record.case,
            d: record.d,
            method: record.method,
            time: pair(record.time, record.time_se),
            delta_f: pair(record.delta_f, record.delta_f_se),
            shd: pair(record.shd, record.shd_se),
            extra: pair(record.extra, record.extra_se),
            missing: pair(record.missing, record.missing_se),
            reversed: pair(record.reversed, record.reversed_se),
            longer_than: record.longer_than,
            remark: record.remark,
        }
    }
}

const FILES: [&str; 3] = [
    include_str!("../data/published-linear.csv"),
    include_str!("../data/published-nonlinear.csv"),
    include_str!("../data/published-gp.csv"),
];

static ROWS: LazyLock<Vec<Published>> = LazyLock::new(|| {
    let records = FILES
        .iter()
        .flat_map(|text| csv::Reader::from_reader(text.as_bytes()).into_deserialize::<Record>());
    records.filter_map(Result::ok).map(Published::from).collect()
});

/// All published rows.
pub fn rows() -> &'static [Published] {
    &ROWS
}

/// The published row for a method on a scenario, if the scenario is the paper's: a name alone is
/// not enough, the data must be drawn as the paper's. A case that is there with two functions has
/// the same published row for both.
pub fn find(scenario: &Scenario, size: usize, method: &str) -> Option<&'static Published> {
    if !published_scenarios().contains(scenario) {
        return None;
    }
    let row = |method: &str| {
        let same = |row: &&Published| {
            row.case == scenario.drawn_as() && row.d == size && row.method == method
        };
        rows().iter().find(same)
    };
    row(method).or_else(|| row(&by_penalty(method)?))
}

/// The rows of the tables on nonlinear data for methods that are not among `contenders`. (Of the linear
/// tables every method is here.)
pub fn others(
    scenario: &Scenario,
    size: usize,
    contenders: &[Contender],
) -> impl Iterator<Item = &'static Published> {
    let published = published_scenarios().contains(scenario);
    let case = rows()
        .iter()
        .filter(move |row| published && row.case == scenario.drawn_as() && row.d == size);
    let nonlinear = |row: &Published| row.table == "gnn" || row.table == "gp";
    case.filter(move |row| nonlinear(row) && contenders.iter().all(|one| one.name != row.method))
}

/// The name of a NoCurl variant in the tables that compare penalties.
fn by_penalty(method: &str) -> Option<String> {
    let names = [("NoCurl-1", "lambda=10^2"), ("NoCurl-2", "lambda=(10,10^3)")];
    let renamed = |(name, penalty)| Some(format!("{penalty}{}", method.strip_prefix(name)?));
    names.into_iter().find_map(renamed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::paper_scenarios;

    #[test]
    fn every_line_of_the_file_is_read() {
        let lines: usize = FILES.iter().map(|text| text.lines().count() - 1).sum();
        assert_eq!(rows().len(), lines);
        assert_eq!(rows().len(), 300 + 84 + 14);
        let unfinished = rows().iter().filter(|row| row.longer_than.is_some());
        assert_eq!(unfinished.clone().count(), 9);
        assert!(unfinished.clone().all(|row| row.shd.is_none() && row.time.is_none()));
    }

    #[test]
    fn the_ablation_table_is_found_under_its_own_names() {
        let scenario = &paper_scenarios()[2];
        let shd = |method| find(scenario, 30, method).and_then(|row| row.shd).unwrap().mean;
        assert_eq!(shd("NoCurl-1-"), 32.82);
        assert_eq!(shd("NoCurl-2+"), 17.81);
        assert_eq!(shd("rand p"), 130.37);
        assert!(find(scenario, 30, "NoCurl-2+refine").is_none());
        assert!(find(scenario, 31, "NoCurl-2").is_none());
    }

    #[test]
    fn other_data_under_a_name_of_the_paper_have_no_published_values() {
        let mut scenario = paper_scenarios().remove(0);
        assert!(find(&scenario, 10, "NOTEARS").is_some());
        scenario.simulation.rows = 100;
        assert!(find(&scenario, 10, "NOTEARS").is_none());
    }
}
