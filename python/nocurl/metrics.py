"""How far an estimated graph is from the true one.

Every function takes matrices (row -> column), DataFrames, :class:`nocurl.Graph`, fitted models or
networkx graphs; those with names are put into the order of the truth.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _nocurl
from ._graph import Graph

__all__ = ["compare", "cpdag_shd", "shd", "sid"]


def compare(truth: Any, estimate: Any, *, claim: str | None = None) -> dict[str, float]:
    """Every score at once.

    Parameters
    ----------
    truth, estimate : array, DataFrame, Graph or networkx.DiGraph
        The graphs.
    claim : {"dag", "class", "skeleton"}, optional
        How much of the estimate is meant; by default what the estimate says of itself, or all. Of
        a class, an edge whose direction is open is right wherever the truth has an edge.

    Returns
    -------
    dict
        ``shd``, ``extra``, ``missing``, ``reversed``, ``true_edges``, ``estimated_edges``, ``fdr``,
        ``tpr``, ``fpr``, ``precision``, ``recall``, ``f1``, ``skeleton_precision``,
        ``skeleton_recall``, ``skeleton_f1``, ``cpdag_shd``, ``sid``.

    Examples
    --------
    >>> from nocurl import metrics
    >>> scores = metrics.compare([[0, 1], [0, 0]], [[0, 0], [1, 0]])
    >>> scores["shd"], scores["reversed"], scores["cpdag_shd"]
    (1, 1, 0)
    """
    truth, estimate = _learnt(truth), _learnt(estimate)
    if claim is None:
        claim = estimate.claim if isinstance(estimate, Graph) else "dag"
    true_weights, names = _matrix(truth)
    weights, own = _matrix(estimate)
    if names is not None and own is not None and names != own:
        if set(names) != set(own):
            only = sorted(set(map(str, names)) ^ set(map(str, own)))
            raise ValueError(f"the graphs have different variables: only one has `{only[0]}`")
        places = [own.index(name) for name in names]
        weights = np.ascontiguousarray(weights[np.ix_(places, places)])
    return json.loads(_nocurl.compare(true_weights, weights, claim))


def shd(truth: Any, estimate: Any) -> int:
    """Structural Hamming distance: extra, missing and reversed edges.

    Examples
    --------
    >>> from nocurl import metrics
    >>> metrics.shd([[0, 1], [0, 0]], [[0, 0], [0, 0]])
    1
    """
    return int(compare(truth, estimate)["shd"])


def cpdag_shd(truth: Any, estimate: Any) -> int:
    """Distance of the equivalence classes: pairs that differ in kind or direction."""
    return int(compare(truth, estimate)["cpdag_shd"])


def sid(truth: Any, estimate: Any) -> int:
    """Structural intervention distance (Peters and Bühlmann, 2015): pairs of variables whose causal
    effect would be estimated wrongly."""
    return int(compare(truth, estimate)["sid"])


def _learnt(graph: Any) -> Any:
    """The graph of a model that was fitted, or the graph itself."""
    return graph.graph_ if hasattr(graph, "graph_") else graph


def _matrix(graph: Any) -> tuple[np.ndarray, list | None]:
    """Weights, and names where there are any."""
    if isinstance(graph, Graph):
        return np.asarray(graph.weights), list(graph.variables)
    if hasattr(graph, "to_numpy") and hasattr(graph, "columns"):
        return np.ascontiguousarray(graph.to_numpy(), dtype=np.float64), list(graph.columns)
    if hasattr(graph, "edges") and hasattr(graph, "nodes"):
        names = list(graph.nodes)
        place = {name: i for i, name in enumerate(names)}
        weights = np.zeros((len(names), len(names)))
        for cause, effect in graph.edges:
            weights[place[cause], place[effect]] = 1.0
        return weights, names
    matrix = np.ascontiguousarray(graph, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"a square matrix is needed, not an array of {matrix.ndim} dimensions")
    return matrix, None
