"""Hodge calculus on graphs: which part of a pairwise comparison is an order, and which is not.

A function on edges that changes sign with their direction (a flow) is the sum of a gradient, which
ranks the vertices, a rotation around triangles, and a harmonic flow around longer cycles. Signs
follow *DAGs with No Curl*: ``grad(p)(i, j) = p(j) - p(i)``, ``div(Y)(i) = sum_j Y(i, j)``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _nocurl

__all__ = [
    "Complex",
    "Decomposition",
    "Energies",
    "graph_of",
    "order_energy",
    "potential",
    "weights_on_potential",
]


class Energies(NamedTuple):
    """Squared norms of the three parts of a flow, every edge counted once."""

    gradient: float
    curl: float
    harmonic: float


class Decomposition(NamedTuple):
    """A flow as the sum of its three orthogonal parts, one value for each edge."""

    #: One value for each vertex, whose gradient is the first part.
    potential: np.ndarray
    gradient: np.ndarray
    curl: np.ndarray
    harmonic: np.ndarray
    energies: Energies


class Complex:
    """An undirected graph with its triangles, and the operators between functions on them.

    Parameters
    ----------
    size : int
        Number of vertices.
    edges : sequence of (int, int), optional
        The edges; all pairs if there are none given.

    Examples
    --------
    >>> from nocurl.hodge import Complex
    >>> triangle = Complex(3)
    >>> triangle.edges
    [(0, 1), (0, 2), (1, 2)]
    >>> flow = triangle.grad([0.0, 1.0, 5.0])
    >>> flow
    array([1., 5., 4.])
    >>> triangle.curl(flow)
    array([0.])
    >>> triangle.decompose([1.0, -1.0, 1.0]).energies.gradient
    0.0
    """

    def __init__(self, size: int, edges: Any = None) -> None:
        pairs = None if edges is None else [(int(i), int(j)) for i, j in edges]
        self._engine = _nocurl.Complex(size, pairs)

    @classmethod
    def of_support(cls, matrix: Any) -> Complex:
        """The graph of the pairs with an entry that is not zero in either direction."""
        matrix = _square(matrix)
        return cls(len(matrix), _nocurl.Complex.support(matrix))

    @property
    def size(self) -> int:
        """Number of vertices."""
        return self._engine.size

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Edges (i, j) with i < j, in increasing order."""
        return self._engine.edges

    @property
    def triangles(self) -> list[list[int]]:
        """Triangles [i, j, k] with i < j < k, in increasing order."""
        return self._engine.triangles

    def grad(self, potential: Any) -> np.ndarray:
        """p(j) - p(i) on every edge."""
        return self._engine.grad(_vector(potential))

    def div(self, flow: Any) -> np.ndarray:
        """The sum of a flow out of each vertex."""
        return self._engine.div(_vector(flow))

    def curl(self, flow: Any) -> np.ndarray:
        """The sum of a flow around each triangle."""
        return self._engine.curl(_vector(flow))

    def curl_adjoint(self, rotation: Any) -> np.ndarray:
        """The adjoint of the curl."""
        return self._engine.curl_adjoint(_vector(rotation))

    def laplacian(self) -> np.ndarray:
        """The graph Laplacian, -div grad."""
        return self._engine.laplacian()

    def flow_of(self, matrix: Any) -> np.ndarray:
        """The skew part (M - M') / 2 of a matrix as a flow."""
        return self._engine.flow_of(_square(matrix))

    def to_matrix(self, flow: Any) -> np.ndarray:
        """A flow as a skew-symmetric matrix."""
        return self._engine.to_matrix(_vector(flow))

    def decompose(self, flow: Any) -> Decomposition:
        """The three parts of a flow."""
        parts = self._engine.decompose(_vector(flow))
        parts["energies"] = Energies(*parts["energies"])
        return Decomposition(**parts)


def potential(matrix: Any) -> np.ndarray:
    """The potential by which DAG-NoCurl orders a graph that may have cycles.

    Whenever a path leads from i to j and none back, p(j) > p(i).

    Examples
    --------
    >>> from nocurl import hodge
    >>> hodge.potential([[0, -1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 5], [0, 0, 0, 0]])
    array([-0.75, -0.5 , -0.25,  0.  ])
    """
    return _nocurl.potential(_square(matrix))


def weights_on_potential(matrix: Any, potential: Any) -> np.ndarray:
    """The skew-symmetric weights W with A(i, j) = W(i, j) (p(j) - p(i)) on edges along p."""
    return _nocurl.weights_on_potential(_square(matrix), _vector(potential))


def graph_of(weights: Any, potential: Any) -> np.ndarray:
    """The graph W ∘ ReLU(grad p), which is acyclic whatever W and p are."""
    return _nocurl.graph_of(_square(weights), _vector(potential))


def order_energy(matrix: Any) -> Energies:
    """How much of a graph is an order: energies of the parts of its skew part."""
    return Energies(*_nocurl.order_energy(_square(matrix)))


def _square(matrix: Any) -> np.ndarray:
    array = np.ascontiguousarray(matrix, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"a square matrix is needed, not an array of shape {array.shape}")
    return array


def _vector(values: Any) -> list[float]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"one dimension is needed, not {array.ndim}")
    return array.tolist()
