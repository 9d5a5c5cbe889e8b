//! Hodge calculus on arrays.

use nocurl::graph::Reachability;
use nocurl::{Mat, MatRef, hodge};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{Matrix, Vector, matrix, square, vector};
use crate::failure::{Failure, guarded};

/// An undirected graph with its triangles.
#[pyclass(module = "nocurl._nocurl", frozen, subclass)]
pub(crate) struct Complex(hodge::Complex);

#[pymethods]
impl Complex {
    #[new]
    #[pyo3(signature = (size, edges=None))]
    fn new(size: usize, edges: Option<Vec<(usize, usize)>>) -> PyResult<Self> {
        Ok(Self(guarded(|| match edges {
            None => Ok(hodge::Complex::complete(size)),
            Some(edges) => Ok(hodge::Complex::from_edges(size, &edges)?),
        })?))
    }

    /// Edges of the pairs with an entry that is not zero.
    #[staticmethod]
    fn support(weights: PyReadonlyArray2<'_, f64>) -> PyResult<Vec<(usize, usize)>> {
        Ok(guarded(|| Ok(hodge::Complex::of_support(square(&weights)?.as_ref()).edges().to_vec()))?)
    }

    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    #[getter]
    fn edges(&self) -> Vec<(usize, usize)> {
        self.0.edges().to_vec()
    }

    #[getter]
    fn triangles(&self) -> Vec<[usize; 3]> {
        self.0.triangles()
    }

    fn grad<'py>(&self, py: Python<'py>, potential: Vec<f64>) -> PyResult<Vector<'py>> {
        self.vertices(&potential)?;
        Ok(vector(py, &self.0.grad(&potential)))
    }

    fn div<'py>(&self, py: Python<'py>, flow: Vec<f64>) -> PyResult<Vector<'py>> {
        self.flow(&flow)?;
        Ok(vector(py, &self.0.div(&flow)))
    }

    fn curl<'py>(&self, py: Python<'py>, flow: Vec<f64>) -> PyResult<Vector<'py>> {
        self.flow(&flow)?;
        Ok(vector(py, &self.0.curl(&flow)))
    }

    fn curl_adjoint<'py>(&self, py: Python<'py>, rotation: Vec<f64>) -> PyResult<Vector<'py>> {
        check("function on triangles", rotation.len(), self.0.triangles().len())?;
        Ok(vector(py, &self.0.curl_adjoint(&rotation)))
    }

    fn laplacian<'py>(&self, py: Python<'py>) -> Matrix<'py> {
        matrix(py, self.0.laplacian().as_ref())
    }

    fn flow_of<'py>(
        &self,
        py: Python<'py>,
        weights: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Vector<'py>> {
        let weights = square(&weights)?;
        check("matrix", weights.nrows(), self.0.size())?;
        Ok(vector(py, &self.0.from_matrix(weights.as_ref())))
    }

    fn to_matrix<'py>(&self, py: Python<'py>, flow: Vec<f64>) -> PyResult<Matrix<'py>> {
        self.flow(&flow)?;
        Ok(matrix(py, self.0.to_matrix(&flow).as_ref()))
    }

    /// Potential, the three parts of a flow, and their energies.
    fn decompose<'py>(&self, py: Python<'py>, flow: Vec<f64>) -> PyResult<Bound<'py, PyDict>> {
        self.flow(&flow)?;
        let parts = py.detach(|| guarded(|| Ok(self.0.decompose(&flow))))?;
        let found = PyDict::new(py);
        found.set_item("potential", vector(py, &parts.potential))?;
        found.set_item("gradient", vector(py, &parts.gradient))?;
        found.set_item("curl", vector(py, &parts.curl))?;
        found.set_item("harmonic", vector(py, &parts.harmonic))?;
        found.set_item("energies", energies(parts.energies))?;
        Ok(found)
    }
}

impl Complex {
    fn vertices(&self, values: &[f64]) -> Result<(), Failure> {
        check("function on vertices", values.len(), self.0.size())
    }

    fn flow(&self, values: &[f64]) -> Result<(), Failure> {
        check("function on edges", values.len(), self.0.edges().len())
    }
}

fn check(what: &str, found: usize, expected: usize) -> Result<(), Failure> {
    if found == expected {
        return Ok(());
    }
    Err(Failure::value(format!("{what}: {found} values where the graph has {expected}")))
}

fn energies(energies: hodge::Energies) -> (f64, f64, f64) {
    (energies.gradient, energies.curl, energies.harmonic)
}

/// The potential by which DAG-NoCurl orders a graph, maybe cyclic.
#[pyfunction]
pub(crate) fn potential<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray2<'py, f64>,
) -> PyResult<Vector<'py>> {
    let potential =
        guarded(|| Ok(hodge::potential(&Reachability::new(square(&weights)?.as_ref()))))?;
    Ok(vector(py, &potential))
}

/// Skew-symmetric weights of a graph on a potential.
#[pyfunction]
pub(crate) fn weights_on_potential<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray2<'py, f64>,
    potential: Vec<f64>,
) -> PyResult<Matrix<'py>> {
    on_potential(py, &weights, &potential, hodge::weights_on_potential)
}

/// The acyclic graph of weights and a potential.
#[pyfunction]
pub(crate) fn graph_of<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray2<'py, f64>,
    potential: Vec<f64>,
) -> PyResult<Matrix<'py>> {
    on_potential(py, &weights, &potential, hodge::graph_of)
}

fn on_potential<'py>(
    py: Python<'py>,
    weights: &PyReadonlyArray2<'py, f64>,
    potential: &[f64],
    make: fn(MatRef<'_, f64>, &[f64]) -> Mat<f64>,
) -> PyResult<Matrix<'py>> {
    let weights = square(weights)?;
    check("potential", potential.len(), weights.nrows())?;
    Ok(matrix(py, make(weights.as_ref(), potential).as_ref()))
}

/// How much of a graph is an order: energies of the gradient, the curl and the harmonic part.
#[pyfunction]
pub(crate) fn order_energy(weights: PyReadonlyArray2<'_, f64>) -> PyResult<(f64, f64, f64)> {
    Ok(guarded(|| Ok(energies(hodge::order_energy(square(&weights)?.as_ref()))))?)
}
