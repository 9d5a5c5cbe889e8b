//! Matrices between NumPy and the engine.

use nocurl::{Mat, MatRef};
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2, PyReadonlyArray2, ToPyArray};
use pyo3::prelude::*;

use crate::failure::Failure;

/// An array of two dimensions.
pub(crate) type Matrix<'py> = Bound<'py, PyArray2<f64>>;

/// An array of one dimension.
pub(crate) type Vector<'py> = Bound<'py, PyArray1<f64>>;

/// A square matrix of finite numbers.
pub(crate) fn square(array: &PyReadonlyArray2<'_, f64>) -> Result<Mat<f64>, Failure> {
    let array = array.as_array();
    let (rows, columns) = array.dim();
    if rows != columns {
        return Err(Failure::value(format!("a square matrix is needed, not {rows} x {columns}")));
    }
    if let Some(((i, j), _)) = array.indexed_iter().find(|(_, value)| !value.is_finite()) {
        return Err(Failure::value(format!("entry ({i}, {j}) of the matrix is not finite")));
    }
    Ok(Mat::from_fn(rows, columns, |i, j| array[(i, j)]))
}

/// A matrix as an array.
pub(crate) fn matrix<'py>(py: Python<'py>, matrix: MatRef<'_, f64>) -> Matrix<'py> {
    Array2::from_shape_fn(matrix.shape(), |at| matrix[at]).to_pyarray(py)
}

/// Numbers as an array.
pub(crate) fn vector<'py>(py: Python<'py>, values: &[f64]) -> Vector<'py> {
    values.to_pyarray(py)
}
