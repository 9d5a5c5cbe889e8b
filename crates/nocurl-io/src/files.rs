//! Which files a user means: names, patterns, and folders with what is in them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::shorten;
use crate::source::Part;
use crate::table::is_meant;
use crate::{Error, Format, Source};

/// More files than this are a slip of the hand.
const MOST_FILES: usize = 100_000;

/// Folders one in the other.
const DEEPEST: usize = 32;

impl Source {
    /// The table that arguments name: a file, `-` for standard input, or several files, patterns
    /// (`parts/*.csv`, `**` for folders of any depth) and folders, whose tables become one. Folders
    /// such as `year=2020` in a folder become columns.
    ///
    /// # Errors
    /// A pattern or folder without tables, a folder with tables of several formats, standard input
    /// among several.
    pub fn of_tables<P: AsRef<Path>>(arguments: &[P]) -> Result<Self, Error> {
        let arguments: Vec<&Path> = arguments.iter().map(AsRef::as_ref).collect();
        if let [one] = arguments[..]
            && (one.as_os_str() == "-" || !(one.is_dir() || is_pattern(one)))
        {
            return Ok(Self::new(one));
        }
        let mut parts = Vec::new();
        for argument in &arguments {
            if argument.as_os_str() == "-" {
                let reason = "it cannot be one of several tables";
                return Err(Error::unsupported("standard input", reason));
            }
            if argument.is_dir() {
                parts.extend(in_folder(argument)?);
            } else if is_pattern(argument) {
                parts.extend(by_pattern(argument)?);
            } else {
                parts.push(Part { path: argument.to_path_buf(), values: Vec::new() });
            }
        }
        if parts.len() > MOST_FILES {
            let reason = format!("{} files are meant, more than {MOST_FILES}", parts.len());
            return Err(Error::unsupported("the table", reason));
        }
        let name = match arguments[..] {
            [one] => one.to_string_lossy().into_owned(),
            _ => {
                let names: Vec<_> = arguments.iter().map(|path| path.to_string_lossy()).collect();
                names.join(" ")
            }
        };
        Ok(Self::Several { name, parts })
    }

    /// The files that are read.
    pub fn files(&self) -> Vec<&Path> {
        match self {
            Self::Path(path) => vec![path],
            Self::Several { parts, .. } => parts.iter().map(|part| part.path.as_path()).collect(),
            // The file behind it, where it is one.
            Self::Stdin => vec![Path::new("-")],
            Self::Bytes { .. } => Vec::new(),
        }
    }
}

/// A name with a wildcard that is not the name of a file.
fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?']) && !path.exists()
}

fn refused(path: &Path, reason: impl Into<String>) -> Error {
    let label = format!("`{}`", shorten(&path.to_string_lossy(), 200));
    Error::unsupported(&label, reason)
}

/// The tables in a folder and in the folders in it.
fn in_folder(folder: &Path) -> Result<Vec<Part>, Error> {
    let mut files = Vec::new();
    walk(folder, DEEPEST, &mut files)?;
    let kind = |path: &PathBuf| {
        let extension = Source::Path(path.clone()).extension();
        Format::of_extension(&extension).map(|_| extension)
    };
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for extension in files.iter().filter_map(kind) {
        match kinds.iter_mut().find(|(known, _)| *known == extension) {
            Some((_, count)) => *count += 1,
            None => kinds.push((extension, 1)),
        }
    }
    // Beside other tables, plain text is a word about them.
    if kinds.len() > 1 {
        kinds.retain(|(extension, _)| extension != "txt");
    }
    let [(one, _)] = kinds.as_slice() else {
        let shown: Vec<String> =
            kinds.iter().map(|(extension, count)| format!("{count} .{extension}")).collect();
        return Err(match kinds.first() {
            None => refused(folder, "there is no table in this folder"),
            Some((extension, _)) => refused(
                folder,
                format!(
                    "it holds tables of several kinds ({}); choose some with a pattern, as in \
                     '{}/*.{extension}'",
                    shown.join(", "),
                    folder.to_string_lossy().trim_end_matches('/')
                ),
            ),
        });
    };
    let chosen = files.into_iter().filter(|path| kind(path).as_ref() == Some(one));
    Ok(chosen.map(|path| Part { values: partition(folder, &path), path }).collect())
}

/// Files of a folder in the order of their names, without those that programs hide.
fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let listed = || -> std::io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut entries = listed().map_err(|error| refused(folder, error.to_string()))?;
    entries.sort();
    for path in entries {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
        if name.starts_with(['.', '_']) {
            continue;
        }
        if path.is_dir() {
            if depth == 0 {
                return Err(refused(&path, format!("folders are more than {DEEPEST} deep")));
            }
            walk(&path, depth - 1, files)?;
        } else {
            files.push(path);
        }
        if files.len() > MOST_FILES {
            return Err(refused(folder, format!("it holds more than {MOST_FILES} files")));
        }
    }
    Ok(())
}

/// What the names of the folders between a folder and a file say, as in `year=2020`.
fn partition(folder: &Path, file: &Path) -> Vec<(String, String)> {
    let inner = file.parent().and_then(|parent| parent.strip_prefix(folder).ok());
    let names = inner.into_iter().flat_map(Path::components);
    names
        .filter_map(|name| {
            let name = name.as_os_str().to_string_lossy();
            let (key, value) = name.split_once('=').filter(|(key, _)| !key.is_empty())?;
            let value = decoded(value);
            let missing = value == "__HIVE_DEFAULT_PARTITION__";
            Some((decoded(key), if missing { String::new() } else { value }))
        })
        .collect()
}

/// A name without the codes that stand for signs which names of folders cannot have.
fn decoded(name: &str) -> String {
    let bytes = name.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| bytes[at] == b'%')
        {
            Some(byte) => {
                plain.push(byte);
                at += 3;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(plain).unwrap_or_else(|_| name.into())
}

/// Files whose paths a pattern fits, in the order of their names.
fn by_pattern(pattern: &Path) -> Result<Vec<Part>, Error> {
    let mut found = vec![PathBuf::new()];
    // What stands before the first wildcard is no part of what folders tell.
    let mut root: Option<PathBuf> = None;
    let names: Vec<_> = pattern.components().map(|name| name.as_os_str().to_owned()).collect();
    for (place, name) in names.iter().enumerate() {
        let text = name.to_string_lossy();
        if !text.contains(['*', '?']) {
            found.iter_mut().for_each(|path| path.push(name));
            continue;
        }
        root.get_or_insert_with(|| found[0].clone());
        let last = place + 1 == names.len();
        let mut next = Vec::new();
        for folder in &found {
            if text == "**" {
                below(folder, DEEPEST, &mut next);
            } else {
                next.extend(fitting(folder, &text, last));
            }
        }
        found = next;
        if found.len() > MOST_FILES {
            return Err(refused(pattern, format!("it fits more than {MOST_FILES} files")));
        }
    }
    found.retain(|path| path.is_file());
    found.sort();
    found.dedup();
    if found.is_empty() {
        return Err(refused(pattern, "no file has such a name"));
    }
    let root = root.unwrap_or_default();
    Ok(found.into_iter().map(|path| Part { values: partition(&root, &path), path }).collect())
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let listed = fs::read_dir(folder).into_iter().flatten().flatten();
    listed.map(|entry| entry.file_name().into()).collect()
}

/// What in a folder has a name that fits.
fn fitting(folder: &Path, pattern: &str, file: bool) -> Vec<PathBuf> {
    let fits = |name: &PathBuf| {
        let name = name.to_string_lossy();
        (pattern.starts_with('.') || !name.starts_with('.')) && is_meant(pattern, &name)
    };
    let paths = entries(folder).into_iter().filter(fits).map(|name| folder.join(name));
    paths.filter(|path| file || path.is_dir()).collect()
}

/// A folder and all folders in it.
fn below(folder: &Path, depth: usize, all: &mut Vec<PathBuf>) {
    all.push(folder.to_path_buf());
    if depth == 0 || all.len() > MOST_FILES {
        return;
    }
    for name in entries(folder) {
        let path = folder.join(&name);
        if path.is_dir() && !name.to_string_lossy().starts_with('.') {
            below(&path, depth - 1, all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_patterns_name_files() {
        let home = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "a,b\n1,2\n").unwrap();
        };
        for name in
            ["year=2020/b.csv", "year=2020/a.csv", "year=2021/place=S%C3%A3o/c.csv", "_SUCCESS"]
        {
            make(name);
        }
        make("year=2021/.hidden.csv");
        let parts = |argument: PathBuf| match Source::of_tables(&[argument]).unwrap() {
            Source::Several { parts, .. } => parts,
            other => panic!("{other:?}"),
        };
        let all = parts(home.path().to_path_buf());
        let of = |part: &Part| {
            let path = part.path.strip_prefix(home.path()).unwrap().to_string_lossy().into_owned();
            (path, part.values.clone())
        };
        let year = |text: &str| ("year".to_string(), text.to_string());
        let expected = [
            ("year=2020/a.csv".to_string(), vec![year("2020")]),
            ("year=2020/b.csv".into(), vec![year("2020")]),
            (
                "year=2021/place=S%C3%A3o/c.csv".into(),
                vec![year("2021"), ("place".into(), "São".into())],
            ),
        ];
        assert_eq!(all.iter().map(of).collect::<Vec<_>>(), expected);
        let some = parts(home.path().join("year=*/?.csv"));
        assert_eq!(some.iter().map(of).collect::<Vec<_>>(), expected[..2]);
        assert_eq!(parts(home.path().join("**/*.csv")).len(), 3);
        make("notes.txt");
        assert_eq!(parts(home.path().to_path_buf()).len(), 3);
        make("more.tsv");
        let words = Source::of_tables(&[home.path()]).unwrap_err().to_string();
        assert!(words.contains("3 .csv") && words.contains("1 .tsv"), "{words}");
        let words = Source::of_tables(&[home.path().join("*.dta")]).unwrap_err().to_string();
        assert!(words.contains("no file has such a name"), "{words}");
        assert!(Source::of_tables(&["-", "a.csv"]).is_err());
    }
}
