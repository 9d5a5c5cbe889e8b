//! Moments of a table that lies in several files.

use nocurl::{Moments, Run};
use nocurl_io::{
    Kinds, Missing, ReadOptions, Source, Summary, TableSurvey, decimal_sign, is_summary,
    read_matrix, read_part, read_summary, read_survey,
};

use crate::Error;

/// The moments of all rows of some files, each of which is a table or has moments already. Where
/// columns are not all numbers, all files are looked at first, so that they agree on levels.
///
/// The result has the same bits for any number of threads, and depends on how the rows are cut into
/// files only by rounding.
///
/// # Errors
/// Anything wrong with a file, which is named; no file at all.
pub fn summarise(parts: &[Source], options: &ReadOptions, run: &Run<'_>) -> Result<Summary, Error> {
    let auto = options.missing == Missing::Auto;
    let mut own = options.clone();
    // What is left out is counted in all parts together, and all have one decimal sign.
    if auto {
        own.missing = Missing::Drop;
    }
    if own.decimal.is_none() && parts.len() > 1 {
        own.decimal = decimal_sign(parts, options)?;
    }
    let summary = of_parts(parts, &own, run)?;
    if auto {
        summary.check_gaps()?;
    }
    Ok(summary)
}

fn of_parts(parts: &[Source], options: &ReadOptions, run: &Run<'_>) -> Result<Summary, Error> {
    let mut read = Vec::with_capacity(parts.len());
    for source in parts {
        match one(source, options, Kinds::Numbers, run) {
            Ok(part) => read.push(part),
            // A column may have no value in any part: it is left out then.
            Err(nocurl_io::Error::KindsNeeded | nocurl_io::Error::MissingValues { .. }) => {
                return surveyed(parts, options, run);
            }
            Err(error) => return Err(Error::of_part(source, error)),
        }
    }
    let summary = merged(parts, read)?;
    match summary.moments.rows() == 0 && summary.rows_dropped > 0 {
        true => surveyed(parts, options, run),
        false => Ok(summary),
    }
}

/// The same after a look at all columns.
fn surveyed(parts: &[Source], options: &ReadOptions, run: &Run<'_>) -> Result<Summary, Error> {
    let mut seen: Option<TableSurvey> = None;
    for source in parts.iter().filter(|source| !has_moments(source)) {
        let told = |error| Error::of_part(source, error);
        let next = read_survey(source, options, run).map_err(told)?;
        match &mut seen {
            None => seen = Some(next),
            Some(seen) => seen.append(next).map_err(told)?,
        }
    }
    let seen = seen.ok_or(nocurl_io::Error::NoParts)?.variables(options)?;
    let mut read = Vec::with_capacity(parts.len());
    for source in parts {
        let part = one(source, options, Kinds::Given(&seen.variables), run);
        let mut part = part.map_err(|error| Error::of_part(source, error))?;
        if !has_moments(source) {
            part.left_out.clone_from(&seen.left_out);
        }
        read.push(part);
    }
    merged(parts, read)
}

fn has_moments(source: &Source) -> bool {
    matches!(source, Source::Path(path) if is_summary(path))
}

fn one(
    source: &Source,
    options: &ReadOptions,
    kinds: Kinds<'_>,
    run: &Run<'_>,
) -> Result<Summary, nocurl_io::Error> {
    if has_moments(source) {
        let summary = read_summary(source)?;
        if let Some(condition) = &options.condition {
            told_apart(&summary.moments, condition)?;
        }
        let chooses = options.columns.is_some() || !options.drop.is_empty();
        return if chooses { summary.chosen(options) } else { Ok(summary) };
    }
    if let Some(summary) = read_matrix(source, options)? {
        return summary.chosen(options);
    }
    Ok(read_part(source, options, kinds, run)?.0)
}

/// Refuses moments that do not tell these conditions apart.
fn told_apart(moments: &Moments, condition: &String) -> Result<(), nocurl_io::Error> {
    let told = moments.conditions().map(|all| &moments.names()[all.variable()]);
    if told == Some(condition) {
        return Ok(());
    }
    let reason = match told {
        None => format!("these moments do not tell the conditions of `{condition}` apart"),
        Some(other) => format!("these moments tell the conditions of `{other}` apart"),
    };
    Err(nocurl::Error::Experiments { reason: format!("{reason}: make them from the table again") }
        .into())
}

fn merged(parts: &[Source], read: Vec<Summary>) -> Result<Summary, Error> {
    Summary::of_parts(read).map_err(|found| {
        let (at, error) = *found;
        match parts.get(at) {
            Some(source) => Error::of_part(source, error),
            None => error.into(),
        }
    })
}

impl Error {
    /// The same with the part that it is about, unless its words have it already.
    fn of_part(source: &Source, error: nocurl_io::Error) -> Self {
        let part = source.name();
        if error.to_string().contains(&part)
            || matches!(error, nocurl_io::Error::Engine(nocurl::Error::Cancelled))
        {
            return error.into();
        }
        Self::Part { part, error: Box::new(error) }
    }
}

/// What a file of moments cannot be asked for any more, by its setting.
pub(crate) fn not_for_moments(options: &ReadOptions, path: &str) -> Option<Error> {
    let asked = [
        ("categorical", !options.categorical.is_empty()),
        ("continuous", !options.continuous.is_empty()),
        ("ordinal", !options.ordinal.is_empty()),
        ("missing", !matches!(options.missing, Missing::Error | Missing::Auto)),
        ("na", !options.na.is_empty()),
        ("transform", !options.transform.is_empty()),
        ("standardize", options.standardize),
    ];
    let (setting, _) = asked.into_iter().find(|(_, asked)| *asked)?;
    Some(Error::NotForMoments { setting, path: path.into() })
}
