//! `nocurl page`: the engine in a folder for browsers.

use crate::args::PageArguments;
use crate::failure::Failure;
use crate::report;

/// Runs the command.
pub(crate) fn page(arguments: &PageArguments) -> Result<(), Failure> {
    nocurl_page::write(&arguments.output).map_err(|error| Failure::writing(&error))?;
    if arguments.quiet {
        return Ok(());
    }
    let folder = report::clean(&arguments.output.to_string_lossy());
    let mut text = report::line("Wrote", &format!("{folder}: a page that learns in the browser"));
    let serve = format!("python3 -m http.server --directory {folder}");
    text += &report::line("Serve", &format!("{serve}, then open http://localhost:8000"));
    report::print(&text)
}
