//! `nocurl completions` and `nocurl man`: what shells and manuals know, from the flags themselves.

use clap::{Command, CommandFactory as _};
use nocurl_io::{RunFiles, write_text};

use crate::args::{Arguments, CompletionsArguments, ManArguments};
use crate::failure::Failure;
use crate::report;

/// Prints what a shell needs.
pub(crate) fn completions(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "nocurl", &mut text);
    report::print(&String::from_utf8_lossy(&text))
}

/// Writes a page for the program and one for each command.
pub(crate) fn man(arguments: &ManArguments) -> Result<(), Failure> {
    let folder = &arguments.output;
    if !folder.is_dir() {
        return Err(Failure::Input(format!(
            "--output {}: it is no folder; make it first",
            report::clean(&folder.to_string_lossy())
        )));
    }
    let mut program = Arguments::command();
    program.build();
    let commands: Vec<Command> = std::iter::once(program.clone())
        .chain(program.get_subcommands().filter(|c| c.get_name() != "help").cloned())
        .collect();
    let mut pages = Vec::new();
    let mut files = RunFiles::default();
    for command in commands {
        let name = match command.get_name() {
            "nocurl" => "nocurl".to_string(),
            other => format!("nocurl-{other}"),
        };
        let path = folder.join(format!("{name}.1"));
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        files = files.writes("the page", &path);
        pages.push((path, String::from_utf8_lossy(&page).into_owned()));
    }
    files.check()?;
    for (path, page) in &pages {
        write_text(path, page).map_err(|error| Failure::writing(&error))?;
    }
    let words = format!(
        "{} in {}",
        report::count(pages.len() as u64, "page"),
        report::clean(&folder.to_string_lossy())
    );
    report::print(&report::line("Wrote", &words))
}
