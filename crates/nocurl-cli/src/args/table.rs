//! How a table is read: flags that every command with a table shares.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(next_help_heading = "Reading the table")]
pub(crate) struct TableArguments {
    /// Columns to use, in this order; `*` stands for anything, as in 'sleep_*', kind:continuous for
    /// all of a kind, and a name with a comma goes in double quotes
    #[arg(long, value_name = "NAMES")]
    pub(crate) columns: Vec<String>,
    /// Columns to leave out
    #[arg(long, value_name = "NAMES")]
    pub(crate) drop: Vec<String>,
    /// Columns to take as numbers on a scale
    #[arg(long, value_name = "NAMES")]
    pub(crate) continuous: Vec<String>,
    /// Columns to take as categories, also where their cells are numbers
    #[arg(long, value_name = "NAMES")]
    pub(crate) categorical: Vec<String>,
    /// Columns of numbers whose order counts and not their distance; or one column with its levels
    /// from the lowest to the highest, as in size=small,medium,large
    #[arg(long, value_name = "NAMES")]
    pub(crate) ordinal: Vec<String>,
    /// Functions of columns of numbers, kept with the graph: log:NAMES for logarithms, rank:NAMES
    /// for normal scores, auto for normal scores of columns with heavy tails, none; of several the
    /// last that means a column counts, as in --transform 'log:*' --transform none:age
    #[arg(long, value_name = "HOW:NAMES")]
    pub(crate) transform: Vec<String>,
    /// Move and scale columns of numbers to mean 0 and variance 1
    #[arg(long)]
    pub(crate) standardize: bool,
    /// What to do with missing values
    #[arg(long, value_enum, default_value_t = MissingArgument::Auto)]
    pub(crate) missing: MissingArgument,
    /// Words or numbers that stand for missing values, besides nothing, NA, N/A, NaN, null, None,
    /// #N/A, <NA>, `?`, `-`, `.` and `*`
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub(crate) na: Vec<String>,
    /// What the first line holds
    #[arg(long, value_enum, default_value_t = HeaderArgument::Auto)]
    pub(crate) header: HeaderArgument,
    /// Character between cells, or `tab` or `space` [default: detected]
    #[arg(long, value_name = "CHAR", allow_hyphen_values = true)]
    pub(crate) delimiter: Option<String>,
    /// The same as --header no
    #[arg(long, conflicts_with = "header")]
    pub(crate) no_header: bool,
    /// Sign before the places of a number: `.` or `,` [default: detected]
    #[arg(long, value_name = "CHAR", value_parser = [".", ","])]
    pub(crate) decimal: Option<String>,
    /// Pass over lines that begin with CHAR [default: # above the names]
    #[arg(long, value_name = "CHAR")]
    pub(crate) comment: Option<char>,
    /// Sheet of a workbook by its name or number, file of a zip archive, or array of an .npz
    /// [default: the first sheet, the only file]
    #[arg(long, value_name = "NAME")]
    pub(crate) sheet: Option<String>,
    /// Add a column NAME that says which file a row is from
    #[arg(long, value_name = "NAME")]
    pub(crate) file_column: Option<String>,
    /// Pass over the first N lines
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) skip_rows: usize,
    /// Rows are variables and columns are observations (text files and sheets)
    #[arg(long)]
    pub(crate) transpose: bool,
    /// Read a covariance or correlation matrix: N is the number of rows of its table
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<u64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum MissingArgument {
    /// Leave out rows with a missing value if they are at most 5% of all, stop if they are more
    Auto,
    /// Stop and say where they are
    Error,
    /// Leave out rows with a missing value
    Drop,
    /// Estimate means and covariances from all rows, by expectation-maximisation
    Em,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum HeaderArgument {
    /// Names of the columns, unless all its cells are numbers
    Auto,
    /// Names of the columns
    Yes,
    /// Data; the columns are called x1, x2, ...
    No,
}
