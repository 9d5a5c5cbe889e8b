//! Tables of published networks: distances to the truth and times, beside other programs.
//!
//! `bench/networks.py` says how the folder is made; every file `NAME-ROWS-K.csv` in it is a table,
//! `NAME.truth` has the edges of its network, and files with the table's name and another ending
//! are graphs that other programs found, with their seconds as the third heading.
//!
//! ```text
//! cargo run --release -p nocurl-bench --example networks -- FOLDER
//! ```
#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use nocurl::methods::{MixedScore, OrderSearch};
use nocurl::variable::Levels;
use nocurl::{Dataset, Kind, Mat, Options, Pdag, Run, Variable, learn, metrics};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Distances and seconds, by network, rows and program.
type Found = BTreeMap<(String, u64, String), Vec<(f64, f64)>>;

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).ok_or("give the folder of the tables")?;
    let mut found = Found::new();
    let mut paths: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "csv")) {
        table(path, &paths, &mut found)?;
    }
    println!("| network | n | program | tables | CPDAG SHD | seconds |\n|---|---|---|---|---|---|");
    for ((network, rows, program), scores) in &found {
        let (shd, seconds) = (mean(scores, |score| score.0), mean(scores, |score| score.1));
        println!(
            "| {network} | {rows} | {program} | {} | {:.1} ± {:.1} | {:.3} |",
            scores.len(),
            shd.0,
            shd.1,
            seconds.0
        );
    }
    Ok(())
}

/// One table: what nocurl finds, and what others have found.
fn table(path: &Path, all: &[std::path::PathBuf], found: &mut Found) -> Result<()> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut parts = stem.rsplitn(3, '-').skip(1);
    let (Some(rows), Some(network)) = (parts.next(), parts.next()) else { return Ok(()) };
    let rows: u64 = rows.parse()?;
    let (names, data) = read(path)?;
    let (truth, _) = edges(&path.with_file_name(format!("{network}.truth")), &names)?;
    let truth = Pdag::class_of(&truth.to_dag()?);
    let mut add = |program: &str, shd: usize, seconds: f64| {
        let key = (network.to_string(), rows, program.to_string());
        found.entry(key).or_default().push((shd as f64, seconds));
    };
    let levels = !data.moments().variables().is_continuous();
    let usual = OrderSearch::default;
    let mut ways = vec![
        ("nocurl", usual()),
        ("nocurl, no restarts", OrderSearch { restarts: Some(0), ..usual() }),
        ("nocurl, penalty 1", OrderSearch { penalty: Some(1.0), ..usual() }),
    ];
    let gaussian = OrderSearch { score: MixedScore::DegenerateGaussian, ..usual() };
    ways.extend(levels.then_some(("nocurl, degenerate Gaussian", gaussian)));
    for (name, method) in ways {
        let algorithm = method.into();
        let options = Options { algorithm, ..Options::default() };
        let start = Instant::now();
        let fit = learn(&data, &options, &Run::default())?;
        let seconds = start.elapsed().as_secs_f64();
        let class = by_name(data.names(), &fit.class, &names)?;
        add(name, metrics::cpdag_shd(&truth, &class)?, seconds);
    }
    for other in all.iter().filter(|other| other.file_stem() == path.file_stem()) {
        let program = other.extension().unwrap_or_default().to_string_lossy().into_owned();
        if program != "csv" {
            let (found, seconds) = edges(other, &names)?;
            // A DAG stands for its class; a graph with undirected edges is one.
            let class = match found.is_directed() {
                true => Pdag::class_of(&found.to_dag()?),
                false => found,
            };
            add(&program, metrics::cpdag_shd(&truth, &class)?, seconds);
        }
    }
    Ok(())
}

/// All names of a table, and its columns that vary: levels, or numbers where cells have a point.
fn read(path: &Path) -> Result<(Vec<String>, Dataset)> {
    let mut reader = csv::Reader::from_path(path)?;
    let names: Vec<String> = reader.headers()?.iter().map(String::from).collect();
    let records = reader.records().collect::<std::result::Result<Vec<_>, _>>()?;
    let number = |cell: &str| cell.contains('.').then(|| cell.parse::<f64>().ok()).flatten();
    if let Some(first) = records.first()
        && first.iter().all(|cell| number(cell).is_some())
    {
        let value = |i: usize, j: usize| number(&records[i][j]).unwrap_or(f64::NAN);
        let values = Mat::from_fn(records.len(), names.len(), value);
        return Ok((names.clone(), Dataset::new(names, values)?));
    }
    let mut levels = vec![Levels::default(); names.len()];
    let mut codes = vec![Vec::new(); names.len()];
    for record in &records {
        for (j, cell) in record.iter().enumerate() {
            codes[j].push(levels[j].code(cell).ok_or("too many levels")?);
        }
    }
    let (mut variables, mut places, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for (j, name) in names.iter().enumerate().filter(|(j, _)| levels[*j].names().len() > 1) {
        let mut counts = vec![0; levels[j].names().len()];
        codes[j].iter().for_each(|&code| counts[code] += 1);
        let (variable, place) =
            Variable::of_levels(name, Kind::Categorical, levels[j].names(), &counts);
        variables.push(variable);
        places.push(place);
        kept.push(j);
    }
    let values = Mat::from_fn(codes[0].len(), kept.len(), |i, j| codes[kept[j]][i] as f64);
    Ok((names, Dataset::of_codes(variables, values, &places)?))
}

/// The graph of a list of edges, those with a third cell undirected, and the third heading as a
/// number.
fn edges(path: &Path, names: &[String]) -> Result<(Pdag, f64)> {
    let mut reader = csv::Reader::from_path(path)?;
    let seconds = reader.headers()?.get(2).and_then(|text| text.parse().ok()).unwrap_or(0.0);
    let (mut directed, mut undirected) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = record?;
        let edge = (position(names, &record[0])?, position(names, &record[1])?);
        let open = record.get(2).is_some_and(|mark| !mark.is_empty());
        if open { &mut undirected } else { &mut directed }.push(edge);
    }
    Ok((Pdag::new(names.len(), &directed, &undirected)?, seconds))
}

/// A class on some of the variables as one on all.
fn by_name(own: &[String], class: &Pdag, names: &[String]) -> Result<Pdag> {
    let place = |v: usize| position(names, &own[v]);
    let pair = |(i, j): (usize, usize)| Ok((place(i)?, place(j)?));
    let directed: Vec<_> = class.directed().map(pair).collect::<Result<_>>()?;
    let undirected: Vec<_> = class.undirected().map(pair).collect::<Result<_>>()?;
    Ok(Pdag::new(names.len(), &directed, &undirected)?)
}

fn position(names: &[String], name: &str) -> Result<usize> {
    let at = names.iter().position(|known| known == name);
    at.ok_or_else(|| format!("there is no variable `{name}`").into())
}

/// Mean and standard error.
fn mean(scores: &[(f64, f64)], of: impl Fn(&(f64, f64)) -> f64) -> (f64, f64) {
    let n = scores.len() as f64;
    let mean = scores.iter().map(&of).sum::<f64>() / n;
    let squares: f64 = scores.iter().map(|score| (of(score) - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0).max(1.0) / n).sqrt())
}
