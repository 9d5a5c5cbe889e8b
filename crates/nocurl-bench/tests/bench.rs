//! Grids, runs that stop and go on, and what is made of their results.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nocurl::{Progress, Run};
use nocurl_bench::plot::{Figure, svg};
use nocurl_bench::results::{Status, Timing};
use nocurl_bench::table::{self, Provenance};
use nocurl_bench::{
    Contender, Error, Estimate, Grid, Log, Row, Settings, Verdict, published, run, summarise,
};
use tempfile::TempDir;

const SMALL: &str = r#"
    name = "small"
    trials = 3
    sizes = [5, 8]

    [[scenario]]
    name = "er"
    degree = 2

    [[scenario]]
    name = "gumbel"
    degree = 2
    rows = 200
    noise = "gumbel"

    [[method]]
    method = "nocurl"

    [[method]]
    name = "rand p"
    method = "nocurl"
    variant = "rand-p"
    repeats = 3

    [[method]]
    method = "eq-td"
    prune = "ebic"
    threshold = 0.3
    max_trials = 2

    [[method]]
    method = "exact"
    max_size = 5
"#;

fn small() -> Grid {
    Grid::from_toml(SMALL).unwrap()
}

fn settings(jobs: usize) -> Settings {
    Settings { seed: 0, jobs, timeout: None, timing_trials: 1, retry: false }
}

/// Stops a run after some finished trials.
struct StopAfter(AtomicU64);

impl StopAfter {
    fn new(trials: u64) -> Self {
        Self(AtomicU64::new(trials))
    }
}

impl nocurl::Watch for StopAfter {
    fn report(&self, _: Progress) {
        let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
    }
}

impl nocurl::Stop for StopAfter {
    fn is_stopped(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 0
    }
}

fn finish(folder: &Path, grid: &Grid, settings: &Settings) -> Vec<Row> {
    let mut log = Log::open(folder, grid, settings.seed).unwrap();
    run(grid, settings, &mut log, &Run::default()).unwrap();
    log.rows().to_vec()
}

/// The lines of the accuracy pass without what depends on the machine and its load, sorted.
fn facts(folder: &Path) -> Vec<String> {
    let mut reader = csv::Reader::from_path(folder.join("results.csv")).unwrap();
    let dropped = ["seconds", "threads", "timing"];
    let header = reader.headers().unwrap().clone();
    let mut lines: Vec<String> = reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            let cells = header.iter().zip(&record).filter(|(name, _)| !dropped.contains(name));
            cells.map(|(_, cell)| cell).collect::<Vec<_>>().join(",")
        })
        .collect();
    lines.sort();
    // The timing pass repeats trials; their facts are the same.
    lines.dedup();
    lines
}

#[test]
fn every_preset_is_valid_and_has_names_of_its_own() {
    let mut names = BTreeSet::new();
    for (name, what) in Grid::presets() {
        let grid = Grid::preset(name).unwrap();
        grid.validate().unwrap();
        assert!(names.insert(*name) && !what.is_empty());
        for scenario in &grid.scenarios {
            for &size in &grid.sizes {
                scenario.at(size).validate().unwrap();
            }
        }
    }
}

#[test]
fn the_paper_has_a_value_for_every_cell_of_its_presets() {
    // What this project adds has no published value.
    let ours = ["NoCurl-2+refine", "FGS two-phase"];
    let is_published = |one: &&Contender| !ours.contains(&one.name.as_str());
    for name in ["paper-linear", "paper-hyper", "paper-ablation"] {
        let grid = Grid::preset(name).unwrap();
        for scenario in &grid.scenarios {
            for contender in grid.contenders.iter().filter(is_published) {
                for &size in grid.sizes.iter().filter(|&&size| contender.trials(1, size) > 0) {
                    let row = published::find(scenario, size, &contender.name);
                    assert!(row.is_some(), "{} {size} {}", scenario.name, contender.name);
                }
            }
        }
    }
    for name in ["standardised", "unequal-variance"] {
        let grid = Grid::preset(name).unwrap();
        let none = |scenario| published::find(scenario, 100, "NoCurl-2").is_none();
        assert!(grid.scenarios.iter().all(none));
    }
}

#[test]
fn the_nonlinear_preset_is_that_of_the_papers_table() {
    let grid = Grid::preset("paper-nonlinear").unwrap();
    assert_eq!((grid.trials, grid.scenarios.len(), grid.sizes.len()), (5, 4, 4));
    let table = published::rows().iter().filter(|row| row.table == "gnn");
    for row in table.clone() {
        let scenario = grid.scenarios.iter().find(|scenario| scenario.name == row.case).unwrap();
        assert_eq!(scenario.simulation.rows, 5000);
        assert_eq!(published::find(scenario, row.d, &row.method), Some(row));
    }
    assert_eq!(table.count(), 3 * 4 * 7);
    // Case 1 with the program's function: the same graphs, the same published row.
    let (text, program) = (&grid.scenarios[0], &grid.scenarios[3]);
    assert_ne!(text.simulation.mechanism, program.simulation.mechanism);
    assert_eq!(text.seed(0, 10, 3), program.seed(0, 10, 3));
    let found = |scenario| published::find(scenario, 50, "DAG-GNN").unwrap();
    assert_eq!(found(text), found(program));
    for name in ["CAM", "MMPC", "GSGES", "GraN-DAG", "DAG-GNN", "DAG-GNN+NoCurl", "NOTEARS-MLP"] {
        assert!(grid.contenders.iter().any(|contender| contender.name == name));
    }
}

#[test]
fn published_methods_without_a_contender_are_shown_beside_the_others() {
    let folder = TempDir::new().unwrap();
    let mut grid = Grid::preset("paper-nonlinear").unwrap();
    grid.contenders.retain(|contender| contender.name != "GSGES");
    let some = Grid { trials: 1, sizes: vec![10], ..grid.clone() };
    let some = some.with_methods(&["empty graph".to_string()]).unwrap();
    let some = some.with_scenarios(&["nonlinear-3".to_string()]).unwrap();
    let rows = finish(folder.path(), &some, &settings(1));
    let cells = summarise(&grid, &rows);
    assert!(cells.iter().all(|cell| cell.scenario == "nonlinear-3" && cell.d == 10));
    let only_published: Vec<&str> =
        cells.iter().filter(|cell| !cell.was_run()).map(|cell| cell.method.as_str()).collect();
    assert!(only_published.contains(&"GSGES") && !only_published.contains(&"CAM"));
    assert_eq!(cells.len(), 1 + only_published.len());
    assert!(cells.iter().all(|cell| cell.verdict().is_none()));
    let text = svg(Figure::Shd, &grid, &cells);
    assert!(text.contains("GSGES") && text.contains("over 1 trials"), "{text}");
    assert_well_formed(&text);

    // 72 hours were not enough for GSGES at d = 100.
    let rows: Vec<Row> = rows.into_iter().map(|row| Row { d: 100, ..row }).collect();
    let cells = summarise(&grid, &rows);
    let markdown = table::markdown(&grid, &settings(1), &provenance(), &cells);
    let line = markdown.lines().find(|line| line.contains("GSGES")).unwrap();
    assert_eq!(line.matches("> 72 h").count(), 2, "{line}");
    assert!(table::csv(&cells).unwrap().contains("> 72 h"));

    // Other data under the same name are not the paper's.
    let mut other = grid;
    other.scenarios[2].simulation.rows = 500;
    assert_eq!(summarise(&other, &rows).len(), 1);
}

#[test]
fn published_methods_that_this_build_has_are_in_the_paper_preset() {
    let grid = Grid::preset("paper").unwrap();
    let has = |name: &str| grid.contenders.iter().any(|contender| contender.name == name);
    let registered = [("FGS", "fges"), ("CAM", "cam"), ("MMPC", "mmpc")];
    for row in published::rows().iter().filter(|row| row.table.starts_with("score")) {
        let method = registered.iter().find(|(name, _)| *name == row.method);
        let known = method.is_none_or(|(_, method)| nocurl::Algorithm::from_name(method).is_ok());
        assert_eq!(has(&row.method), known, "{}", row.method);
    }
}

#[test]
fn seeds_depend_on_the_place_in_the_grid_alone() {
    let grid = Grid::preset("paper").unwrap();
    let scenario = &grid.scenarios[0];
    // A change of these numbers would change every trial: they are part of the results' format.
    assert_eq!(scenario.seed(0, 10, 0), 17_213_843_182_894_385_322);
    let mut seen = BTreeSet::new();
    for scenario in &grid.scenarios {
        for (size, trial, base) in [(10, 0, 0), (10, 1, 0), (30, 0, 0), (10, 0, 1), (1, 10, 0)] {
            assert!(seen.insert(scenario.seed(base, size, trial)));
        }
    }
    let standardised = Grid::preset("standardised").unwrap();
    assert_eq!(standardised.scenarios[0].seed(0, 10, 3), scenario.seed(0, 10, 3));
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_results() {
    let grid = small();
    let whole = TempDir::new().unwrap();
    let rows = finish(whole.path(), &grid, &settings(1));
    // 2 scenarios: nocurl and rand p at 2 sizes x 3, eq-td at 2 x 2, exact at 1 x 3.
    assert_eq!(rows.len(), 2 * (6 + 6 + 4 + 3));
    assert!(rows.iter().all(|row| row.status == Status::Ok && row.timing == Timing::Alone));
    for jobs in [1, 2] {
        let folder = TempDir::new().unwrap();
        for stop in [1, 7, 20] {
            let mut log = Log::open(folder.path(), &grid, 0).unwrap();
            let before = log.rows().len();
            let patience = StopAfter::new(stop);
            let stopped = Run::default().watched_by(&patience).stopped_by(&patience);
            let outcome = run(&grid, &settings(jobs), &mut log, &stopped);
            assert!(matches!(outcome, Err(Error::Cancelled)), "{outcome:?}");
            assert!(log.rows().len() >= before + stop as usize);
        }
        finish(folder.path(), &grid, &settings(jobs));
        assert_eq!(facts(folder.path()), facts(whole.path()), "{jobs} jobs");
        let again = fs::read(folder.path().join("results.csv")).unwrap();
        finish(folder.path(), &grid, &settings(jobs));
        assert_eq!(fs::read(folder.path().join("results.csv")).unwrap(), again);
    }
}

#[test]
fn times_of_trials_beside_others_are_marked_and_taken_again_alone() {
    let (grid, folder) = (small(), TempDir::new().unwrap());
    let rows = finish(folder.path(), &grid, &settings(2));
    let alone: Vec<&Row> = rows.iter().filter(|row| row.timing == Timing::Alone).collect();
    assert_eq!(alone.len(), 2 * (2 + 2 + 2 + 1));
    assert!(alone.iter().all(|row| row.trial == 0));
    assert!(rows.iter().all(|row| row.timing == Timing::Alone || row.threads == 1));
    let cells = summarise(&grid, &rows);
    assert!(cells.iter().all(|cell| cell.timing == Timing::Alone && cell.trials <= 3));
    let folder = TempDir::new().unwrap();
    let rows = finish(folder.path(), &grid, &Settings { timing_trials: 0, ..settings(2) });
    assert!(rows.iter().all(|row| row.timing == Timing::Throughput));
}

#[test]
fn a_grid_can_be_extended() {
    let folder = TempDir::new().unwrap();
    let few = Grid { trials: 1, sizes: vec![5], ..small() };
    let few = few.with_methods(&["nocurl".to_string()]).unwrap();
    let first = finish(folder.path(), &few, &settings(1));
    let all = finish(folder.path(), &small(), &settings(1));
    assert_eq!(all[..first.len()], first);
    assert_eq!(all.len(), 2 * (6 + 6 + 4 + 3));
}

#[test]
fn a_torn_line_is_cut_off_and_its_trial_done_again() {
    let (grid, folder) = (small(), TempDir::new().unwrap());
    finish(folder.path(), &grid, &settings(1));
    let (path, expected) = (folder.path().join("results.csv"), facts(folder.path()));
    let bytes = fs::read(&path).unwrap();
    for cut in [5, bytes.len() / 2] {
        fs::write(&path, &bytes[..bytes.len() - cut]).unwrap();
        finish(folder.path(), &grid, &settings(1));
        assert_eq!(facts(folder.path()), expected);
    }
    // Even the line of names may be torn.
    fs::write(&path, &bytes[..20]).unwrap();
    finish(folder.path(), &grid, &settings(1));
    assert_eq!(facts(folder.path()), expected);
}

#[test]
fn results_of_another_grid_are_refused_and_stay() {
    let (grid, folder) = (small(), TempDir::new().unwrap());
    finish(folder.path(), &grid, &settings(1));
    let kept = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let before = (kept("results.csv"), kept("results.json"));
    let refused = |grid: &Grid, seed: u64, told: &str| {
        let error = Log::open(folder.path(), grid, seed).unwrap_err();
        assert!(matches!(error, Error::Input(_)));
        let line = error.to_string();
        assert!(line.contains(told) && line.contains("--output"), "{line}");
        assert!(!line.contains('\n'));
        assert_eq!((kept("results.csv"), kept("results.json")), before);
    };
    refused(&Grid { name: "other".into(), ..grid.clone() }, 0, "the grid is `small` there");
    refused(&grid, 1, "--seed is `0` there and `1` here");
    let mut changed = grid.clone();
    changed.scenarios[1].simulation.rows = 100;
    refused(&changed, 0, "scenario `gumbel` has other settings");
    let mut changed = grid.clone();
    changed.contenders[2].options.threshold = None;
    refused(&changed, 0, "method `eq-td` has other settings");

    let text = String::from_utf8(kept("results.json")).unwrap();
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    fs::write(folder.path().join("results.json"), text.replace(&version, "\"version\": \"0\""))
        .unwrap();
    let line = Log::open(folder.path(), &grid, 0).unwrap_err().to_string();
    assert!(line.contains("version of nocurl is `0` there"), "{line}");
    fs::remove_file(folder.path().join("results.json")).unwrap();
    let line = Log::open(folder.path(), &grid, 0).unwrap_err().to_string();
    assert!(line.contains("without its results.json"), "{line}");
}

#[test]
fn a_file_that_is_no_results_file_is_refused() {
    let (grid, folder) = (small(), TempDir::new().unwrap());
    finish(folder.path(), &grid, &settings(1));
    fs::write(folder.path().join("results.csv"), "a,b\n1,2\n").unwrap();
    let error = Log::open(folder.path(), &grid, 0).unwrap_err();
    assert!(matches!(error, Error::Input(_)), "{error}");
    assert_eq!(fs::read_to_string(folder.path().join("results.csv")).unwrap(), "a,b\n1,2\n");
}

#[test]
fn two_runs_do_not_write_to_one_file() {
    let (grid, folder) = (small(), TempDir::new().unwrap());
    let _first = Log::open(folder.path(), &grid, 0).unwrap();
    let error = Log::open(folder.path(), &grid, 0).unwrap_err();
    let holder = format!("in use by process {}", std::process::id());
    assert!(error.to_string().contains(&holder), "{error}");
}

#[test]
fn trials_that_fail_are_rows_and_the_run_goes_on() {
    let folder = TempDir::new().unwrap();
    // Degree 6 is impossible among 5 variables, and `exact` cannot take 40.
    let text = SMALL
        .replace("sizes = [5, 8]", "sizes = [5, 40]")
        .replacen("degree = 2", "degree = 6", 1)
        .replace("max_size = 5", "max_size = 50");
    let grid = Grid { trials: 1, ..Grid::from_toml(&text).unwrap() };
    let rows = finish(folder.path(), &grid, &settings(2));
    let cells = summarise(&grid, &rows);
    let cell = |scenario: &str, d, method: &str| {
        cells.iter().find(|c| c.scenario == scenario && c.d == d && c.method == method).unwrap()
    };
    assert_eq!((cell("er", 5, "nocurl").failed, cell("er", 5, "nocurl").trials), (1, 0));
    assert_eq!((cell("gumbel", 40, "exact").failed, cell("gumbel", 40, "nocurl").trials), (1, 1));
    let row = rows.iter().find(|row| row.d == 40 && row.method == "exact").unwrap();
    assert!(row.error.as_ref().unwrap().contains("exact") && row.shd.is_none());
    let markdown = table::markdown(&grid, &settings(2), &provenance(), &cells);
    assert!(markdown.contains("0 (1 failed)"), "{markdown}");
    assert_eq!(finish(folder.path(), &grid, &settings(2)), rows);
    let again = finish(folder.path(), &grid, &Settings { retry: true, ..settings(2) });
    assert!(again.len() > rows.len());
}

#[test]
fn trials_that_run_out_of_time_are_recorded_as_such() {
    let folder = TempDir::new().unwrap();
    let grid = small().with_methods(&["nocurl".to_string()]).unwrap();
    let limit = Some(Duration::from_nanos(1));
    let rows = finish(folder.path(), &grid, &Settings { timeout: limit, ..settings(2) });
    assert_eq!(rows.len(), 12, "there is nothing to time");
    assert!(rows.iter().all(|row| row.status == Status::Timeout && row.shd.is_none()));
    let cells = summarise(&grid, &rows);
    assert!(cells.iter().all(|cell| cell.timeouts == 3 && cell.verdict().is_none()));
    let rows = finish(folder.path(), &grid, &Settings { retry: true, ..settings(1) });
    assert!(summarise(&grid, &rows).iter().all(|cell| cell.timeouts == 0 && cell.trials == 3));
}

#[test]
fn mistakes_in_a_grid_are_told_by_name() {
    let refused = |from: &str, to: &str, told: &[&str]| {
        let changed = SMALL.replacen(from, to, 1);
        assert_ne!(changed, SMALL);
        let line = Grid::from_toml(&changed).unwrap_err().to_string();
        assert!(!line.contains('\n'), "{line}");
        for words in told {
            assert!(line.contains(words), "`{words}` is not in `{line}`");
        }
    };
    refused("trials = 3", "trails = 3", &["`trails`", "did you mean `trials`?"]);
    refused("trials = 3", "trials = 0", &["`trials` is 0"]);
    refused("trials = 3", "trials = \"x\"", &["`trials`", "invalid type"]);
    refused("sizes = [5, 8]", "", &["`sizes` is missing"]);
    refused("sizes = [5, 8]", "sizes = [1]", &["`sizes`", "from 2"]);
    refused("degree = 2", "degre = 2", &["scenario `er`", "did you mean `degree`?"]);
    refused("degree = 2", "variables = 9", &["scenario `er`", "`variables`"]);
    refused("degree = 2", "graph = \"erdos\"", &["scenario `er`", "`graph`", "`er`"]);
    refused("name = \"er\"", "name = \"gumbel\"", &["[[scenario]]", "`gumbel`"]);
    refused("name = \"er\"", "", &["scenario", "`name` is missing"]);
    refused("method = \"eq-td\"", "method = \"eq-tdd\"", &["`eq-tdd`", "did you mean `eq-td`?"]);
    refused("threshold = 0.3", "treshold = 0.3", &["`eq-td`", "did you mean `threshold`?"]);
    refused("prune = \"ebic\"", "prune = \"ebicc\"", &["`eq-td`", "`prune`", "`ebic`"]);
    refused("variant = \"rand-p\"", "variant = \"rand\"", &["`rand p`", "`variant`", "rand-p"]);
    refused("variant = \"rand-p\"", "lambda = 3", &["`rand p`", "did you mean `lambdas`?"]);
    refused("trials = 3", "trials = ", &["line 3"]);
    let line = Grid::from_toml("name = \"x\"\nsizes = [5]").unwrap_err().to_string();
    assert!(line.contains("[[scenario]]"), "{line}");
}

#[test]
fn unknown_names_have_suggestions() {
    let told = |outcome: Result<Grid, Error>| outcome.unwrap_err().to_string();
    assert!(told(Grid::preset("skale")).contains("did you mean `scale`?"));
    let grid = Grid::preset("paper").unwrap();
    let names = ["nocurl-1".to_string()];
    assert!(told(grid.clone().with_methods(&names)).contains("did you mean `NoCurl-1`?"));
    let names = ["ER3".to_string()];
    assert!(told(grid.with_scenarios(&names)).contains("did you mean `ER3-Gaussian`?"));
}

#[test]
fn agreement_is_within_two_standard_errors_of_the_difference() {
    let of = |mean, error| Estimate { mean, error: Some(error) };
    let published = of(10.0, 0.3);
    let verdict = |mean, error| Verdict::of(of(mean, error), published);
    assert_eq!(verdict(11.0, 0.4), Some(Verdict::Agrees));
    assert_eq!(verdict(9.0, 0.4), Some(Verdict::Agrees));
    assert_eq!(verdict(11.01, 0.4), Some(Verdict::Worse));
    assert_eq!(verdict(8.99, 0.4), Some(Verdict::Better));
    assert_eq!(Verdict::of(Estimate { mean: 10.0, error: None }, published), None);
    assert_eq!(Estimate::of([]), None);
    assert_eq!(Estimate::of([2.0]), Some(Estimate { mean: 2.0, error: None }));
}

fn provenance() -> Provenance {
    Provenance {
        command: "nocurl bench paper".into(),
        machine: "a machine".into(),
        date: "2026-01-01".into(),
    }
}

fn paper_cells() -> (Grid, Vec<nocurl_bench::Cell>) {
    let mut grid = Grid::preset("paper").unwrap();
    grid = grid.with_methods(&["NoCurl-1", "Eq+TD"].map(String::from)).unwrap();
    grid.contenders[0].name = "a<b & \"c\"".into();
    grid.trials = 2;
    grid.sizes = vec![10, 12];
    let folder = TempDir::new().unwrap();
    let cells = summarise(&grid, &finish(folder.path(), &grid, &settings(2)));
    (grid, cells)
}

#[test]
fn reports_show_every_cell_and_what_is_published() {
    let (grid, cells) = paper_cells();
    assert_eq!(cells.len(), 4 * 2 * 2);
    let markdown = table::markdown(&grid, &settings(2), &provenance(), &cells);
    for words in ["`nocurl bench paper`", "a machine", "2.18 ± 0.28", "## SF4-Gumbel", "| verdict"]
    {
        assert!(markdown.contains(words), "{words}: {markdown}");
    }
    let text = table::csv(&cells).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.headers().unwrap().len(), 7 + 4 * 6 + 2 + 4);
    assert_eq!(reader.records().map(Result::unwrap).count(), cells.len());
}

#[test]
fn figures_are_whole_and_name_every_method() {
    let (grid, cells) = paper_cells();
    for figure in [Figure::Shd, Figure::Time] {
        let text = svg(figure, &grid, &cells);
        assert!(text.contains("a&lt;b &amp;"), "names are escaped");
        assert!(text.contains("NoCurl-1") && text.contains("SF4-Gumbel"));
        assert!(text.contains("published"));
        assert_well_formed(&text);
        assert_well_formed(&svg(figure, &grid, &[]));
    }
}

/// Every element that is opened is closed, in order, and no bare `&` or `<` is left.
fn assert_well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in text.split('<').skip(1) {
        let (tag, content) = part.split_once('>').expect("every tag ends");
        for entity in content.split('&').skip(1) {
            let (name, _) = entity.split_once(';').expect("an entity ends");
            assert!(["lt", "gt", "amp", "quot", "apos"].contains(&name), "{name}");
        }
        let name = tag.trim_start_matches('/').split_whitespace().next().unwrap_or("");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') && !tag.starts_with(['?', '!']) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn scale_goes_on_where_it_was_and_fits_powers() {
    use nocurl_bench::scale::{self, Study};
    let study = Study {
        methods: vec!["order-search".into(), "fges".into()],
        sizes: vec![5, 8, 12],
        trials: 1,
        seed: 3,
    };
    let mut kept = 0;
    let records = scale::run(&study, Vec::new(), &nocurl::Run::default(), |records| {
        kept += 1;
        assert_eq!(records.len(), kept);
        // The tables of this study are small; those around 1000 variables are for the command.
        if kept == 6 { Err(nocurl_bench::Error::Cancelled) } else { Ok(()) }
    });
    assert!(matches!(records, Err(nocurl_bench::Error::Cancelled)));
    let mut first = Vec::new();
    let _ = scale::run(&study, Vec::new(), &nocurl::Run::default(), |records| {
        first = records.to_vec();
        if first.len() == 6 { Err(nocurl_bench::Error::Cancelled) } else { Ok(()) }
    });
    assert!(first.iter().all(|record| record.variables <= 12 && record.error.is_none()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trials.csv");
    std::fs::write(&path, scale::csv(&first).unwrap()).unwrap();
    assert_eq!(scale::read(&path).unwrap(), first);
    // What is there is not run again.
    let seventh = scale::run(&study, first.clone(), &nocurl::Run::default(), |records| {
        assert_eq!(records[..6], first[..]);
        Err(nocurl_bench::Error::Cancelled)
    });
    assert!(seventh.is_err());
    let text = scale::markdown(&first);
    assert!(text.contains("## By variables") && text.contains("| fges | variables |"), "{text}");
    assert!(scale::figure(&first).contains("order-search"));
    std::fs::write(&path, "other,columns\n1,2\n").unwrap();
    assert!(scale::read(&path).unwrap_err().to_string().contains("--output"));
}
