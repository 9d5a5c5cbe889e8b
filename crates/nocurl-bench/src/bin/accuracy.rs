//! Prints how accurate the methods are on the paper's linear data, as CSV with standard errors.
//!
//! ```text
//! cargo run --release -p nocurl-bench --bin accuracy -- --trials 20 --sizes 10,30,50,100
//! ```
#![allow(clippy::print_stdout, reason = "its output is the table")]

use clap::Parser;
use nocurl_bench::{SCENARIOS, contenders, mean_and_error, trial};

#[derive(Parser)]
struct Args {
    /// Trials per cell.
    #[arg(long, default_value_t = 20)]
    trials: u64,
    /// Seed of the first trial; the others follow it.
    #[arg(long, default_value_t = 0)]
    first_seed: u64,
    /// Numbers of variables.
    #[arg(long, value_delimiter = ',', default_value = "10,30,50,100")]
    sizes: Vec<usize>,
    /// Methods, by the names in the table; all without this.
    #[arg(long, value_delimiter = ',')]
    methods: Vec<String>,
    /// Scenarios, by the names in the table; all without this.
    #[arg(long, value_delimiter = ',')]
    scenarios: Vec<String>,
}

fn main() -> Result<(), nocurl::Error> {
    let args = Args::parse();
    let chosen = |list: &[String], name: &str| list.is_empty() || list.iter().any(|n| n == name);
    println!(
        "case,d,method,trials,seconds,seconds_se,evaluations,delta_f,delta_f_se,shd,shd_se,extra,missing,reversed"
    );
    for scenario in SCENARIOS.iter().filter(|s| chosen(&args.scenarios, s.name)) {
        for &size in &args.sizes {
            for contender in contenders().iter().filter(|c| chosen(&args.methods, c.name)) {
                if contender.name.starts_with("Exact") && size > 20 {
                    continue;
                }
                let trials = (args.first_seed..args.first_seed + args.trials)
                    .map(|seed| trial(scenario, size, &contender.options, seed))
                    .collect::<Result<Vec<_>, _>>()?;
                let (seconds, seconds_se) = mean_and_error(trials.iter().map(|t| t.seconds));
                let (evaluations, _) = mean_and_error(trials.iter().map(|t| t.evaluations as f64));
                let (delta, delta_se) = mean_and_error(trials.iter().map(|t| t.delta_f));
                let (shd, shd_se) = mean_and_error(trials.iter().map(|t| t.comparison.shd as f64));
                let (extra, _) = mean_and_error(trials.iter().map(|t| t.comparison.extra as f64));
                let (missing, _) =
                    mean_and_error(trials.iter().map(|t| t.comparison.missing as f64));
                let (reversed, _) =
                    mean_and_error(trials.iter().map(|t| t.comparison.reversed as f64));
                println!(
                    "{},{size},{},{},{seconds:.4},{seconds_se:.4},{evaluations:.0},{delta:.3},{delta_se:.3},{shd:.2},{shd_se:.2},{extra:.2},{missing:.2},{reversed:.2}",
                    scenario.name, contender.name, args.trials
                );
            }
        }
    }
    Ok(())
}
