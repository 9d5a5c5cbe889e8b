//! `nocurl`: learns directed acyclic graphs from tables of numbers, at the command line.
//!
//! What was typed ([`args`]) becomes a validated [`config`], which a command runs with the engine
//! and the readers and writers. Results go to files and standard output, everything else to
//! standard error.

mod args;
mod checks;
mod commands;
mod config;
mod exhausted;
mod experiments;
mod failure;
mod knowledge;
mod output;
mod parameter;
mod progress;
mod report;
mod settings;
mod signals;
mod spelling;
mod support;
mod terminal;

use std::process::ExitCode;

use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;

fn main() -> ExitCode {
    exhausted::prepare();
    let typed = match settings::expanded(std::env::args_os().collect()) {
        Ok(typed) => typed,
        Err(failure) => {
            report::error(&failure);
            return ExitCode::from(failure.code());
        }
    };
    let outcome = match Arguments::try_parse_from(typed) {
        Ok(Arguments { command: Some(command), licenses: false }) => {
            exhausted::caught(|| run(command))
        }
        Ok(_) => report::print(nocurl_app::LICENSES),
        Err(error) if error.use_stderr() && !is_help(&error) => Err(Failure::usage(&error)),
        Err(help) => {
            // A closed pipe is the only way this fails, and then nobody is reading.
            let _ = help.print();
            return ExitCode::from(help.exit_code() as u8);
        }
    };
    match outcome {
        Ok(()) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            report::error(&failure);
            ExitCode::from(failure.code())
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Inspect(arguments) => commands::inspect(&arguments),
        Command::Learn(arguments) => commands::learn(config::Learn::new(*arguments)?),
        Command::Moments(arguments) => commands::moments(&arguments),
        Command::Simulate(arguments) => commands::simulate(config::Simulate::new(arguments)?),
        Command::Evaluate(arguments) => commands::evaluate(&arguments),
        Command::Next(arguments) => commands::next_experiment(&arguments),
        Command::Draw(arguments) => commands::draw(arguments),
        Command::Compare(arguments) => commands::compare(&arguments),
        Command::Effects(arguments) => commands::effects(&arguments),
        Command::Intervene(arguments) => commands::intervene(&arguments),
        Command::Score(arguments) => commands::score(&arguments),
        Command::Predict(arguments) => commands::predict(&arguments),
        Command::Residuals(arguments) => commands::residuals(&arguments),
        Command::Sample(arguments) => commands::sample(&arguments),
        Command::Methods(arguments) => commands::methods(&arguments),
        Command::Page(arguments) => commands::page(&arguments),
        Command::Bench(arguments) => {
            if let Some(study) = config::Calibration::new(&arguments)? {
                return commands::calibrate(study);
            }
            if let Some(study) = config::ScaleStudy::new(&arguments)? {
                return commands::bench_scale(&study);
            }
            match config::InterventionStudy::new(&arguments)? {
                Some(study) => commands::bench_interventions(&study),
                None => commands::bench(config::Bench::new(arguments)?),
            }
        }
        Command::Completions(arguments) => commands::completions(&arguments),
        Command::Man(arguments) => commands::man(&arguments),
    }
}

fn is_help(error: &clap::Error) -> bool {
    error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}
