//! What can be typed after `nocurl completions` and `man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  nocurl completions bash > ~/.local/share/bash-completion/completions/nocurl
  nocurl completions zsh > ~/.zfunc/_nocurl
  nocurl completions fish > ~/.config/fish/completions/nocurl.fish";

#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  nocurl man --output ~/.local/share/man/man1
  man nocurl-learn";

#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub(crate) struct ManArguments {
    /// Folder for the pages, one for each command
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
}
