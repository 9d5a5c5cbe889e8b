//! What Python hands over as a table, read where it is.

use arrow_array::RecordBatchReader;
use nocurl_io::{Columns, GivenLevels, Input, Source};
use numpy::ndarray::{ArrayView1, Axis, Slice};
use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use pyo3_arrow::PyRecordBatchReader;

use crate::exact::Exact;
use crate::failure::guarded;

/// A table, held while it is read.
pub(crate) enum Table<'py> {
    /// A file.
    Path(Source),
    /// Arrays: one with two dimensions, or one for each column; with the levels of columns that
    /// have any.
    Arrays(Vec<String>, Vec<Array<'py>>, Vec<Option<GivenLevels>>),
    /// An Arrow stream.
    Stream(Box<dyn RecordBatchReader + Send>),
}

impl<'py> Table<'py> {
    /// A path, a list of arrays with the names of their columns, or an object that exports an Arrow
    /// stream.
    pub(crate) fn new(object: &Bound<'py, PyAny>, names: Vec<String>) -> PyResult<Self> {
        if let Some(source) = source(object)? {
            return Ok(Self::Path(source));
        }
        if object.hasattr("__arrow_c_stream__")? {
            let stream = object.extract::<PyRecordBatchReader>()?.into_reader()?;
            return Ok(Self::Stream(Box::new(Exact(stream))));
        }
        let (arrays, levels) = match object.extract::<(Vec<Array<'py>>, Vec<Option<Levels>>)>() {
            Ok((arrays, levels)) => (arrays, levels.into_iter().map(given).collect()),
            Err(_) => (object.extract()?, Vec::new()),
        };
        Ok(Self::Arrays(names, arrays, levels))
    }

    /// Runs work on the table.
    pub(crate) fn read<T>(self, work: impl FnOnce(Input<'_>) -> T) -> T {
        match self {
            Self::Path(source) => work(Input::Source(&source)),
            Self::Stream(batches) => work(Input::Batches(batches)),
            Self::Arrays(names, arrays, levels) => {
                let columns: Vec<Values<'_>> = arrays.iter().flat_map(Array::columns).collect();
                let rows = columns.first().map_or(0, Values::len);
                work(Input::Columns(&View { names, rows, columns, levels }))
            }
        }
    }
}

/// The files that a path, a pattern, a folder or a list of them means, if it is one of these.
pub(crate) fn source(object: &Bound<'_, PyAny>) -> PyResult<Option<Source>> {
    let paths: Vec<String> = if let Ok(path) = object.cast::<PyString>() {
        vec![path.to_str()?.into()]
    } else if let Ok(paths) = object.cast::<PyList>()
        && paths.iter().all(|path| path.is_instance_of::<PyString>())
    {
        paths.extract()?
    } else {
        return Ok(None);
    };
    Ok(Some(guarded(|| Ok(Source::of_tables(&paths)?))?))
}

/// Levels of a column as the package sends them: names, and what they are.
type Levels = (Vec<String>, String);

fn given(levels: Option<Levels>) -> Option<GivenLevels> {
    let (names, what) = levels?;
    let (ordered, truth) = (what == "ordered", what == "truth");
    let unread = what.strip_prefix("type ").map(String::from);
    Some(GivenLevels { names, category: ordered || what == "category", ordered, truth, unread })
}

/// Columns of numbers of whatever type and stride.
struct View<'a> {
    names: Vec<String>,
    rows: usize,
    columns: Vec<Values<'a>>,
    levels: Vec<Option<GivenLevels>>,
}

impl Columns for View<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn copy(&self, column: usize, start: usize, target: &mut [f64]) {
        self.columns[column].copy(start, target);
    }

    fn levels(&self, column: usize) -> Option<&GivenLevels> {
        self.levels.get(column)?.as_ref()
    }
}

/// One definition for each type of number that is read without a copy.
macro_rules! numbers {
    ($($kind:ident $type:ty),*) => {
        /// An array of one or two dimensions.
        pub(crate) enum Array<'py> {
            $($kind(PyReadonlyArrayDyn<'py, $type>)),*
        }

        /// A column of an array.
        enum Values<'a> {
            $($kind(ArrayView1<'a, $type>)),*
        }

        impl<'a, 'py> FromPyObject<'a, 'py> for Array<'py> {
            type Error = PyErr;

            fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
                $(if let Ok(array) = object.extract::<PyReadonlyArrayDyn<'py, $type>>() {
                    return Self::$kind(array).checked();
                })*
                Err(PyTypeError::new_err("an array of numbers is needed"))
            }
        }

        impl<'py> Array<'py> {
            fn checked(self) -> PyResult<Self> {
                let dimensions = match &self { $(Self::$kind(array) => array.ndim()),* };
                if matches!(dimensions, 1 | 2) {
                    return Ok(self);
                }
                Err(PyTypeError::new_err("an array of one or two dimensions is needed"))
            }

            fn columns(&self) -> Vec<Values<'_>> {
                match self {
                    $(Self::$kind(array) => {
                        let array = array.as_array();
                        let columns = array.shape().get(1).copied();
                        match columns {
                            None => vec![Values::$kind(array.into_dimensionality().expect("1"))],
                            Some(columns) => (0..columns)
                                .map(|j| array.clone().index_axis_move(Axis(1), j))
                                .map(|one| Values::$kind(one.into_dimensionality().expect("1")))
                                .collect(),
                        }
                    }),*
                }
            }
        }

        impl Values<'_> {
            fn len(&self) -> usize {
                match self { $(Self::$kind(values) => values.len()),* }
            }

            fn copy(&self, start: usize, target: &mut [f64]) {
                match self {
                    $(Self::$kind(values) => {
                        let part = values.slice_axis(Axis(0), Slice::from(start..start + target.len()));
                        target.iter_mut().zip(part).for_each(|(to, &from)| *to = from as f64);
                    }),*
                }
            }
        }
    };
}

numbers!(F64 f64, F32 f32, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64);
