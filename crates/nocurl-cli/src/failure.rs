//! Why a command ended without its result, and the exit code that says so.

use std::io;

use nocurl::Text;

use crate::signals;
use crate::spelling::Flags;

/// What is left of most commands that are stopped.
pub(crate) const NOTHING: &str = "nothing was written";

/// A command that has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something about the input or the flags, which the user can change.
    Input(String),
    /// Ctrl-C or a signal like it, and what is left of the work.
    Interrupted(String),
    /// Anything else, such as a disk that filled up while writing.
    Other(String),
    /// Nobody reads standard output any more, as in `nocurl methods | head -1`: no failure at all.
    ClosedPipe,
}

impl Failure {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::ClosedPipe => 0,
            Self::Other(_) => 1,
            Self::Input(_) => 2,
            Self::Interrupted(_) => signals::exit_code(),
        }
    }

    /// The error of a parser, without the lines about usage.
    pub(crate) fn usage(error: &clap::Error) -> Self {
        let text = error.to_string();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let told = lines.take_while(|line| {
            !line.starts_with("Usage:") && !line.starts_with("For more information")
        });
        let mut message = String::new();
        for line in told {
            if !message.is_empty() {
                message.push_str(if message.ends_with(':') { " " } else { "; " });
            }
            message.push_str(line);
        }
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        Self::Input(format!("{message}; see --help"))
    }

    /// A file that could not be written although it could at the start.
    pub(crate) fn writing(error: &nocurl_io::Error) -> Self {
        match error {
            nocurl_io::Error::Io { .. } => Self::Other(error.to_string()),
            _ => Self::input(&error.text()),
        }
    }

    /// Something that the user can change, in flags.
    pub(crate) fn input(text: &Text) -> Self {
        Self::Input(text.spelt(&Flags))
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Input(message) | Self::Other(message) => f.write_str(message),
            Self::Interrupted(left) => write!(f, "interrupted: {left}"),
            Self::ClosedPipe => f.write_str("standard output is closed"),
        }
    }
}

impl From<nocurl::Error> for Failure {
    fn from(error: nocurl::Error) -> Self {
        match error {
            nocurl::Error::Cancelled => Self::Interrupted(NOTHING.into()),
            // Nothing is wrong with the input.
            nocurl::Error::OutOfMemory { .. } => Self::Other(error.text().spelt(&Flags)),
            error => Self::input(&error.text()),
        }
    }
}

impl From<nocurl_io::Error> for Failure {
    fn from(error: nocurl_io::Error) -> Self {
        match error {
            nocurl_io::Error::Engine(error) => error.into(),
            nocurl_io::Error::Stopped { left } => Self::Interrupted(left.spelt(&Flags)),
            error => Self::input(&error.text()),
        }
    }
}

impl From<nocurl_app::Error> for Failure {
    fn from(error: nocurl_app::Error) -> Self {
        match error {
            nocurl_app::Error::Io(error) => error.into(),
            error => Self::input(&error.text()),
        }
    }
}

impl From<nocurl_bench::Error> for Failure {
    fn from(error: nocurl_bench::Error) -> Self {
        match error {
            nocurl_bench::Error::Input(message) => Self::Input(message),
            nocurl_bench::Error::Report(error) => Self::writing(&error),
            error => Self::Other(error.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Other(format!("cannot write to standard output: {error}")),
        }
    }
}
