//! The tables of a study of confidence.

use std::fmt::Write as _;

use nocurl::bootstrap::DETERMINED_LEVEL;
use nocurl::graph::Direction;

use super::{Case, Record, Study};

/// Lower ends of the bins.
const BINS: [f64; 8] = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99];

/// Bins with fewer edges say little.
const FEW: usize = 50;

/// All records, for those who fit.
pub fn csv(cases: &[Case], records: &[Record]) -> String {
    let mut text = String::from(
        "case,table,rows,variables,drawn,compelled,adjacent_frequency,direction_frequency,adjacent,\
         direction,truly_adjacent,truly_compelled,truly_directed\n",
    );
    for record in records {
        let sure = record.confidence;
        let flag = u8::from;
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{:.4},{:.4},{},{},{}",
            cases[record.case].name,
            record.table,
            record.size.0,
            record.size.1,
            flag(record.drawn),
            flag(record.compelled),
            sure.adjacent_frequency,
            sure.direction_frequency,
            sure.adjacent,
            sure.direction,
            flag(record.truly_adjacent),
            flag(record.truly_compelled),
            flag(record.truly_directed),
        );
    }
    text
}

/// What confidence was worth on the edges that were drawn.
pub fn markdown(cases: &[Case], study: &Study, trials: u32) -> String {
    let drawn: Vec<&Record> = study.records.iter().filter(|record| record.drawn).collect();
    let mut text = format!(
        "Edges drawn by `order-search` with its defaults, {trials} tables of each kind and size. \
         The share that is true should be the mean confidence of the bin. Directions are those \
         that all graphs of the drawn one's class share; they are true where the true graph has \
         them.\n"
    );
    let all = |_: &Record| true;
    for (title, shown, sure, truth) in [
        ("Edges", all as fn(&Record) -> bool, adjacent as fn(&Record) -> f64, truly_adjacent as _),
        ("Directions", |record| record.compelled, direction, truly_directed as fn(&Record) -> _),
    ] {
        let _ = write!(text, "\n### {title}\n\n| n | confidence | edges | mean | true | apart |\n");
        text += "|--:|---|--:|--:|--:|--:|\n";
        let mut sizes: Vec<u64> = drawn.iter().map(|record| record.size.0).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for rows in sizes {
            let of_size = drawn.iter().filter(|record| record.size.0 == rows && shown(record));
            text += &bins(rows, &of_size.copied().collect::<Vec<_>>(), sure, truth);
        }
    }
    text += "\n### Directions called determined\n\n";
    text += "| case | n | edges | determined | wrong in the graph | not compelled in the class |\n";
    text += "|---|--:|--:|--:|--:|--:|\n";
    for (place, case) in cases.iter().enumerate() {
        let own: Vec<&&Record> = drawn.iter().filter(|record| record.case == place).collect();
        text += &determined(case, &own);
    }
    text + &distances(cases, study)
}

/// The two graphs beside each other.
fn distances(cases: &[Case], study: &Study) -> String {
    let mut text = String::from(
        "\n### Best-scoring graph and consensus\n\nMean CPDAG SHD ± standard error.\n\n\
         | case | n | best | consensus | consensus less best |\n|---|--:|--:|--:|--:|\n",
    );
    for (place, case) in cases.iter().enumerate() {
        let own = study.distances.iter().filter(|found| found.case == place);
        let [mut best, mut consensus, mut less] = [Vec::new(), Vec::new(), Vec::new()];
        for found in own {
            best.push(found.best as f64);
            consensus.push(found.consensus as f64);
            less.push(found.consensus as f64 - found.best as f64);
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            case.name,
            case.rows,
            estimate(&best),
            estimate(&consensus),
            estimate(&less)
        );
    }
    text
}

fn estimate(values: &[f64]) -> String {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let error = if values.len() > 1 { (squares / (n - 1.0) / n).sqrt() } else { f64::NAN };
    format!("{mean:.1} ± {error:.1}")
}

fn adjacent(record: &Record) -> f64 {
    record.confidence.adjacent
}

fn direction(record: &Record) -> f64 {
    record.confidence.direction
}

fn truly_adjacent(record: &Record) -> bool {
    record.truly_adjacent
}

fn truly_directed(record: &Record) -> bool {
    record.truly_directed
}

fn bins(
    rows: u64,
    records: &[&Record],
    sure: fn(&Record) -> f64,
    truth: fn(&Record) -> bool,
) -> String {
    let mut text = String::new();
    for (at, &low) in BINS.iter().enumerate() {
        let high = BINS.get(at + 1).copied();
        let inside =
            |record: &&&Record| sure(record) >= low && high.is_none_or(|high| sure(record) < high);
        let inside: Vec<&&Record> = records.iter().filter(inside).collect();
        if inside.is_empty() {
            continue;
        }
        let n = inside.len() as f64;
        let mean = inside.iter().map(|record| sure(record)).sum::<f64>() / n;
        let share = inside.iter().filter(|record| truth(record)).count() as f64 / n;
        let apart = if inside.len() < FEW {
            format!("({:+.2})", share - mean)
        } else {
            format!("{:+.2}", share - mean)
        };
        let end = high.map_or_else(|| "1".into(), |high| format!("{high}"));
        let _ = writeln!(
            text,
            "| {rows} | {low} to {end} | {} | {mean:.2} | {share:.2} | {apart} |",
            inside.len()
        );
    }
    text
}

fn determined(case: &Case, records: &[&&Record]) -> String {
    let called: Vec<&&&Record> = records
        .iter()
        .filter(|record| {
            let word = record.confidence.word(record.compelled, DETERMINED_LEVEL);
            word == Direction::Determined
        })
        .collect();
    let share = |wrong: usize| match called.len() {
        0 => "-".into(),
        all => format!("{:.1}%", 100.0 * wrong as f64 / all as f64),
    };
    let wrong = called.iter().filter(|record| !record.truly_directed).count();
    let strict = called.iter().filter(|record| !record.truly_compelled).count();
    format!(
        "| {} | {} | {} | {} | {} | {} |\n",
        case.name,
        records.first().map_or(0, |record| record.size.0),
        records.len(),
        called.len(),
        share(wrong),
        share(strict)
    )
}
