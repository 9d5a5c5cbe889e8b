//! What can be typed after `nocurl page`.

use std::path::PathBuf;

use clap::Args;

const PAGE_EXAMPLES: &str = "\
Examples:
  nocurl page --output site
  python3 -m http.server --directory site        then open http://localhost:8000

The folder has all that is needed: no network, no server of its own. Tables are read and graphs are
learnt in the browser; data never leave the machine. Browsers do not run it from a file:// address.";

#[derive(Debug, Args)]
#[command(after_help = PAGE_EXAMPLES)]
pub(crate) struct PageArguments {
    /// Folder for the page; made if it is not there, refused if it holds anything else
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
