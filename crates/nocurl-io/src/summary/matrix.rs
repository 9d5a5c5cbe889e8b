//! Covariance and correlation matrices as moments: square CSV with names, or a lower triangle as
//! Tetrad and LISREL write it.

use nocurl::memory::ask;
use nocurl::{Mat, Moments, Variable};

use super::Summary;
use crate::error::shorten;
use crate::input::Input;
use crate::table::MOST_COLUMNS;
use crate::{Error, Format, ReadOptions, Source};

/// Bytes that tell whether a text is a matrix.
const START: usize = 1 << 16;

/// Bytes of the largest file that is read.
const LARGEST: u64 = 1 << 30;

const FORMAT: &str = "covariance";

/// A matrix with what is known about it.
struct Matrix {
    names: Vec<String>,
    rows: Option<u64>,
    /// The rows of the lower triangle, or of all of the matrix.
    entries: Vec<Vec<f64>>,
}

/// Moments by a covariance or correlation matrix, if the source is one: a lower triangle below the
/// number of rows and names, or with `options.rows` a square CSV below its names. Means are 0.
///
/// # Errors
/// A file that cannot be read; a matrix that is not symmetric or not positive semidefinite.
pub fn read_matrix(source: &Source, options: &ReadOptions) -> Result<Option<Summary>, Error> {
    if !matches!(source, Source::Path(_) | Source::Bytes { .. }) {
        return match options.rows {
            None => Ok(None),
            Some(_) => Err(Error::unsupported(&source.label(), "a matrix is read from one file")),
        };
    }
    let (input, watch) = Input::open(source)?;
    let label = input.label.clone();
    watch.unchanged(
        matrix_of(input, options)
            .and_then(|found| found.map(|found| found.summary(&label, options)).transpose()),
    )
}

fn matrix_of(input: Input, options: &ReadOptions) -> Result<Option<Matrix>, Error> {
    let mut input = input;
    let label = input.label.clone();
    let by_name = Format::of_extension(&input.extension);
    if !matches!(options.format.or(by_name), None | Some(Format::Csv)) {
        return match options.rows {
            None => Ok(None),
            Some(_) => Err(Error::unsupported(&label, "a matrix is read from text")),
        };
    }
    let start = input.peek(START)?;
    let start = String::from_utf8_lossy(&start).into_owned();
    let triangle = Triangle::of(&start);
    if triangle.is_none() && options.rows.is_none() {
        return Ok(None);
    }
    let text = input.into_text(FORMAT, LARGEST)?;
    let wrong = |reason: String| Error::invalid(&label, FORMAT, reason);
    match triangle {
        Some(triangle) => triangle.read(&text).map(Some).map_err(wrong),
        None => square(&text).map(Some).map_err(wrong),
    }
}

/// Who writes a lower triangle.
#[derive(Clone, Copy)]
enum Triangle {
    Tetrad,
    Lisrel,
}

impl Triangle {
    /// By the first lines: Tetrad's mark, or a whole number above names, a line of one number and a
    /// line of two; or LISREL's line of data.
    fn of(start: &str) -> Option<Self> {
        let mut lines = lines(start);
        let first = lines.next()?.to_lowercase();
        if ["/covariance", "/correlation", "/covariances", "/correlations"].contains(&&*first) {
            return Some(Self::Tetrad);
        }
        let words: Vec<&str> = first.split_whitespace().collect();
        if words.first() == Some(&"da") && words.iter().any(|word| word.starts_with("no=")) {
            return Some(Self::Lisrel);
        }
        first.parse::<u64>().ok()?;
        let names = words_of(lines.next()?).len();
        let two = [1, 2].into_iter().all(|count| {
            let line = lines.next().map(words_of).unwrap_or_default();
            line.len() == count && line.iter().all(|word| word.parse::<f64>().is_ok())
        });
        (names > 1 && two).then_some(Self::Tetrad)
    }

    fn read(self, text: &str) -> Result<Matrix, String> {
        match self {
            Self::Tetrad => tetrad(text),
            Self::Lisrel => lisrel(text),
        }
    }
}

/// Lines that say something.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"))
}

fn words_of(line: &str) -> Vec<&str> {
    let words = line.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
    words.filter(|word| !word.is_empty()).map(|word| word.trim_matches(['"', '\''])).collect()
}

fn numbers_of<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Vec<f64>, String> {
    let number = |word: &str| {
        // Fortran leaves out the zero, or writes the exponent as D.
        let value = word.replace(['D', 'd'], "e").parse::<f64>().ok().filter(|v| v.is_finite());
        value.ok_or_else(|| format!("`{}` is not a number", shorten(word, 40)))
    };
    words.into_iter().map(number).collect()
}

fn tetrad(text: &str) -> Result<Matrix, String> {
    let mut lines = lines(text).skip_while(|line| line.starts_with('/'));
    let rows = lines.next().and_then(|line| line.parse().ok());
    let rows: u64 = rows.ok_or("the number of rows is missing")?;
    let names = words_of(lines.next().unwrap_or_default()).into_iter().map(String::from);
    let names: Vec<String> = names.collect();
    let entries = lines.take(names.len()).map(|line| numbers_of(words_of(line)));
    Ok(Matrix { names, rows: Some(rows), entries: entries.collect::<Result<_, _>>()? })
}

/// `DA NI=3 NO=500 MA=CM`, then `LA` with labels and `CM` or `KM` with a triangle, on any lines.
fn lisrel(text: &str) -> Result<Matrix, String> {
    let mut data = lines(text);
    let head = data.next().unwrap_or_default().to_lowercase();
    let setting = |name: &str| {
        let word = head.split_whitespace().find_map(|word| word.strip_prefix(name));
        word.and_then(|number| number.parse::<u64>().ok())
    };
    let size = setting("ni=").ok_or("the number of variables (NI=) is missing")?;
    let size = usize::try_from(size).ok().filter(|&size| size <= MOST_COLUMNS);
    let size = size.ok_or("it has more variables than are read")?;
    let mut names: Vec<String> = (1..=size).map(|j| format!("x{j}")).collect();
    let mut values: Vec<f64> = Vec::new();
    let mut section = String::new();
    let mut labels: Vec<String> = Vec::new();
    for line in data {
        let key = line.get(..2).unwrap_or_default().to_uppercase();
        let is_key = line.len() == 2 || line.as_bytes().get(2) == Some(&b' ');
        if is_key && ["LA", "CM", "KM", "SD", "ME", "MO", "OU", "SE", "PD"].contains(&&*key) {
            section = key;
            continue;
        }
        match section.as_str() {
            "LA" => labels.extend(words_of(line).into_iter().map(String::from)),
            "CM" | "KM" => values.extend(numbers_of(words_of(line))?),
            _ => {}
        }
    }
    if !labels.is_empty() {
        names = labels;
    }
    if values.len() != size.saturating_mul(size + 1) / 2 {
        return Err(format!("a lower triangle of {size} variables is expected below CM or KM"));
    }
    let mut rest = values.as_slice();
    let entries = (1..=size).map(|length| {
        let (row, after) = rest.split_at(length);
        rest = after;
        row.to_vec()
    });
    let entries = entries.collect();
    Ok(Matrix { names, rows: setting("no="), entries })
}

/// Names above as many rows of as many numbers, each of which may begin with its name.
fn square(text: &str) -> Result<Matrix, String> {
    let mut lines = lines(text);
    let head = lines.next().unwrap_or_default();
    let delimiter = [b'\t', b';', b','].into_iter().find(|&sign| head.as_bytes().contains(&sign));
    let delimiter = delimiter.unwrap_or(b' ');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut records = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let cells = record.iter().map(String::from).collect::<Vec<_>>();
        if cells.iter().any(|cell| !cell.is_empty()) {
            records.push(cells);
        }
    }
    let mut names = if records.is_empty() { Vec::new() } else { records.remove(0) };
    let is_number = |cell: &String| cell.parse::<f64>().is_ok();
    let named = records.first().is_some_and(|row| !row.is_empty() && !is_number(&row[0]));
    if named && records.first().is_some_and(|row| row.len() == names.len()) {
        names.remove(0);
    }
    let mut entries = Vec::with_capacity(records.len());
    for row in &records {
        entries.push(numbers_of(row.iter().skip(usize::from(named)).map(String::as_str))?);
    }
    if entries.iter().any(|row| row.len() != names.len()) {
        return Err(format!("{} names stand above rows of other lengths", names.len()));
    }
    Ok(Matrix { names, rows: None, entries })
}

impl Matrix {
    fn summary(self, label: &str, options: &ReadOptions) -> Result<Summary, Error> {
        let wrong = |reason: String| Error::invalid(label, FORMAT, reason);
        let size = self.names.len();
        if self.entries.len() != size {
            let found = self.entries.len();
            return Err(wrong(format!("it has {size} names and {found} rows of numbers")));
        }
        if size > options.max_columns {
            let (path, limit) = (label.into(), options.max_columns);
            return Err(Error::TooManyColumns { path, columns: size, limit });
        }
        // The matrix, its factors and the moments.
        ask("the matrix", 4 * 8 * (size as u64).pow(2))?;
        let mut sorted = self.names.clone();
        sorted.sort();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(wrong(format!("two variables are called `{}`", shorten(&pair[0], 80))));
        }
        if size < 2 {
            return Err(nocurl::Error::TooFewColumns { columns: size }.into());
        }
        for (i, row) in self.entries.iter().enumerate() {
            if row.len() != i + 1 && row.len() != size {
                let reason = format!("row {} has {} numbers", i + 1, row.len());
                return Err(wrong(reason));
            }
        }
        let name = |i: usize| shorten(&self.names[i], 80);
        let at = |i: usize, j: usize| self.entries[i].get(j).copied();
        for i in 0..size {
            for j in 0..i {
                // Half a triangle says the other half.
                let (Some(one), Some(other)) = (at(i, j), at(j, i)) else { continue };
                if (one - other).abs() > 1e-6 * one.abs().max(other.abs()) {
                    let (one_name, other_name) = (name(i), name(j));
                    return Err(wrong(format!(
                        "it is not symmetric: {one} for `{one_name}` and `{other_name}`, {other} \
                         the other way round"
                    )));
                }
            }
        }
        let matrix = Mat::from_fn(size, size, |i, j| at(i.max(j), i.min(j)).unwrap_or(f64::NAN));
        if let Some(i) = (0..size).find(|&i| matrix[(i, i)] <= 0.0) {
            return Err(wrong(format!("the variance of `{}` is {}", name(i), matrix[(i, i)])));
        }
        if !is_semidefinite(&matrix) {
            return Err(wrong(
                "it is not positive semidefinite: no table has these covariances".into(),
            ));
        }
        let Some(rows) = options.rows.or(self.rows) else {
            return Err(wrong("the number of rows is missing".into()));
        };
        if rows < 2 {
            return Err(nocurl::Error::TooFewRows { rows, needed: 2 }.into());
        }
        // Covariances are divided by one row less than there are.
        let scale = (rows - 1) as f64 / rows as f64;
        let scaled = Mat::from_fn(size, size, |i, j| scale * matrix[(i, j)]);
        let variables: Vec<Variable> = self.names.iter().map(Variable::continuous).collect();
        let moments = Moments::from_covariance(variables, rows, vec![0.0; size], scaled.as_ref())?;
        Ok(Summary::new(moments))
    }
}

/// Whether a symmetric matrix is positive semidefinite, up to rounding to three places: by Cholesky's
/// factorisation of its correlations with the largest rest first.
fn is_semidefinite(matrix: &Mat<f64>) -> bool {
    const ROUNDING: f64 = 2e-3;
    let size = matrix.nrows();
    let scale: Vec<f64> = (0..size).map(|i| matrix[(i, i)].sqrt()).collect();
    let mut rest = Mat::from_fn(size, size, |i, j| matrix[(i, j)] / (scale[i] * scale[j]));
    let mut left: Vec<usize> = (0..size).collect();
    while !left.is_empty() {
        let largest = |a: &usize, b: &usize| rest[(*a, *a)].total_cmp(&rest[(*b, *b)]);
        let Some(pivot) = left.iter().copied().max_by(largest) else { break };
        if left.iter().any(|&i| rest[(i, i)] < -ROUNDING) {
            return false;
        }
        let size = rest[(pivot, pivot)];
        if size <= ROUNDING {
            return left
                .iter()
                .all(|&i| left.iter().all(|&j| rest[(i, j)].abs() <= 2.0 * ROUNDING));
        }
        left.retain(|&i| i != pivot);
        for &i in &left {
            for &j in &left {
                let change = rest[(i, pivot)] * rest[(j, pivot)] / size;
                rest[(i, j)] -= change;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, rows: Option<u64>) -> Result<Option<Summary>, String> {
        let options = ReadOptions { rows, ..ReadOptions::default() };
        read_matrix(&Source::bytes("c.txt", text), &options).map_err(|error| error.to_string())
    }

    #[test]
    fn triangles_and_squares_are_one() {
        let tetrad = "/covariance\n500\nA\tB\tC\n2\n0.5 1\n-0.25 .5 3\n";
        let found = read(tetrad, None).unwrap().unwrap();
        assert_eq!((found.moments.rows(), found.moments.names().len()), (500, 3));
        let covariance = |summary: &Summary| {
            let moments = summary.moments.second_moments(true);
            Mat::from_fn(3, 3, |i, j| moments[(i.max(j), i.min(j))] * 500.0 / 499.0)
        };
        let values = covariance(&found);
        let expected = [[2.0, 0.5, -0.25], [0.5, 1.0, 0.5], [-0.25, 0.5, 3.0]];
        for (i, row) in expected.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                assert!((values[(i, j)] - value).abs() < 1e-12);
            }
        }
        assert!(found.moments.mean().iter().all(|&mean| mean == 0.0));
        let rest = tetrad.trim_start_matches("/covariance\n");
        assert_eq!(read(rest, None).unwrap().unwrap(), found);
        let lisrel =
            "DA NI=3 NO=500 MA=CM\nLA\n'A' 'B' 'C'\nCM SY\n2 0.5 1\n-0.25 .5 3\nMO NX=3\nOU\n";
        assert_eq!(read(lisrel, None).unwrap().unwrap(), found);
        for square in [
            "A,B,C\n2,0.5,-0.25\n0.5,1,0.5\n-0.25,0.5,3\n",
            ",A,B,C\nA,2,0.5,-0.25\nB,0.5,1,0.5\nC,-0.25,0.5,3\n",
        ] {
            assert_eq!(read(square, Some(500)).unwrap().unwrap(), found, "{square}");
            assert_eq!(read(square, None), Ok(None));
        }
        // A table is none.
        assert_eq!(read("a b\n1 2\n3 4\n", None), Ok(None));
        assert_eq!(read("5\n1 2\n3\n", None), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, rows, told) in [
            ("a,b\n1,0.5\n0.4,1\n", Some(9), "not symmetric: 0.4 for `b` and `a`, 0.5"),
            ("a,b\n1,2\n2,1\n", Some(9), "not positive semidefinite"),
            ("a,b,c\n1,.9,-.9\n.9,1,.9\n-.9,.9,1\n", Some(9), "not positive semidefinite"),
            ("a,b\n1,0.5\n", Some(9), "it has 2 names and 1 rows"),
            ("a,b\n1,x\nx,1\n", Some(9), "`x` is not a number"),
            ("a,a\n1,0\n0,1\n", Some(9), "two variables are called `a`"),
            ("a,b\n0,0\n0,1\n", Some(9), "the variance of `a` is 0"),
            ("a,b\n1,0\n0,1\n", Some(1), "at least 2 are needed"),
            ("DA NI=99999999999999 NO=5\nCM\n1\n", None, "more variables than are read"),
            ("DA NI=2 NO=5\nCM\n1\n", None, "a lower triangle of 2 variables is expected"),
            ("/covariance\na b\n1\n0 1\n", None, "the number of rows is missing"),
            ("/covariance\n50\na b\n1\n0 1 3\n", None, "row 2 has 3 numbers"),
        ] {
            let found = read(text, rows).unwrap_err();
            assert!(found.contains(told) && !found.contains('\n'), "{found}");
        }
        // Rounded correlations are no error.
        assert!(read("a,b,c\n1,1,.5\n1,1,.501\n.5,.501,1\n", Some(9)).is_ok());
    }
}
